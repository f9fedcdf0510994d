// While a file is there, which NO_PAGES names, no database gets another page: a disk that is full,
// for SQLite. Tests load it with `node --import`, as ../../kills/support/die-at.mjs.

import { existsSync } from "node:fs";
import Database from "libsql";

const MOST_PAGES = 2 ** 31 - 2;
const { exec } = Database.prototype;
Database.prototype.exec = function (sql) {
  // One that has more keeps what it has.
  if (sql === "BEGIN IMMEDIATE") {
    exec.call(this, `PRAGMA max_page_count = ${existsSync(process.env.NO_PAGES) ? 1 : MOST_PAGES}`);
  }
  exec.call(this, sql);
};
