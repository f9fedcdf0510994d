// Cloudflare's workers: they compile modules when they are deployed and forbid it afterwards.

import { initSync } from "../core.ts";
// @ts-expect-error: a .wasm import is a WebAssembly.Module there
import module from "./nous_wasm.wasm";

initSync(module);

export * from "../core.ts";
