// Reads back the settings of each connection before it commits a write transaction, and prints them
// as a line of JSON on the standard error: the beginning may wait less long than other statements.
// Tests load this file with `node --import`.

import { DatabaseSync } from "node:sqlite";

const SETTINGS = [
  "journal_mode",
  "synchronous",
  "fullfsync",
  "foreign_keys",
  "recursive_triggers",
  "busy_timeout",
];
const { exec } = DatabaseSync.prototype;
const writing = new WeakSet();
DatabaseSync.prototype.exec = function (sql) {
  if (sql === "COMMIT" && writing.delete(this)) report(this);
  exec.call(this, sql);
  if (sql === "BEGIN IMMEDIATE" && this.location() !== null) writing.add(this);
};

function report(db) {
  const settings = SETTINGS.map((name) => [
    name,
    Object.values(db.prepare(`PRAGMA ${name}`).all()[0])[0],
  ]);
  process.stderr.write(`${JSON.stringify({ settings: Object.fromEntries(settings) })}\n`);
}
