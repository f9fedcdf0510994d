// Every route, as a client uses it: its answers and its changes.

import type { SQLInputValue } from "node:sqlite";
import { describe, expect, test } from "vitest";
import type { z } from "zod";
import * as whole from "../../js/server/src/api/agent.ts";
import * as edges from "../../js/server/src/api/edges.ts";
import * as nodes from "../../js/server/src/api/nodes.ts";
import { AGENT_OPERATIONS, AGENTLESS_OPERATIONS } from "../../js/server/src/api/operations.ts";
import * as questions from "../../js/server/src/api/search.ts";
import { raw } from "./support/existing-database.ts";
import { describeOnFiles, testOnFiles } from "./support/on-postgres.ts";
import type { Answer } from "./support/server-process.ts";
import { LESSON, sharedServer } from "./support/shared-server.ts";

const API = { ...edges, ...nodes, ...questions, ...whole };
const ISO = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;
const NOT_FOUND = { error: "not found" };
const DAY = 86_400_000;
const ago = (days: number) => new Date(Date.now() - days * DAY).toISOString();

const { server, client } = sharedServer();

/** Sets columns of a row directly in the database, as another program does. */
function rewrite(file: string, id: string, columns: Record<string, SQLInputValue>): void {
  const db = raw(file);
  const sets = Object.keys(columns).map((column) => `${column} = ?`);
  db.prepare(`UPDATE nodes SET ${sets.join(", ")} WHERE id = ?`).run(...Object.values(columns), id);
  db.close();
}

const idsOf = ({ body }: Answer): string[] => body.data.map(({ id }: { id: string }) => id);

describe("POST /nodes", () => {
  test("answers with the whole row, with the defaults of its subtype", async () => {
    const node = await client().create();
    expect(API.node.strict().parse(node)).toEqual({
      id: expect.stringMatching(/^n_[0-9a-z]{12}$/),
      ...LESSON,
      content_summary: null,
      neural_stability: 90,
      neural_retrievability: 1,
      neural_difficulty: 0.3 + (15 / 5000) * 0.15,
      neural_access_count: 0,
      neural_last_accessed: null,
      state_lifecycle: "ACTIVE",
      provenance_source: "agent",
      provenance_created_at: expect.stringMatching(ISO),
      layer: "semantic",
      version: 1,
      last_modified: node.created_at,
      created_at: node.provenance_created_at,
      embedding_model: expect.stringMatching(/^nous-128-/),
      temporal_event_time: null,
      temporal_event_confidence: null,
      temporal_event_source: null,
      frame: null,
      censors: [],
      tags: [],
      event_time: null,
      source: "agent",
      metadata: null,
      user: null,
      session: null,
      expires_at: null,
      memory_section: "KNOWLEDGE",
    });
  });

  test("gives a memory a section, which every answer with the memory contains", async () => {
    const { ask, create } = client();
    const { id } = await create({ subtype: "custom:signal" });
    const section = { memory_section: "SIGNALS" };
    for (const call of [`GET /nodes/${id}`, `GET /nodes/${id}?recall=false`]) {
      expect((await ask(call)).body).toMatchObject(section);
    }
    expect((await ask("GET /nodes")).body.data).toMatchObject([section]);
    expect((await ask("POST /nodes/batch-get", { ids: [id] })).body.results).toMatchObject([
      { node: section },
    ]);
    const changed = await ask(`PATCH /nodes/${id}`, { subtype: "custom:playbook" });
    expect(changed.body).toMatchObject({ memory_section: "PROCEDURAL" });
  });

  test("takes every field, as a change does, and normalizes times", async () => {
    const fields = {
      ...{ id: "n_own", type: "episode", subtype: null, content_title: "t", content_body: "b" },
      ...{ content_summary: "s", neural_stability: 3.5, created_at: "2026-02-01 10:00:00" },
      ...{ event_time: "2026-03-01 10:00:00", temporal_event_time: "2026-03-01 10:00:00" },
      ...{ temporal_event_confidence: 0.8, temporal_event_source: "news" },
      ...{ embedding: [1, 0], embedding_model: "mine", frame: "task", censors: ["c_1"] },
      ...{ tags: ["billing"], metadata: { a: [1] }, user: "mira", session: "s_1", source: "chat" },
      ...{ expires_at: "2999-03-01 10:00:00", signals: { pnl_pct: 1 } },
    } satisfies Required<z.input<typeof API.newNode>>;
    const { ask, create } = client();
    const { embedding, signals, ...asked } = fields;
    const event_time = "2026-03-01T10:00:00.000Z";
    const expires_at = "2999-03-01T10:00:00.000Z";
    const answer = { ...asked, event_time, temporal_event_time: event_time, expires_at };
    const created_at = "2026-02-01T10:00:00.000Z";
    const made = API.node.strict().parse(await create(fields));
    expect(made).toMatchObject({ ...answer, created_at, layer: "episode" });
    const { id: _, created_at: __, ...changes } = asked;
    const other = await create();
    const changed = await ask(`PATCH /nodes/${other.id}`, { ...changes, embedding });
    const { id, created_at: at } = other;
    expect(API.node.strict().parse(changed.body)).toMatchObject({ ...answer, id, created_at: at });
  });

  test("keeps text unchanged, of every script and up to a million units", async () => {
    const { ask, create } = client();
    const body = `日本語 עברית 🙂 "quotes" \\ \u2028 ${"x".repeat(900_000)}`;
    const { id } = await create({ content_body: body });
    expect((await ask(`GET /nodes/${id}`)).body.content_body).toBe(body);
  });
});

describe("GET /nodes/:id", () => {
  test("is a recall: it counts an access, and increases stability", async () => {
    const { ask, create } = client();
    const { id, neural_difficulty } = await create();
    const first = (await ask(`GET /nodes/${id}`)).body;
    expect(first).toMatchObject({ id, neural_access_count: 1, state_lifecycle: "ACTIVE" });
    expect(first.neural_last_accessed).toMatch(ISO);
    expect(first.neural_stability).toBe(Math.min(90 * 3 * (1 - neural_difficulty * 0.5), 365));
    expect((await ask(`GET /nodes/${id}`)).body.neural_access_count).toBe(2);
  });

  testOnFiles("is not a recall with recall=false, and shows the current decay", async () => {
    const { ask, create, file } = client();
    const { id } = await create();
    rewrite(file(), id, { provenance_created_at: ago(90), neural_stability: 90 });
    const read = (await ask(`GET /nodes/${id}?recall=false`)).body;
    expect(read).toMatchObject({
      neural_access_count: 0,
      neural_last_accessed: null,
      neural_stability: 90,
    });
    expect(read.state_lifecycle).toBe("WEAK");
    expect(read.neural_retrievability).toBeCloseTo(Math.exp(-1), 6);
  });

  test("neither wakes a DORMANT memory nor increases a playbook's stability", async () => {
    const { ask, create } = client();
    const sleeping = await create();
    await ask(`PATCH /nodes/${sleeping.id}`, { state_lifecycle: "DORMANT" });
    expect((await ask(`GET /nodes/${sleeping.id}`)).body.state_lifecycle).toBe("DORMANT");
    const playbook = await create({ subtype: "custom:playbook" });
    expect((await ask(`GET /nodes/${playbook.id}`)).body).toMatchObject({
      neural_stability: 180,
      neural_access_count: 1,
    });
  });

  testOnFiles("reaches the database within about a second", async () => {
    const { ask, create, file } = client();
    const { id } = await create();
    const read = (await ask(`GET /nodes/${id}`)).body;
    const stored = () =>
      raw(file())
        .prepare("SELECT neural_access_count, neural_last_accessed, neural_stability FROM nodes")
        .all();
    await expect.poll(stored, { timeout: 5_000 }).toEqual([
      {
        neural_access_count: 1,
        neural_last_accessed: read.neural_last_accessed,
        neural_stability: read.neural_stability,
      },
    ]);
  });
});

describe("GET /nodes", () => {
  test("lists newest first, by type, subtype and time, and counts no access", async () => {
    const { ask, create } = client();
    const [a, b, c] = [
      await create(),
      await create({ type: "note", subtype: "custom:trade" }),
      await create({ type: "note" }),
    ];
    expect(idsOf(await ask("GET /nodes"))).toEqual([c.id, b.id, a.id]);
    expect(idsOf(await ask("GET /nodes?type=note"))).toEqual([c.id, b.id]);
    expect(idsOf(await ask("GET /nodes?subtype=custom:trade"))).toEqual([b.id]);
    expect(
      idsOf(await ask(`GET /nodes?created_after=${b.created_at}&created_before=${b.created_at}`)),
    ).toContain(b.id);
    expect(idsOf(await ask(`GET /nodes?created_before=${ago(1)}`))).toEqual([]);
    const { body } = await ask("GET /nodes?limit=2");
    expect(API.nodeList.strict().parse(body)).toMatchObject({ count: 2 });
    expect(body.data[0].neural_access_count).toBe(0);
  });

  test("takes a limit above 200 as 200", async () => {
    const { ask, create } = client();
    await Promise.all(Array.from({ length: 205 }, () => create()));
    expect((await ask("GET /nodes")).body.count).toBe(50);
    expect((await ask("GET /nodes?limit=999999999999")).body.count).toBe(200);
    expect((await ask("GET /nodes?limit=0")).body).toEqual({
      data: [],
      count: 0,
      next_cursor: null,
    });
  });

  testOnFiles("filters by the current state, not by the stored one", async () => {
    const { ask, create, file } = client();
    const [fresh, fading] = [await create(), await create()];
    rewrite(file(), fading.id, { provenance_created_at: ago(90) });
    expect(idsOf(await ask("GET /nodes?lifecycle=WEAK"))).toEqual([fading.id]);
    expect(idsOf(await ask("GET /nodes?lifecycle=ACTIVE"))).toEqual([fresh.id]);
    expect((await ask("GET /health")).body.lifecycle).toEqual({ ACTIVE: 1, WEAK: 1 });
    expect(raw(file()).prepare("SELECT DISTINCT state_lifecycle FROM nodes").all()).toHaveLength(1);
  });
});

describe("PATCH /nodes/:id", () => {
  test("changes the given fields, and raises the version", async () => {
    const { ask, create, search } = client();
    const { id, last_modified } = await create();
    const { status, body } = await ask(`PATCH /nodes/${id}`, {
      type: "episode",
      content_title: "Basis trade",
      content_body: null,
      neural_stability: 7,
      neural_retrievability: 0.25,
      neural_difficulty: 1,
      state_lifecycle: "DORMANT",
    });
    expect(status).toBe(200);
    expect(body).toMatchObject({
      type: "episode",
      layer: "episode",
      subtype: "custom:lesson",
      content_title: "Basis trade",
      content_body: null,
      neural_stability: 7,
      neural_retrievability: 0.25,
      neural_difficulty: 1,
      state_lifecycle: "DORMANT",
      version: 2,
    });
    expect(Date.parse(body.last_modified)).toBeGreaterThanOrEqual(Date.parse(last_modified));
    expect(await search("basis")).toEqual([id]);
    expect(await search("squeeze")).toEqual([]);
  });

  test("wins over a recall before it, whose access still counts", async () => {
    const { ask, create } = client();
    const { id } = await create();
    await ask(`GET /nodes/${id}`);
    expect((await ask(`PATCH /nodes/${id}`, { neural_stability: 5 })).body).toMatchObject({
      neural_stability: 5,
      neural_access_count: 1,
    });
    await new Promise((resolve) => setTimeout(resolve, 1_500));
    expect((await ask(`GET /nodes/${id}?recall=false`)).body).toMatchObject({
      neural_stability: 5,
      neural_access_count: 1,
    });
  });

  test("restores the stability of its subtype for null", async () => {
    const { ask, create } = client();
    const { id } = await create({ neural_stability: 5 });
    expect(
      (await ask(`PATCH /nodes/${id}`, { neural_stability: null })).body.neural_stability,
    ).toBe(90);
  });

  test("refuses an empty change, and an unknown id", async () => {
    const { ask, create } = client();
    const { id } = await create();
    expect(await ask(`PATCH /nodes/${id}`, {})).toMatchObject({
      status: 400,
      body: { error: "the request is not valid", issues: [{ path: "" }] },
    });
    expect(await ask("PATCH /nodes/n_none", { content_title: "x" })).toMatchObject({
      status: 404,
      body: NOT_FOUND,
    });
  });
});

describe("DELETE /nodes/:id", () => {
  test("deletes the edges as well, for good", async () => {
    const { ask, create, link, search } = client();
    const [a, b] = [await create(), await create({ content_title: "Other" })];
    await link(a.id, b.id);
    expect(await ask(`DELETE /nodes/${a.id}`)).toMatchObject({ status: 200, body: { ok: true } });
    for (const call of [`GET /nodes/${a.id}`, `DELETE /nodes/${a.id}`]) {
      expect(await ask(call)).toMatchObject({ status: 404, body: NOT_FOUND });
    }
    expect((await ask(`GET /edges?node_id=${b.id}`)).body).toEqual({
      data: [],
      count: 0,
      next_cursor: null,
    });
    expect(await search("squeeze")).toEqual([]);
    expect((await ask("GET /health")).body).toMatchObject({ node_count: 1, edge_count: 0 });
  });
});

describe("edges", () => {
  test("POST /edges answers with the row, with the strength of its type", async () => {
    const { create, link } = client();
    const [a, b] = [await create(), await create()];
    expect(API.edge.strict().parse(await link(a.id, b.id))).toEqual({
      id: expect.stringMatching(/^e_[0-9a-z]{12}$/),
      type: "causes",
      subtype: null,
      source_id: a.id,
      target_id: b.id,
      neural_weight: 0.8,
      strength: 0.8,
      confidence: 1,
      created_at: expect.stringMatching(ISO),
    });
    const given = { subtype: "x", strength: 0.1, confidence: 0.2, neural_weight: 0.3 };
    expect(await link(b.id, a.id, "unheard_of", given)).toMatchObject(given);
    expect((await link(b.id, a.id, "unheard_of")).strength).toBe(0.5);
  });

  test("a missing end is 404", async () => {
    const { ask, create } = client();
    const { id } = await create();
    const { status, body } = await ask("POST /edges", {
      source_id: id,
      target_id: "n_none",
      type: "causes",
    });
    expect(status).toBe(404);
    expect(body).toEqual({
      ...NOT_FOUND,
      issues: [{ path: "target_id", message: expect.any(String) }],
    });
  });

  test("POST /edges and /edges/batch refuse an edge from a memory to itself", async () => {
    const { ask, create } = client();
    const { id } = await create();
    const loop = { source_id: id, target_id: id, type: "causes" };
    const message = "is the same memory as source_id: an edge joins two memories";
    expect(await ask("POST /edges", loop)).toMatchObject({
      status: 400,
      body: { issues: [{ path: "target_id", message }] },
    });
    expect(await ask("POST /edges/batch", { items: [loop] })).toMatchObject({
      status: 400,
      body: { issues: [{ path: "items.0.target_id", message }] },
    });
    expect((await ask(`GET /edges?node_id=${id}`)).body.data).toEqual([]);
  });

  test("GET /edges lists in, out and both", async () => {
    const { ask, create, link } = client();
    const [a, b, c] = [await create(), await create(), await create()];
    const [ab, bc] = [await link(a.id, b.id), await link(b.id, c.id)];
    expect((await ask(`GET /edges?node_id=${b.id}`)).body).toEqual({
      data: [ab, bc],
      count: 2,
      next_cursor: null,
    });
    expect(idsOf(await ask(`GET /edges?node_id=${b.id}&direction=in`))).toEqual([ab.id]);
    expect(idsOf(await ask(`GET /edges?node_id=${b.id}&direction=out`))).toEqual([bc.id]);
    expect((await ask("GET /edges?node_id=n_none")).body).toEqual({
      data: [],
      count: 0,
      next_cursor: null,
    });
  });

  test("POST /edges/:id/strengthen adds 0.05 or the given amount, up to 1", async () => {
    const { ask, create, link } = client();
    const [a, b] = [await create(), await create()];
    const { id } = await link(a.id, b.id, "precedes");
    expect((await ask(`POST /edges/${id}/strengthen`)).body.strength).toBe(0.4 + 0.05);
    expect((await ask(`POST /edges/${id}/strengthen`, { amount: 0.25 })).body.strength).toBeCloseTo(
      0.7,
      12,
    );
    expect((await ask(`POST /edges/${id}/strengthen`, { amount: 1 })).body.strength).toBe(1);
    expect(await ask("POST /edges/e_none/strengthen")).toMatchObject({
      status: 404,
      body: NOT_FOUND,
    });
  });

  test("DELETE /edges/:id deletes the edge", async () => {
    const { ask, create, link } = client();
    const [a, b] = [await create(), await create()];
    const { id } = await link(a.id, b.id);
    expect(await ask(`DELETE /edges/${id}`)).toMatchObject({ status: 200, body: { ok: true } });
    expect(await ask(`DELETE /edges/${id}`)).toMatchObject({ status: 404, body: NOT_FOUND });
  });
});

describe("POST /search", () => {
  test("answers as documented by signals, and counts an access of each result", async () => {
    const { ask, create } = client();
    const { id } = await create();
    await create({ content_title: "Something else", content_body: null });
    const asked = { query: "what do I know about funding?", ranking: "signals" };
    const { body } = await ask("POST /search", asked);
    const answer = API.searchAnswer.strict().parse(body);
    expect(answer).toMatchObject({
      count: 1,
      data: [{ id, memory_section: "KNOWLEDGE", state_lifecycle: "ACTIVE" }],
      qcs: {
        disqualified: true,
        disqualifier_category: "D1",
        used_embeddings: false,
        ssa_multiplier: 3,
      },
      metrics: { seeds_found: 1, nodes_returned: 1 },
    });
    const { score, breakdown } = answer.data[0]!;
    expect(score).toBe(Number(score.toFixed(4)));
    expect(Object.keys(breakdown!)).toHaveLength(6);
    expect((await ask(`GET /nodes/${id}?recall=false`)).body).toMatchObject({
      neural_access_count: 1,
      neural_stability: 90,
    });
    const lookup = { query: "Bob's phone", ranking: "signals" };
    expect((await ask("POST /search", lookup)).body.qcs).toMatchObject({
      query_type: "LOOKUP",
      ssa_multiplier: 2,
    });
  });

  test("finds new memories at once, by any word, in any case", async () => {
    const { create, search } = client();
    const { id } = await create({
      content_title: "Über-Zeta",
      content_summary: "quixotic",
      content_body: "a_b plan",
    });
    for (const query of [
      "QUIXOTIC",
      "quix",
      "über",
      "where is the zeta?",
      "plan OR nothing",
      '"a_b"',
      "NOT plan",
    ]) {
      expect(await search(query)).toEqual([id]);
    }
    expect(await search("absent")).toEqual([]);
    expect(await search("?!")).toEqual([]);
  });

  testOnFiles("filters by the current state, which an access changes", async () => {
    const { create, search, file } = client();
    const [fresh, faded] = [await create(), await create()];
    rewrite(file(), faded.id, { provenance_created_at: ago(50), neural_stability: 10 });
    expect(await search("squeeze", { lifecycle: "WEAK" })).toEqual([]);
    expect(await search("squeeze", { lifecycle: "ACTIVE" })).toEqual([fresh.id]);
    expect(await search("squeeze", { lifecycle: "DORMANT" })).toEqual([faded.id]);
    expect((await search("squeeze", { lifecycle: "ACTIVE" })).sort()).toEqual(
      [fresh.id, faded.id].sort(),
    );
  });

  testOnFiles("filters by type, subtype, time and cluster", async () => {
    const { create, search, file } = client();
    const a = await create({ temporal_event_time: "2026-01-10T00:00:00Z" });
    const b = await create({ type: "note", subtype: "custom:trade" });
    rewrite(file(), b.id, { provenance_created_at: ago(60), created_at: ago(60) });
    const db = raw(file());
    db.exec(`INSERT INTO clusters (id, name) VALUES ('c_1', 'Majors');
      INSERT INTO cluster_memberships (cluster_id, node_id) VALUES ('c_1', '${b.id}')`);
    expect((await search("squeeze")).sort()).toEqual([a.id, b.id].sort());
    expect(await search("squeeze", { type: "note" })).toEqual([b.id]);
    expect(await search("squeeze", { subtype: "custom:lesson" })).toEqual([a.id]);
    expect(await search("squeeze", { subtype: "custom:none" })).toEqual([]);
    expect(await search("squeeze", { cluster_ids: ["c_1", "c_none"] })).toEqual([b.id]);
    expect(await search("squeeze", { cluster_ids: ["c_none"] })).toEqual([]);
    const during = (type: string, start: string, end?: string) =>
      search("squeeze", { time_range: { type, start, end } });
    expect(await during("event", "2026-01-10", "2026-01-10")).toEqual([a.id]);
    expect(await during("event", "2026-01-11")).toEqual([]);
    expect(await during("ingestion", ago(1))).toEqual([a.id]);
    expect(await during("ingestion", ago(61), ago(59))).toEqual([b.id]);
    expect(await during("any", "2026-01-10", "2026-01-10")).toEqual([a.id]);
  });

  test("finds the memories that pass its filters among any number of others", async () => {
    const { ask, search } = client();
    const towards = (angle: number, place: number) => [
      Math.cos(angle),
      ...[0, 1, 2].map((at) => (at === place % 3 ? Math.sin(angle) : 0)),
    ];
    const chatter = Array.from({ length: 100 }, (_, place) => ({
      ...{ type: "episode", subtype: "custom:turn_summary", content_title: `chatter ${place}` },
      embedding: towards(0.1 + place / 1_000, place),
    }));
    const dated = [0, 1, 2].map((place) => ({
      ...{ type: "concept", subtype: "custom:lesson", content_title: `lesson ${place}` },
      ...{ temporal_event_time: "2024-05-05", embedding: towards(0.4, place) },
    }));
    for (const items of [chatter, dated])
      expect((await ask("POST /nodes/batch", { items })).status).toBe(200);
    const embedding = [1, 0, 0, 0];
    expect(await search("words of nobody", { embedding, limit: 5 })).toHaveLength(5);
    for (const type of ["event", "any"]) {
      const time_range = { type, start: "2024-05-01", end: "2024-06-01" };
      expect(await search("words of nobody", { embedding, time_range, limit: 5 })).toHaveLength(3);
      expect(await search("words of nobody", { embedding, time_range, limit: 2 })).toHaveLength(2);
    }
    const time_range = { type: "event", start: "2023-05-01", end: "2023-06-01" };
    expect(await search("words of nobody", { embedding, time_range })).toEqual([]);
  });

  test("returns the requested number of results, up to 100", async () => {
    const { create, search } = client();
    await Promise.all(Array.from({ length: 110 }, () => create()));
    expect(await search("squeeze")).toHaveLength(10);
    expect(await search("squeeze", { limit: 40 })).toHaveLength(40);
    expect(await search("squeeze", { limit: 1_000 })).toHaveLength(100);
    expect(await search("squeeze", { limit: 0 })).toEqual([]);
  });

  test("compares vectors if they are given", async () => {
    const { ask, create, search } = client();
    const a = await create({ embedding: [1, 0, 0] });
    const b = await create({ content_title: "Unlike", content_body: null, embedding: [0, 1, 0.1] });
    expect(await search("words of nobody", { embedding: [0, 2, 0] })).toEqual([b.id]);
    const { body } = await ask("POST /search", { query: "squeeze", embedding: [0, 1, 0] });
    expect(body.qcs.used_embeddings).toBe(true);
    expect(idsOf({ body } as Answer).sort()).toEqual([a.id, b.id].sort());
    await ask(`PATCH /nodes/${b.id}`, { embedding: [1, 0, 0] });
    expect(await search("words of nobody", { embedding: [0, 2, 0] })).toEqual([]);
    await ask(`PATCH /nodes/${b.id}`, { embedding: null });
    expect(await search("words of nobody", { embedding: [1, 0, 0] })).toEqual([a.id]);
    for (const [call, fields] of Object.entries({
      "POST /nodes": LESSON,
      "POST /search": { query: "x" },
    })) {
      const wrong = await ask(call, { ...fields, embedding: [1, 0] });
      expect(wrong).toMatchObject({ status: 400, body: { issues: [{ path: "embedding" }] } });
    }
  });

  test("ranks a linked memory higher by signals", async () => {
    const { create, link, search } = client();
    const memories = await Promise.all(Array.from({ length: 4 }, () => create()));
    const [first, second] = [memories[3]!, memories[2]!];
    await link(second.id, first.id);
    const found = await search("squeeze", { ranking: "signals", limit: 2 });
    expect(new Set(found)).toEqual(new Set([first.id, second.id]));
  });
});

test("POST /classify-query returns the kind of question", async () => {
  const { body } = await client().ask("POST /classify-query", { query: "What's Bob's phone?" });
  expect(API.classification.strict().parse(body)).toEqual({
    query: "What's Bob's phone?",
    disqualified: false,
    disqualifier_category: null,
    disqualifier_reason: null,
    query_type: "LOOKUP",
    confidence: expect.any(Number),
    entity: "Bob",
    attribute: "phone",
  });
});

describeOnFiles("POST /decay", () => {
  test("stores the decay, and reports states that changed", async () => {
    const { ask, create, file } = client();
    const [fresh, other, fading] = [await create(), await create(), await create()];
    rewrite(file(), fading.id, { provenance_created_at: ago(90) });
    const { body } = await ask("POST /decay");
    expect(API.sweepAnswer.strict().parse(body)).toEqual({
      ok: true,
      processed: 3,
      transitions_count: 1,
      transitions: [{ id: fading.id, from: "ACTIVE", to: "WEAK", subtype: "custom:lesson" }],
    });
    expect((await ask("POST /decay", {})).body.transitions_count).toBe(0);
    const stored = () =>
      raw(file()).prepare("SELECT id, state_lifecycle AS state FROM nodes ORDER BY rowid").all();
    await expect.poll(stored, { timeout: 5_000 }).toEqual([
      { id: fresh.id, state: "ACTIVE" },
      { id: other.id, state: "ACTIVE" },
      { id: fading.id, state: "WEAK" },
    ]);
  });

  test("refuses to bury memories by a wrong clock, unless it is forced", async () => {
    const { ask, create, file } = client();
    const [a] = [await create(), await create(), await create()];
    const db = raw(file());
    db.prepare("UPDATE nodes SET provenance_created_at = ?").run(ago(4_000));
    const refused = await ask("POST /decay");
    expect(refused).toMatchObject({
      status: 409,
      body: { error: expect.stringMatching(/3 of 3 memories would be archived/) },
    });
    expect((await ask(`GET /nodes/${a.id}?recall=false`)).body.neural_access_count).toBe(0);
    expect((await ask("POST /decay", { force: true })).body.transitions_count).toBe(3);
    const sweptBefore = (days: number) => {
      db.prepare("UPDATE nous_meta SET value = ? WHERE key = 'last_sweep'").run(ago(days));
      return ask("POST /decay");
    };
    expect((await sweptBefore(399.9)).status).toBe(200);
    for (const days of [400.1, 401.1]) {
      const { status, body } = await sweptBefore(days);
      expect({ status, body }).toMatchObject({ status: 409 });
      expect(body.error).toContain(`the last sweep was ${Math.floor(days)} days ago`);
    }
  });
});

testOnFiles("GET /graph returns all fields except bodies", async () => {
  const { ask, create, link, file } = client();
  const [a, b] = [await create(), await create()];
  const edge = await link(a.id, b.id);
  const db = raw(file());
  db.exec(`INSERT INTO clusters (id, name, pinned, auto_subtypes) VALUES ('c_1', 'Majors', 1, '["custom:trade"]');
    INSERT INTO cluster_memberships (cluster_id, node_id, weight) VALUES ('c_1', '${a.id}', 0.5)`);
  const { body } = await ask("GET /graph");
  expect(API.graph.strict().parse(body)).toMatchObject({
    nodes: [
      {
        id: a.id,
        title: LESSON.content_title,
        summary: null,
        lifecycle: "ACTIVE",
        access_count: 0,
      },
      { id: b.id, created_at: b.created_at },
    ],
    edges: [{ id: edge.id, source: a.id, target: b.id, type: "causes", strength: 0.8 }],
    clusters: [{ id: "c_1", name: "Majors", pinned: true, auto_subtypes: ["custom:trade"] }],
    memberships: [{ cluster_id: "c_1", node_id: a.id, weight: 0.5 }],
    count: { nodes: 2, edges: 1 },
    next_cursor: null,
  });
});

describe("other routes", () => {
  test("the bare address links to the others", async () => {
    const response = await fetch(server().url);
    expect(response.status).toBe(200);
    const places = await response.json();
    expect(places).toMatchObject({
      name: "nous-server",
      description: "/v1/openapi.json",
      readiness: "/readyz",
    });
    for (const path of [places.description, places.readiness, places.metrics]) {
      expect((await fetch(`${server().url}${path}`)).status).toBe(200);
    }
  });

  test("GET /health counts memories, edges and states", async () => {
    const { ask, create, link } = client();
    expect((await ask("GET /health")).body).toEqual({
      status: "ok",
      node_count: 0,
      edge_count: 0,
      lifecycle: {},
    });
    const [a, b] = [await create(), await create()];
    await link(a.id, b.id);
    const { body } = await ask("GET /health");
    expect(API.health.strict().parse(body)).toEqual({
      status: "ok",
      node_count: 2,
      edge_count: 1,
      lifecycle: { ACTIVE: 2 },
    });
  });

  test("GET /livez and GET /readyz give liveness and readiness", async () => {
    expect(await server().ask("GET //livez")).toMatchObject({
      status: 200,
      body: { status: "alive" },
    });
    expect(await server().ask("GET //readyz")).toMatchObject({
      status: 200,
      body: { status: "ready" },
    });
  });

  test("GET /openapi.json describes every route, with its schemas", async () => {
    const { body } = await server().ask("GET /openapi.json");
    const calls = Object.entries<object>(body.paths).flatMap(([path, methods]) =>
      Object.keys(methods).map((method) => `${method} ${path}`),
    );
    const operations = Object.values({ ...AGENT_OPERATIONS, ...AGENTLESS_OPERATIONS });
    expect(calls.sort()).toEqual(
      operations.map(({ method, path }) => `${method} /v1${path}`).sort(),
    );
    for (const call of ["post /v1/nodes", "patch /v1/nodes/{id}", "post /v1/classify-query"]) {
      expect(calls).toContain(call);
    }
    expect(body.components.schemas.NewNode.required.sort()).toEqual(["content_title", "type"]);
    expect(JSON.stringify(body)).not.toContain('"undefined"');
  });

  test("an unknown route is 404, in the common form", async () => {
    for (const call of ["GET /none", "PUT /nodes", "POST //", "GET /nothing", "POST /none"]) {
      expect(await server().ask(call)).toMatchObject({ status: 404, body: NOT_FOUND });
    }
  });

  test("a request has an id, or keeps the caller's own", async () => {
    const own = await server().ask("GET /health", undefined, { "x-request-id": "run-7.3" });
    expect(own.headers.get("x-request-id")).toBe("run-7.3");
    const other = await server().ask("GET /none", undefined, { "x-request-id": "not an id" });
    expect(other.headers.get("x-request-id")).toMatch(/^[0-9a-f-]{36}$/);
  });
});
