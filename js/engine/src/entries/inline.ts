// Anywhere else: the module is inside this file, as text, and so is the worker's script.

import { initSync, setIndexThreads } from "../core.ts";
import { NODE_OPTIONS, nodeThread } from "./node-thread.ts";
import { webThread } from "./web-thread.ts";

declare const __WASM_BASE64__: string;
declare const __INDEX_WORKER__: string;

initSync(Uint8Array.from(atob(__WASM_BASE64__), (letter) => letter.charCodeAt(0)));
setIndexThreads(() => {
  const script: string = __INDEX_WORKER__;
  // Bundled for Node, where an import would be in the way of other environments. From Node 20.16
  // on.
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
