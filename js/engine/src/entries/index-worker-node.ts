// The script of an index's worker in Node. It imports the core from its own folder.

import { parentPort } from "node:worker_threads";
import { initSync, MemoryIndex, NousError } from "../core.ts";
import type { Port } from "../memory/worker/protocol.ts";
import { serve } from "../memory/worker/serve.ts";

serve(parentPort as unknown as Port, { initSync, MemoryIndex, NousError });
