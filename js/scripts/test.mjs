// `npm test`: installs tools, builds, and runs of every suite what a change needs. Prints a summary.
// Fails if a suite failed, skipped a test, or ran no test.
//
// `npm run test:full` runs the whole of every suite. `npm test -- rust parity` runs these two,
// `npm test -- --changed [BASE]` what the changed files can break, and `npm test -- --lint` also the
// checks of `npm run lint`.

import { randomInt } from "node:crypto";
import { mkdirSync, readFileSync, rmSync } from "node:fs";
import { stripVTControlCharacters } from "node:util";
import { build } from "./build.mjs";
import { changedSince, OF_FULL, SUITES, suitesOf } from "./changed.mjs";
import { at, fail, runAside, say } from "./lib.mjs";
import { lint } from "./lint.mjs";
import { setUpChromium, setUpLoadBalancers, setUpStrace } from "./setup.mjs";

const [args, isFull] = without("--full", process.argv.slice(2));
// tests/support/amount.ts reads both.
process.env.TIER = isFull ? "full" : "change";
process.env.SEED ??= String(randomInt(2 ** 31));

/**
 * Suites of the server of which `npm test` runs every second one once more, with the memories in
 * PostgreSQL. The seed says which half. Beside them the suite `server` has those about PostgreSQL:
 * `postgres*` and the conformance of all stores.
 */
const ON_POSTGRES = [
  "batches",
  "clusters",
  "conflicts",
  "events",
  "filters",
  "full-text",
  "idempotency",
  "routes",
]
  .filter((_, at) => (at + Number(process.env.SEED)) % 2 === 0)
  .map((name) => `tests/server/${name}.test.ts`);

/**
 * The suites, those that take long first. Two lanes take the next one each: while the suite of one
 * lane waits, for the start of a program, a disk or the end of a fault, that of the other computes.
 */
const IN_LANES = {
  server: {
    about: "the memory server: storage, every route, faults and load",
    run: vitest(["server"]),
  },
  package: { about: "the packed package, the sample memory", run: packed },
  postgres: {
    about: "the memory server with its memories in PostgreSQL",
    run: isFull ? vitest(["postgres", "postgres-16"]) : vitest(["postgres"], ON_POSTGRES),
  },
  parity: { about: "reference and WASM build against each other", run: vitest(["parity"]) },
  kills: {
    about: "the memory server, killed and started again on its remaining files",
    run: vitest(["kills"]),
  },
  benches: { about: "rivals and measurements of the benches", run: vitest(["benches"]) },
  docs: {
    about: "every block of the documentation",
    run: vitest(["server"], ["tests/server/docs.test.ts"]),
  },
  python: {
    about: "the Python client against a server; if asked for, its parts, types and packages",
    run: python,
  },
  rust: { about: "the crate, natively", run: rust },
};
/** The suites go before programs of this priority; these take about a tenth of a core meanwhile. */
const LATER = 5;
/** Runs beside all others: its programs wait for nothing, and fill what these leave of the cores. */
const BESIDE = {
  lint: { about: "formats, lints, types and docs", run: linted },
};
/** Runs after the others: Chromium keeps both cores busy. */
const ALONE = {
  browser: { about: "the package in Chromium and in a worker", run: vitest(["browser"]) },
};

const chosen = chosenBy(args);
/** Whether somebody asked for the suite of Python. Else it runs the client's own tests alone. */
const isPythonWhole = isFull || args.some((arg) => arg !== "--lint");
// Tests start some thousand programs. Each finds its compiled JavaScript here.
process.env.NODE_COMPILE_CACHE ??= at(".cache/compiled");
say(`SEED=${process.env.SEED} npm ${isFull ? "run test:full" : "test"} generates the same again`);

// Downloading and linking leave a core idle. The native tests need nothing of the build and use
// that core.
const native = chosen.includes("rust")
  ? runAside("cargo", ["test", "--locked", "--workspace"])
  : undefined;
await build();
// Only the package suite needs the module with the counting allocator. It is built while another
// suite runs.
const counted = chosen.includes("package")
  ? runAside("node", ["js/scripts/build.mjs", "--counted"])
  : undefined;
if (chosen.includes("browser")) process.env.CHROME = setUpChromium();
if (chosen.includes("server")) {
  setUpStrace();
  setUpLoadBalancers();
}

const outcomes = [];
// An example of the package suite waits for cargo's lock, which the slow lints would hold for long.
const cargoIsFree = Promise.withResolvers();
if (!chosen.includes("package")) cargoIsFree.resolve();
const chosenOf = (suites) => Object.entries(suites).filter(([name]) => chosen.includes(name));
const waiting = chosenOf(IN_LANES);
const lanes = [runInOrder(waiting, true), runInOrder(waiting, false)];
const beside = runInOrder(chosenOf(BESIDE), false);
await Promise.all(lanes);
await runInOrder(chosenOf(ALONE), true);
await beside;

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
  for (const { title, message, repeat = "" } of failures) {
    console.log(`\n✗ ${name}: ${title}\n${beginningOf(message)}`);
    if (repeat !== "") console.log(`  again: ${repeat}`);
  }
}
if (bad.length > 0)
  fail(`Failed: ${bad.map(({ name }) => name).join(", ")}. The failures are listed above.`);

/** Returns the arguments without an option, and whether it was among them. */
function without(option, args) {
  return [args.filter((arg) => arg !== option), args.includes(option)];
}

/** Returns the suites that are named, that changed files can break, or else all. */
function chosenBy(given) {
  const [args, isLinting] = without("--lint", given);
  if (args[0] === "--changed") {
    const paths = changedSince(args[1]);
    const suites = [...suitesOf(paths), "lint"];
    say(`${paths.length} files have changed. They can break: ${suites.join(", ")}`);
    return suites;
  }
  const all = Object.keys({ ...IN_LANES, ...BESIDE, ...ALONE });
  const unknown = args.filter((name) => !all.includes(name));
  if (unknown.length > 0)
    fail(`There is no suite ${unknown.join(", ")}. Name any of: ${all.join(", ")}.`);
  const named = args.length > 0 ? args : [...SUITES, ...(isFull ? OF_FULL : [])];
  return isLinting ? [...named, "lint"] : named;
}

/**
 * Runs the first waiting suite, and the next ones until none is left. Their output appears at once,
 * or else after each suite.
 */
async function runInOrder(waiting, isShown) {
  while (waiting.length > 0) {
    const [name, { about, run }] = waiting.shift();
    say(`suite ${name}: ${about}`);
    const start = Date.now();
    const outcome = await run(isShown);
    const seconds = (Date.now() - start) / 1000;
    say(`suite ${name}: ${Math.round(seconds)} seconds`);
    outcomes.push({ name, seconds, ...outcome });
  }
}

/** Runs the checks of `npm run lint`. Each counts as a test. */
async function linted() {
  const { passed, failed } = await lint({ priority: LATER, cargoIsFree: cargoIsFree.promise });
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

/** Runs the checks of the Python client, and counts its tests. A check that fails fails the suite. */
async function python(isShown) {
  const report = at(".cache", "reports", "python.xml");
  rmSync(report, { force: true });
  const program = process.platform === "win32" ? "python" : "python3";
  const which = isPythonWhole ? [] : ["--client"];
  const command = [at("clients", "python", "tests", "run.py"), ...which];
  const { ok } = await runAside(program, command, { isShown });
  const counts = { passed: 0, failed: 0, skipped: 0 };
  try {
    const [suite = ""] = /<testsuite [^>]*>/.exec(readFileSync(report, "utf8")) ?? [];
    const count = (name) => Number(new RegExp(` ${name}="(\\d+)"`).exec(suite)?.[1] ?? 0);
    counts.failed = count("failures") + count("errors");
    counts.skipped = count("skipped");
    counts.passed = count("tests") - counts.failed - counts.skipped;
  } catch {
    // A suite without a report fails.
  }
  return { ok, ...counts };
}

async function packed(isShown) {
  try {
    if ((await counted).ok) return await vitest(["package"])(isShown);
  } finally {
    cargoIsFree.resolve();
  }
  const failure = {
    title: "module with the counting allocator",
    message: "The build of this module failed. The output above says why.",
  };
  return { ok: false, passed: 0, failed: 0, skipped: 0, failures: [failure] };
}

/**
 * Returns a function that runs projects of Vitest, or only some of their files, in one process.
 * tests/support/reporter.ts writes the counts and failures.
 */
function vitest(projects, files = []) {
  return async (isShown) => {
    const report = at(".cache", "reports", `${projects[0]}.json`);
    mkdirSync(at(".cache", "reports"), { recursive: true });
    rmSync(report, { force: true });
    const named = projects.flatMap((project) => ["--project", project]);
    const options = { isShown, env: { REPORT: report } };
    const { ok } = await runAside("vitest", ["run", ...named, ...files], options);
    try {
      return { ok, ...JSON.parse(readFileSync(report, "utf8")) };
    } catch {
      return { ok: false, passed: 0, failed: 0, skipped: 0 };
    }
  };
}

/** Returns the first lines of a message. A property's seed and counterexample are among them. */
function beginningOf(message) {
  return stripVTControlCharacters(message).split("\n").slice(0, 30).join("\n").slice(0, 3000);
}
