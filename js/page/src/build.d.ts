// Files and names that the build gives a meaning. Addresses are relative to the script that has them.

declare module "nous-wasm/nous_wasm.wasm" {
  const address: string;
  export default address;
}

declare module "nous-embedder/tables/nous-128.bin" {
  const address: string;
  export default address;
}

/** The addresses of the workers' scripts. */
declare const __MEMORY_WORKER__: string;
declare const __SENTENCE_WORKER__: string;
declare const __SPEED_WORKER__: string;

/** The address of the styles of all views but the first, relative to the page. */
declare const __VIEW_STYLES__: string;
