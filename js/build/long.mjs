// `npm run long -- WHAT [HOW MUCH]`: a test at length. What `npm test` does for a short while goes on for an hour, or many times over.

import { build } from "./build.mjs";
import { fail, run } from "./lib.mjs";

/** By its name: the file of tests, the variable that tells it how much, and how much is usual. */
const LONG = {
  soak: { file: "tests/server/soak.test.ts", variable: "SOAK_MINUTES", usual: 60 },
  "wrong-requests": { file: "tests/server/wrong-requests.test.ts", variable: "WRONG_REQUESTS", usual: 100_000 },
};

const [what, howMuch] = process.argv.slice(2);
if (!Object.hasOwn(LONG, what ?? "")) fail(`What is to be done at length is one of ${Object.keys(LONG).join(", ")}.`);
const { file, variable, usual } = LONG[what];
const much = Number(howMuch ?? usual);
if (!(much > 0)) fail(`How much is a number above 0, such as ${usual}.`);
await build();
const project = file.split("/")[1];
if (!run("vitest", ["run", "--project", project, file], { env: { [variable]: String(much) } })) process.exit(1);
