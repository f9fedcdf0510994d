export const WASM_OPT: string;
