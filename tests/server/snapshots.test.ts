// Snapshots of index and full text beside the database: they equal a fresh load, they catch up with
// later writes, unusable ones are skipped, and purged text is in none of them.

import { spawnSync } from "node:child_process";
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { expect, vi } from "vitest";
import { Agent } from "../../js/server/src/agent/agent.ts";
import { searchHandlers } from "../../js/server/src/agent/handlers/search.ts";
import { TRANSFORMERS } from "../../js/server/src/embeddings/text.ts";
import type { RankedBy } from "../../js/server/src/settings/choices.ts";
import { agentFile, type SnapshotPlaces, snapshotsOf } from "../../js/server/src/settings/paths.ts";
import { SqliteStorage } from "../../js/server/src/storage/sqlite.ts";
import { NodeTable } from "../../js/server/src/storage/tables/nodes.ts";
import { describe, test } from "../support/in-turn.ts";
import { execute, raw } from "./support/existing-database.ts";
import { PROGRAM, start } from "./support/server-process.ts";
import { temporaryFolder } from "./support/temporary-folder.ts";

const NODES = 1_200;
const KINDS = ["index", "full text"] as const;
const AS_KEPT = KINDS.map((kind) => `Loaded from its snapshot: ${kind}`);
const ANEW = KINDS.map((kind) => `Loaded from the database: ${kind}`);
/** The snapshot files, by their content. */
const FILES: Readonly<Record<(typeof KINDS)[number], keyof SnapshotPlaces>> = {
  index: "index",
  "full text": "texts",
};
const NOW = Date.parse("2026-03-01T00:00:00Z");

const twoNumbers = (place: number) => Float32Array.of(Math.sin(place), Math.cos(place));

/** Memories with vectors, each linked to an earlier one. */
function fill(file: string, vectorOf = twoNumbers): void {
  new SqliteStorage(file, { durability: "normal" }).close();
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
    const vector = Buffer.from(vectorOf(place).buffer);
    node.run(
      `n_${place}`,
      `custom:kind${place % 5}`,
      `squeeze ${place % 97}${place === 7 ? " kiwi" : ""}`,
      place % 11,
      at,
      at,
      vector,
    );
    if (place > 0) edge.run(`e_${place}`, `n_${place}`, `n_${(place * 7) % place}`);
  }
  db.exec("COMMIT");
  db.close();
}

interface Opened {
  agent: Agent;
  /**
   * Whether each was loaded from its file or from the database, and the log lines about the files.
   */
  how(): string[];
}

/** By evidence there is no full text. */
function open(file: string, config = {}, ranking: RankedBy = "signals"): Opened {
  const messages: string[] = [];
  const storage = new SqliteStorage(file, { durability: "normal" });
  const agent = new Agent(storage, {
    config,
    ranking,
    log: (what, figures) =>
      messages.push(figures?.why === undefined ? what : `${what}: ${figures.why}`),
    clock: () => NOW,
    snapshots: snapshotsOf(file),
  });
  agent.open();
  return {
    agent,
    how: () => messages.filter((what) => KINDS.some((kind) => what.includes(`: ${kind}`))),
  };
}

/** All data of an index, and results of a full-text search. */
const heldBy = (agent: Agent) =>
  agent.read(() => ({
    nodes: [...agent.index.ids()].sort().map((id) => agent.index.get(id)),
    found: ["squeeze", "kiwi", "new"].map((term) =>
      agent.texts.search([term], { limit: Number.POSITIVE_INFINITY }),
    ),
  }));

const filesOf = (file: string) => Object.values(snapshotsOf(file));

function filled(): string {
  const file = join(temporaryFolder(), "a.db");
  fill(file);
  open(file).agent.close();
  for (const kept of filesOf(file)) expect(existsSync(kept)).toBe(true);
  return file;
}

test("an index holds vectors of the transformer in bytes, from its snapshot as from the database", () => {
  const file = join(temporaryFolder(), "a.db");
  const { name, dimensions } = TRANSFORMERS.english;
  fill(file, (place) =>
    Float32Array.from({ length: dimensions }, (_, at) => Math.sin(place * at + at)),
  );
  const storage = new SqliteStorage(file, { durability: "normal" });
  storage.setMeta("embedding_model", JSON.stringify(TRANSFORMERS.english));
  storage.close();
  const loaded = () => {
    const { agent, how } = open(file, {}, "evidence");
    const bytes = agent.index.bytes.embeddings / NODES;
    const { ids } = agent.index.similar(
      Float32Array.from({ length: dimensions }, (_, at) => Math.sin(7 * at + at)),
      { limit: 1 },
    );
    return { bytes, ids, how: how()[0], agent };
  };
  for (const kinds of [ANEW, AS_KEPT]) {
    const { bytes, agent, ...found } = loaded();
    expect(found).toEqual({ ids: ["n_7"], how: kinds[0] });
    expect(bytes).toBeLessThan(dimensions + 16);
    agent.close();
  }
  // A client's vectors have all their bits.
  const { agent } = loaded();
  agent.storage.setMeta("embedding_model", JSON.stringify({ name: `${name}-other` }));
  agent.close();
  const other = loaded();
  expect(other.bytes).toBeGreaterThan(4 * dimensions);
  expect(other.how).toMatch(/^The snapshot cannot be used/);
  other.agent.discard();
});

test("snapshots equal a fresh load of the database", async () => {
  const file = filled();
  const kept = open(file);
  expect(kept.how()).toEqual(AS_KEPT);
  const other = new Agent(new SqliteStorage(file, { durability: "normal" }), {
    ranking: "signals",
    clock: () => NOW,
  });
  expect(heldBy(kept.agent)).toEqual(heldBy(other));
  const asked = {
    params: undefined,
    query: undefined,
    body: { query: "squeeze 5", limit: 20, embedding: [1, 0] },
  };
  const found = async (agent: Agent) => {
    const { data } = await searchHandlers.search(
      agent,
      asked as Parameters<typeof searchHandlers.search>[1],
    );
    return data.map(({ id, score, breakdown }) => ({ id, score, breakdown }));
  };
  expect(await found(kept.agent)).toEqual(await found(other));
  kept.agent.close();
});

test("snapshots catch up with later writes, changes and removals", () => {
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
  expect(how()).toEqual(AS_KEPT);
  expect(agent.index.get("n_new")?.type).toBe("note");
  expect(agent.index.getEdge("e_new")?.target_id).toBe("n_3");
  expect(agent.index.get("n_5")?.subtype).toBe("custom:other");
  expect(agent.index.has("n_7")).toBe(false);
  const other = new Agent(new SqliteStorage(file, { durability: "normal" }), {
    ranking: "signals",
    clock: () => NOW,
  });
  expect(heldBy(agent)).toEqual(heldBy(other));
});

test("an index that ranks by evidence is restored with its texts, and reads none", () => {
  const file = filled();
  open(file, {}, "evidence").agent.close();
  const answers = ({ agent }: Opened) =>
    agent.read(() =>
      ["squeeze 13", "kiwi", "what was squeezed?"].map((text) =>
        agent.index.ask(text, { limit: 50 }).map(({ id, score }) => [id, score]),
      ),
    );
  const reads = vi.spyOn(NodeTable.prototype, "texts");
  const kept = open(file, {}, "evidence");
  expect(kept.how()).toEqual([AS_KEPT[0]]);
  expect(kept.agent.index.textCount).toBe(NODES);
  expect(reads).not.toHaveBeenCalled();
  rmSync(snapshotsOf(file).index);
  const fromRows = open(file, {}, "evidence");
  expect(fromRows.how()).toEqual([ANEW[0]]);
  expect(answers(kept)).toEqual(answers(fromRows));
  for (const { agent } of [kept, fromRows]) agent.close();
});

test("an index that ranks by signals takes no snapshot with texts", () => {
  const file = filled();
  open(file, {}, "evidence").agent.close();
  const { agent, how } = open(file);
  expect(how()[0]).toMatch(/holds texts, which searches by signals do not use/);
  expect(agent.index.textCount).toBe(0);
  agent.close();
  expect(open(file).how()).toEqual(AS_KEPT);
});

test("snapshots contain the effects of recalls, which are written before them", () => {
  const file = filled();
  const first = open(file).agent;
  first.read(() => {
    first.index.touch(["n_1"], NOW);
    first.soft.touched(["n_1"], NOW);
  });
  first.close();
  const { agent, how } = open(file);
  expect(how()).toEqual(AS_KEPT);
  expect(agent.index.get("n_1")?.access_count).toBe(2);
});

describe("snapshots of another branch of the database are rebuilt", () => {
  const BRANCH = 60;
  const copyAll = (from: string, to: string, files: readonly string[]) => {
    for (const kept of files)
      copyFileSync(kept, kept.replace(from.replace(/\.db$/, ""), to.replace(/\.db$/, "")));
  };
  /** Writes memories that only this branch has, with equal numbers of changes in both branches. */
  const goOn = (file: string, name: string) => {
    const { agent } = open(file);
    agent.write(() => {
      const [row] = [...agent.storage.nodes.indexed(["n_1"])].flat();
      for (let place = 0; place < BRANCH; place++) {
        agent.storage.nodes.insert({
          ...row!,
          id: `${name}_${place}`,
          content_title: `${name} new`,
          embedding_vector: null,
        });
      }
    });
    return agent;
  };
  const isAnew = (file: string, name: string) => {
    const { agent, how } = open(file);
    const why = KINDS.map(
      (kind) =>
        `The snapshot cannot be used, and is rebuilt: ${kind}: it is of another branch of the database`,
    );
    expect(how()).toEqual([why[0], ANEW[0], why[1], ANEW[1]]);
    const other = new Agent(new SqliteStorage(file, { durability: "normal" }), {
      ranking: "signals",
      clock: () => NOW,
    });
    expect(heldBy(agent)).toEqual(heldBy(other));
    expect(agent.read(() => agent.index.has(`${name}_0`))).toBe(true);
    agent.close();
    expect(open(file).how()).toEqual(AS_KEPT);
  };

  test("if both copies continued", async () => {
    const one = filled();
    const other = join(temporaryFolder(), "a.db");
    copyAll(one, other, [one, ...filesOf(one)]);
    goOn(one, "one").close();
    goOn(other, "other").close();
    copyAll(one, other, filesOf(one));
    isAnew(other, "other");
  });

  test("if one has been open ever since", async () => {
    const one = filled();
    const other = join(temporaryFolder(), "a.db");
    const agent = goOn(one, "both");
    raw(one).prepare("VACUUM INTO ?").run(other);
    agent.write(() =>
      agent.storage.nodes.update("both_1", {
        content_title: "one",
        last_modified: "2026-03-01T00:00:00Z",
      }),
    );
    agent.close();
    goOn(other, "other").discard();
    copyAll(one, other, filesOf(one));
    isAnew(other, "other");
  });

  test("if one was saved without an opening, as earlier versions did", () => {
    const file = filled();
    execute(file, "DELETE FROM nous_openings");
    const { how } = open(file);
    expect(how()).toEqual(expect.arrayContaining(ANEW));
  });
});

test.each(["index", "full text"] as const)(
  "a folder in the place of %s is skipped, and stays",
  async (kind) => {
    const file = filled();
    const place = snapshotsOf(file)[FILES[kind]];
    rmSync(place);
    mkdirSync(place);
    const { agent, how } = open(file);
    expect(how()).toContain(ANEW[KINDS.indexOf(kind)]);
    expect(await agent.purge("n_7")).toBe(true);
    agent.close();
    expect(statSync(place).isDirectory()).toBe(true);
    expect(open(file).agent.read(() => 1)).toBe(1);
  },
);

test.each([
  [
    "of another epoch",
    "UPDATE nous_meta SET value = 'another' WHERE key = 'epoch'",
    /older than a restore/,
  ],
  [
    "ahead of the database",
    "DELETE FROM change_log; UPDATE sqlite_sequence SET seq = 3",
    /does not continue from it/,
  ],
  [
    "which the change log does not reach",
    `INSERT INTO nodes (id, type, content_title) VALUES ('n_new', 'note', 'New'), ('n_newer', 'note', 'Newer');
     DELETE FROM change_log WHERE sequence < (SELECT max(sequence) FROM change_log)`,
    /does not continue from it/,
  ],
])("snapshots %s are rebuilt, with a line in the log", (_, statements, why) => {
  const file = filled();
  execute(file, statements);
  const { agent, how } = open(file);
  expect(how()).toEqual(ANEW.flatMap((line) => [expect.stringMatching(why), line]));
  expect(agent.index.size).toBeGreaterThanOrEqual(NODES);
  for (const kept of filesOf(file)) expect(existsSync(kept)).toBe(false);
  agent.close();
  expect(open(file).how()).toEqual(AS_KEPT);
});

test.each([
  [
    "vectors of another length",
    "INSERT INTO nous_meta VALUES ('dimensions', '3') ON CONFLICT DO UPDATE SET value = '3'",
    {},
  ],
  ["another configuration", "", { salience_growth: true }],
])("an index of %s is rebuilt, and full text is not", (why, statements, config) => {
  const file = filled();
  execute(file, statements);
  const { agent, how } = open(file, config);
  expect(how()).toEqual([
    expect.stringContaining(why.replace("vectors of ", "")),
    ANEW[0],
    AS_KEPT[1],
  ]);
  agent.close();
});

test.each(KINDS)("%s with any damage, truncated or empty, is rebuilt", (kind) => {
  const file = filled();
  const kept = snapshotsOf(file)[FILES[kind]];
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
  const expected = KINDS.flatMap((other, place) =>
    other === kind ? [expect.stringContaining("cannot be used"), ANEW[place]] : [AS_KEPT[place]],
  );
  for (const bytes of damaged) {
    writeFileSync(kept, bytes);
    const { agent, how } = open(file);
    expect(how()).toEqual(expected);
    expect([agent.index.size, agent.texts.size]).toEqual([NODES, NODES]);
    agent.storage.close();
  }
});

test("the snapshots of index and full text cannot replace each other", () => {
  const file = filled();
  const { index, texts } = snapshotsOf(file);
  writeFileSync(texts, readFileSync(index));
  expect(open(file).how()).toEqual([
    AS_KEPT[0],
    expect.stringContaining("another version"),
    ANEW[1],
  ]);
});

test("snapshots are not written for a small memory, and are deleted if few memories remain", () => {
  const file = filled();
  const { agent } = open(file);
  execute(file, "DELETE FROM nodes WHERE rowid > 10");
  agent.close();
  for (const kept of filesOf(file)) expect(existsSync(kept)).toBe(false);
  const small = join(temporaryFolder(), "b.db");
  open(small).agent.close();
  for (const kept of filesOf(small)) expect(existsSync(kept)).toBe(false);
});

/** By evidence a server keeps no full text. */
const BY_SIGNALS = ["--ranking", "signals"];

describe("the words of a memory", () => {
  const texts = (file: string) => snapshotsOf(file).texts;
  const hold = (kept: string) => readFileSync(kept).includes("kiwi");

  test("are in one file, which only its owner can read", () => {
    const file = filled();
    expect(filesOf(file).filter(hold)).toEqual([texts(file)]);
    if (process.platform === "win32") return;
    for (const kept of filesOf(file)) expect(statSync(kept).mode & 0o777).toBe(0o600);
  });

  test.each([
    ["was deleted", "DELETE FROM nodes WHERE id = 'n_7'"],
    ["has another text", "UPDATE nodes SET content_title = 'Another' WHERE id = 'n_7'"],
  ])("that %s are not in the next snapshot", (_, statement) => {
    const file = filled();
    const { agent } = open(file);
    execute(file, statement);
    agent.close();
    expect(hold(texts(file))).toBe(false);
    expect(open(file).how()).toEqual(AS_KEPT);
  });

  test("are in no snapshot after a purge, nor in a crash's leftovers, and do not come back", async () => {
    const file = filled();
    const { agent } = open(file);
    writeFileSync(`${texts(file)}.tmp`, "kiwi");
    const purging = agent.purge("n_7");
    for (const kept of filesOf(file))
      expect([existsSync(kept), existsSync(`${kept}.tmp`)]).toEqual([false, false]);
    await purging;
    agent.close();
    expect(hold(texts(file))).toBe(false);
    expect(open(file).agent.texts.size).toBe(NODES - 1);
  });

  test("are in no snapshot after another program purged it, while a server has it in memory", async () => {
    const folder = temporaryFolder();
    const file = agentFile(folder, "default");
    fill(file);
    await (await start(folder, BY_SIGNALS)).end();
    const server = await start(folder, BY_SIGNALS);
    expect(hold(texts(file))).toBe(true);
    run("agents", "purge", "default", "n_7", "--data-dir", folder);
    expect(existsSync(texts(file))).toBe(false);
    expect(await server.end()).toBe(0);
    expect(hold(texts(file))).toBe(false);
  });

  test("are in no snapshot once memories rank by evidence", () => {
    const file = filled();
    expect(hold(texts(file))).toBe(true);
    const { agent, how } = open(file, {}, "evidence");
    expect(how()).toEqual([AS_KEPT[0]]);
    agent.read(() => expect(agent.index.textCount).toBe(NODES));
    agent.close();
    expect(existsSync(texts(file))).toBe(false);
  });

  test("leave the index, too, where memories rank by evidence", async () => {
    const file = filled();
    const { index } = snapshotsOf(file);
    open(file, {}, "evidence").agent.close();
    expect(hold(index)).toBe(true);
    const { agent } = open(file, {}, "evidence");
    execute(file, "DELETE FROM nodes WHERE id = 'n_7'");
    agent.close();
    expect(hold(index)).toBe(false);
    const again = open(file, {}, "evidence").agent;
    await again.purge("n_8");
    expect(existsSync(index)).toBe(false);
    again.close();
  });

  test("from before a restore are in no snapshot", async () => {
    const folder = temporaryFolder();
    const file = agentFile(folder, "default");
    await (await start(folder, BY_SIGNALS)).end();
    run("backup", join(folder, "backup"), "--data-dir", folder);
    fill(file);
    await (await start(folder, BY_SIGNALS)).end();
    expect(hold(texts(file))).toBe(true);
    run("restore", join(folder, "backup"), "--data-dir", folder);
    for (const kept of filesOf(file)) expect(existsSync(kept)).toBe(false);
  });
});

/** Runs a command to its end, which must be successful. */
function run(...args: string[]): void {
  const { status, stderr } = spawnSync(process.execPath, [PROGRAM, ...args], { encoding: "utf8" });
  expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
}

test("snapshots are written at a stop, and read at the next start", async () => {
  const folder = temporaryFolder();
  const file = agentFile(folder, "default");
  fill(file);
  expect(await (await start(folder, BY_SIGNALS)).end()).toBe(0);
  const server = await start(folder, BY_SIGNALS);
  for (const line of AS_KEPT) expect(server.log()).toContain(line);
  expect((await server.ask("GET /health")).body).toMatchObject({
    node_count: NODES,
    edge_count: NODES - 1,
  });
});
