// `npm run ask -- "QUESTION"`: builds what is missing, then answers the question over the sample
// memory in the terminal. `npm run ask -- --help` lists the options.

import { build } from "./build.mjs";
import { runProgram } from "./bundle.mjs";

await build({ isWhole: false });
await runProgram("js/scripts/ask/main.ts", process.argv.slice(2));
