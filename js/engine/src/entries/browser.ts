// Browsers: `await init()` fetches the module from beside this file and compiles it while it arrives.

import { setDefaultModule } from "../core.ts";

setDefaultModule(() => new URL("./nous_wasm.wasm", import.meta.url));

export * from "../core.ts";
