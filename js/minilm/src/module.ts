// An instance of the WebAssembly module, which is in this package as text.

import { MinilmError } from "./errors.ts";
import { createGlue } from "./generated/glue.js";

declare const __WASM_BASE64__: string;

/** The functions of an instance. @internal */
export type Glue = ReturnType<typeof createGlue>;

/** Returns a new instance. Throws `unsupported` if this environment cannot run it. @internal */
export async function newInstance(): Promise<Glue> {
  const glue = createGlue();
  const bytes = Uint8Array.from(atob(__WASM_BASE64__), (letter) => letter.charCodeAt(0));
  try {
    const { instance } = await WebAssembly.instantiate(bytes, { "./nous_minilm_bg.js": glue });
    glue.__wbg_set_wasm(instance.exports);
  } catch (cause) {
    const message =
      "The WebAssembly module cannot be loaded: it needs SIMD, and a page with a Content Security Policy needs 'wasm-unsafe-eval'.";
    throw new MinilmError("unsupported", message, {}, { cause });
  }
  return glue;
}
