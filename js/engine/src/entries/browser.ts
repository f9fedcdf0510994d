// Entry for browsers: `await init()` fetches the module from the folder of this file and compiles
// it while it arrives.

import { setDefaultModule, setIndexThreads } from "../core.ts";
import { webThread } from "./web-thread.ts";

setDefaultModule(() => new URL("./nous_wasm.wasm", import.meta.url));
// Bundlers recognize this form of `new Worker`.
setIndexThreads(() =>
  webThread(
    () =>
      new Worker(new URL("./index-worker.js", import.meta.url), {
        type: "module",
        name: "nous-wasm",
      }),
  ),
);

export * from "../core.ts";
