// The connection to a SQLite database: errors by their names, integers of any length, files that are
// free after the close, and the version of SQLite that it needs.

import { spawnSync } from "node:child_process";
import { readdirSync, readlinkSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { Connection } from "../../js/server/src/storage/connection.ts";
import { SqliteStorage } from "../../js/server/src/storage/sqlite.ts";
import { problemOfSqlite, sqliteVersion } from "../../js/server/src/storage/sqlite-version.ts";
import { PROGRAM } from "./support/server-process.ts";
import { temporaryFolder } from "./support/temporary-folder.ts";

/** Returns the open files of this process below a folder. */
function openFilesIn(folder: string): string[] {
  const handles = readdirSync("/proc/self/fd").flatMap((handle) => {
    try {
      return [readlinkSync(`/proc/self/fd/${handle}`)];
    } catch {
      // The handle by which the list was read.
      return [];
    }
  });
  return handles.filter((file) => file.startsWith(folder));
}

describe("a connection", () => {
  test("names the errors of SQLite", () => {
    const folder = temporaryFolder();
    const [one, other] = [1, 2].map(() => new Connection(join(folder, "a.db"))) as [
      Connection,
      Connection,
    ];
    one.exec("CREATE TABLE t (a UNIQUE); BEGIN IMMEDIATE; INSERT INTO t VALUES (1)");
    const codeOf = (work: () => unknown) => {
      try {
        work();
      } catch (error) {
        return (error as { code?: string }).code;
      }
      return "none";
    };
    writeFileSync(join(folder, "b.db"), "no database ".repeat(100));
    expect({
      busy: codeOf(() => other.exec("BEGIN IMMEDIATE")),
      constraint: codeOf(() => one.prepare("INSERT INTO t VALUES (?)").run(1)),
      sql: codeOf(() => one.prepare("SELECT nothing FROM nowhere")),
      full: codeOf(() =>
        one.exec("PRAGMA max_page_count = 1; INSERT INTO t VALUES (zeroblob(100000))"),
      ),
      readOnly: codeOf(() => other.exec("PRAGMA query_only = ON; CREATE TABLE u (a)")),
      notADatabase: codeOf(() => new Connection(join(folder, "b.db")).exec("SELECT * FROM t")),
      noFolder: codeOf(() => new Connection(join(folder, "none", "a.db"))),
    }).toEqual({
      busy: "SQLITE_BUSY",
      constraint: "SQLITE_CONSTRAINT",
      sql: "SQLITE_ERROR",
      full: "SQLITE_FULL",
      readOnly: "SQLITE_READONLY",
      notADatabase: "SQLITE_NOTADB",
      noFolder: "SQLITE_CANTOPEN",
    });
    one.close();
    other.close();
  });

  test("rounds integers beyond 2^53, and writes once when it returns them", () => {
    const db = new Connection(":memory:");
    db.exec("CREATE TABLE t (a); INSERT INTO t VALUES (9223372036854775807), (2)");
    const read = db.prepare("SELECT a FROM t ORDER BY a DESC");
    for (const _ of [1, 2]) expect(read.all()).toEqual([{ a: 2 ** 63 }, { a: 2 }]);
    const write = db.prepare("INSERT INTO t VALUES (?1 << 62) RETURNING a, 1 AS one");
    expect(write.all(1n)).toEqual([{ a: 2 ** 62, one: 1 }]);
    expect(db.prepare("SELECT count(*) AS count FROM t").all()).toEqual([{ count: 3 }]);
    db.close();
  });

  test("leaves its files free when it is closed, though statements are prepared", () => {
    const folder = temporaryFolder();
    const file = join(folder, "a.db");
    const storage = new SqliteStorage(file, { durability: "normal" });
    storage.setMeta("agent", "mira");
    expect(storage.meta("agent")).toBe("mira");
    const isLinux = process.platform === "linux";
    if (isLinux) expect(openFilesIn(folder).sort()).toEqual([file, `${file}-shm`, `${file}-wal`]);
    storage.close();
    if (isLinux) expect(openFilesIn(folder)).toEqual([]);
    expect(readdirSync(folder)).toEqual(["a.db"]);
    renameSync(file, join(folder, "moved.db"));
    const moved = new SqliteStorage(join(folder, "moved.db"), { durability: "normal" });
    expect(moved.meta("agent")).toBe("mira");
    moved.close();
  });
});

describe("the version of SQLite", () => {
  test("is that of this Node, and new enough", async () => {
    const version = await sqliteVersion();
    expect(version).toBe(process.versions.sqlite);
    expect(problemOfSqlite(version, process.versions.node)).toBeUndefined();
  });

  test.each([
    ["3.51.3", true],
    ["3.51.10", true],
    ["3.52.0", true],
    ["4.0.0", true],
    ["3.51.2", false],
    ["3.45.1", false],
    ["2.99.99", false],
    [undefined, false],
  ])("%s is enough: %s", (version, isEnough) => {
    expect(problemOfSqlite(version, "24.14.0") === undefined).toBe(isEnough);
  });

  test("stops every command if it is too old, with a sentence that says what to install", () => {
    const older = `Object.defineProperty(process, "versions", {
      value: { ...process.versions, node: "24.14.0", sqlite: "3.51.2" },
    });`;
    const preload = `data:text/javascript,${encodeURIComponent(older)}`;
    for (const command of ["serve", "check", "mcp"]) {
      const args = ["--import", preload, PROGRAM, command, "--data-dir", temporaryFolder()];
      const { status, stdout, stderr } = spawnSync(process.execPath, args, { encoding: "utf8" });
      expect({ status, stdout, stderr }).toEqual({
        status: 1,
        stdout: "",
        stderr:
          "Node 24.14.0 has SQLite 3.51.2, and nous-server needs 3.51.3 or newer: before it, two programs that write to one database at once can damage it. Install Node 24.15 or newer.\n",
      });
    }
  });
});
