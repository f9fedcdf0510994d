// Ends the process by SIGKILL at a named step. Tests load it with `node --import`, so that the
// server contains no code for them: without it no line of the server differs, and no user setting
// can enable it. It wraps the calls through which a server touches its data: SQL, files, the
// indexes, and the answer of a thread. Each thread loads it.
//
// DIE_AT is a regular expression over the steps, such as "^after exec COMMIT$"; DIE_NTH (1 by
// default) is the number of the match to die at. Each thread counts its own steps.

import fs from "node:fs";
import { syncBuiltinESMExports } from "node:module";
import { basename } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { parentPort } from "node:worker_threads";
import { MemoryIndex, TextIndex } from "nous-wasm";

const pattern = new RegExp(process.env.DIE_AT);
let left = Number(process.env.DIE_NTH ?? 1);

function pass(step) {
  if (!pattern.test(step)) return;
  left -= 1;
  if (left === 0) process.kill(process.pid, "SIGKILL");
}

/**
 * Makes a method report itself, before and after; `describe` returns a step's name, or undefined
 * for calls that are not steps.
 */
function wrap(holder, name, describe) {
  const inner = holder[name];
  holder[name] = function (...given) {
    const step = describe.call(this, ...given);
    if (step === undefined) return inner.apply(this, given);
    pass(`before ${step}`);
    const result = inner.apply(this, given);
    pass(`after ${step}`);
    return result;
  };
}

// Transactions that only read are ignored, and so are answers to reads. Transactions of several
// agents may be open at once.
const writing = new WeakSet();
let isUntold = false;
wrap(DatabaseSync.prototype, "exec", function (sql) {
  if (sql === "BEGIN") writing.delete(this);
  else if (sql.startsWith("BEGIN")) writing.add(this);
  if (sql === "COMMIT" && !writing.has(this)) return undefined;
  if (sql === "COMMIT") isUntold = true;
  return `exec ${sql.trim()}`;
});
const { prepare } = DatabaseSync.prototype;
DatabaseSync.prototype.prepare = function (sql) {
  const statement = prepare.call(this, sql);
  if (/^(VACUUM|PRAGMA wal_checkpoint)/.test(sql)) {
    for (const name of ["run", "all"]) wrap(statement, name, () => `exec ${sql}`);
  }
  return statement;
};

// The changes that an agent's memory applies after a commit, first to the index and then to full
// text.
for (const [index, what] of [
  [MemoryIndex, "index"],
  [TextIndex, "full text"],
]) {
  for (const name of ["upsert", "remove"]) {
    wrap(index.prototype, name, (rows) => (rows.length === 0 ? undefined : `${name} ${what}`));
  }
}

const handles = new Map();
const { openSync } = fs;
fs.openSync = (file, ...given) => {
  const handle = openSync(file, ...given);
  handles.set(handle, basename(file instanceof URL ? file.pathname : file));
  return handle;
};
for (const name of ["writeSync", "fsyncSync"])
  wrap(fs, name, (handle) => `${name} ${handles.get(handle)}`);
for (const name of ["renameSync", "linkSync"]) wrap(fs, name, (_, to) => `${name} ${basename(to)}`);
wrap(fs, "rmSync", (file) => (fs.existsSync(file) ? `rmSync ${basename(file)}` : undefined));
syncBuiltinESMExports();

if (parentPort !== null) {
  wrap(parentPort, "postMessage", ({ kind }) => {
    if (kind !== "answer" || !isUntold) return undefined;
    isUntold = false;
    return "answer";
  });
}
