// Entry for all other environments: the module and the worker's script are in this file, as text.

import { initSync, setIndexThreads } from "../core.ts";
import { NODE_OPTIONS, nodeThread } from "./node-thread.ts";
import { webThread } from "./web-thread.ts";

declare const __WASM_BASE64__: string;
declare const __INDEX_WORKER__: string;

initSync(Uint8Array.from(atob(__WASM_BASE64__), (letter) => letter.charCodeAt(0)));
setIndexThreads(() => {
  const script: string = __INDEX_WORKER__;
  // For bundles that run in Node. An import of `node:worker_threads` would fail in other
  // environments. Available since Node 20.16.
  const threads = globalThis.process?.getBuiltinModule?.("node:worker_threads");
  if (threads !== undefined)
    return nodeThread(new threads.Worker(script, { ...NODE_OPTIONS, eval: true }));
  return webThread(() => {
    const url = URL.createObjectURL(new Blob([script], { type: "text/javascript" }));
    try {
      return new Worker(url, { name: "nous-wasm" });
    } finally {
      URL.revokeObjectURL(url);
    }
  });
});

export * from "../core.ts";
