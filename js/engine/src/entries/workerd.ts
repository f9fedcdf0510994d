// Cloudflare's workers: they compile modules when they are deployed and forbid it afterwards.

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
