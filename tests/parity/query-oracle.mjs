// What the reference answers to generated questions, for the native tests, which cannot ask it themselves:
// node tests/parity/query-oracle.mjs [how many] [seed] > tests/golden/generated_queries.json
// Standard output gets a JSON array with an object on each line; its fields are those of `answersTo` in questions.ts.

import { build } from "esbuild";

const DEFAULT_QUESTIONS = 2000;
const DEFAULT_SEED = 5;

const [count = DEFAULT_QUESTIONS, seed = DEFAULT_SEED] = process.argv.slice(2).map(Number);

// Node 20 does not read TypeScript: one module is made of generator and reference.
const { outputFiles } = await build({
  stdin: {
    contents: `export { answersTo, asked } from "./questions.ts"; export { sample } from "fast-check";`,
    resolveDir: import.meta.dirname,
  },
  bundle: true,
  write: false,
  format: "esm",
  platform: "node",
});
const { answersTo, asked, sample } = await import(
  `data:text/javascript;base64,${Buffer.from(outputFiles[0].contents).toString("base64")}`
);

/** Text of the native crate has no halves of surrogate pairs. */
const isWellFormed = ({ query, classified }) => query.isWellFormed() && (classified.entity ?? "").isWellFormed();

const rows = sample(asked.filter(isWellFormed), { numRuns: count, seed }).map((each) =>
  JSON.stringify(answersTo(each)),
);
process.stdout.write(`[\n${rows.join(",\n")}\n]\n`);
