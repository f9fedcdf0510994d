// Entry for Node: the module is read synchronously from the folder of this file.

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { initSync } from "../core.ts";

declare const __dirname: string;

initSync(readFileSync(join(__dirname, "nous_wasm.wasm")));

export * from "../core.ts";
