// `npm run pictures`: builds the engine and draws the pictures in docs/ from its functions.

import { build } from "./build.mjs";
import { runProgram } from "./bundle.mjs";

await build();
await runProgram("js/demo/pictures/main.ts", process.argv.slice(2));
