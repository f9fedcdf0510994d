// `npm run ask`: sets up and builds what is missing, then answers a question over the sample
// memory, or what it is asked for.

import { build } from "./build.mjs";
import { runProgram } from "./bundle.mjs";

await build();
await runProgram("js/demo/terminal/main.ts", process.argv.slice(2));
