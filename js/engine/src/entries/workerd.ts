// Cloudflare's workers: they compile modules when they are deployed and forbid it afterwards.

// @ts-expect-error: a .wasm import is a WebAssembly.Module there
import module from "./nous_wasm.wasm";
import { initSync } from "../core.ts";

initSync(module);

export * from "../core.ts";
