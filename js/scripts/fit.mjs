// `npm run fit`: fits the weights of evidence on questions with known answers
// (benches/fit/main.ts); `-- changes` those by which a new memory replaces an older one
// (benches/fit/changes.ts). `-- pairs` writes what the model that reads pairs is trained on
// (benches/fit/pairs.ts), `-- questions` what the adapter for questions is trained on
// (benches/fit/questions.ts).

import { build } from "./build.mjs";
import { runProgram } from "./bundle.mjs";

const [what, ...rest] = process.argv.slice(2);
await build();
if (what === "changes") await runProgram("benches/fit/changes.ts", rest);
else if (what === "pairs") await runProgram("benches/fit/pairs.ts", rest);
else if (what === "questions") await runProgram("benches/fit/questions.ts", rest);
else await runProgram("benches/fit/main.ts", process.argv.slice(2), ["--max-old-space-size=6144"]);
