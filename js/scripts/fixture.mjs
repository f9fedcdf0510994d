// `npm run fixture`: leaves a data folder of this version in tests/server/released, which the server
// of every later version has to open.

import { build } from "./build.mjs";
import { runProgram } from "./bundle.mjs";

await build();
await runProgram("tests/server/released/leave.ts", process.argv.slice(2));
