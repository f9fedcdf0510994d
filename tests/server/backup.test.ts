// Backups of an agent's database, and restoring them.

import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import {
  chmodSync,
  chownSync,
  copyFileSync,
  existsSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { basename, dirname, join } from "node:path";
import { expect } from "vitest";
import { backUp, restore } from "../../js/server/src/backup.ts";
import { agentFile } from "../../js/server/src/settings/paths.ts";
import { SqliteStorage } from "../../js/server/src/storage/sqlite.ts";
import { some } from "../support/amount.ts";
import { describe, test } from "../support/in-turn.ts";
import { execute, makeExisting, raw } from "./support/existing-database.ts";
import { makeHynous } from "./support/hynous-database.ts";
import { PROGRAM, start } from "./support/server-process.ts";
import { clientOf } from "./support/shared-server.ts";
import { temporaryFolder } from "./support/temporary-folder.ts";

/** A user who may write nowhere, if the tests run as a user who may write everywhere. */
const NOBODY = 65_534;

function run(...args: string[]) {
  const { status, stdout, stderr } = spawnSync(process.execPath, [PROGRAM, ...args], {
    encoding: "utf8",
  });
  return { status, stdout, stderr };
}

const epochOf = async (file: string) => {
  const storage = new SqliteStorage(file, { durability: "full" });
  const epoch = storage.meta("epoch");
  storage.close();
  return epoch;
};

/** A statement of a closed database, which delays the release of its file. */
function closedStatement(file: string) {
  const db = raw(file);
  const statement = db.prepare("SELECT id FROM nodes");
  expect(statement.all()).toEqual([]);
  db.close();
  return statement;
}

describe("backup and restore", () => {
  test("of all agents is a file for each, by its name, and overwrites none unless it is forced", async () => {
    const [folder, elsewhere] = [temporaryFolder(), join(temporaryFolder(), "copies")];
    const server = await start(folder);
    await clientOf(server, "mira").create();
    await clientOf(server, "a/b c").create();
    const copied = run("backup", "--all", elsewhere, "--data-dir", folder);
    expect(copied).toMatchObject({ status: 0, stderr: "" });
    for (const name of ["default.db", "mira.db", "a%2Fb%20c.db"])
      expect(existsSync(join(elsewhere, name)), name).toBe(true);
    expect(run("backup", "--all", elsewhere, "--data-dir", folder).status).toBe(1);
    expect(run("backup", "--all", elsewhere, "--data-dir", folder, "--force").status).toBe(0);
    await server.end();
    const other = temporaryFolder();
    const file = join(elsewhere, "mira.db");
    expect(run("restore", file, "--agent", "mira", "--data-dir", other).status).toBe(0);
    const restored = await start(other);
    expect((await clientOf(restored, "mira").ask("GET /nodes")).body.count).toBe(1);
  });

  test("restore the old data under a new epoch, and keep the replaced data aside", async () => {
    const [folder, elsewhere] = [temporaryFolder(), join(temporaryFolder(), "backup.db")];
    const first = await start(folder);
    const { create, link, search, file } = clientOf(first, "default");
    const [a, b] = [await create({ embedding: [1, 2] }), await create({ content_title: "Other" })];
    await link(a.id, b.id);
    expect(run("backup", elsewhere, "--data-dir", folder)).toMatchObject({ status: 0 });
    expect(statSync(elsewhere).mode & 0o077).toBe(0);
    expect(existsSync(`${elsewhere}.tmp`)).toBe(false);
    const later = await create({ content_title: "Afterwards" });
    expect(await search("afterwards", { limit: 1 })).toEqual([later.id]);
    const refused = run("restore", elsewhere, "--data-dir", folder);
    expect(refused).toMatchObject({
      status: 1,
      stderr: expect.stringContaining("another program is using it"),
    });
    await first.end();
    const before = await epochOf(file());
    const { status, stdout } = run("restore", elsewhere, "--data-dir", folder);
    expect(status).toBe(0);
    const aside = / is in (\S+)\.\n/.exec(stdout.split("\n").slice(1).join("\n"))![1]!;
    expect(raw(aside).prepare("SELECT 1 FROM nodes WHERE id = ?").all(later.id)).toHaveLength(1);
    expect(await epochOf(file())).not.toBe(before);
    const second = clientOf(await start(folder), "default");
    expect(await second.search("afterwards")).not.toContain(later.id);
    expect((await second.ask("GET /health")).body).toMatchObject({ node_count: 2, edge_count: 1 });
    expect(await second.search("squeeze", { embedding: [1, 2] })).toContain(a.id);
  });

  test("a backup while a server writes is complete, as of one moment", {
    timeout: 60_000,
  }, async () => {
    const [folder, elsewhere] = [temporaryFolder(), join(temporaryFolder(), "backup.db")];
    const { create } = clientOf(await start(folder), "default");
    let isOver = false;
    const writing = (async () => {
      while (!isOver) await create({ content_body: "x".repeat(2_000) });
    })();
    const backups = new Promise<number[]>((resolve) => {
      setTimeout(
        () =>
          resolve(
            [1, 2].map(() => run("backup", elsewhere, "--force", "--data-dir", folder).status!),
          ),
        300,
      );
    });
    expect(await backups).toEqual([0, 0]);
    isOver = true;
    await writing;
    const storage = new SqliteStorage(elsewhere, { durability: "full" });
    expect(storage.soundness.problems()).toEqual([]);
    expect([...storage.nodes.indexed()].flat().length).toBeGreaterThan(0);
    storage.close();
  });

  test("work for another agent, and for a new one", async () => {
    const [folder, elsewhere] = [temporaryFolder(), join(temporaryFolder(), "backup.db")];
    const first = await start(folder);
    await clientOf(first, "one").create();
    await first.end();
    expect(run("backup", elsewhere, "--agent", "one", "--data-dir", folder)).toMatchObject({
      status: 0,
    });
    expect(run("restore", elsewhere, "--agent", "two", "--data-dir", folder)).toMatchObject({
      status: 0,
    });
    const server = await start(folder);
    for (const name of ["one", "two"])
      expect(await clientOf(server, name).search("squeeze")).toHaveLength(1);
    const names = (await server.ask("GET /agents")).body.data.map(
      ({ agent }: { agent: string }) => agent,
    );
    expect(names.sort()).toEqual(["default", "one", "two"]);
  });

  test("replace a broken database", async () => {
    const [folder, elsewhere] = [temporaryFolder(), join(temporaryFolder(), "backup.db")];
    const first = await start(folder);
    const { create, file } = clientOf(first, "default");
    await create();
    await first.end();
    run("backup", elsewhere, "--data-dir", folder);
    writeFileSync(file(), "no database any more, but long enough to be one ".repeat(200));
    expect(run("restore", elsewhere, "--data-dir", folder)).toMatchObject({ status: 0 });
    expect(await clientOf(await start(folder), "default").search("squeeze")).toHaveLength(1);
  });

  const unfit: [string, (file: string) => void, RegExp][] = [
    ["nothing", () => {}, /There is no file/],
    [
      "no database",
      (file: string) => writeFileSync(file, "text ".repeat(1_000)),
      /cannot be taken in/,
    ],
    [
      "another database",
      (file: string) => execute(file, "CREATE TABLE t (a)"),
      /has no table of memories/,
    ],
    ["one of the existing server", makeExisting, /use adopt/],
    [
      "one with an edge to nothing",
      (file: string) => {
        new SqliteStorage(file, { durability: "full" }).close();
        const db = raw(file);
        db.exec("PRAGMA foreign_keys = OFF");
        db.exec("INSERT INTO nodes (id, type, content_title) VALUES ('n', 'note', 'Heliotrope')");
        db.exec("INSERT INTO edges (id, type, source_id, target_id) VALUES ('e_1', 'x', 'n', 'm')");
        db.close();
      },
      /1 edges lead to or from a memory that is not there: e_1\./,
    ],
    [
      "one of a newer version",
      (file: string) => {
        new SqliteStorage(file, { durability: "full" }).close();
        execute(file, "UPDATE nous_meta SET value = '99' WHERE key = 'schema'");
      },
      /has schema 99/,
    ],
    [
      "one with bytes that changed",
      (file: string) => {
        const storage = new SqliteStorage(file, { durability: "full" });
        storage.close();
        const db = raw(file);
        db.exec("INSERT INTO nodes (id, type, content_title) VALUES ('n', 'note', 'Heliotrope')");
        db.exec("INSERT INTO nodes_fts(nodes_fts) VALUES ('delete-all')");
        db.close();
      },
      /is not sound|cannot be taken in/,
    ],
  ];
  test.each(some(unfit, 3))("%s does not replace existing data", async (_, make, why) => {
    const [folder, given] = [temporaryFolder(), join(temporaryFolder(), "given.db")];
    const first = await start(folder);
    const { create, file } = clientOf(first, "default");
    await create();
    await first.end();
    make(given);
    const before = readFileSync(file());
    const { status, stderr } = run("restore", given, "--data-dir", folder);
    expect(status).toBe(1);
    expect(stderr).toMatch(why);
    expect(stderr).not.toMatch(/\n\s+at /);
    expect(readFileSync(file()).equals(before)).toBe(true);
    expect(existsSync(`${file()}.tmp`)).toBe(false);
  });

  test("wait for databases that this process has closed but not yet released", async () => {
    const folder = temporaryFolder();
    const [file, given] = [agentFile(folder, "default"), join(temporaryFolder(), "given.db")];
    new SqliteStorage(file, { durability: "full" }).close();
    backUp(folder, "default", given);
    const held = [closedStatement(file)];
    const isLetGo = new Promise<void>((resolve) => {
      setTimeout(() => {
        held.length = 0;
        resolve();
      }, 300);
    });
    const aside = await restore(folder, "default", given);
    await isLetGo;
    expect(existsSync(aside!)).toBe(true);
  });

  test("report a missing agent", () => {
    const folder = temporaryFolder();
    const { status, stderr } = run(
      "backup",
      join(folder, "b.db"),
      "--agent",
      "nobody",
      "--data-dir",
      folder,
    );
    expect({ status, stderr }).toMatchObject({
      status: 1,
      stderr: expect.stringContaining("There is no agent nobody"),
    });
    expect(existsSync(agentFile(folder, "nobody"))).toBe(false);
  });
});

describe("adoption", () => {
  test("copies a database of the existing server, which stays unchanged", async () => {
    const [folder, given] = [temporaryFolder(), join(temporaryFolder(), "theirs.db")];
    makeExisting(given);
    const before = join(temporaryFolder(), "before.db");
    copyFileSync(given, before);
    expect(run("adopt", given, "--agent", "theirs", "--data-dir", folder)).toMatchObject({
      status: 0,
    });
    expect(readFileSync(given).equals(readFileSync(before))).toBe(true);
    const { ask, search } = clientOf(await start(folder), "theirs");
    expect((await ask("GET /health")).body).toMatchObject({ node_count: 3, edge_count: 2 });
    expect(await search("extremes", { limit: 1 })).toEqual(["n_a"]);
    expect(run("adopt", given, "--agent", "theirs", "--data-dir", folder)).toMatchObject({
      status: 1,
      stderr: expect.stringContaining("already"),
    });
  });

  /** A folder with such a database whose last write is in its log alone, as a stopped server leaves it. */
  function withLog(): { folder: string; given: string } {
    const [made, folder] = [join(temporaryFolder(), "theirs.db"), temporaryFolder()];
    makeExisting(made);
    const db = raw(made);
    db.exec("PRAGMA journal_mode = WAL; PRAGMA wal_autocheckpoint = 0");
    db.exec("UPDATE nodes SET content_title = 'Heliotrope' WHERE id = 'n_b'");
    const given = join(folder, "theirs.db");
    for (const end of ["", "-wal"]) copyFileSync(made + end, given + end);
    db.close();
    return { folder, given };
  }
  const sumsOf = (folder: string) =>
    readdirSync(folder)
      .sort()
      .map((name) => [
        name,
        createHash("sha256")
          .update(readFileSync(join(folder, name)))
          .digest("hex"),
      ]);

  test("leaves the file and its log as they are, to the byte, and reads both", async () => {
    const { folder, given } = withLog();
    const before = sumsOf(folder);
    expect(before.map(([name]) => name)).toEqual(["theirs.db", "theirs.db-wal"]);
    // Through a link, beside which there is no log.
    const [data, link] = [temporaryFolder(), join(temporaryFolder(), "link.db")];
    symlinkSync(given, link);
    expect(run("adopt", link, "--data-dir", data)).toMatchObject({ status: 0 });
    expect(sumsOf(folder)).toEqual(before);
    expect(readdirSync(dirname(agentFile(data, "default")))).toEqual([
      basename(agentFile(data, "default")),
    ]);
    const { search } = clientOf(await start(data), "default");
    expect(await search("heliotrope", { limit: 1 })).toEqual(["n_b"]);
  });

  test("takes back what an unfinished transaction wrote, and leaves its journal", () => {
    const [folder, data] = [temporaryFolder(), temporaryFolder()];
    const [made, given] = [join(temporaryFolder(), "theirs.db"), join(folder, "theirs.db")];
    makeExisting(made);
    const db = raw(made);
    // The changed pages do not fit into the cache: they are in the file before the commit.
    db.exec("PRAGMA cache_size = 1; BEGIN");
    db.exec("UPDATE nodes SET content_body = hex(randomblob(200000)), content_title = 'lost'");
    for (const end of ["", "-journal"]) copyFileSync(made + end, given + end);
    db.exec("ROLLBACK");
    db.close();
    const before = sumsOf(folder);
    expect(run("adopt", given, "--data-dir", data)).toMatchObject({ status: 0 });
    expect(sumsOf(folder)).toEqual(before);
    const copy = raw(agentFile(data, "default"));
    const titles = copy.prepare("SELECT content_title FROM nodes").all();
    copy.close();
    expect(JSON.stringify(titles)).not.toContain("lost");
  });

  test("reads a database that nobody may write to, in a folder that nobody may write to", () => {
    const { folder, given } = withLog();
    const before = sumsOf(folder);
    const data = temporaryFolder();
    for (const name of readdirSync(folder)) chmodSync(join(folder, name), 0o444);
    chmodSync(folder, 0o555);
    const isRoot = process.getuid?.() === 0;
    if (isRoot) chownSync(data, NOBODY, NOBODY);
    const under = isRoot
      ? ["setpriv", `--reuid=${NOBODY}`, `--regid=${NOBODY}`, "--clear-groups"]
      : [];
    const [command = "", ...args] = [...under, process.execPath, PROGRAM, "adopt", given];
    const { status, stderr } = spawnSync(command, [...args, "--data-dir", data], {
      encoding: "utf8",
    });
    chmodSync(folder, 0o755);
    expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
    expect(sumsOf(folder)).toEqual(before);
  });

  test.runIf(process.platform === "linux")("refuses a database that a program has open", () => {
    const [folder, given] = [temporaryFolder(), join(temporaryFolder(), "theirs.db")];
    makeExisting(given);
    const other = raw(given);
    other.exec("PRAGMA journal_mode = WAL; UPDATE nodes SET content_title = 'changed'");
    expect(run("adopt", given, "--data-dir", folder)).toMatchObject({
      status: 1,
      stderr: expect.stringContaining("another program is using it"),
    });
    expect(existsSync(agentFile(folder, "default"))).toBe(false);
    other.close();
    expect(run("adopt", given, "--data-dir", folder)).toMatchObject({ status: 0 });
  });

  test("tells of vectors that the server does not make, and how questions are compared with them", async () => {
    const [folder, given] = [temporaryFolder(), join(temporaryFolder(), "theirs.db")];
    makeHynous(given, { now: Date.now(), memories: 40, trades: 0, dimensions: 1_536 });
    const [vectors, service] = [
      "vectors of 1536 components of the model text-embedding-3-small, which this server does not make",
      "--embeddings-model text-embedding-3-small --embeddings-dimensions 1536",
    ];
    const told = run("adopt", given, "--data-dir", folder).stdout;
    for (const part of [vectors, service, "nous-server reembed"]) expect(told).toContain(part);
    const other = run(
      "adopt",
      given,
      "--agent",
      "other",
      "--compat",
      "hynous",
      "--data-dir",
      folder,
    );
    expect(other.stdout).toContain(vectors);
    // Without vectors of its own the server has none to replace them by.
    expect(other.stdout).not.toContain("reembed");
    const named = ["--embeddings-provider", "openai-compatible"];
    const known = run("adopt", given, "--agent", "known", ...named, "--data-dir", folder);
    expect(known.stdout.trim().split("\n")).toHaveLength(1);

    for (const [options, isTold] of [
      [["--compat", "hynous"], true],
      [["--embeddings-model", "english-128"], true],
      [["--compat", "hynous", ...named], false],
    ] as const) {
      const server = await start(folder, options);
      const { ask } = clientOf(server, "default");
      expect((await ask("GET /health")).status).toBe(200);
      await server.end();
      expect([options, server.log().includes(vectors)]).toEqual([options, isTold]);
      expect([options, server.log().includes(service)]).toEqual([options, isTold]);
    }
  });

  test("refuses ids that reading would truncate", () => {
    const [folder, given] = [temporaryFolder(), join(temporaryFolder(), "theirs.db")];
    makeExisting(given);
    const db = raw(given);
    for (const end of ["b", "c"]) {
      db.exec(
        `INSERT INTO nodes (id, type, content_title) VALUES ('n_a' || char(0) || '${end}', 'note', '${end}')`,
      );
    }
    const { status, stderr } = run("adopt", given, "--data-dir", folder);
    expect(status).toBe(1);
    expect(stderr).toContain(
      "has ids with U+0000 (2 of nodes): give them other ids, then adopt it.",
    );
    expect(existsSync(agentFile(folder, "default"))).toBe(false);
    db.exec("UPDATE nodes SET id = 'n_' || content_title || '_new' WHERE instr(id, char(0)) > 0");
    expect(run("adopt", given, "--data-dir", folder)).toMatchObject({ status: 0 });
  });

  test("does not wait for a writing program", () => {
    const [folder, given] = [temporaryFolder(), join(temporaryFolder(), "theirs.db")];
    makeExisting(given);
    const other = raw(given);
    other.exec("BEGIN IMMEDIATE; UPDATE nodes SET content_title = 'changing'");
    const { status, stderr } = run("adopt", given, "--data-dir", folder);
    expect({ status, stderr }).toMatchObject({
      status: 1,
      stderr: expect.stringContaining("another program is using it"),
    });
    other.exec("ROLLBACK");
    expect(run("adopt", given, "--data-dir", folder)).toMatchObject({ status: 0 });
  });
});
