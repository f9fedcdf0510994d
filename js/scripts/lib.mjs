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
import { constants, setPriority } from "node:os";
import { delimiter, join, relative } from "node:path";
import { fileURLToPath } from "node:url";

/** The project's root folder. */
export const root = fileURLToPath(new URL("../../", import.meta.url));

/** A path from the root. */
export const at = (...parts) => join(root, ...parts);

/** One line to whoever waits; to stderr, so that a program's own output stays clean. */
export const say = (line) => process.stderr.write(`· ${line}\n`);

/** Ends with a sentence that tells what to do. */
export function fail(sentence) {
  process.stderr.write(`\n✗ ${sentence}\n`);
  process.exit(1);
}

// Tools of the project come first: those of .tools (Rust) and of node_modules (npm).
const PATH = [at(".tools", "bin"), at("node_modules", ".bin"), process.env.PATH].join(delimiter);

/** Runs a command in the root, its output shown; true when it succeeded. */
export function run(command, args, { env = {}, cwd = root, quiet = false } = {}) {
  const result = spawnSync(command, args, {
    cwd,
    stdio: quiet ? ["ignore", "pipe", "pipe"] : "inherit",
    env: { ...process.env, PATH, ...env },
    encoding: "utf8",
  });
  if (quiet && result.status !== 0)
    process.stderr.write(`${result.stdout ?? ""}${result.stderr ?? ""}`);
  return result.status === 0;
}

/**
 * Runs a command in the root beside others; one that is patient has what they leave of the
 * processor. When it is done its output is shown in one piece, and given back. The output waits in
 * a file, since whoever runs another command meanwhile reads none.
 */
export function runAside(command, args, { env = {}, isPatient = false } = {}) {
  say(`${command} ${args.join(" ")}`);
  mkdirSync(at(".cache"), { recursive: true });
  const folder = mkdtempSync(at(".cache", "aside-"));
  const written = openSync(join(folder, "output"), "a");
  const child = spawn(command, args, {
    cwd: root,
    stdio: ["ignore", written, written],
    env: { ...process.env, PATH, ...env },
  });
  closeSync(written);
  if (isPatient && child.pid !== undefined) setPriority(child.pid, constants.priority.PRIORITY_LOW);
  return new Promise((resolve) => {
    const done = (ok, why = "") => {
      const text = readFileSync(join(folder, "output"), "utf8") + why;
      rmSync(folder, { recursive: true });
      process.stderr.write(text);
      resolve({ ok, text });
    };
    child.on("error", ({ message }) => done(false, `${message}\n`));
    child.on("exit", (status) => done(status === 0));
  });
}

/** Runs a command that has to succeed. */
export function must(command, args, options) {
  if (!run(command, args, options))
    fail(`\`${command} ${args.join(" ")}\` failed; its output is above.`);
}

/** What a command prints, or undefined when it cannot run. */
export function output(command, args) {
  const result = spawnSync(command, args, {
    cwd: root,
    env: { ...process.env, PATH },
    encoding: "utf8",
    maxBuffer: 2 ** 28,
  });
  return result.status === 0 ? result.stdout.trim() : undefined;
}

/** Whether a file or folder of the project is there. */
export const has = (...parts) => existsSync(at(...parts));

/** A hash over the contents of files and folders. */
export function fingerprint(paths) {
  const hash = createHash("sha256");
  for (const path of paths.flatMap((path) => filesOf(at(path)))) {
    hash.update(relative(root, path)).update("\0").update(readFileSync(path)).update("\0");
  }
  return hash.digest("hex");
}

/** Whether a file says that what it lies beside was made of what has this fingerprint. */
export const isStampedWith = (stamp, made) =>
  existsSync(stamp) && readFileSync(stamp, "utf8") === made;

function filesOf(path) {
  if (!statSync(path).isDirectory()) return [path];
  return readdirSync(path)
    .sort()
    .flatMap((name) => filesOf(join(path, name)));
}

/** A declaration file that imports others with this suffix, rather than sources. */
export const importing = (text, suffix) =>
  text.replace(/(from |import\()(["'])(\.[^"']+?)\.ts\2/g, `$1$2$3.${suffix}$2`);
