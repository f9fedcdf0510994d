// Hynous' client against this server with `--compat hynous`: every call of the table gets the
// answer of Hynous' server.

import { describe, expect, test } from "vitest";
import type { OperationShape } from "../../js/server/src/api/operation.ts";
import { AGENT_OPERATIONS, AGENTLESS_OPERATIONS } from "../../js/server/src/api/operations.ts";
import { operationsFor } from "../../js/server/src/compat/operations.ts";
import { BEYOND, CALLS, type HttpRequest, METHODS } from "./support/hynous-calls.ts";
import { type Replied, replay } from "./support/hynous-replay.ts";
import { testOnFiles } from "./support/on-postgres.ts";
import { read } from "./support/openapi.ts";
import { start } from "./support/server-process.ts";
import { type Client, clientOf, sharedServer } from "./support/shared-server.ts";
import { temporaryFolder } from "./support/temporary-folder.ts";

const { server, client } = sharedServer(["--compat", "hynous"]);
const OPERATIONS: Record<string, OperationShape> = {
  ...operationsFor("hynous"),
  ...AGENTLESS_OPERATIONS,
};
const DAY = 86_400_000;

/** Sends a request as that client does: each declares JSON. */
const asks =
  ({ ask }: Client) =>
  ({ method, path, query = {}, body }: HttpRequest): Promise<Replied> => {
    const texts = Object.entries(query).map(([name, value]) => [name, String(value)]);
    const asked = texts.length === 0 ? path : `${path}?${new URLSearchParams(texts)}`;
    return ask(`${method} ${asked}`, body, { "content-type": "application/json" });
  };

/** The operation of a request. */
function operationOf({ method, path }: HttpRequest): OperationShape {
  const isOf = (template: string) =>
    new RegExp(`^${template.replace(/\{\w+\}/g, "[^/]+")}$`).test(path);
  const found = Object.values(OPERATIONS).filter(
    (operation) => operation.method === method.toLowerCase() && isOf(operation.path),
  );
  // For `/nodes/{id}` and `/nodes/batch` the second applies.
  return found.sort((a, b) => a.path.split("{").length - b.path.split("{").length)[0]!;
}

test("the table has every method of that client, and many calls", () => {
  const called = new Set([...CALLS, ...BEYOND].map(({ method }) => method));
  expect([...called].sort()).toEqual(Object.keys(METHODS).sort());
  expect(called.size).toBe(29);
  expect(CALLS.length).toBeGreaterThan(150);
});

test("every call gets the answer of the table, in its documented form", {
  timeout: 120_000,
}, async () => {
  const names = new Map();
  const one = asks(client());
  const misfits: string[] = [];
  const ask = async (request: HttpRequest) => {
    const replied = await one(request);
    if (replied.status >= 400) return replied;
    const { error } = operationOf(request).answer.safeParse(replied.body);
    if (error !== undefined) misfits.push(`${request.method} ${request.path}: ${error.message}`);
    return replied;
  };
  expect(await replay(CALLS, ask, names)).toEqual([]);
  expect(await replay(BEYOND, ask, names)).toEqual([]);
  expect(misfits).toEqual([]);
});

test("without the mode, odd input is refused as before", async () => {
  const { ask, create, link } = clientOf(await start(temporaryFolder()), "default");
  const { id } = await create();
  const other = await create();
  const edge = await link(id, other.id);
  const refused: [call: string, body?: unknown][] = [
    ["POST /nodes", { type: "note", content_title: "t", neural_stability: 0 }],
    ["POST /nodes", { type: "note", content_title: "t", temporal_event_time: "yesterday" }],
    ["POST /nodes", { type: "note", content_title: 5 }],
    [`PATCH /nodes/${id}`, { neural_retrievability: 2 }],
    [`PATCH /nodes/${id}`, { state_lifecycle: "BOGUS" }],
    ["GET /nodes?lifecycle=BOGUS"],
    ["GET /nodes?limit=-1"],
    ["GET /nodes?created_after=soon"],
    ["POST /edges", { source_id: id, target_id: other.id, type: "causes", strength: 3 }],
    [`GET /edges?node_id=${id}&direction=sideways`],
    [`POST /edges/${edge.id}/strengthen`, { amount: -1 }],
    ["POST /clusters", { name: "c", pinned: "yes" }],
    ["GET /contradiction/queue?status=odd"],
    ["POST /contradiction/batch-resolve", { items: [{ conflict_id: "q_none" }] }],
    ["POST /search", { query: "q", time_range: { start: "soon", end: "later" } }],
  ];
  for (const [call, body] of refused)
    expect([call, (await ask(call, body)).status]).toEqual([call, 400]);
  for (const call of [
    "nodes/n_none",
    "edges/e_none",
    "clusters/c_none",
    "clusters/c_none/members/n_none",
  ]) {
    expect([call, (await ask(`DELETE /${call}`)).status]).toEqual([call, 404]);
  }
  expect((await ask(`GET /nodes/${id}?recall=false`)).body).toMatchObject({
    neural_last_accessed: null,
  });
  // Without the mode the server makes vectors by itself.
  expect((await ask("POST /nodes/backfill-embeddings")).body).toMatchObject({
    ok: true,
    total: 0,
  });
});

describe("a server in compatibility mode", () => {
  test("documents its input and answers", async () => {
    const { body } = await server().ask("GET /openapi.json");
    const { properties } =
      body.paths["/v1/edges"].post.requestBody.content["application/json"].schema;
    expect(properties.strength.maximum).toBeUndefined();
    const clusters = client();
    const created = await clusters.ask("POST /clusters", { name: "Majors", pinned: true });
    const operations = new Map(read(body).operations.map((it) => [it.name, it]));
    const described = (name: string, status: number, answer: unknown) =>
      operations.get(name)!.answers.get(status)!(answer);
    expect(described("createCluster", 201, created.body)).toBeUndefined();
    const node = await clusters.create();
    const { body: changed } = await clusters.ask(`PATCH /nodes/${node.id}`, {
      state_lifecycle: "asleep",
    });
    expect(changed.state_lifecycle).toBe("asleep");
    expect(described("updateNode", 200, changed)).toBeUndefined();
    expect(body.paths["/v1/clusters/{id}/members"].post.responses).toHaveProperty("200");
    expect(Object.keys(body.paths)).toHaveLength(
      new Set(
        Object.values({ ...AGENT_OPERATIONS, ...AGENTLESS_OPERATIONS }).map(({ path }) => path),
      ).size,
    );
  });

  test("answers prompts with a plan and the failed steps, by either ranking", async () => {
    const { ask, create } = client();
    await create({ content_title: "Funding was negative", content_body: "It was a squeeze." });
    const { answer } = OPERATIONS.buildContext!;
    for (const ranking of ["signals", "evidence"]) {
      const { body } = await ask("POST /context", { input: "Was funding negative?", ranking });
      expect(answer.safeParse(body).error).toBeUndefined();
      expect(body.failed).toEqual([]);
      expect(body.plan.queries.length > 0).toBe(ranking === "signals");
    }
  });

  test("keeps a strength finite", async () => {
    const { ask, create, link } = client();
    const [a, b] = [await create(), await create()];
    const { id } = await link(a.id, b.id);
    const strengthened = async (amount: number) =>
      (await ask(`POST /edges/${id}/strengthen`, { amount })).body.strength;
    await strengthened(-Number.MAX_VALUE);
    expect(await strengthened(-Number.MAX_VALUE)).toBe(-Number.MAX_VALUE);
    expect(await strengthened(Number.MAX_VALUE)).toBe(0);
  });

  test("lists expired conflicts, and resolves them", async () => {
    const { ask, create, stored } = client();
    await create({ content_title: "Oil inventories", content_body: "They fall." });
    await create({ content_title: "Oil inventories", content_body: "Update: they rise." });
    const past = new Date(Date.now() - DAY).toISOString();
    await stored("UPDATE conflict_queue SET expires_at = ?", past);
    // Another conflict does not push it out.
    await create({ content_title: "Oil inventories", content_body: "Update: they fall." });
    const { data } = (await ask("GET /contradiction/queue")).body;
    expect(data[0]).toMatchObject({ expires_at: past, new_content: "Update: they rise." });
    const resolving = { conflict_id: data[0].id, resolution: "keep_both" };
    expect(await ask("POST /contradiction/resolve", resolving)).toMatchObject({
      status: 200,
      body: { ok: true },
    });
  });

  test("keeps the text of a memory in a conflict, until it is purged or the old memory is deleted", async () => {
    const { ask, create } = client();
    const old = await create({ content_title: "Gas storage", content_body: "It is full." });
    const fresh = await create({
      content_title: "Gas storage",
      content_body: "Correction: it is empty.",
    });
    const another = await create({
      content_title: "Gas storage",
      content_body: "Correction: it is half full.",
    });
    expect((await ask("GET /contradiction/queue")).body.count).toBe(3);
    await ask(`PATCH /nodes/${fresh.id}`, { content_body: "It is closed." });
    await ask(`DELETE /nodes/${another.id}`);
    const data = (await ask("GET /contradiction/queue")).body.data;
    expect(data).toMatchObject([
      { new_node_id: fresh.id, new_content: "Correction: it is empty." },
      ...Array(2).fill({ new_node_id: null, new_content: "Correction: it is half full." }),
    ]);
    const gone = { conflict_id: data[1].id, resolution: "keep_both" };
    expect((await ask("POST /contradiction/resolve", gone)).body.actions).toEqual([
      "Both kept (no new node to link)",
    ]);
    await ask(`POST /nodes/${fresh.id}/purge`);
    await ask(`DELETE /nodes/${old.id}`);
    expect((await ask("GET /contradiction/queue")).body.count).toBe(0);
  });

  test("keeps a merged conflict as resolved, and the deleted memory's other conflicts", async () => {
    const { ask, create } = client();
    const [first, second] = [
      await create({ content_title: "Gold vault report", content_body: "It grows." }),
      await create({ content_title: "Gold vault report", content_body: "It grows fast." }),
    ];
    const text = "Correction: it shrinks.";
    await create({ content_title: "Gold vault report", content_body: text });
    const { data } = (await ask("GET /contradiction/queue")).body;
    expect(data.map((one: { old_node_id: string }) => one.old_node_id).sort()).toEqual(
      [first.id, second.id].sort(),
    );
    const [merged, other] = data;
    const resolving = { conflict_id: merged.id, resolution: "merge" };
    expect((await ask("POST /contradiction/resolve", resolving)).status).toBe(200);
    const lists = ["pending", "resolved"].map((status) =>
      ask(`GET /contradiction/queue?status=${status}`),
    );
    const [pending, resolved] = (await Promise.all(lists)).map(({ body }) => body.data);
    expect(resolved).toMatchObject([{ id: merged.id, new_node_id: null, resolution: "merge" }]);
    expect(pending).toMatchObject([{ id: other.id, new_node_id: null, new_content: text }]);
  });

  test("leaves a memory that is added to a cluster again in its place", async () => {
    const { ask, create, stored } = client();
    const { id } = (await ask("POST /clusters", { name: "Energy" })).body;
    const [a, b] = [await create(), await create()];
    const members = `/clusters/${id}/members`;
    await ask(`POST ${members}`, { node_ids: [a.id] });
    const long = "2026-01-01T00:00:00.000Z";
    await stored("UPDATE cluster_memberships SET updated_at = ?", long);
    const { body } = await ask(`POST ${members}`, { node_ids: [a.id, b.id, "n_none"] });
    expect(body).toEqual({ ok: true, added: 2, cluster_id: id });
    expect((await ask(`GET ${members}`)).body.data).toMatchObject([
      { id: b.id },
      { id: a.id, membership_updated_at: long },
    ]);
    expect((await ask(`GET /clusters/${id}`)).body.node_count).toBe(2);
  });

  testOnFiles("reads and sweeps old data as Hynous does", async () => {
    const { ask, create, stored } = client();
    const old = await create({ subtype: "custom:signal" });
    const asleep = await create();
    await ask(`PATCH /nodes/${asleep.id}`, { state_lifecycle: "DORMANT" });
    const at = new Date(Date.now() - 4 * DAY).toISOString();
    await stored("UPDATE nodes SET neural_last_accessed = ?", at);
    const listed = (await ask("GET /nodes")).body.data;
    const share = Math.round(Math.exp(-4 / 2) * 10_000) / 10_000;
    expect(listed).toMatchObject([
      { id: asleep.id, state_lifecycle: "ACTIVE", neural_retrievability: 0.9565 },
      { id: old.id, state_lifecycle: "DORMANT", neural_retrievability: share },
    ]);
    expect((await ask("GET /health")).body.lifecycle).toEqual({ ACTIVE: 1, DORMANT: 1 });
    const { transitions } = (await ask("POST /decay")).body;
    expect(transitions).toHaveLength(2);
    expect(transitions).toContainEqual({
      id: asleep.id,
      from: "DORMANT",
      to: "ACTIVE",
      subtype: "custom:lesson",
    });
    expect(transitions).toContainEqual({
      id: old.id,
      from: "ACTIVE",
      to: "DORMANT",
      subtype: "custom:signal",
    });
    expect((await ask("GET /nodes?lifecycle=DORMANT")).body.data).toMatchObject([{ id: old.id }]);
    expect((await ask(`GET /nodes/${old.id}`)).body).toMatchObject({
      state_lifecycle: "DORMANT",
      neural_retrievability: share,
    });
  });
});
