// Entry for browsers: `await init()` fetches the module from the folder of this file and compiles
// it while it arrives.

import { setDefaultModule } from "../core.ts";

setDefaultModule(() => new URL("./nous_wasm.wasm", import.meta.url));

export * from "../core.ts";
