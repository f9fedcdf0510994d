// `npm run fit`: fits the weights of evidence on questions with known answers
// (benches/fit/main.ts); `-- changes` those by which a new memory replaces an older one
// (benches/fit/changes.ts); `-- knows` those by which a memory knows an answer
// (benches/fit/knows.ts). `-- pairs` writes what the model that reads pairs is trained on
// (benches/fit/pairs.ts), `-- questions` what the adapter for questions is trained on
// (benches/fit/questions.ts).

import { build } from "./build.mjs";
import { runProgram } from "./bundle.mjs";

const PARTS = ["changes", "knows", "pairs", "questions"];

const [what, ...rest] = process.argv.slice(2);
await build();
if (PARTS.includes(what)) await runProgram(`benches/fit/${what}.ts`, rest);
else await runProgram("benches/fit/main.ts", process.argv.slice(2), ["--max-old-space-size=6144"]);
