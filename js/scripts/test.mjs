// `npm test`: installs tools, builds, and runs every suite. `npm test -- rust parity` runs these
// two, and `npm test -- --lint` runs all suites and the checks of `npm run lint`. Prints a
// summary. Fails if a suite failed, skipped a test, or ran no test.

import { mkdirSync, readFileSync, rmSync } from "node:fs";
import { stripVTControlCharacters } from "node:util";
import { build } from "./build.mjs";
import { at, fail, runAside, say } from "./lib.mjs";
import { lint } from "./lint.mjs";
import { setUpChromium, setUpLoadBalancers, setUpStrace } from "./setup.mjs";

const isLinting = process.argv.includes("--lint");

/**
 * The suites, in lanes that run at the same time: while the suites of one lane wait, for the start
 * of a program, a disk or the end of a fault, those of another compute.
 */
const LANES = [
  {
    rust: { about: "the crate, natively", run: rust },
    parity: {
      about: "reference, rivals and the WASM build against each other",
      run: vitest("parity"),
    },
    package: { about: "the packed package, the sample memory", run: packed },
    // After the package suite, whose example would wait for cargo's lock.
    ...(isLinting ? { lint: { about: "formats, lints, types and docs", run: linted } } : {}),
  },
  {
    kills: {
      about: "the memory server, killed and started again on its remaining files",
      run: vitest("kills"),
    },
    server: {
      about: "the memory server: storage, every route, faults and load",
      run: vitest("server"),
    },
    postgres: {
      about: "the memory server with its memories in PostgreSQL, and on an older PostgreSQL",
      run: vitest("postgres", "postgres-16"),
    },
  },
];
/** Runs after the others: it measures how long a browser takes for a frame. */
const ALONE = {
  browser: { about: "the package in Chromium and in a worker", run: vitest("browser") },
};
const SUITES = [...LANES, ALONE].flatMap(Object.keys);

const wanted = process.argv.slice(2).filter((name) => name !== "--lint");
const unknown = wanted.filter((name) => !SUITES.includes(name));
if (unknown.length > 0)
  fail(`There is no suite ${unknown.join(", ")}. Name any of: ${SUITES.join(", ")}.`);
const chosen = wanted.length > 0 ? wanted : SUITES;

// Downloading and linking leave a core idle. The native tests need nothing of the build and use
// that core.
const native = chosen.includes("rust") ? runAside("cargo", ["test", "--locked"]) : undefined;
await build();
// Only the package suite needs the module with the counting allocator. It is built while the suites
// before that run.
const counted = chosen.includes("package")
  ? runAside("node", ["js/scripts/build.mjs", "--counted"])
  : undefined;
if (chosen.includes("browser")) process.env.CHROME = setUpChromium();
if (chosen.includes("server")) {
  setUpStrace();
  setUpLoadBalancers();
}

const chosenOf = (suites) => Object.entries(suites).filter(([name]) => chosen.includes(name));
const lanes = LANES.map(chosenOf).filter((suites) => suites.length > 0);
const running = lanes.map((suites, place) => runInOrder(suites, place === lanes.length - 1));
const outcomes = (await Promise.all(running)).flat();
outcomes.push(...(await runInOrder(chosenOf(ALONE), true)));

console.log("\nsuite      passed  failed   skipped  seconds");
for (const { name, passed, failed, skipped, seconds } of outcomes) {
  const numbers = [passed, failed, skipped, Math.round(seconds)].map((number, place) =>
    String(number).padStart([8, 8, 10, 9][place]),
  );
  console.log(name.padEnd(9) + numbers.join(""));
}
const bad = outcomes.filter(
  ({ ok, passed, failed, skipped }) => !ok || failed > 0 || skipped > 0 || passed === 0,
);
for (const { name, failures = [] } of bad) {
  for (const { title, message } of failures) console.log(`\n✗ ${name}: ${title}\n${message}`);
}
if (bad.length > 0)
  fail(`Failed: ${bad.map(({ name }) => name).join(", ")}. The failures are listed above.`);

/** Runs the suites of a lane. Their output appears at once, or else after each suite. */
async function runInOrder(suites, isShown) {
  const outcomes = [];
  for (const [name, { about, run }] of suites) {
    say(`suite ${name}: ${about}`);
    const start = Date.now();
    const outcome = await run(isShown);
    const seconds = (Date.now() - start) / 1000;
    say(`suite ${name}: ${Math.round(seconds)} seconds`);
    outcomes.push({ name, seconds, ...outcome });
  }
  return outcomes;
}

/** Runs the checks of `npm run lint`. Each counts as a test. */
async function linted() {
  const { passed, failed } = await lint();
  const failures = failed.map((title) => ({ title, message: "The output above says why." }));
  const counts = { passed: passed.length, failed: failed.length, skipped: 0 };
  return { ok: failed.length === 0, ...counts, failures };
}

async function rust() {
  const { ok, text } = await native;
  const outcome = { ok, passed: 0, failed: 0, skipped: 0, seconds: 0 };
  const result =
    /^test result: \w+\. (\d+) passed; (\d+) failed; (\d+) ignored; .* finished in ([\d.]+)s$/gm;
  for (const [, passed, failed, ignored, seconds] of text.matchAll(result)) {
    outcome.passed += Number(passed);
    outcome.failed += Number(failed);
    outcome.skipped += Number(ignored);
    outcome.seconds += Number(seconds);
  }
  return outcome;
}

async function packed(isShown) {
  if ((await counted).ok) return vitest("package")(isShown);
  const failure = {
    title: "module with the counting allocator",
    message: "The build of this module failed. The output above says why.",
  };
  return { ok: false, passed: 0, failed: 0, skipped: 0, failures: [failure] };
}

/** Returns a function that runs projects of Vitest in one process. */
function vitest(...projects) {
  return async (isShown) => {
    const report = at(".cache", "reports", `${projects[0]}.json`);
    mkdirSync(at(".cache", "reports"), { recursive: true });
    rmSync(report, { force: true });
    const named = projects.flatMap((project) => ["--project", project]);
    const reporters = ["--reporter=default", "--reporter=json", `--outputFile.json=${report}`];
    const { ok } = await runAside("vitest", ["run", ...named, ...reporters], { isShown });
    try {
      const { numPassedTests, numFailedTests, numPendingTests, numTodoTests, testResults } =
        JSON.parse(readFileSync(report, "utf8"));
      const counts = {
        passed: numPassedTests,
        failed: numFailedTests,
        skipped: numPendingTests + numTodoTests,
      };
      return { ok, ...counts, failures: testResults.flatMap(failuresOf) };
    } catch {
      return { ok: false, passed: 0, failed: 0, skipped: 0 };
    }
  };
}

/** Returns the failures of one test file. They are printed again at the end of a long run. */
function failuresOf({ name: file, message, assertionResults }) {
  const failed = assertionResults.filter(({ status }) => status === "failed");
  if (failed.length === 0) return message ? [{ title: file, message: beginningOf(message) }] : [];
  return failed.map(({ fullName, failureMessages }) => ({
    title: `${file} › ${fullName}`,
    message: beginningOf(failureMessages.join("\n")),
  }));
}

/** Returns the first lines of a message. A property's seed and counterexample are among them. */
function beginningOf(message) {
  return stripVTControlCharacters(message).split("\n").slice(0, 30).join("\n").slice(0, 3000);
}
