// Entry for all other environments: the module is in this file, as text.

import { initSync } from "../core.ts";

declare const __WASM_BASE64__: string;

initSync(Uint8Array.from(atob(__WASM_BASE64__), (letter) => letter.charCodeAt(0)));

export * from "../core.ts";
