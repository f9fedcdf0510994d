// The script of an index's worker, whole: for browsers, and as the text that the inline entry
// carries.

import { NousError } from "../errors.ts";
import { MemoryIndex } from "../memory/memory-index.ts";
import type { Port } from "../memory/worker/protocol.ts";
import { serve } from "../memory/worker/serve.ts";
import { initSync } from "../runtime.ts";

// Node's workers have no global of their own to talk through.
const threads = globalThis.process?.getBuiltinModule?.("node:worker_threads");
serve((threads?.parentPort ?? globalThis) as unknown as Port, { initSync, MemoryIndex, NousError });
