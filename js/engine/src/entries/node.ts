// Entry for Node: the module is read synchronously from the folder of this file.

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { initSync, setIndexThreads } from "../core.ts";
import { NODE_OPTIONS, nodeThread } from "./node-thread.ts";

declare const __dirname: string;

initSync(readFileSync(join(__dirname, "nous_wasm.wasm")));
setIndexThreads(() => {
  // Required on demand, because it takes a sixth of the time of loading this entry.
  const { Worker } = require("node:worker_threads") as typeof import("node:worker_threads");
  return nodeThread(new Worker(join(__dirname, "index-worker.cjs"), NODE_OPTIONS));
});

export * from "../core.ts";
