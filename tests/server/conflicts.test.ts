// Conflicts: correction markers, the queue of conflicts, and the effect of each resolution.

import { mkdirSync } from "node:fs";
import { dirname } from "node:path";
import { correctionIn } from "nous-memory";
import { describe, expect, test } from "vitest";
import * as API from "../../js/server/src/api/conflicts.ts";
import { agentFile } from "../../js/server/src/settings/paths.ts";
import { makeExisting, raw } from "./support/existing-database.ts";
import { testOnFiles } from "./support/on-postgres.ts";
import { start } from "./support/server-process.ts";
import { type Client, clientOf, sharedServer } from "./support/shared-server.ts";
import { temporaryFolder } from "./support/temporary-folder.ts";

const { client } = sharedServer();
const DAY = 86_400_000;
const ISO = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;
const NOT_FOUND = { status: 404, body: { error: "not found" } };

describe("correction markers", () => {
  test.each([
    ["Actually, it is 555", ["actually"], [], 0.6],
    ["I WAS  wrong about it", ["I was wrong"], [], 0.6],
    ["Correction: the fee is 2%", ["correction:"], [], 0.6],
    ["No updates: none", [], [], 0.5],
    ["update:the plan", ["update:"], [], 0.6],
    ["It’s no longer so, now it’s this", ["no longer", "now it's"], [], 0.7],
    ["used to be a lake", ["used to be"], [], 0.7],
    [
      "it changed to red. turns out not anymore",
      ["changed to", "turns out", "not anymore"],
      [],
      0.6,
    ],
    ["I actually enjoyed it", ["actually"], ["actually enjoyed"], 0.3],
    ["I actually enjoyed it now", ["actually"], ["actually enjoyed"], 0.4],
    ["Was I wrong? Good point", [], ["was I wrong?", "good point"], 0.2],
    ["factually, nowhere", [], [], 0.5],
    ["tatsächlichactually", [], [], 0.5],
  ])("%s", (text, triggers, disqualifiers, confidence) => {
    const found = correctionIn(text);
    expect(found).toMatchObject({ triggers, disqualifiers, confidence });
    expect(found.detected).toBe(triggers.length > 0 && confidence > 0.3);
  });
});

const ADDRESS = { content_title: "Bob's address Elm", content_body: "Elm Street 5" };
const MOVED = {
  content_title: "Bob's address changed",
  content_body: "Actually it is Oak Road 1 now",
};

/** A memory, another that corrects it, and the conflict between them. */
async function conflicting({ ask, create }: Client) {
  const old = await create(ADDRESS);
  const fresh = await create(MOVED);
  const { body } = await ask("GET /contradiction/queue");
  return { old, fresh, conflict: body.data[0] };
}

const resolve = ({ ask }: Client, conflict_id: string, resolution: string, fields: object = {}) =>
  ask("POST /contradiction/resolve", { conflict_id, resolution, ...fields });
const stateOf = async ({ ask }: Client, id: string) =>
  (await ask(`GET /nodes/${id}?recall=false`)).body.state_lifecycle;
const edgesOf = async ({ ask }: Client, id: string) =>
  (await ask(`GET /edges?node_id=${id}`)).body.data;

test("detection names the memories that a text may correct, and queues nothing", async () => {
  const { ask, create } = client();
  const old = await create(ADDRESS);
  await create({ content_title: "Weather", content_body: "rain" });
  const { body } = await ask("POST /contradiction/detect", {
    title: "Bob's address",
    content: "It changed to Oak Road",
  });
  expect(API.detection.strict().parse(body)).toEqual({
    conflict_detected: true,
    tier: "PATTERN",
    confidence: 0.6,
    triggers: ["changed to"],
    disqualifiers: [],
    temporal_signal: false,
    conflicting_nodes: [{ id: old.id, title: ADDRESS.content_title, subtype: "custom:lesson" }],
  });
  const plain = (
    await ask("POST /contradiction/detect", { content: "Bob's address is Elm Street" })
  ).body;
  expect(plain).toMatchObject({ conflict_detected: false, confidence: 0.5, conflicting_nodes: [] });
  expect((await ask("GET /contradiction/queue")).body).toEqual({
    data: [],
    count: 0,
    next_cursor: null,
  });
});

test("a memory that corrects others is queued with them for 14 days", async () => {
  const one = client();
  const old = [];
  for (let turn = 0; turn < 4; turn++) old.push((await one.create(ADDRESS)).id);
  const fresh = await one.create(MOVED);
  expect(fresh._contradiction_detected).toBe(true);
  const { body } = await one.ask("GET /contradiction/queue");
  expect(API.conflictList.strict().parse(body).count).toBe(3);
  const waits = Date.parse(body.data[0].expires_at) - Date.parse(body.data[0].created_at);
  expect(waits).toBe(14 * DAY);
  for (const conflict of body.data) {
    expect(conflict).toMatchObject({
      id: expect.stringMatching(/^q_[0-9a-z]{12}$/),
      new_node_id: fresh.id,
      new_content: MOVED.content_body,
      status: "pending",
      detection_tier: "PATTERN",
      detection_confidence: 0.7,
      resolution: null,
    });
    expect(old).toContain(conflict.old_node_id);
  }
  expect(await one.create(ADDRESS)).not.toHaveProperty("_contradiction_detected");
  expect((await client().ask("GET /contradiction/queue")).body.count).toBe(0);
});

describe("a memory that replaces another without a marker", () => {
  const FACT = { type: "fact", subtype: "custom:fact" };
  const DAIRY = {
    ...FACT,
    content_title: "Milk",
    content_body:
      "Default on the shopping list: two litres of semi-skimmed cow's milk every Saturday.",
    created_at: "2026-01-03T09:00:00Z",
  };
  const OATS = {
    ...FACT,
    content_title: "Milk on the list",
    content_body: "The shopping list has oat milk instead, three litres every Saturday.",
    created_at: "2026-03-02T09:00:00Z",
  };
  const OTHERS = [
    { ...FACT, content_title: "The car", content_body: "The car is serviced in May." },
    { ...FACT, content_title: "Bread", content_body: "Rye bread comes from the van." },
  ];
  const queueOf = async ({ ask }: Client) => (await ask("GET /contradiction/queue")).body.data;

  test("is queued as a possible conflict, and supersedes nothing", async () => {
    const one = client();
    const old = await one.create(DAIRY);
    for (const other of OTHERS) await one.create(other);
    const fresh = await one.create(OATS);
    expect(fresh).not.toHaveProperty("_contradiction_detected");
    await expect
      .poll(() => queueOf(one), { timeout: 10_000 })
      .toMatchObject([
        {
          old_node_id: old.id,
          new_node_id: fresh.id,
          new_content: OATS.content_body,
          detection_tier: "EVIDENCE",
          status: "pending",
        },
      ]);
    const [{ id, detection_confidence }] = await queueOf(one);
    expect(detection_confidence).toBeGreaterThan(0.3);
    expect(await stateOf(one, old.id)).not.toBe("DORMANT");
    const ends = { source_id: fresh.id, target_id: old.id };
    const guess = { ...ends, type: "possibly_supersedes", strength: detection_confidence };
    expect(await edgesOf(one, old.id)).toMatchObject([guess]);
    // It is not told: where both answer about as well, the newer one comes first.
    const { body } = await one.ask("POST /search", { query: OATS.content_body });
    for (const found of body.data) {
      expect(found).not.toHaveProperty("replaced_by");
      expect(found).not.toHaveProperty("replaces");
    }
    const { body: history } = await one.ask("POST /facts/history", { id: old.id });
    expect(history.data).toMatchObject([{ id: old.id, replaced_by: null }]);
    await resolve(one, id, "new_is_current");
    expect(await edgesOf(one, old.id)).toMatchObject([{ ...ends, type: "supersedes" }]);
    await resolve(one, id, "undecided");
    expect(await edgesOf(one, old.id)).toMatchObject([guess]);
    await resolve(one, id, "new_is_current");
    expect((await one.search("which milk is on the shopping list?"))[0]).toBe(fresh.id);
  });

  test("is no guess if a client found it, also once its decision is taken back", async () => {
    const one = client();
    const [car, bread] = await Promise.all(OTHERS.map((other) => one.create(other)));
    const pair = { old_node_id: car.id, new_node_id: bread.id };
    const found = { detection_tier: "READER", detection_confidence: 0.4 };
    const { body } = await one.ask("POST /contradiction/queue", { ...pair, ...found });
    await resolve(one, body.id, "new_is_current");
    await resolve(one, body.id, "undecided");
    expect(await edgesOf(one, car.id)).toEqual([]);
  });

  test("is found among those of a batch, by the times of their making", async () => {
    const one = client();
    const items = [OATS, ...OTHERS, DAIRY];
    const { body } = await one.ask("POST /nodes/batch", { items });
    const [fresh, , , old] = body.results;
    await expect
      .poll(() => queueOf(one), { timeout: 10_000 })
      .toMatchObject([{ old_node_id: old.id, new_node_id: fresh.id }]);
  });

  test("is queued neither with one that says the same nor with one that tells what happened", async () => {
    const one = client();
    await one.create({ ...DAIRY, subtype: "custom:turn_summary" });
    await one.create(OATS);
    await one.create({ ...OATS, content_title: "The list", created_at: "2026-04-01T09:00:00Z" });
    // Memories are compared in the order of the writes: this one comes last.
    const loaf = { ...FACT, content_title: "Bread", created_at: "2026-01-03T09:00:00Z" };
    const rye = await one.create({ ...loaf, content_body: "Dark rye from the van, on Fridays." });
    await one.create({
      ...loaf,
      content_body: "Spelt instead of the rye from the van, on Fridays.",
      created_at: "2026-05-03T09:00:00Z",
    });
    await expect
      .poll(() => queueOf(one), { timeout: 10_000 })
      .toMatchObject([{ old_node_id: rye.id }]);
  });
});

testOnFiles("a queued conflict shows the new memory's text, without storing a copy", async () => {
  const one = client();
  const { fresh } = await conflicting(one);
  const [listed] = (await one.ask("GET /contradiction/queue")).body.data;
  expect(listed.new_content).toBe(MOVED.content_body);
  await one.ask(`PATCH /nodes/${fresh.id}`, { content_body: null });
  const [changed] = (await one.ask("GET /contradiction/queue")).body.data;
  expect(changed.new_content).toBe(MOVED.content_title);
  const [row] = raw(one.file()).prepare("SELECT new_content FROM conflict_queue").all();
  expect(row).toEqual({ new_content: "" });
});

/** A server on a database of Hynous, with its queue of conflicts: `n_c` may correct `n_a`. */
async function adopted() {
  const folder = temporaryFolder();
  const file = agentFile(folder, "default");
  mkdirSync(dirname(file), { recursive: true });
  makeExisting(file);
  const db = raw(file);
  db.exec(`CREATE TABLE conflict_queue (
    id TEXT PRIMARY KEY NOT NULL, old_node_id TEXT NOT NULL REFERENCES nodes(id) ON DELETE CASCADE,
    new_node_id TEXT REFERENCES nodes(id) ON DELETE SET NULL, new_content TEXT NOT NULL, conflict_type TEXT NOT NULL,
    detection_tier TEXT NOT NULL, detection_confidence REAL NOT NULL, context TEXT, entity_name TEXT, topic TEXT,
    status TEXT NOT NULL DEFAULT 'pending', created_at TEXT NOT NULL, expires_at TEXT NOT NULL
  );
  INSERT INTO conflict_queue VALUES ('c_1', 'n_a', 'n_c', 'A secret tape', 'AMBIGUOUS', 'PATTERN', 0.6, NULL, NULL, NULL,
    'pending', '2026-01-03T00:00:00.000Z', '2999-01-01T00:00:00.000Z')`);
  db.close();
  return { ...clientOf(await start(folder), "default"), file };
}

testOnFiles("a purged memory leaves no text in the queue of a database of Hynous", async () => {
  const { ask, file } = await adopted();
  expect((await ask("GET /contradiction/queue")).body.data).toMatchObject([
    { new_content: "A secret tape" },
  ]);
  expect(await ask("POST /nodes/n_c/purge")).toMatchObject({ status: 200 });
  expect(raw(file).prepare("SELECT * FROM conflict_queue").all()).toEqual([]);
});

testOnFiles("a database of Hynous queues corrections of its memories", async () => {
  const { ask, create } = await adopted();
  const fresh = await create({
    content_title: "Funding squeeze",
    content_body: "I was wrong: extremes last",
  });
  expect(fresh._contradiction_detected).toBe(true);
  const queued = await ask("POST /contradiction/queue", {
    old_node_id: "n_b",
    new_node_id: fresh.id,
  });
  expect(queued).toMatchObject({
    status: 201,
    body: { conflict_type: null, detection_tier: null },
  });
  const texts = { new_node_id: fresh.id, new_content: "I was wrong: extremes last" };
  expect((await ask("GET /contradiction/queue")).body.data).toMatchObject([
    { old_node_id: "n_b", detection_confidence: 0, ...texts },
    // Evidence may have graded what a marker found.
    { old_node_id: "n_a", detection_confidence: expect.any(Number), ...texts },
    { id: "c_1" },
  ]);
});

testOnFiles("expired conflicts, and those of deleted memories, leave the queue", async () => {
  const one = client();
  const { old, fresh, conflict } = await conflicting(one);
  const db = raw(one.file());
  db.prepare("UPDATE conflict_queue SET expires_at = ?").run(
    new Date(Date.now() - 1).toISOString(),
  );
  expect((await one.ask("GET /contradiction/queue")).body.count).toBe(0);
  expect(await resolve(one, conflict.id, "keep_both")).toMatchObject(NOT_FOUND);
  await one.ask("POST /contradiction/queue", { old_node_id: old.id, new_node_id: fresh.id });
  expect((await one.ask("GET /contradiction/queue")).body.count).toBe(1);
  // It is forgotten once a later conflict proves the time.
  await one.ask("POST /contradiction/queue", { old_node_id: fresh.id, new_content: "Other" });
  expect(db.prepare("SELECT id FROM conflict_queue WHERE id = ?").all(conflict.id)).toEqual([]);
  expect((await one.ask("GET /contradiction/queue")).body.count).toBe(2);
  await one.ask(`DELETE /nodes/${fresh.id}`);
  expect((await one.ask("GET /contradiction/queue")).body.count).toBe(0);
});

describe("POST /contradiction/queue", () => {
  test("queues a memory with another, or with a text", async () => {
    const { ask, create } = client();
    const [a, b] = [await create(), await create()];
    const fields = {
      conflict_type: "fact",
      detection_confidence: 0.9,
      topic: "fees",
      context: "c",
      entity_name: "Bob",
    };
    const { status, body } = await ask("POST /contradiction/queue", {
      old_node_id: a.id,
      new_content: "2%",
      expires_at: "2999-01-01",
      ...fields,
    });
    expect(status).toBe(201);
    expect(API.conflict.strict().parse(body)).toMatchObject({
      old_node_id: a.id,
      new_node_id: null,
      new_content: "2%",
      expires_at: "2999-01-01T00:00:00.000Z",
      ...fields,
    });
    expect(
      (await ask("POST /contradiction/queue", { old_node_id: a.id, new_node_id: b.id })).status,
    ).toBe(201);
    const first = (await ask("GET /contradiction/queue?limit=1")).body;
    expect(first).toMatchObject({ data: [{ new_node_id: b.id }], count: 1 });
    const rest = (await ask(`GET /contradiction/queue?cursor=${first.next_cursor}`)).body;
    expect(rest).toMatchObject({ data: [{ id: body.id }], count: 1, next_cursor: null });
  });

  test("refuses missing memories, equal ones, and an empty request", async () => {
    const { ask, create } = client();
    const { id } = await create();
    const refused = (body: object) =>
      ask("POST /contradiction/queue", { old_node_id: id, ...body });
    const path = (path: string) => ({ body: { issues: [{ path }] } });
    expect(await refused({ new_node_id: "n_none" })).toMatchObject({
      status: 404,
      ...path("new_node_id"),
    });
    expect(await refused({ old_node_id: "n_none", new_content: "x" })).toMatchObject({
      status: 404,
    });
    expect(await refused({})).toMatchObject({ status: 400, ...path("new_node_id") });
    expect(await refused({ new_node_id: id })).toMatchObject({
      status: 400,
      ...path("new_node_id"),
    });
  });
});

describe("a resolution", () => {
  test("new_is_current puts the old memory to sleep", async () => {
    const one = client();
    const { old, fresh, conflict } = await conflicting(one);
    const { body } = await resolve(one, conflict.id, "new_is_current");
    expect(API.resolved.strict().parse(body)).toEqual({
      ok: true,
      conflict_id: conflict.id,
      resolution: "new_is_current",
      old_node_id: old.id,
      new_node_id: fresh.id,
      actions: [`${old.id} is DORMANT`, `${fresh.id} supersedes ${old.id}`],
      resolved_at: expect.stringMatching(ISO),
    });
    expect([await stateOf(one, old.id), await stateOf(one, fresh.id)]).toEqual([
      "DORMANT",
      "ACTIVE",
    ]);
    expect(await edgesOf(one, old.id)).toMatchObject([
      { type: "supersedes", source_id: fresh.id, target_id: old.id, strength: 0.5 },
    ]);
    expect((await one.ask("GET /contradiction/queue")).body.count).toBe(0);
    const [resolved] = (await one.ask("GET /contradiction/queue?status=resolved")).body.data;
    expect(resolved).toMatchObject({
      id: conflict.id,
      status: "resolved",
      resolution: "new_is_current",
    });
    expect(await resolve(one, conflict.id, "keep_both")).toMatchObject({
      status: 409,
      body: { error: "the conflict is resolved already" },
    });
  });

  test("old_is_current puts the new memory to sleep", async () => {
    const one = client();
    const { old, fresh, conflict } = await conflicting(one);
    await resolve(one, conflict.id, "old_is_current");
    expect([await stateOf(one, old.id), await stateOf(one, fresh.id)]).toEqual([
      "ACTIVE",
      "DORMANT",
    ]);
    expect(await edgesOf(one, old.id)).toMatchObject([
      { type: "supersedes", source_id: old.id, target_id: fresh.id },
    ]);
  });

  test("keep_both links them", async () => {
    const one = client();
    const { old, fresh, conflict } = await conflicting(one);
    await resolve(one, conflict.id, "keep_both");
    expect(await edgesOf(one, old.id)).toMatchObject([
      { type: "relates_to", source_id: fresh.id, target_id: old.id },
    ]);
    expect(await stateOf(one, old.id)).toBe("ACTIVE");
  });

  test.each([
    [undefined, MOVED.content_body],
    ["Oak Road 1", "Oak Road 1"],
  ])("merge adds %s", async (merged, added) => {
    const one = client();
    const { old, fresh, conflict } = await conflicting(one);
    await resolve(
      one,
      conflict.id,
      "merge",
      merged === undefined ? {} : { merged_content: merged },
    );
    const { body } = await one.ask(`GET /nodes/${old.id}?recall=false`);
    const day = new Date().toISOString().slice(0, 10);
    expect(body).toMatchObject({
      content_body: `Elm Street 5\n\n[Merged ${day}]\n${added}`,
      version: 2,
    });
    expect(await one.ask(`GET /nodes/${fresh.id}`)).toMatchObject(NOT_FOUND);
    expect(await one.search("oak", { limit: 1 })).toEqual([old.id]);
  });

  test("merge keeps a body of fields as JSON, and appends to its text", async () => {
    const one = client();
    const trigger = { anomaly_types: ["funding_extreme"] };
    const plan = await one.create({
      subtype: "custom:playbook",
      content_title: "Fade",
      content_body: JSON.stringify({ text: "Fade it", trigger }),
    });
    // Its text is in its summary: an empty body is not text.
    const { id } = await one.create({
      content_title: "Later",
      content_summary: "Wait an hour",
      content_body: "",
    });
    const queued = await one.ask("POST /contradiction/queue", {
      old_node_id: plan.id,
      new_node_id: id,
    });
    await resolve(one, queued.body.id, "merge");
    const { content_body } = (await one.ask(`GET /nodes/${plan.id}?recall=false`)).body;
    expect(JSON.parse(content_body)).toEqual({
      text: expect.stringMatching(/^Fade it\n\n\[Merged \d{4}-\d\d-\d\d\]\nWait an hour$/),
      trigger,
    });
    const event = { type: "funding_extreme", symbol: "BTC", severity: 1 };
    const { body } = await one.ask("POST /playbooks/match", { events: [event] });
    expect(body).toMatchObject({ matches: [{ id: plan.id }], problems: [] });
  });

  test("works for a text that is not a memory", async () => {
    const one = client();
    const { id } = await one.create({ content_body: null });
    const queued = async () =>
      (await one.ask("POST /contradiction/queue", { old_node_id: id, new_content: "Sixes" })).body
        .id;
    for (const resolution of ["new_is_current", "keep_both"]) {
      expect((await resolve(one, await queued(), resolution)).status).toBe(409);
    }
    expect((await resolve(one, await queued(), "old_is_current")).body.actions).toEqual([]);
    expect((await resolve(one, await queued(), "merge")).body.actions).toEqual([
      `appended to ${id}`,
    ]);
    expect((await one.ask(`GET /nodes/${id}`)).body.content_body).toMatch(
      /^\[Merged \d{4}-\d\d-\d\d\]\nSixes$/,
    );
  });

  test("with a merged text over the limit is refused, and changes nothing", async () => {
    const one = client();
    const { old, fresh, conflict } = await conflicting(one);
    const merged_content = "x".repeat(1_000_000);
    expect(await resolve(one, conflict.id, "merge", { merged_content })).toMatchObject({
      status: 400,
    });
    expect((await one.ask(`GET /nodes/${old.id}`)).body.version).toBe(1);
    expect((await one.ask(`GET /nodes/${fresh.id}`)).status).toBe(200);
    expect((await one.ask("GET /contradiction/queue")).body.count).toBe(1);
  });

  test("is one of many, each by itself", async () => {
    const one = client();
    const { conflict } = await conflicting(one);
    const items = [
      { conflict_id: "q_none", resolution: "keep_both" },
      { conflict_id: conflict.id, resolution: "keep_both" },
      { conflict_id: conflict.id, resolution: "merge" },
    ];
    const { body } = await one.ask("POST /contradiction/batch-resolve", { items });
    expect(API.batchResolved.strict().parse(body)).toMatchObject({
      ok: true,
      resolved: 1,
      failed: 2,
      total: 3,
      results: [
        { ok: false, conflict_id: "q_none", resolution: "keep_both", error: "not found" },
        { ok: true, resolution: "keep_both" },
        { ok: false, resolution: "merge", error: "the conflict is resolved already" },
      ],
    });
  });

  test("of another agent's conflict is 404", async () => {
    const { conflict } = await conflicting(client());
    expect(await resolve(client(), conflict.id, "keep_both")).toMatchObject(NOT_FOUND);
  });
});
