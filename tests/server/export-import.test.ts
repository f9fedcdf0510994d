// Export and import: round trips, conflicts, wrong lines, and files of any length. Most tests call
// the commands in this process; tests of input and output run the program.

import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { crc32 } from "node:zlib";
import { afterAll, afterEach, beforeAll, expect, vi } from "vitest";
import { agentFile } from "../../js/server/src/settings/paths.ts";
import { sealAll } from "../../js/server/src/storage/checksums.ts";
import { Connection } from "../../js/server/src/storage/connection.ts";
import { addFrames } from "../../js/server/src/storage/migrations/frames.ts";
import { addTags } from "../../js/server/src/storage/migrations/tags.ts";
import { COLUMN_GROUPS } from "../../js/server/src/storage/node-columns.ts";
import { openWhole } from "../../js/server/src/storage/open.ts";
import type { Place } from "../../js/server/src/storage/place.ts";
import { closeDatabases } from "../../js/server/src/storage/postgres/open.ts";
import { META_TABLE, MIGRATIONS } from "../../js/server/src/storage/schema.ts";
import { SqliteStorage } from "../../js/server/src/storage/sqlite.ts";
import { exportFile, importFile } from "../../js/server/src/transfer/commands.ts";
import type { ConflictPolicy } from "../../js/server/src/transfer/conflict-policy.ts";
import { testInFull } from "../support/full.ts";
import { describe, test } from "../support/in-turn.ts";
import { execute, makeExisting, raw } from "./support/existing-database.ts";
import { databaseOptions, isOnPostgres, testOnFiles } from "./support/on-postgres.ts";
import { PROGRAM, start } from "./support/server-process.ts";
import { clientOf } from "./support/shared-server.ts";
import { wholeNodeOf } from "./support/stored-node.ts";
import { makeFolder, removeFolder, temporaryFolder } from "./support/temporary-folder.ts";

// The commands in this process start the built thread of PostgreSQL.
vi.mock("../../js/server/src/storage/postgres/database.ts", async (original) =>
  (await import("./support/threads.ts")).onBuiltThread(original),
);
afterEach(closeDatabases);

/** Runs a command on the data directory that it names, or on the database of that. */
async function run(args: readonly string[], input = "", node: readonly string[] = []) {
  const place = await databaseOptions(args[args.indexOf("--data-dir") + 1]!);
  const options = { encoding: "utf8", input, maxBuffer: 2 ** 28 } as const;
  const command = [...node, PROGRAM, ...args, ...place];
  const { status, stdout, stderr } = spawnSync(process.execPath, command, options);
  return { status, stdout, stderr };
}

async function placeIn(dataDir: string): Promise<Place> {
  const [, url] = await databaseOptions(dataDir);
  const postgres =
    url === undefined ? undefined : { url, connections: 2, timeout: 10_000, password: "" };
  return { dataDir, durability: "full", postgres };
}
const fileIn = (folder: string): string => join(folder, "lines.jsonl");

async function exported(folder: string, agent = "default"): Promise<string[]> {
  const count = exportFile(await placeIn(folder), agent, fileIn(folder), { force: true });
  const lines = readFileSync(fileIn(folder), "utf8").trimEnd().split("\n");
  expect(lines).toHaveLength(count);
  return lines;
}

const textOf = (lines: readonly (string | object)[]): string =>
  lines.map((line) => (typeof line === "string" ? line : JSON.stringify(line))).join("\n");

interface ImportOptions {
  agent?: string;
  conflicts?: ConflictPolicy;
}

/** Imports lines; returns how many were added, replaced and skipped. */
async function imported(
  folder: string,
  lines: readonly (string | object)[],
  { agent = "default", conflicts = "skip" }: ImportOptions = {},
) {
  writeFileSync(fileIn(folder), textOf(lines));
  const { added, replaced, skipped } = importFile(
    await placeIn(folder),
    agent,
    fileIn(folder),
    conflicts,
  );
  return [added, replaced, skipped];
}

const node = (id: string, fields: object = {}) => ({
  kind: "node",
  id,
  type: "note",
  content_title: id,
  ...fields,
});
const edge = (id: string, source_id: string, target_id: string, fields: object = {}) => ({
  ...{ kind: "edge", id, type: "causes", source_id, target_id },
  ...fields,
});

const NONE_MOVED = { qm: 0, prevq: 0, len: 0, num: 0, cap: 0, pos: 0 };
const learnedLine = (fields: object) => ({
  ...{ kind: "learned", steps: 1, shifts: NONE_MOVED, means: NONE_MOVED },
  ...fields,
});

const cluster = (id: string) => ({ kind: "cluster", id, name: id });
const membership = (cluster_id: string, node_id: string) => ({
  kind: "membership",
  cluster_id,
  node_id,
});

test("every column of a memory is imported and exported", async () => {
  const folder = temporaryFolder();
  const { embedding_vector, ...columns } = wholeNodeOf("n_whole");
  const embedding = Buffer.from(embedding_vector).toString("base64");
  const line = { kind: "node", ...columns, embedding, signals: { pnl_pct: 1 } };
  expect(await imported(folder, [line])).toEqual([1, 0, 0]);
  expect((await exported(folder)).map((text) => JSON.parse(text))).toEqual([line]);
});

test("an import of an export gives the same memory", { timeout: 60_000 }, async () => {
  const folder = temporaryFolder();
  const first = await start(folder);
  const { ask, create, link, search } = clientOf(first, "default");
  const nodes = [];
  for (let place = 0; place < 12; place++) {
    nodes.push(
      await create({
        content_title: `squeeze ${place} "ü\u2028`,
        embedding: [Math.sin(place), Math.cos(place)],
      }),
    );
  }
  for (let place = 1; place < 12; place++)
    await link(nodes[place].id, nodes[(place * 5) % place].id, "relates_to");
  await ask(`GET /nodes/${nodes[3].id}`);
  await ask(`PATCH /nodes/${nodes[4].id}`, { content_body: null });
  await ask(`PATCH /nodes/${nodes[5].id}`, { frame: "risk", censors: ["c1"] });
  await ask(`PATCH /nodes/${nodes[6].id}`, { tags: ["billing", "ü"] });
  await search("squeeze");
  const majors = { name: "Majors", auto_subtypes: ["custom:lesson"] };
  const { id } = (await ask("POST /clusters", majors)).body;
  const joined = await ask(`POST /clusters/${id}/members`, { node_id: nodes[0].id, weight: 0.5 });
  expect(joined.status).toBeLessThan(300);
  await first.end();
  const lines = await exported(folder);
  const framed = lines.map((line) => JSON.parse(line)).filter((line) => line.frame === "risk");
  expect(framed).toMatchObject([{ id: nodes[5].id, censors: '["c1"]', tags: null }]);
  expect(JSON.parse(lines[6]!)).toMatchObject({ id: nodes[6].id, tags: '["billing","ü"]' });
  // Possible conflicts are found shortly after a write, or not before the stop.
  const conflicts = lines.filter((line) => JSON.parse(line).kind === "conflict").length;
  expect(lines).toHaveLength(12 + 11 + 2 + conflicts);
  expect(lines.map((line) => JSON.parse(line).kind).indexOf("edge")).toBe(14 + conflicts);
  expect(await imported(folder, lines, { agent: "other" })).toEqual([lines.length, 0, 0]);
  expect(await exported(folder, "other")).toEqual(lines);
  const server = await start(folder);
  const answers = await Promise.all(
    ["default", "other"].map(async (agent) => {
      const { body } = await clientOf(server, agent).ask("POST /search", {
        query: "squeeze 5",
        embedding: [1, 0],
        limit: 20,
      });
      return body.data.map(({ id, score, breakdown }: Record<string, unknown>) => ({
        id,
        score,
        breakdown,
      }));
    }),
  );
  expect(answers[0].length).toBeGreaterThan(5);
  expect(answers[1]).toEqual(answers[0]);
});

/** A memory of an answer by evidence. */
interface Found {
  id: string;
  score: number;
  evidence: Record<string, number>;
}

test("what use has taught is exported, and an import into a new server answers as the first", async () => {
  const LEARNS = ["--learning", "on"];
  const [folder, second] = [temporaryFolder(), temporaryFolder()];
  const first = await start(folder, LEARNS);
  const taught = clientOf(first, "default");
  for (const [id, content_title] of [
    ["asked", "Which green tea is Mira's?"],
    ["told", "Which green tea is Mira's."],
  ])
    await taught.create({ id, content_title, content_body: null, subtype: "custom:turn_summary" });
  const question = "green tea of Mira";
  for (let turn = 0; turn < 5; turn++)
    await taught.ask("POST /search/feedback", {
      ...{ question, shown: ["asked", "told"], used: ["told"] },
    });
  const answersOf = async (client: typeof taught) => {
    const { data } = (await client.ask("POST /retrieve", { query: question })).body;
    return {
      // Each answer counts an access, which moves affinity; it weighs 0.
      data: data.map(({ id, score, evidence: { affinity: _, ...evidence } }: Found) => ({
        ...{ id, score, evidence },
      })),
      learned: (await client.ask("GET /learned")).body,
    };
  };
  const before = await answersOf(taught);
  expect(before.data[0].id).toBe("told");
  expect(before.learned.steps).toBe(5);
  await first.end();

  const lines = await exported(folder);
  expect(lines.map((line) => JSON.parse(line).kind)).toEqual(["learned", "node", "node"]);
  expect(await imported(second, lines)).toEqual([3, 0, 0]);
  expect(await exported(second)).toEqual(lines);
  const server = await start(second, LEARNS);
  expect(await answersOf(clientOf(server, "default"))).toEqual(before);

  // A running server takes it, too. It replaces what the agent has learned only on request.
  const learned = { ...JSON.parse(lines[0]!), steps: 9 };
  expect(await imported(second, [learned])).toEqual([0, 0, 1]);
  expect(await imported(second, [learned], { conflicts: "newer" })).toEqual([0, 0, 1]);
  expect(await imported(second, [learned], { conflicts: "overwrite" })).toEqual([0, 1, 0]);
  expect((await answersOf(clientOf(server, "default"))).learned.steps).toBe(9);
  // Hynous has no such line.
  const compat = await run(["export", "--data-dir", second, "--compat", "hynous"]);
  expect(compat.stdout).toContain('"kind":"node"');
  expect(compat.stdout).not.toContain("learned");
});

test("an export says which sections the settings give, and an import leaves them out", async () => {
  const folder = temporaryFolder();
  const nodes = ["custom:recipe", "fact"].map((subtype) => ({
    ...{ kind: "node", id: subtype, type: "note", subtype, content_title: subtype },
  }));
  expect(await imported(folder, nodes)).toEqual([2, 0, 0]);
  const config = join(folder, "nous.yaml");
  writeFileSync(config, "sections: { subtypes: { custom:recipe: { section: PROCEDURAL } } }");
  const first = async (...options: string[]) =>
    JSON.parse((await run(["export", "--data-dir", folder, ...options])).stdout.split("\n")[0]!);
  expect((await first()).kind).toBe("node");
  const told = await first("--config", config);
  expect(told).toEqual({
    ...{ kind: "agent", preset: "general", sections: { "custom:recipe": "PROCEDURAL" } },
  });
  expect(await first("--preset", "trading")).toMatchObject({
    ...{ kind: "agent", preset: "general", weights: "trading" },
  });
  const plain = join(folder, "presets");
  mkdirSync(plain);
  writeFileSync(join(plain, "plain.yaml"), "extends: general\nstemming: none");
  expect(await first("--presets-dir", plain, "--preset", "plain")).toEqual({
    ...{ kind: "agent", preset: "general", stemming: "none" },
  });
  expect(await imported(folder, [told, ...nodes], { agent: "other" })).toEqual([3, 0, 0]);
  expect(JSON.parse((await exported(folder, "other"))[0]!)).toEqual({
    kind: "agent",
    preset: "general",
  });
  await expect(imported(folder, [{ ...told, sections: { fact: "x" } }])).rejects.toThrow(
    /sections\.fact/,
  );
});

testOnFiles(
  "a database of the existing server can be exported and imported, with odd values treated as missing",
  async () => {
    const folder = temporaryFolder();
    const theirs = join(folder, "theirs.db");
    makeExisting(theirs);
    execute(
      theirs,
      "UPDATE nodes SET neural_stability = 'long', content_summary = x'00ff' WHERE id = 'n_b'",
    );
    expect(await run(["adopt", theirs, "--data-dir", folder])).toMatchObject({ status: 0 });
    const lines = await exported(folder);
    expect(JSON.parse(lines[0]!)).toEqual({ kind: "agent", preset: "trading" });
    expect(JSON.parse(lines[2]!)).toMatchObject({
      id: "n_b",
      neural_stability: null,
      content_summary: null,
    });
    expect(await imported(folder, lines, { agent: "other" })).toEqual([lines.length, 0, 0]);
    expect(await exported(folder, "other")).toEqual(lines);
  },
);

testOnFiles(
  "an unusable vector is left out of an export, so that the lines can be imported",
  async () => {
    const folder = temporaryFolder();
    const theirs = join(folder, "theirs.db");
    makeExisting(theirs);
    const db = raw(theirs);
    const insert = db.prepare(
      "INSERT INTO nodes (id, type, content_title, embedding_vector) VALUES (?, 'note', ?, ?)",
    );
    const floats = (...components: number[]) => Buffer.from(Float32Array.from(components).buffer);
    const odd = {
      zero: floats(0, 0, 0),
      nan: floats(1, Number.NaN, 0),
      cut: Buffer.from([1, 2, 3]),
      text: "1,2,3",
    };
    for (const [id, vector] of Object.entries(odd)) insert.run(id, id, vector);
    db.close();
    expect(await run(["adopt", theirs, "--data-dir", folder])).toMatchObject({ status: 0 });
    const lines = await exported(folder);
    const vectors = lines.map((line) => JSON.parse(line)).filter(({ kind }) => kind === "node");
    const kept = vectors.filter(({ embedding }) => embedding !== null).map(({ id }) => id);
    // The vector of n_c has two components, the others have three.
    expect([vectors.length, kept]).toEqual([7, ["n_a", "n_b"]]);
    const elsewhere = temporaryFolder();
    expect(await imported(elsewhere, lines)).toEqual([lines.length, 0, 0]);
    expect((await run(["check", "--data-dir", elsewhere])).stdout).toContain(": sound");
  },
);

testOnFiles("an id that an import would refuse is exported unchanged", async () => {
  const folder = temporaryFolder();
  const id = "n".repeat(201);
  await imported(folder, [node("n_0")]);
  const db = raw(agentFile(folder, "default"));
  db.prepare("UPDATE nodes SET id = ?").run(id);
  db.close();
  expect((await exported(folder)).map((line) => JSON.parse(line))).toMatchObject([
    { kind: "node", id },
  ]);
});

testOnFiles(
  "a database of the schema before tags is checked, and keeps the checksums of framed memories",
  async () => {
    const folder = temporaryFolder();
    const file = agentFile(folder, "default");
    new SqliteStorage(file, { durability: "normal" }).close();
    rmSync(file);
    const db = new Connection(file);
    const before = MIGRATIONS.indexOf(addTags);
    db.exec(META_TABLE);
    for (const migration of MIGRATIONS.slice(0, before)) migration(db);
    db.exec(`
    INSERT INTO nous_meta VALUES ('schema', '${before}'), ('epoch', 'e'), ('agent', 'default');
    INSERT INTO nodes (id, type, content_title, frame) VALUES ('n_a', 'note', 'Old', 'risk');
  `);
    // The sum as the server before tags wrote it.
    const columns = COLUMN_GROUPS.slice(0, 2)
      .flat()
      .map((column) => `nodes.${column}`)
      .join(", ");
    const [row] = db.prepare(`SELECT ${columns} FROM nodes`).all();
    const sum = crc32(JSON.stringify(Object.values(row as object)));
    db.prepare("INSERT INTO row_checksums VALUES ('n_a', ?)").run(sum);
    db.close();
    expect((await run(["check", "--data-dir", folder])).stdout).toContain(": sound");
    expect((await exported(folder)).map((line) => JSON.parse(line))).toMatchObject([
      { id: "n_a", frame: "risk", tags: null },
    ]);
    const storage = new SqliteStorage(file, { durability: "normal" });
    expect(storage.soundness.problems()).toEqual([]);
    execute(
      file,
      `DROP TRIGGER nodes_checksum_update; UPDATE nodes SET tags = '["x"]' WHERE id = 'n_a'`,
    );
    expect(storage.soundness.problems()).toEqual(["1 memories are not as they were written"]);
    storage.close();
  },
);

testOnFiles(
  "a database of the schema before frames is checked and exported unchanged, and keeps its figures when it is opened",
  async () => {
    const folder = temporaryFolder();
    const file = agentFile(folder, "default");
    new SqliteStorage(file, { durability: "normal" }).close();
    rmSync(file);
    const db = new Connection(file);
    const before = MIGRATIONS.indexOf(addFrames);
    db.exec(META_TABLE);
    for (const migration of MIGRATIONS.slice(0, before)) migration(db);
    db.exec(`
    INSERT INTO nous_meta VALUES ('schema', '${before}'), ('epoch', 'e'), ('agent', 'default');
    INSERT INTO nodes (id, type, content_title) VALUES ('n_a', 'note', 'Old'), ('n_b', 'note', 'Newer');
    INSERT INTO playbook_outcomes VALUES ('n_a', 'n_b', 1, '2026-01-01T00:00:00.000Z');
  `);
    sealAll((sql) => db.prepare(sql));
    db.close();
    expect(await run(["check", "--data-dir", folder])).toMatchObject({
      status: 0,
      stdout: expect.stringContaining(": sound"),
    });
    const lines = await exported(folder);
    expect(
      raw(file).prepare("SELECT value FROM nous_meta WHERE key = 'schema'").get(),
    ).toMatchObject({
      value: `${before}`,
    });
    expect(lines.map((line) => JSON.parse(line))).toMatchObject([
      { kind: "node", id: "n_a", frame: null, censors: null },
      { kind: "node", id: "n_b" },
      { kind: "outcome", playbook_id: "n_a", client_counted: 0 },
    ]);
    const storage = new SqliteStorage(file, { durability: "normal" });
    expect(storage.soundness.problems()).toEqual([]);
    const sums = raw(file).prepare("SELECT count(*) AS count FROM row_checksums").get();
    expect(sums).toMatchObject({ count: 2 });
    execute(
      file,
      "DROP TRIGGER nodes_checksum_update; UPDATE nodes SET frame = 'risk' WHERE id = 'n_a'",
    );
    expect(storage.soundness.problems()).toEqual(["1 memories are not as they were written"]);
    storage.close();
    expect(await imported(folder, lines, { agent: "other" })).toEqual([3, 0, 0]);
  },
);

test("figures of memories are exported, and counted trades are not counted again", async () => {
  const folder = temporaryFolder();
  const first = await start(folder);
  const { create, link, ask } = clientOf(first, "default");
  const playbook = await create({
    subtype: "custom:playbook",
    content_body: JSON.stringify({ text: "Fade it", sample_size: 0 }),
  });
  const entry = await create({ type: "episode", subtype: "custom:trade_entry" });
  const signals = { pnl_pct: 4.5, note: "ü" };
  const close = await create({ type: "episode", subtype: "custom:trade_close", signals });
  await link(playbook.id, entry.id, "applied_to");
  await link(close.id, entry.id, "part_of");
  const counted = (await ask(`GET /nodes/${playbook.id}?recall=false`)).body;
  expect(JSON.parse(counted.content_body).sample_size).toBe(1);
  await first.end();
  const lines = await exported(folder);
  const parsed = lines.map((line) => JSON.parse(line));
  expect(parsed.filter(({ kind }) => kind === "outcome")).toMatchObject([
    { playbook_id: playbook.id, profitable: 1 },
  ]);
  expect(parsed.flatMap((line) => line.signals ?? [])).toEqual([signals]);
  const others = parsed.map((line) => ({ ...line, signals: { pnl_pct: -1 } }));
  expect(await imported(folder, others, { agent: "other" })).toEqual([lines.length, 0, 0]);
  expect(await imported(folder, parsed, { agent: "other", conflicts: "overwrite" })).toEqual([
    0,
    lines.length,
    0,
  ]);
  expect(await exported(folder, "other")).toEqual(lines);
  const second = clientOf(await start(folder), "other");
  // This would count the trade if it had not been counted.
  const { body } = await second.ask(`PATCH /nodes/${playbook.id}`, { content_title: "Again" });
  expect(body).toMatchObject({ content_title: "Again", content_body: counted.content_body });
});

describe("conflicts with existing memories", () => {
  const [OLD, NEW, NEWER] = [
    "2026-01-01T00:00:00.000Z",
    "2026-02-01T00:00:00.000Z",
    "2026-03-01T00:00:00Z",
  ];
  const there = [
    node("n_1", { content_title: "stored", last_modified: NEW }),
    node("n_2", { content_title: "stored", last_modified: NEW }),
    edge("e_1", "n_1", "n_2", { strength: 0.1, created_at: NEW }),
  ];
  const given = [
    node("n_1", { content_title: "given", last_modified: OLD }),
    node("n_2", { content_title: "given", last_modified: NEWER }),
    node("n_3"),
    edge("e_1", "n_1", "n_2", { strength: 0.9, created_at: NEWER }),
  ];
  test.each<[ConflictPolicy, number[], unknown[]]>([
    ["skip", [1, 0, 3], ["stored", "stored", 0.1]],
    ["overwrite", [1, 3, 0], ["given", "given", 0.9]],
    ["newer", [1, 2, 1], ["stored", "given", 0.9]],
  ])("%s: added, replaced, left out are %j", async (conflicts, counts, expected) => {
    const folder = temporaryFolder();
    expect(await imported(folder, there)).toEqual([3, 0, 0]);
    expect(await imported(folder, given, { conflicts })).toEqual(counts);
    const [one, two, , tie] = (await exported(folder)).map((line) => JSON.parse(line));
    expect([one.content_title, two.content_title, tie.strength]).toEqual(expected);
    // The stored words count.
    const storage = openWhole(await placeIn(folder), "default");
    expect(storage.soundness.problems()).toEqual([]);
    storage.close();
  });

  test("a second import changes nothing", async () => {
    const folder = temporaryFolder();
    await imported(folder, given);
    const before = await exported(folder);
    expect(await imported(folder, given)).toEqual([0, 0, 4]);
    expect(await exported(folder)).toEqual(before);
  });
});

describe("lines", () => {
  test("of edges may come before their nodes", async () => {
    const folder = temporaryFolder();
    expect(
      await imported(folder, [edge("e_1", "n_1", "n_2"), "", node("n_1"), node("n_2")]),
    ).toEqual([3, 0, 0]);
    expect(await exported(folder)).toHaveLength(3);
  });

  test("may begin with a byte order mark, and no later one is taken for that", async () => {
    const folder = temporaryFolder();
    const marked = `\ufeff${JSON.stringify(node("n_1"))}`;
    expect(await imported(folder, [marked, node("n_2")])).toEqual([2, 0, 0]);
    await expect(imported(folder, [node("n_3"), marked])).rejects.toThrow("Line 2: is not JSON");
  });

  test("of memberships may come before their clusters and nodes", async () => {
    const folder = temporaryFolder();
    expect(await imported(folder, [membership("c_1", "n_1"), cluster("c_1"), node("n_1")])).toEqual(
      [3, 0, 0],
    );
    expect(await exported(folder)).toHaveLength(3);
  });

  test("of outcomes of deleted memories are left out, and no line refers to a missing one", async () => {
    const folder = temporaryFolder();
    const outcome = {
      kind: "outcome",
      playbook_id: "p",
      entry_id: "t",
      profitable: 1,
      applied_at: "2026-01-01",
    };
    expect(await imported(folder, [outcome, node("p")])).toEqual([1, 0, 1]);
    expect(await imported(folder, [outcome, node("t")])).toEqual([2, 0, 0]);
    expect(await exported(folder)).toHaveLength(3);
    // PostgreSQL refuses such rows.
    if (!isOnPostgres)
      execute(
        agentFile(folder, "default"),
        `
      INSERT INTO cluster_memberships (cluster_id, node_id) VALUES ('c_9', 'p');
      INSERT INTO playbook_outcomes (playbook_id, entry_id, profitable, applied_at) VALUES ('p', 'n_9', 1, '2026-01-01');
    `,
      );
    expect(await imported(folder, await exported(folder), { agent: "other" })).toEqual([3, 0, 0]);
  });

  test("with few fields get creation times, and a vector may be a list of numbers", async () => {
    const folder = temporaryFolder();
    expect(await imported(folder, [node("n_1", { embedding: [1, 2] })])).toEqual([1, 0, 0]);
    const [line] = (await exported(folder)).map((text) => JSON.parse(text));
    expect(Date.parse(line.created_at)).toBeGreaterThan(Date.now() - 60_000);
    expect(line.provenance_created_at).toBe(line.created_at);
    expect(line.embedding).toBe(Buffer.from(Float32Array.from([1, 2]).buffer).toString("base64"));
  });

  describe("are refused, and no line is imported", () => {
    let folder: string;
    let before: unknown;
    beforeAll(async () => {
      folder = makeFolder();
      await imported(folder, [node("n_0")]);
      before = await exported(folder);
    });
    afterAll(() => removeFolder(folder));

    test.each([
      ["no JSON", ["{"], /Line 1: is not JSON/],
      ["no object", ["[]"], /Line 1: .*expected object/],
      ["an unknown kind", [node("n_1"), { kind: "note", id: "n_2" }], /Line 2: kind: /],
      ["no id", [{ kind: "node", type: "note", content_title: "x" }], /Line 1: id: /],
      ["an empty id", [node("")], /Line 1: id: /],
      ["a lesson of no step", [learnedLine({ steps: 0 })], /Line 1: steps: /],
      ["a lesson without a mean", [learnedLine({ means: {} })], /Line 1: means\.qm: /],
      [
        "a learned weight out of range",
        [learnedLine({ shifts: { ...NONE_MOVED, len: 2.5 } })],
        /Line 1: shifts\.len: .*<=2/,
      ],
      ["half a version", [node("n_1", { version: 1.5 })], /Line 1: version: /],
      [
        "metadata that are nested too deep",
        [
          JSON.stringify(node("n_1")).replace(
            /\}$/,
            `,"metadata":${'{"a":'.repeat(20_000)}0${"}".repeat(20_001)}`,
          ),
        ],
        /Line 1: metadata: .*nested deeper/,
      ],
      [
        "a version that cannot be counted on",
        [node("n", { version: 2 ** 53 })],
        /Line 1: version: /,
      ],
      [
        "a negative stability",
        [node("n_1", { neural_stability: -1 })],
        /Line 1: neural_stability: must be at least 0/,
      ],
      ["no title", [{ kind: "node", id: "n", type: "note" }], /Line 1: content_title: /],
      ["a text that is a number", [node("n_1", { subtype: 3 })], /Line 1: subtype: /],
      [
        "U+0000 in a text",
        [node("n_1", { content_body: "a\0b" })],
        /Line 1: content_body: must not contain/,
      ],
      ["a vector that is no base64", [node("n_1", { embedding: "***" })], /Line 1: embedding: /],
      [
        "half a component",
        [node("n_1", { embedding: "AAA=" })],
        /Line 1: embedding: must be numbers/,
      ],
      [
        "a vector of zeros",
        [node("n_1", { embedding: [0, 0] })],
        /Line 1: embedding: must be numbers/,
      ],
      ["an empty vector", [node("n_1", { embedding: [] })], /Line 1: embedding: must be numbers/],
      [
        "vectors of two lengths",
        [node("n_1", { embedding: [1, 2] }), node("n_2", { embedding: [1, 2, 3] })],
        /Line 2: embedding: must have 2 components/,
      ],
      [
        "U+0000 in an id",
        [node("a\0b"), node("a\0c")],
        /Line 1: id: must not contain control characters/,
      ],
      [
        "a control character in an id",
        [node("a"), node("a\u0085")],
        /Line 2: id: must not contain control characters/,
      ],
      [
        "ids that differ in halves of pairs alone",
        [node("\ud800"), node("\udfff")],
        /Line 1: id: must not contain half/,
      ],
      ["an id that no path can name", [node("n_1"), node("..")], /Line 2: id: must not be \. or/],
      ["an id longer than requests take", [node("n".repeat(201))], /Line 1: id: .*<=200/],
      [
        "an end longer than requests take",
        [edge("e", "n_0", "n".repeat(201))],
        /Line 1: target_id: /,
      ],
      [
        "a control character in a cluster's id",
        [cluster("c\t")],
        /Line 1: id: must not contain control/,
      ],
      [
        "a control character in an end",
        [edge("e", "n_0", "n\n0")],
        /Line 1: target_id: must not contain control/,
      ],
      [
        "a membership of a memory that is not there",
        [membership("c_1", "n_9"), cluster("c_1")],
        /Line 1: node_id: names "n_9", which is not there/,
      ],
      [
        "a membership in a cluster that is not there",
        [node("n_1"), membership("c_9", "n_1")],
        /Line 2: cluster_id: names "c_9", which is not there/,
      ],
      [
        "an edge without an end",
        [node("n_1"), edge("e_1", "n_1", "n_9")],
        /The edge e_1 leads to or from a memory/,
      ],
    ])("with %s", async (_, lines, why) => {
      await expect(imported(folder, lines)).rejects.toThrow(why);
      expect(await exported(folder)).toEqual(before);
    });
  });

  test("come from standard input, go to standard output, and are refused with a sentence", async () => {
    const folder = temporaryFolder();
    const take = (agent: string, lines: readonly (string | object)[], ...options: string[]) =>
      run(["import", "-", "--agent", agent, "--data-dir", folder, ...options], textOf(lines));
    const give = async (agent: string) =>
      (await run(["export", "--agent", agent, "--data-dir", folder])).stdout;
    const nodes = [node("n_1"), node("n_2", { content_body: "ü\u2028" })];
    expect(await take("one", nodes)).toEqual({
      status: 0,
      stdout: "2 added, 0 replaced, 0 left out.\n",
      stderr: "",
    });
    expect(await take("one", nodes)).toMatchObject({
      status: 0,
      stdout: "0 added, 0 replaced, 2 left out.\n",
    });
    const overwrite = ["--conflicts", "overwrite"];
    expect(await take("one", nodes, ...overwrite)).toMatchObject({
      status: 0,
      stdout: "0 added, 2 replaced, 0 left out.\n",
    });
    const lines = await give("one");
    expect(lines.trimEnd().split("\n")).toEqual(await exported(folder, "one"));
    expect(await take("two", [lines])).toMatchObject({ status: 0 });
    expect(await give("two")).toBe(lines);
    const { status, stdout, stderr } = await take("two", [...nodes, "["]);
    expect({ status, stdout }).toEqual({ status: 1, stdout: "" });
    expect(stderr).toMatch(/^nous-server: Line 3: is not JSON.*\n$/);
  });
});

describe("an export into a pipe", () => {
  /** Exports an agent of more bytes than a pipe holds; `reader` is the command that reads it. */
  async function piped(reader: string) {
    const folder = temporaryFolder();
    const lines = Array.from({ length: 900 }, (_, at) =>
      node(`n_${at}`, { content_body: `${at} `.repeat(200) }),
    );
    await imported(folder, lines);
    const place = await databaseOptions(folder);
    const command = [PROGRAM, "export", "--data-dir", folder, ...place];
    const script = `{ "$@"; echo "status $?" >&2; } | ${reader}`;
    const { stdout, stderr } = spawnSync("sh", ["-c", script, "sh", process.execPath, ...command], {
      encoding: "utf8",
      maxBuffer: 2 ** 28,
    });
    const whole = await exported(folder);
    return { stdout, stderr, whole };
  }

  test("is complete however slowly it is read", { timeout: 60_000 }, async () => {
    const { stdout, stderr, whole } = await piped("{ sleep 1; cat; }");
    expect(stderr).toBe("status 0\n");
    expect(stdout.trimEnd().split("\n")).toEqual(whole);
  });

  test("fails with a sentence if its reader ends", { timeout: 60_000 }, async () => {
    const { stderr } = await piped("head -n 1");
    expect(stderr).toBe(
      "nous-server: The output is not complete: the program that read it has ended. Start both again.\nstatus 1\n",
    );
  });
});

testOnFiles(
  "a running server finds imported memories, and many lines take little memory",
  {
    timeout: 120_000,
  },
  async () => {
    const folder = temporaryFolder();
    const server = await start(folder);
    const { search, ask } = clientOf(server, "default");
    const file = join(folder, "many.jsonl");
    const body = "x".repeat(12_000);
    const count = 6_000;
    const lines = Array.from({ length: count }, (_, place) =>
      JSON.stringify(node(`n_${place}`, { content_body: body })),
    );
    writeFileSync(file, lines.join("\n"));
    const limit = ["--max-old-space-size=64"];
    const { status, stderr } = await run(["import", file, "--data-dir", folder], "", limit);
    expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
    expect(statSync(file).size).toBeGreaterThan(64 * 2 ** 20);
    expect((await ask("GET /health")).body.node_count).toBe(count);
    expect(await search("n_777")).toContain("n_777");
    const out = join(folder, "out.jsonl");
    expect(await run(["export", out, "--data-dir", folder])).toMatchObject({
      status: 0,
      stdout: `${count} lines are in ${out}.\n`,
    });
    expect(readFileSync(out, "utf8").split("\n")).toHaveLength(count + 1);
    expect(existsSync(`${out}.tmp`)).toBe(false);
  },
);

testInFull("--sample fills an empty memory, and leaves any other unchanged", async () => {
  const folder = temporaryFolder();
  const first = await start(folder, ["--sample"]);
  const { ask, search, create } = clientOf(first, "default");
  const { body } = await ask("GET /health");
  expect(body.node_count).toBe(2_000);
  expect(body.edge_count).toBeGreaterThan(1_000);
  expect(body.lifecycle.ACTIVE).toBeGreaterThan(100);
  expect(await search("funding squeeze")).not.toEqual([]);
  await create();
  await first.end();
  const second = await start(folder, ["--sample"]);
  expect(second.log()).toContain("the sample was not added");
  expect((await second.ask("GET /health")).body.node_count).toBe(2_001);
});

testOnFiles("an agent whose name has control characters is not created", async () => {
  const folder = temporaryFolder();
  for (const agent of ["a\nb", "a\u0085b", "a\u007f"]) {
    await expect(imported(folder, [node("n_1")], { agent })).rejects.toThrow(
      /is not a valid name of an agent: .*control characters/,
    );
    expect(existsSync(agentFile(folder, agent))).toBe(false);
  }
});

testOnFiles(
  "a missing agent cannot be exported, and a missing file cannot be imported",
  async () => {
    const folder = temporaryFolder();
    expect(await run(["export", "--agent", "nobody", "--data-dir", folder])).toMatchObject({
      status: 1,
      stdout: "",
    });
    expect(await run(["import", join(folder, "none"), "--data-dir", folder])).toMatchObject({
      status: 1,
      stdout: "",
    });
    expect(existsSync(agentFile(folder, "default"))).toBe(false);
  },
);
