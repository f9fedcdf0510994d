// `npm run bench`: builds the package and measures it; see benches/js/main.ts for the options.

import { build } from "./build.mjs";
import { runProgram } from "./bundle.mjs";

await build();
await runProgram("benches/js/main.ts", process.argv.slice(2), ["--expose-gc"]);
