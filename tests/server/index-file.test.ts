// The index that is kept beside the database from one start to the next: it is the index that the database would give, it catches
// up with what was written since, and one that is of no use is passed over.

import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { Agent } from "../../js/server/src/agent/agent.ts";
import { searchHandlers } from "../../js/server/src/agent/search.ts";
import { agentFile, indexFileOf } from "../../js/server/src/settings/paths.ts";
import { LibsqlStorage } from "../../js/server/src/storage/libsql.ts";
import { raw } from "./existing.ts";
import { start } from "./process.ts";
import { temporaryFolder } from "./temporary.ts";

const NODES = 1_200;
const AS_KEPT = "Loaded as it was kept: index";
const ANEW = "Loaded from the database: index";
const NOW = Date.parse("2026-03-01T00:00:00Z");

/** Memories with vectors, each tied to one before it. */
function fill(file: string): void {
  new LibsqlStorage(file, { durability: "normal" }).close();
  const db = raw(file);
  db.exec("BEGIN");
  const node = db.prepare(
    `INSERT INTO nodes (id, type, subtype, content_title, neural_stability, neural_access_count, created_at,
       provenance_created_at, embedding_vector) VALUES (?, 'concept', ?, ?, 60, ?, ?, ?, ?)`,
  );
  const edge = db.prepare(
    "INSERT INTO edges (id, type, source_id, target_id, strength) VALUES (?, 'causes', ?, ?, 0.5)",
  );
  for (let place = 0; place < NODES; place++) {
    const at = new Date(NOW - place * 3_600_000).toISOString();
    const vector = Buffer.from(Float32Array.from([Math.sin(place), Math.cos(place)]).buffer);
    node.run(`n_${place}`, `custom:kind${place % 5}`, `squeeze ${place % 97}`, place % 11, at, at, vector);
    if (place > 0) edge.run(`e_${place}`, `n_${place}`, `n_${(place * 7) % place}`);
  }
  db.exec("COMMIT");
  db.close();
}

interface Opened {
  agent: Agent;
  /** Which of the two ways it was loaded, and what was said of its file. */
  how(): string[];
}

function open(file: string, config = {}): Opened {
  const told: string[] = [];
  const storage = new LibsqlStorage(file, { durability: "normal" });
  const agent = new Agent(storage, {
    config,
    tell: (what, figures) => told.push(figures?.why === undefined ? what : `${what}: ${figures.why}`),
    clock: () => NOW,
    indexFile: indexFileOf(file),
  });
  agent.open();
  return { agent, how: () => told.filter((what) => what.includes("index")) };
}

/** Everything that an index holds. */
const snapshotOf = (agent: Agent) => agent.read(() => [...agent.index.ids()].sort().map((id) => agent.index.get(id)));

function filled(): string {
  const file = join(temporaryFolder(), "a.db");
  fill(file);
  open(file).agent.close();
  expect(existsSync(indexFileOf(file))).toBe(true);
  return file;
}

test("is the index that the database would give", async () => {
  const file = filled();
  const kept = open(file);
  expect(kept.how()).toEqual([AS_KEPT]);
  const other = new Agent(new LibsqlStorage(file, { durability: "normal" }), { clock: () => NOW });
  expect(snapshotOf(kept.agent)).toEqual(snapshotOf(other));
  const asked = { params: undefined, query: undefined, body: { query: "squeeze 5", limit: 20, embedding: [1, 0] } };
  const found = async (agent: Agent) => {
    const { data } = await searchHandlers.search(agent, asked as Parameters<typeof searchHandlers.search>[1]);
    return data.map(({ id, score, breakdown }) => ({ id, score, breakdown }));
  };
  expect(await found(kept.agent)).toEqual(await found(other));
  kept.agent.close();
});

test("catches up with what was written, changed and removed since", () => {
  const file = filled();
  const db = raw(file);
  db.exec(`
    PRAGMA foreign_keys = ON;
    INSERT INTO nodes (id, type, content_title) VALUES ('n_new', 'note', 'New');
    INSERT INTO edges (id, type, source_id, target_id) VALUES ('e_new', 'causes', 'n_new', 'n_3');
    UPDATE nodes SET subtype = 'custom:other' WHERE id = 'n_5';
    DELETE FROM nodes WHERE id = 'n_7';
  `);
  const { agent, how } = open(file);
  expect(how()).toEqual([AS_KEPT]);
  expect(agent.index.get("n_new")?.type).toBe("note");
  expect(agent.index.getEdge("e_new")?.target_id).toBe("n_3");
  expect(agent.index.get("n_5")?.subtype).toBe("custom:other");
  expect(agent.index.has("n_7")).toBe(false);
  const other = new Agent(new LibsqlStorage(file, { durability: "normal" }), { clock: () => NOW });
  expect(snapshotOf(agent)).toEqual(snapshotOf(other));
});

test("has what recalls changed, which are written before it", () => {
  const file = filled();
  const first = open(file).agent;
  first.read(() => {
    first.index.touch(["n_1"], NOW);
    first.soft.touched(["n_1"], NOW);
  });
  first.close();
  const { agent, how } = open(file);
  expect(how()).toEqual([AS_KEPT]);
  expect(agent.index.get("n_1")?.access_count).toBe(2);
});

test.each([
  ["of another epoch", "UPDATE nous_meta SET value = 'another' WHERE key = 'epoch'", /before a restore/],
  ["ahead of the database", "DELETE FROM change_log; UPDATE sqlite_sequence SET seq = 3", /does not lead on/],
  [
    "which the change log does not reach",
    `INSERT INTO nodes (id, type, content_title) VALUES ('n_new', 'note', 'New'), ('n_newer', 'note', 'Newer');
     DELETE FROM change_log WHERE sequence < (SELECT max(sequence) FROM change_log)`,
    /does not lead on/,
  ],
  [
    "with vectors of another length",
    "INSERT INTO nous_meta VALUES ('dimensions', '3') ON CONFLICT DO UPDATE SET value = '3'",
    /another length/,
  ],
])("one %s is made anew, with a line in the log", (_, statements, why) => {
  const file = filled();
  raw(file).exec(statements);
  const { agent, how } = open(file);
  expect(how()).toEqual([expect.stringMatching(why), ANEW]);
  expect(agent.index.size).toBeGreaterThanOrEqual(NODES);
  expect(existsSync(indexFileOf(file))).toBe(false);
  agent.close();
  expect(open(file).how()).toEqual([AS_KEPT]);
});

test("one of another configuration is made anew", () => {
  const file = filled();
  const { agent, how } = open(file, { salienceGrowth: true });
  expect(how()).toEqual([expect.stringContaining("another configuration"), ANEW]);
  agent.close();
});

test("one that is damaged anywhere, cut off, or empty is made anew", () => {
  const file = filled();
  const kept = indexFileOf(file);
  const whole = readFileSync(kept);
  const flipped = (at: number) => {
    const bytes = Buffer.from(whole);
    bytes[at]! ^= 1;
    return bytes;
  };
  const places = Array.from({ length: 24 }, (_, step) => Math.floor((whole.length * step) / 24));
  const damaged = [
    ...places.map(flipped),
    whole.subarray(0, whole.length >> 1),
    whole.subarray(0, 40),
    Buffer.alloc(0),
  ];
  for (const bytes of damaged) {
    writeFileSync(kept, bytes);
    const { agent, how } = open(file);
    expect(how()).toEqual([expect.stringContaining("is of no use"), ANEW]);
    expect(agent.index.size).toBe(NODES);
    agent.storage.close();
  }
});

test("holds no text of a memory, and is not there for a memory of few", () => {
  const file = filled();
  expect(readFileSync(indexFileOf(file)).includes("squeeze")).toBe(false);
  const small = join(temporaryFolder(), "b.db");
  open(small).agent.close();
  expect(existsSync(indexFileOf(small))).toBe(false);
});

test("is written at a stop, and read at the next start", async () => {
  const folder = temporaryFolder();
  const file = agentFile(folder, "default");
  fill(file);
  expect(await (await start(folder)).end()).toBe(0);
  const server = await start(folder);
  expect(server.log()).toContain(AS_KEPT);
  expect((await server.ask("GET /health")).body).toMatchObject({ node_count: NODES, edge_count: NODES - 1 });
});
