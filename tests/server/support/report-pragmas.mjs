// Reads back the settings of each connection that begins a write transaction, and prints them as a
// line of JSON on the standard error. Tests load this file with `node --import`.

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
DatabaseSync.prototype.exec = function (sql) {
  exec.call(this, sql);
  if (sql !== "BEGIN IMMEDIATE" || this.location() === null) return;
  const settings = SETTINGS.map((name) => [
    name,
    Object.values(this.prepare(`PRAGMA ${name}`).all()[0])[0],
  ]);
  process.stderr.write(`${JSON.stringify({ settings: Object.fromEntries(settings) })}\n`);
};
