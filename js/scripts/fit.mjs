// `npm run fit`: fits the weights of evidence on questions with known answers
// (benches/fit/main.ts); `-- changes` those by which a new memory replaces an older one
// (benches/fit/changes.ts).

import { build } from "./build.mjs";
import { runProgram } from "./bundle.mjs";

const [what, ...rest] = process.argv.slice(2);
await build();
if (what === "changes") await runProgram("benches/fit/changes.ts", rest);
else await runProgram("benches/fit/main.ts", process.argv.slice(2), ["--max-old-space-size=6144"]);
