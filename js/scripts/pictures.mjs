// `npm run pictures`: builds the package and draws the README's pictures from its functions.

import { build } from "./build.mjs";
import { runProgram } from "./bundle.mjs";

await build();
await runProgram("js/demo/pictures/main.ts", process.argv.slice(2));
