// `npm run ask -- "QUESTION"`: builds what is missing, then answers the question over the sample
// memory in the terminal. `npm run ask -- --help` lists the other commands.

import { build } from "./build.mjs";
import { runProgram } from "./bundle.mjs";

await build();
await runProgram("js/demo/terminal/main.ts", process.argv.slice(2));
