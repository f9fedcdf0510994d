// `npm test`: installs tools, builds, and runs every suite. `npm test -- rust parity` runs these
// two. Prints a summary. Fails if a suite failed, skipped a test, or ran no test.

import { mkdirSync, readFileSync, rmSync } from "node:fs";
import { stripVTControlCharacters } from "node:util";
import { build } from "./build.mjs";
import { at, fail, run, runAside, say } from "./lib.mjs";
import { setUpChromium, setUpLoadBalancers, setUpStrace } from "./setup.mjs";

/** The suites, in the order in which they run. */
const SUITES = {
  rust: { about: "the crate, natively", run: rust },
  parity: {
    about: "reference, rivals and the WASM build against each other",
    run: () => vitest("parity"),
  },
  package: { about: "the packed package, the sample memory, the terminal program", run: packed },
  browser: { about: "the package in Chromium and in a worker", run: () => vitest("browser") },
  server: {
    about: "the memory server: storage, every route, faults and load",
    run: () => vitest("server"),
  },
  postgres: {
    about: "the memory server with its memories in PostgreSQL",
    run: () => vitest("postgres"),
  },
  kills: {
    about: "the memory server, killed and started again on its remaining files",
    run: () => vitest("kills"),
  },
};

const wanted = process.argv.slice(2);
const unknown = wanted.filter((name) => !(name in SUITES));
if (unknown.length > 0)
  fail(`There is no suite ${unknown.join(", ")}. Name any of: ${Object.keys(SUITES).join(", ")}.`);
const chosen = wanted.length > 0 ? wanted : Object.keys(SUITES);

// Downloading and linking leave a core idle. The native tests need nothing of the build and use
// that core.
const native = chosen.includes("rust")
  ? runAside("cargo", ["test", "--locked"], { isPatient: true })
  : undefined;
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

const outcomes = [];
for (const name of chosen) {
  say(`suite ${name}: ${SUITES[name].about}`);
  const start = Date.now();
  const outcome = await SUITES[name].run();
  outcomes.push({ name, seconds: (Date.now() - start) / 1000, ...outcome });
}

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

async function packed() {
  if ((await counted).ok) return vitest("package");
  const failure = {
    title: "module with the counting allocator",
    message: "The build of this module failed. The output above says why.",
  };
  return { ok: false, passed: 0, failed: 0, skipped: 0, failures: [failure] };
}

function vitest(project) {
  const report = at(".cache", "reports", `${project}.json`);
  mkdirSync(at(".cache", "reports"), { recursive: true });
  rmSync(report, { force: true });
  const reporters = ["--reporter=default", "--reporter=json", `--outputFile.json=${report}`];
  const ok = run("vitest", ["run", "--project", project, ...reporters]);
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
