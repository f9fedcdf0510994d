// `npm run quality`: builds the package and measures how well it finds what answers a question; see
// benches/quality/main.ts. `npm run quality -- lessons` measures how well it finds what many trades
// have in common; see benches/quality/lessons.ts.

import { build } from "./build.mjs";
import { runProgram } from "./bundle.mjs";
import { fail } from "./lib.mjs";

const PROGRAMS = { questions: "benches/quality/main.ts", lessons: "benches/quality/lessons.ts" };

const [what = "questions", ...rest] = process.argv.slice(2);
if (!Object.hasOwn(PROGRAMS, what))
  fail(`What is to be measured is one of ${Object.keys(PROGRAMS).join(", ")}.`);
await build();
await runProgram(PROGRAMS[what], rest);
