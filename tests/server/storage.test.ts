// The store: its settings, its schema, its migration of databases from other servers, and its
// change log.

import { readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { COLUMN_GROUPS } from "../../js/server/src/storage/node-columns.ts";
import { SCHEMA } from "../../js/server/src/storage/schema.ts";
import { SqliteStorage } from "../../js/server/src/storage/sqlite.ts";
import { execute, makeExisting, raw, rowsIn } from "./support/existing-database.ts";
import { nodeOf, wholeNodeOf } from "./support/stored-node.ts";
import { temporaryFolder } from "./support/temporary-folder.ts";

const open = (file: string) => new SqliteStorage(file, { durability: "full" });

const NODE = nodeOf("n_1", { content_title: "Funding" });

/** Results of the database's own full text, which other servers use. */
const found = (file: string, term: string) =>
  raw(file)
    .prepare(
      "SELECT id FROM nodes WHERE rowid IN (SELECT rowid FROM nodes_fts WHERE nodes_fts MATCH ?)",
    )
    .all(term)
    .map((row) => (row as { id: string }).id);
const changesOf = (storage: SqliteStorage, after = 0) =>
  storage.changeLog.since(after).map(({ entity, ids }) => `${entity} ${ids}`);

describe("a new database", () => {
  test("is sound, and has a schema and an epoch of its own", () => {
    const folder = temporaryFolder();
    const [one, other] = ["a", "b"].map((name) => open(join(folder, `${name}.db`))) as [
      SqliteStorage,
      SqliteStorage,
    ];
    expect(one.soundness.problems()).toEqual([]);
    expect(one.meta("schema")).toBe(String(SCHEMA));
    expect(one.meta("epoch")).toMatch(/^[0-9a-f-]{36}$/);
    expect(one.meta("epoch")).not.toBe(other.meta("epoch"));
    expect(readdirSync(folder).filter((name) => name.includes("schema"))).toEqual([]);
  });

  test("is unchanged when it is opened again", () => {
    const file = join(temporaryFolder(), "a.db");
    const first = open(file);
    first.transaction(() => first.nodes.insert(NODE));
    const epoch = first.meta("epoch");
    first.close();
    const second = open(file);
    expect(second.meta("epoch")).toBe(epoch);
    expect(second.nodes.find("n_1")).toMatchObject({
      id: "n_1",
      content_title: "Funding",
      sequence: 1,
    });
  });

  test.each(["full", "normal"] as const)(
    "has the SQLite settings of durability %s",
    (durability) => {
      const storage = new SqliteStorage(join(temporaryFolder(), "a.db"), { durability });
      expect(storage.soundness.problems()).toEqual([]);
    },
  );
});

describe("a database of the existing server", () => {
  test("gets missing tables and columns, and keeps its data, row numbers included", () => {
    const file = join(temporaryFolder(), "a.db");
    makeExisting(file);
    const storage = open(file);
    expect(storage.soundness.problems()).toEqual([]);
    expect(
      storage.nodes.of(["n_a", "n_b", "n_c"]).map(({ id, sequence }) => [id, sequence]),
    ).toEqual([
      ["n_a", 3],
      ["n_b", 7],
      ["n_c", 9],
    ]);
    expect([...storage.edges.indexed(["e_1"])].flat()[0]).toMatchObject({
      source_id: "n_a",
      target_id: "n_b",
      subtype: null,
      strength: 0.8,
    });
    expect(found(file, "extremes")).toEqual(["n_a"]);
    expect(storage.nodes.list({}, 10).map(({ id }) => id)).toEqual(["n_b", "n_c", "n_a"]);
    expect([...storage.nodes.indexed()].flat().map(({ clusters }) => clusters)).toEqual([
      '["c_1"]',
      "[]",
      "[]",
    ]);
  });

  test("is copied before it is changed", () => {
    const folder = temporaryFolder();
    makeExisting(join(folder, "a.db"));
    const messages: string[] = [];
    new SqliteStorage(join(folder, "a.db"), {
      durability: "full",
      tell: (what) => messages.push(what),
    });
    const [copy] = readdirSync(folder).filter((name) => name.startsWith("a.db.schema-0."));
    expect(messages).toEqual([expect.stringContaining(join(folder, copy!))]);
    const rows = raw(join(folder, copy!))
      .prepare("SELECT rowid, id FROM nodes ORDER BY rowid")
      .all();
    expect(rows).toEqual([
      { rowid: 3, id: "n_a" },
      { rowid: 7, id: "n_b" },
      { rowid: 9, id: "n_c" },
    ]);
    expect(
      raw(join(folder, copy!))
        .prepare("SELECT 1 FROM sqlite_master WHERE name = 'nous_meta'")
        .all(),
    ).toEqual([]);
  });

  test("still works for that server, whose writes are found and logged", () => {
    const file = join(temporaryFolder(), "a.db");
    makeExisting(file);
    const storage = open(file);
    const { last } = storage.changeLog.range();
    const other = raw(file);
    other.exec("PRAGMA foreign_keys = ON");
    other.exec(
      "INSERT INTO nodes (id, type, content_title) VALUES ('n_d', 'note', 'Perpetual swaps')",
    );
    other.exec("UPDATE nodes SET content_title = 'Perpetual futures' WHERE id = 'n_d'");
    other.exec("DELETE FROM nodes WHERE id = 'n_a'");
    expect(found(file, "futures")).toEqual(["n_d"]);
    expect(found(file, "swaps")).toEqual([]);
    expect(changesOf(storage, last)).toEqual(["node n_d", "node n_d", "edge e_1", "node n_a"]);
    expect(storage.soundness.problems()).toEqual([]);
  });

  test("is refused while another program holds it, and stays unchanged", {
    timeout: 20_000,
  }, () => {
    const file = join(temporaryFolder(), "a.db");
    makeExisting(file);
    const other = raw(file);
    other.exec("BEGIN IMMEDIATE");
    expect(() => open(file)).toThrow(/another program is using it/);
    other.exec("ROLLBACK");
    expect(other.prepare("SELECT 1 FROM sqlite_master WHERE name = 'nous_meta'").all()).toEqual([]);
    expect(open(file).soundness.problems()).toEqual([]);
  });
});

describe("an unusable database", () => {
  test("of a newer schema is refused with an explanation, and unchanged", () => {
    const file = join(temporaryFolder(), "a.db");
    open(file).setMeta("schema", "99");
    expect(() => open(file)).toThrow(
      /has schema 99, and this version of nous-server knows schemas up to \d+: use a newer/,
    );
  });

  test("that is another kind of file is refused", () => {
    const file = join(temporaryFolder(), "a.db");
    writeFileSync(file, "not a database, but long enough to be looked at as one".repeat(100));
    expect(() => open(file)).toThrow(/cannot be opened/);
  });
});

describe("the change log", () => {
  test("tells a connection about others' writes, and not about its own", () => {
    const file = join(temporaryFolder(), "a.db");
    const [one, other] = [open(file), open(file)];
    const before = one.version();
    other.transaction(() => {
      other.nodes.insert(NODE);
      other.changeLog.claim(0);
    });
    expect(one.version()).not.toBe(before);
    expect(changesOf(one)).toEqual(["node n_1"]);
    expect(changesOf(other)).toEqual([]);
  });

  test("contains a REPLACE, a change of an id, and a membership", () => {
    const file = join(temporaryFolder(), "a.db");
    const storage = open(file);
    storage.nodes.insert(NODE);
    const other = raw(file);
    other.exec("PRAGMA recursive_triggers = ON");
    const since = (statement: string) => {
      const { last } = storage.changeLog.range();
      other.exec(statement);
      return changesOf(storage, last);
    };
    const replaced = since(
      "REPLACE INTO nodes (id, type, content_title) VALUES ('n_1', 'note', 'Anew')",
    );
    expect(replaced).toEqual(["node n_1", "node n_1"]);
    expect(since("UPDATE nodes SET id = 'n_2'").sort()).toEqual(["node n_1", "node n_2"]);
    expect(
      since("INSERT INTO cluster_memberships (cluster_id, node_id) VALUES ('c', 'n_2')"),
    ).toEqual(["node n_2"]);
    expect(found(file, "funding")).toEqual([]);
    expect(storage.soundness.problems()).toEqual([]);
  });

  test("gives its ends without being read, at any length", () => {
    const file = join(temporaryFolder(), "a.db");
    const storage = open(file);
    execute(
      file,
      `WITH RECURSIVE places(place) AS (SELECT 1 UNION ALL SELECT place + 1 FROM places WHERE place < 100000)
      INSERT INTO change_log(entity, id) SELECT 'node', 'n_' || place FROM places`,
    );
    const began = process.cpuUsage();
    for (let turn = 0; turn < 200; turn++)
      expect(storage.changeLog.range()).toEqual({ first: 1, last: 100_000 });
    // Reading it takes some milliseconds each time, which would delay every write.
    expect(process.cpuUsage(began).user / 1e3).toBeLessThan(500);
  });

  test("never reuses a number", () => {
    const storage = open(join(temporaryFolder(), "a.db"));
    storage.nodes.insert(NODE);
    const { last } = storage.changeLog.range();
    storage.changeLog.trim(last);
    expect(storage.changeLog.range()).toEqual({ first: 0, last });
    storage.nodes.delete("n_1");
    expect(storage.changeLog.range()).toEqual({ first: last + 1, last: last + 1 });
  });
});

describe("the checksum of a memory", () => {
  const WHOLE = wholeNodeOf("n_1");
  /** What recalls, sweeps and each write change. */
  const SOFT = [
    ...["neural_stability", "neural_retrievability", "neural_difficulty", "neural_access_count"],
    ...["neural_last_accessed", "state_lifecycle", "version", "last_modified"],
  ];
  const COLUMNS = Object.keys(WHOLE).filter((column) => column !== "id");
  const sumIn = (file: string) =>
    rowsIn(file, "SELECT checksum FROM row_checksums").map(({ checksum }) => checksum)[0];

  test.each(COLUMNS)("depends on %s, unless it is soft state", (column) => {
    const file = join(temporaryFolder(), "a.db");
    const storage = open(file);
    storage.nodes.insert(WHOLE);
    storage.nodes.seal(["n_1"]);
    const sum = sumIn(file);
    const isSoft = SOFT.includes(column);
    execute(file, `UPDATE nodes SET ${column} = ${column}`);
    expect(sumIn(file)).toBe(isSoft ? sum : undefined);
    storage.nodes.seal(["n_1"]);
    expect(storage.soundness.problems()).toEqual([]);
    execute(file, `DROP TRIGGER nodes_checksum_update; UPDATE nodes SET ${column} = 'other'`);
    const changed = ["1 memories are not as they were written"];
    expect(storage.soundness.problems()).toEqual(isSoft ? [] : changed);
  });

  const FRAMES = ["frame", "censors"];
  const TAGS = [...FRAMES, "tags"];
  const OWNERS = [...TAGS, "metadata", "user_id", "session_id", "expires_at"];
  test.each([
    ["checksums", [], 2_610_594_979],
    ["frames", FRAMES, 3_774_157_748],
    ["tags", TAGS, 1_225_723_874],
    ["owners", OWNERS, 3_833_611_973],
  ])("is that of the schema that added %s, if no later column is set", (_, set, sum) => {
    const file = join(temporaryFolder(), "a.db");
    const storage = open(file);
    const others = COLUMN_GROUPS.slice(1)
      .flat()
      .filter((column) => !set.includes(column));
    storage.nodes.insert({ ...WHOLE, ...Object.fromEntries(others.map((it) => [it, null])) });
    storage.nodes.seal(["n_1"]);
    expect(sumIn(file)).toBe(sum);
  });
});

describe("soft changes", () => {
  test("add counts, keep the later time unless it lies ahead of the clock, and skip nulls", () => {
    const latest = "2026-02-05T00:00:00.000Z";
    const storage = open(join(temporaryFolder(), "a.db"));
    storage.nodes.insert({
      ...NODE,
      neural_access_count: 3,
      neural_last_accessed: "2026-02-03 00:00:00",
    });
    const change = {
      id: "n_1",
      accesses: 2,
      stability: null,
      retrievability: null,
      lifecycle: null,
    };
    storage.soft.write([{ ...change, last_accessed: "2026-02-02T00:00:00.000Z" }], latest);
    expect(storage.nodes.find("n_1")).toMatchObject({
      neural_access_count: 5,
      neural_last_accessed: "2026-02-03 00:00:00",
    });
    const faded = { retrievability: 0.5, lifecycle: "WEAK" as const };
    storage.soft.write(
      [{ ...change, last_accessed: "2026-02-04T00:00:00.000Z", stability: 70, ...faded }],
      latest,
    );
    expect(storage.nodes.find("n_1")).toMatchObject({
      neural_access_count: 7,
      neural_last_accessed: "2026-02-04T00:00:00.000Z",
      neural_stability: 70,
      neural_retrievability: 0.5,
      state_lifecycle: "WEAK",
      version: 1,
    });
    storage.soft.write([{ ...change, last_accessed: null }], "2026-02-03T00:00:00.000Z");
    expect(storage.nodes.find("n_1")?.neural_last_accessed).toBe("2026-02-04T00:00:00.000Z");
    storage.soft.write(
      [{ ...change, last_accessed: "2026-02-01T00:00:00.000Z" }],
      "2026-02-03T00:00:00.000Z",
    );
    expect(storage.nodes.find("n_1")?.neural_last_accessed).toBe("2026-02-01T00:00:00.000Z");
  });
});
