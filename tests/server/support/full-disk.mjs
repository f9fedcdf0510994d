// Stands for a full disk: while the file that NO_PAGES names exists, no database can grow. Tests
// load this script with `node --import`.

import { existsSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";

const MAX_PAGES = 2 ** 31 - 2;
const { exec } = DatabaseSync.prototype;
DatabaseSync.prototype.exec = function (sql) {
  // A database that has more pages keeps them.
  if (sql === "BEGIN IMMEDIATE") {
    exec.call(this, `PRAGMA max_page_count = ${existsSync(process.env.NO_PAGES) ? 1 : MAX_PAGES}`);
  }
  exec.call(this, sql);
};
