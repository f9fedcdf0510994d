// `npm run fit`: fits the weights of evidence on questions with known answers
// (benches/fit/main.ts).

import { build } from "./build.mjs";
import { runProgram } from "./bundle.mjs";

await build();
await runProgram("benches/fit/main.ts", process.argv.slice(2), ["--max-old-space-size=6144"]);
