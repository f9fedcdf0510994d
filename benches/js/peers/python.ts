// The environment of Python for the libraries of `requirements.txt`, in `.cache`.

import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";

const REQUIREMENTS = resolve("benches/js/peers/requirements.txt");
/** The program that makes the environment: Python from 3.11 on. */
const PYTHON = process.env.PYTHON ?? "python3";

/**
 * Returns the path of a Python that has the libraries. Makes its environment if it is not there.
 *
 * @throws {Error} If a step fails: what it said last.
 */
export function pythonOf(): string {
  const named = createHash("sha256").update(readFileSync(REQUIREMENTS)).digest("hex").slice(0, 12);
  const place = resolve(".cache", "peers", named);
  const python = join(place, "bin", "python");
  const done = join(place, "done");
  if (existsSync(done)) return python;
  console.log(`makes an environment of Python in ${place}`);
  rmSync(place, { recursive: true, force: true });
  must(PYTHON, ["-m", "venv", place]);
  const pip = ["-m", "pip", "--disable-pip-version-check", "install", "--quiet", "--no-deps"];
  must(python, [...pip, "-r", REQUIREMENTS]);
  writeFileSync(done, "");
  return python;
}

/** Returns the path of the extension of SQLite that sqlite-vec is. */
export const sqliteVecOf = (python: string): string =>
  must(python, ["-c", "import sqlite_vec; print(sqlite_vec.loadable_path())"]).trim();

function must(command: string, args: readonly string[]): string {
  const { status, stdout, stderr, error } = spawnSync(command, args, { encoding: "utf8" });
  if (status === 0) return stdout;
  const said = error?.message ?? stderr.trim().split("\n").at(-1);
  throw new Error(`${command} ${args.slice(0, 3).join(" ")} failed: ${said}`);
}
