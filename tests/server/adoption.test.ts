// A database of Hynous' Nous server is adopted, used, exported and given back without loss.

import { spawnSync } from "node:child_process";
import { copyFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync, type SQLInputValue } from "node:sqlite";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { agentFile } from "../../js/server/src/settings/paths.ts";
import { COLUMN_GROUPS } from "../../js/server/src/storage/node-columns.ts";
import { type HynousIds, makeHynous, questionsOf, startHynous } from "./support/hynous-database.ts";
import { PROGRAM, type Running, start } from "./support/server-process.ts";
import { type Client, clientOf } from "./support/shared-server.ts";
import { makeFolder, removeFolder } from "./support/temporary-folder.ts";
import { learned } from "./support/trades.ts";

const NOW = Date.now();
const AGENT = "trader";
/** The identifying columns of each table's rows. */
const TABLES = {
  nodes: "id",
  edges: "id",
  conflict_queue: "id",
  clusters: "id",
  cluster_memberships: "cluster_id, node_id",
} as const;
/** The columns that recalls, searches and sweeps change. */
const SOFT = [
  ...["neural_stability", "neural_retrievability", "neural_access_count", "neural_last_accessed"],
  "state_lifecycle",
];

type Rows = Record<keyof typeof TABLES, Record<string, unknown>[]>;

const OWN_COLUMNS: readonly string[] = COLUMN_GROUPS.slice(1).flat();

/** All columns of all rows, without this server's own columns. */
function rowsIn(file: string, except: readonly string[] = OWN_COLUMNS): Rows {
  const db = new DatabaseSync(file);
  try {
    const entries = Object.entries(TABLES).map(([table, key]) => {
      const rows = db.prepare(`SELECT * FROM ${table} ORDER BY ${key}`).all() as Record<
        string,
        unknown
      >[];
      return [table, rows.map((row) => plainOf(row, except))];
    });
    return Object.fromEntries(entries) as Rows;
  } finally {
    db.close();
  }
}

/** Vectors as text, so that they can be compared. */
function plainOf(row: Record<string, unknown>, except: readonly string[]): Record<string, unknown> {
  const plain = Object.entries(row)
    .filter(([column]) => !except.includes(column))
    .map(([column, value]) => [
      column,
      value instanceof Object
        ? Buffer.from(new Uint8Array(value as ArrayBuffer)).toString("base64")
        : value,
    ]);
  return Object.fromEntries(plain);
}

function run(...args: string[]): string {
  const { status, stdout, stderr } = spawnSync(process.execPath, [PROGRAM, ...args], {
    encoding: "utf8",
  });
  expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
  return stdout;
}

const folder = makeFolder();
const theirs = join(folder, "theirs.db");
const data = ["--data-dir", folder];
let ids: HynousIds;
let before: Rows;

beforeAll(async () => {
  ids = makeHynous(theirs, { now: NOW, memories: 500, trades: 48, dimensions: 64 });
  before = rowsIn(theirs);
  run("adopt", theirs, "--agent", AGENT, ...data);
});
afterAll(() => removeFolder(folder));

async function using(
  work: (own: Client, server: Running) => Promise<void>,
  options: readonly string[] = [],
) {
  const server = await start(folder, options, "file");
  try {
    await work(clientOf(server, AGENT), server);
    expect(await server.end()).toBe(0);
  } finally {
    await server.end("SIGKILL");
  }
}

describe("a database of Hynous' server", () => {
  test("is adopted with every column of every row, and stays unchanged itself", () => {
    expect(before.nodes.length).toBeGreaterThan(500);
    for (const table of Object.keys(TABLES) as (keyof Rows)[])
      expect(before[table].length).toBeGreaterThan(4);
    expect(rowsIn(agentFile(folder, AGENT))).toEqual(before);
    expect(rowsIn(theirs)).toEqual(before);
    expect(run("check", ...data)).toContain(": sound");
  });

  test.each([["none"], ["hynous"]])(
    "is searched and listed, with compatibility %s",
    async (compat) => {
      await using(
        async (own) => {
          let found = 0;
          for (const query of questionsOf(3, 40)) {
            const { status, body } = await own.ask("POST /search", { query });
            expect(status).toBe(200);
            found += body.count;
          }
          expect(found).toBeGreaterThan(100);
          const [pending, resolved] = ["pending", "resolved"].map((status) =>
            before.conflict_queue.filter((row) => row.status === status),
          );
          const queue = (await own.ask("GET /contradiction/queue?status=pending")).body.data as {
            id: string;
          }[];
          expect(queue.map(({ id }) => id).sort()).toEqual(
            pending!
              .filter((row) => row.old_node_id !== row.new_node_id)
              .map(({ id }) => id)
              .sort(),
          );
          expect(resolved!.length).toBeGreaterThan(0);
          const { body } = await own.ask(`GET /clusters/${ids.clusters[0]}/members?limit=100`);
          const members = before.cluster_memberships.filter(
            (row) => row.cluster_id === ids.clusters[0],
          );
          expect(body.count).toBe(members.length);
        },
        ["--compat", compat],
      );
    },
  );

  test("is swept and consolidated: trades are linked from the entry to the close", async () => {
    await using(async (own) => {
      const sweep = await own.ask("POST /decay", { force: true });
      expect(sweep.body).toMatchObject({ ok: true, processed: before.nodes.length });
      expect(sweep.body.transitions_count).toBeGreaterThan(10);
      const { status, body } = await own.ask("POST /consolidate");
      expect({ status, body }).toMatchObject({ status: 200, body: { errors: [] } });
      expect(body.patterns_created).toBeGreaterThan(0);
      const lessons = (await learned(own)).filter(
        ({ content }) => content.consolidation !== undefined,
      );
      expect(lessons.length).toBe(body.patterns_created);
      for (const { content, episodes } of lessons) {
        expect(content.consolidation).toMatchObject({ agent: AGENT, symbol: "BTC" });
        expect(episodes).toBe(content.consolidation.figures.n);
      }
      expect((await own.ask("POST /consolidate")).body).toMatchObject({ patterns_created: 0 });
    });
    const after = rowsIn(agentFile(folder, AGENT));
    const known = new Set(before.nodes.map(({ id }) => id));
    const hard = (rows: Rows["nodes"]) =>
      rows.filter(({ id }) => known.has(id)).map((row) => plainOf(row, SOFT));
    expect(hard(after.nodes)).toEqual(hard(before.nodes));
    const ties = new Set(before.edges.map(({ id }) => id));
    expect(after.edges.filter(({ id }) => ties.has(id))).toEqual(before.edges);
    for (const table of ["conflict_queue", "clusters", "cluster_memberships"] as const) {
      expect(after[table]).toEqual(before[table]);
    }
  });

  test("is exported, and imported elsewhere, with every column of every row", () => {
    const lines = join(folder, "lines.jsonl");
    run("export", lines, "--agent", AGENT, ...data);
    const elsewhere = makeFolder();
    try {
      expect(run("import", lines, "--agent", "other", "--data-dir", elsewhere)).toMatch(
        / 0 replaced, 0 left out/,
      );
      expect(rowsIn(agentFile(elsewhere, "other"), [])).toEqual(
        rowsIn(agentFile(folder, AGENT), []),
      );
      expect(run("check", "--data-dir", elsewhere)).toContain(": sound");
    } finally {
      removeFolder(elsewhere);
    }
  });

  test("is given back: Hynous' server starts on it, and its statements have the same effects", () => {
    const file = join(folder, "given-back.db");
    copyFileSync(agentFile(folder, AGENT), file);
    const rows = rowsIn(file);
    const db = new DatabaseSync(file);
    startHynous(db);
    const all = (sql: string, ...values: SQLInputValue[]) =>
      db.prepare(sql).all(...values) as Record<string, unknown>[];
    const found = (term: string) =>
      all(
        `SELECT n.id FROM nodes_fts f JOIN nodes n ON n.rowid = f.rowid WHERE nodes_fts MATCH ? ORDER BY rank LIMIT 45`,
        `"${term}"*`,
      ).map(({ id }) => id);
    expect(rowsIn(file)).toEqual(rows);
    expect(found("funding")).toHaveLength(45);
    const now = new Date().toISOString();
    const insert =
      db.prepare(`INSERT INTO nodes (id, type, subtype, content_title, content_summary, content_body, neural_stability,
      neural_retrievability, neural_difficulty, neural_last_accessed, provenance_created_at, layer, last_modified,
      temporal_event_time, temporal_event_confidence, temporal_event_source)
      VALUES (?, 'concept', 'custom:lesson', ?, NULL, ?, 90, 1, 0.4, ?, ?, 'semantic', ?, NULL, NULL, NULL)`);
    insert.run("n_written_back", "Zyzzyva once", "Body", now, now, now);
    expect(found("zyzzyva")).toEqual(["n_written_back"]);
    const checkTexts = () =>
      db.exec("INSERT INTO nodes_fts(nodes_fts, rank) VALUES ('integrity-check', 1)");
    checkTexts();
    const update = db.prepare(
      "UPDATE nodes SET content_title = ?, last_modified = ?, version = version + 1 WHERE id = ?",
    );
    for (const title of ["Quokka first", "Quokka second", "Numbat"])
      update.run(title, now, "n_written_back");
    expect([found("zyzzyva"), found("quokka"), found("numbat")]).toEqual([
      [],
      [],
      ["n_written_back"],
    ]);
    checkTexts();
    expect(all("SELECT * FROM nodes WHERE id = 'n_written_back'")).toMatchObject([
      {
        state_lifecycle: "ACTIVE",
        provenance_source: "agent",
        version: 4,
        neural_access_count: 0,
        embedding_vector: null,
      },
    ]);
    db.prepare(
      "INSERT INTO edges (id, type, source_id, target_id) VALUES ('e_back', 'part_of', ?, 'n_written_back')",
    ).run(ids.entries[0]!);
    db.prepare("UPDATE nodes SET neural_access_count = neural_access_count + 1 WHERE id = ?").run(
      "n_written_back",
    );
    db.prepare("DELETE FROM nodes WHERE id = ?").run("n_written_back");
    expect(all("SELECT * FROM edges WHERE id = 'e_back'")).toEqual([]);
    expect(found("numbat")).toEqual([]);
    expect(
      all("SELECT * FROM conflict_queue WHERE status = 'pending' AND new_content <> ''").length,
    ).toBeGreaterThan(0);
    expect(all("PRAGMA integrity_check")).toEqual([{ integrity_check: "ok" }]);
    checkTexts();
    db.close();
    expect(rowsIn(file)).toEqual(rows);
  });
});
