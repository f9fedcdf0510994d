// Helpers of the other scripts: paths, running commands, fingerprints of files, messages.

import { spawn, spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import {
  closeSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
} from "node:fs";
import { setPriority } from "node:os";
import { delimiter, dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { goOnWithNewNode, npmCommand } from "./node.mjs";

/** The project's root folder. */
export const root = fileURLToPath(new URL("../../", import.meta.url));

/** Returns a path below the root. */
export const at = (...parts) => join(root, ...parts);

/** Prints a line of progress to stderr, so that a program's own output stays clean. */
export const say = (line) => process.stderr.write(`· ${line}\n`);

/** Exits with status 1 and a sentence that says what to do. */
export function fail(sentence) {
  process.stderr.write(`\n✗ ${sentence}\n`);
  process.exit(1);
}

await goOnWithNewNode({ root, say }).catch(({ message }) => fail(message));

/** The npm package that contains wasm-opt. */
export const BINARYEN = {
  version: "132.0.0",
  integrity:
    "sha512-4Usg7yEvwO3FMso3Oov6qkOOHSod1IEv+boKkh77kTljM+eNBouqCTbqWswGzbG+vDNO/b/v2C4gfEh1WgB9Lg==",
};

/** The program wasm-opt, after `setUpWasm`. */
export const WASM_OPT = at(".tools", `binaryen-${BINARYEN.version}`, "package", "bin", "wasm-opt");

// Tools of the project come first: those of .tools (Rust, wasm-opt) and of node_modules (npm).
// Debian has nginx in a folder that is only in the path of root.
const PATH = [
  at(".tools", "bin"),
  dirname(WASM_OPT),
  at("node_modules", ".bin"),
  process.env.PATH,
  "/usr/sbin",
].join(delimiter);

/** Returns whether a command is a script of Windows, as those of npm packages are there. */
const isWindowsScript = (command) =>
  process.platform === "win32" && has("node_modules", ".bin", `${command}.cmd`);

/** Runs a command in the root and shows its output. Returns whether it succeeded. */
export function run(command, args, { env = {}, cwd = root, quiet = false } = {}) {
  const [program, ...first] = command === "npm" ? npmCommand() : [command];
  const result = spawnSync(program, [...first, ...args], {
    cwd,
    stdio: quiet ? ["ignore", "pipe", "pipe"] : "inherit",
    shell: isWindowsScript(program),
    env: { ...process.env, PATH, ...env },
    encoding: "utf8",
  });
  if (quiet && result.status !== 0)
    process.stderr.write(`${result.stdout ?? ""}${result.stderr ?? ""}`);
  return result.status === 0;
}

/** How often the steps that run tell how far they are, in milliseconds. */
const TELL_EACH = 10_000;
/** The steps that run, by name: when they began, and where their output is. */
const steps = new Map();
let telling;

/** A line of cargo about its own progress. */
const OF_CARGO = /^ {0,11}[A-Z][a-z]+ |^\s*$/;

/** Returns how far a command is by what it has written: the last count of cargo; "" if there is none. */
function shareIn(text) {
  const [last] = Array.from(text.matchAll(/ (\d+)\/(\d+): /g)).slice(-1);
  return last === undefined ? "" : `${last[1]} of ${last[2]} crates`;
}

const secondsSince = (start) => `${Math.round((performance.now() - start) / 1000)} s`;

/** Says how far each step is that runs. */
function tellSteps() {
  const told = Array.from(steps, ([name, { start, output }]) => {
    const share = shareIn(readFileSync(output, "utf8"));
    return `${name} (${share === "" ? "" : `${share}, `}${secondsSince(start)})`;
  });
  say(`… ${told.join(", ")}`);
}

/**
 * Runs a step of a build while others run. Says what begins and how long that takes, every ten seconds
 * how far it is, and when it is done. Cargo's own progress is shown only if the step fails, and so
 * is all output of one that `isQuiet`. Returns whether it succeeded.
 */
export async function runStep(name, command, args, { duration, env = {}, isQuiet = false }) {
  const start = performance.now();
  const counted = { CARGO_TERM_PROGRESS_WHEN: "always", CARGO_TERM_PROGRESS_WIDTH: "100" };
  const { ok } = await runAside(command, args, {
    env: { ...(command === "cargo" ? counted : {}), ...env },
    about: `${name} (${duration})`,
    step: name,
    isQuiet,
  });
  if (ok) say(`${name}: done in ${secondsSince(start)}`);
  return ok;
}

/**
 * Runs a command in the root while others run. Shows its output in one piece at the end, and returns
 * it. With `isShown` the output appears at once, and is not returned. `about` is announced in place of
 * the command. `priority` is that of `os.setPriority`. `step` and `isQuiet` are those of `runStep`.
 * A file buffers the output, because this process reads no pipe while it runs another command.
 */
export function runAside(command, args, options = {}) {
  const { env = {}, isShown = false, priority = 0, about, step, isQuiet } = options;
  say(about ?? `${command} ${args.join(" ")}`);
  mkdirSync(at(".cache"), { recursive: true });
  const folder = mkdtempSync(at(".cache", "aside-"));
  const written = openSync(join(folder, "output"), "a");
  const [program, ...first] = command === "npm" ? npmCommand() : [command];
  const child = spawn(program, [...first, ...args], {
    cwd: root,
    stdio: isShown ? "inherit" : ["ignore", written, written],
    shell: isWindowsScript(program),
    env: { ...process.env, PATH, ...env },
  });
  closeSync(written);
  if (step !== undefined) {
    steps.set(step, { start: performance.now(), output: join(folder, "output") });
    telling ??= setInterval(tellSteps, TELL_EACH);
  }
  // A command that cannot be started has no number.
  if (priority > 0 && child.pid !== undefined) setPriority(child.pid, priority);
  return new Promise((resolve) => {
    const done = (ok, why = "") => {
      const text = readFileSync(join(folder, "output"), "utf8") + why;
      rmSync(folder, { recursive: true });
      if (step !== undefined && steps.delete(step) && steps.size === 0) {
        clearInterval(telling);
        telling = undefined;
      }
      if (!(ok && isQuiet))
        process.stderr.write(step !== undefined && ok ? withoutProgress(text) : text);
      resolve({ ok, text });
    };
    child.on("error", ({ message }) => done(false, `${message}\n`));
    child.on("exit", (status) => done(status === 0));
  });
}

/** Returns the lines of an output that are no progress of cargo, such as its warnings. */
const withoutProgress = (text) =>
  text
    .split(/(?<=[\r\n])/)
    .filter((line) => !OF_CARGO.test(line))
    .join("");

/** Runs a command, and exits if it fails. */
export function must(command, args, options) {
  if (!run(command, args, options))
    fail(`\`${command} ${args.join(" ")}\` failed; its output is above.`);
}

/** Returns the output of a command; undefined if it cannot run. */
export function output(command, args) {
  const result = spawnSync(command, args, {
    cwd: root,
    env: { ...process.env, PATH },
    encoding: "utf8",
    maxBuffer: 2 ** 28,
  });
  return result.status === 0 ? result.stdout.trim() : undefined;
}

/** Returns whether a file or folder of the project exists. */
export const has = (...parts) => existsSync(at(...parts));

/** Returns a hash of the contents of files and folders. */
export function fingerprint(paths) {
  const hash = createHash("sha256");
  for (const path of paths.flatMap((path) => filesOf(at(path)))) {
    hash.update(relative(root, path)).update("\0").update(readFileSync(path)).update("\0");
  }
  return hash.digest("hex");
}

/**
 * Returns whether a stamp file holds this fingerprint: the files beside it were built from those
 * inputs.
 */
export const isStampedWith = (stamp, made) =>
  existsSync(stamp) && readFileSync(stamp, "utf8") === made;

function filesOf(path) {
  if (!statSync(path).isDirectory()) return [path];
  return readdirSync(path)
    .sort()
    .flatMap((name) => filesOf(join(path, name)));
}

/** Returns a declaration file whose imports have this suffix instead of that of sources. */
export const importing = (text, suffix) =>
  text.replace(/(from |import\()(["'])(\.[^"']+?)\.ts\2/g, `$1$2$3.${suffix}$2`);
