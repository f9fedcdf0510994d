// Browsers: `await init()` fetches the module from beside this file and compiles it while it
// arrives.

import { setDefaultModule, setIndexThreads } from "../core.ts";
import { webThread } from "./web-thread.ts";

setDefaultModule(() => new URL("./nous_wasm.wasm", import.meta.url));
// Written as bundlers look for it.
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
