// `npm run quality`: measures how well a search finds the memories that answer a question
// (benches/quality/main.ts); `-- --set FILE …` asks the questions of files. `-- lessons` measures
// how well consolidation finds the patterns of many trades (benches/quality/lessons.ts),
// `-- corrections` how well memories are found that a new memory replaces
// (benches/quality/corrections.ts), `-- holds` whether what holds now comes first
// (benches/quality/holds.ts), `-- learning --set FILE …` what learning from use gains
// (benches/quality/learning.ts), `-- compound` what taking questions apart gains
// (benches/quality/compound.ts), `-- prompts --set FILE …` how often prompts hold the answers
// (benches/quality/prompts.ts), `-- services --url URL --model NAME` what the vectors of a service
// do to answers (benches/quality/services.ts), `-- consolidation --set FILE …` what summaries do to
// answers (benches/quality/consolidation.ts), `-- sections` what the section of a memory adds
// (benches/quality/sections.ts), `-- simpler --set FILE …` where simpler rankings find more
// (benches/quality/simpler.ts), `-- picks --set FILE …` which memories prompts show, and at what
// cost (benches/quality/picks.ts), `-- guesses --set FILE …` what guesses change in answers
// (benches/quality/guesses.ts), `-- asked --set FILE …` what is found of questions in other words
// (benches/quality/asked.ts), and `-- knows --set FILE …` whether a memory is said to know an
// answer (benches/quality/knows.ts).

import { build } from "./build.mjs";
import { runProgram } from "./bundle.mjs";
import { fail } from "./lib.mjs";

const PROGRAMS = {
  questions: "benches/quality/main.ts",
  lessons: "benches/quality/lessons.ts",
  corrections: "benches/quality/corrections.ts",
  holds: "benches/quality/holds.ts",
  learning: "benches/quality/learning.ts",
  compound: "benches/quality/compound.ts",
  prompts: "benches/quality/prompts.ts",
  services: "benches/quality/services.ts",
  consolidation: "benches/quality/consolidation.ts",
  sections: "benches/quality/sections.ts",
  simpler: "benches/quality/simpler.ts",
  picks: "benches/quality/picks.ts",
  guesses: "benches/quality/guesses.ts",
  asked: "benches/quality/asked.ts",
  knows: "benches/quality/knows.ts",
};

const given = process.argv.slice(2);
const isNamed = given.length > 0 && !given[0].startsWith("-");
const what = isNamed ? given[0] : "questions";
const rest = isNamed ? given.slice(1) : given;
if (!Object.hasOwn(PROGRAMS, what))
  fail(`There is no measurement "${what}". Name one of: ${Object.keys(PROGRAMS).join(", ")}.`);
await build();
await runProgram(PROGRAMS[what], rest);
