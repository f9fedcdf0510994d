// The script of an index's worker in one file: for browsers, and as the text in the inline entry.

import { NousError } from "../errors.ts";
import { MemoryIndex } from "../memory/memory-index.ts";
import type { Port } from "../memory/worker/protocol.ts";
import { serve } from "../memory/worker/serve.ts";
import { initSync } from "../runtime.ts";

// Workers of Node have no messaging globals.
const threads = globalThis.process?.getBuiltinModule?.("node:worker_threads");
serve((threads?.parentPort ?? globalThis) as unknown as Port, { initSync, MemoryIndex, NousError });
