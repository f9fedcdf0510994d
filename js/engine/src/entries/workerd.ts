// Entry for Cloudflare Workers: modules are compiled at deployment, and compiling later is
// forbidden.

import { initSync } from "../core.ts";
// @ts-expect-error: a .wasm import is a WebAssembly.Module there
import module from "./nous_wasm.wasm";

initSync(module);

export * from "../core.ts";
