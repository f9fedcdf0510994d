// Entry for Cloudflare Workers: modules are compiled at deployment, and compiling later is
// forbidden.

import { initSync, NousError, setIndexThreads } from "../core.ts";
// @ts-expect-error: a .wasm import is a WebAssembly.Module there
import module from "./nous_wasm.wasm";

initSync(module);
setIndexThreads(() => {
  throw new NousError(
    "unsupported",
    "Cloudflare's runtime has no threads: use MemoryIndex, which needs none.",
  );
});

export * from "../core.ts";
