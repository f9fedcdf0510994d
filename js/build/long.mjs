// `npm run long -- NAME`: a suite's longer form, each by its name. `npm test` runs the shorter ones.

import { build } from "./build.mjs";
import { fail, run, say } from "./lib.mjs";

/** What each runs: a file of tests, and what makes it longer. */
const FORMS = {
  kills: { about: "2,000 kills (some half an hour)", test: "tests/server/kills.test.ts", env: { KILLS: "2000" } },
};

const [name = "", ...rest] = process.argv.slice(2);
if (!Object.hasOwn(FORMS, name) || rest.length > 0) {
  fail(`What is to be run at length is one of ${Object.keys(FORMS).join(", ")}.`);
}
const { about, test, env } = FORMS[name];
await build();
say(`${name}: ${about}`);
const [, project] = test.split("/");
if (!run("vitest", ["run", "--project", project, test], { env }))
  fail(`Not green: ${name}. What went wrong stands above.`);
