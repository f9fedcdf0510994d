// Clusters: named groups of memories, which the index and the graph include.

import { expect, test } from "vitest";
import * as API from "../../js/server/src/api/clusters.ts";
import { raw } from "./support/existing-database.ts";
import { testOnFiles } from "./support/on-postgres.ts";
import { type Client, LESSON, sharedServer } from "./support/shared-server.ts";

const { client } = sharedServer();
const ISO = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;
const NOT_FOUND = { status: 404, body: { error: "not found" } };

async function makeCluster({ ask }: Client, fields: object = {}) {
  const { status, body } = await ask("POST /clusters", { name: "Majors", ...fields });
  expect({ status, body }).toMatchObject({ status: 201 });
  return API.cluster.strict().parse(body);
}

const join = ({ ask }: Client, cluster: string, node_id: string, fields: object = {}) =>
  ask(`POST /clusters/${cluster}/members`, { node_id, ...fields });

test("the graph with ids alone lists the same memories in the same pages", async () => {
  const { ask, create } = client();
  for (let made = 0; made < 5; made += 1) await create();
  for (const page of ["", "&limit=2"]) {
    const whole = (await ask(`GET /graph?nodes=whole${page}`)).body;
    const ids = (await ask(`GET /graph?nodes=ids${page}`)).body;
    expect(whole.nodes).toHaveLength(page === "" ? 5 : 2);
    expect(whole).not.toHaveProperty("node_ids");
    expect(ids).toEqual({
      ...whole,
      nodes: [],
      node_ids: whole.nodes.map(({ id }: { id: string }) => id),
    });
  }
  const { status, body } = await ask("GET /graph?nodes=none");
  expect(status).toBe(400);
  expect(body.issues).toMatchObject([{ path: "nodes" }]);
});

test("a cluster is created, read, changed, listed and deleted", async () => {
  const one = client();
  const { ask } = one;
  const made = await makeCluster(one);
  expect(made).toEqual({
    id: expect.stringMatching(/^c_[0-9a-z]{12}$/),
    name: "Majors",
    description: null,
    icon: null,
    pinned: false,
    source: "agent",
    auto_subtypes: [],
    created_at: expect.stringMatching(ISO),
    node_count: 0,
  });
  const fields = {
    description: "BTC and ETH",
    icon: "🪙",
    pinned: true,
    auto_subtypes: ["custom:trade"],
  };
  const other = await makeCluster(one, fields);
  expect(other).toMatchObject(fields);
  expect((await ask(`GET /clusters/${other.id}`)).body).toEqual(other);
  const changed = await ask(`PATCH /clusters/${other.id}`, {
    name: "Coins",
    icon: null,
    auto_subtypes: null,
  });
  expect(changed.body).toEqual({ ...other, name: "Coins", icon: null, auto_subtypes: [] });
  const { body } = await ask("GET /clusters");
  expect(API.clusterList.strict().parse(body)).toEqual({
    data: [made, changed.body],
    count: 2,
    next_cursor: null,
  });
  expect(await ask(`DELETE /clusters/${made.id}`)).toMatchObject({
    status: 200,
    body: { ok: true },
  });
  for (const call of ["GET", "DELETE"])
    expect(await ask(`${call} /clusters/${made.id}`)).toMatchObject(NOT_FOUND);
  expect(await ask(`PATCH /clusters/${made.id}`, { name: "x" })).toMatchObject(NOT_FOUND);
  expect(await ask(`PATCH /clusters/${other.id}`, { other: 1 })).toMatchObject({ status: 400 });
});

testOnFiles("memories are added, found by their cluster, and removed", async () => {
  const one = client();
  const { ask, create, search } = one;
  const { id } = await makeCluster(one);
  const [a, b] = [await create(), await create()];
  const added = await join(one, id, b.id, { weight: 0.5 });
  expect(added).toMatchObject({ status: 201 });
  expect(API.addedMembers.strict().parse(added.body)).toEqual({
    ok: true,
    added: 1,
    cluster_id: id,
    node_id: b.id,
    weight: 0.5,
    pinned: false,
    updated_at: expect.stringMatching(ISO),
  });
  await join(one, id, a.id);
  // A second addition changes its weight, and not its place.
  await join(one, id, b.id, { weight: 1, pinned: true });
  const { body } = await ask(`GET /clusters/${id}/members`);
  expect(API.memberList.parse(body).data).toMatchObject([
    {
      id: b.id,
      node_id: b.id,
      weight: 1,
      pinned: true,
      content_title: LESSON.content_title,
      neural_access_count: 0,
    },
    { id: a.id, weight: 1, pinned: false, state_lifecycle: "ACTIVE", memory_section: "KNOWLEDGE" },
  ]);
  for (const { weight, membership_weight, updated_at, membership_updated_at } of body.data) {
    expect([membership_weight, membership_updated_at]).toEqual([weight, updated_at]);
  }
  expect(await search("squeeze", { cluster_ids: [id] })).toHaveLength(2);
  await ask(`DELETE /clusters/${id}/members/${a.id}`);
  expect(await search("squeeze", { cluster_ids: [id] })).toEqual([b.id]);
  expect(await ask(`DELETE /clusters/${id}/members/${a.id}`)).toMatchObject(NOT_FOUND);
  const { clusters, memberships } = (await ask("GET /graph")).body;
  expect([clusters, memberships]).toMatchObject([[{ id }], [{ cluster_id: id, node_id: b.id }]]);
  await ask(`DELETE /nodes/${b.id}`);
  expect((await ask(`GET /clusters/${id}/members`)).body).toEqual({
    data: [],
    count: 0,
    next_cursor: null,
  });
  await join(one, id, a.id);
  await ask(`DELETE /clusters/${id}`);
  expect(await search("squeeze", { cluster_ids: [id] })).toEqual([]);
  expect(await search("squeeze", { limit: 1 })).toEqual([a.id]);
  expect(raw(one.file()).prepare("SELECT * FROM cluster_memberships").all()).toEqual([]);
});

test("several memories are added at once, all or none", async () => {
  const one = client();
  const { ask, create } = one;
  const { id } = await makeCluster(one);
  const empty = await makeCluster(one);
  const [a, b, c] = [await create(), await create(), await create()];
  const joinAll = (body: object) => ask(`POST /clusters/${id}/members`, body);
  const { status, body } = await joinAll({ node_ids: [a.id, b.id, a.id], weight: 0.5 });
  expect(status).toBe(201);
  expect(API.addedMembers.strict().parse(body)).toEqual({ ok: true, added: 2, cluster_id: id });
  const members = async () => (await ask(`GET /clusters/${id}/members`)).body.data;
  expect(await members()).toMatchObject([
    { id: a.id, weight: 0.5 },
    { id: b.id, weight: 0.5 },
  ]);
  const refused = await joinAll({ node_ids: [c.id, "n_none"] });
  expect(refused).toMatchObject({ status: 404, body: { issues: [{ path: "node_ids.1" }] } });
  expect(await members()).toHaveLength(2);
  for (const wrong of [
    {},
    { node_ids: [] },
    { node_id: a.id, node_ids: [b.id] },
    { node_ids: a.id },
  ]) {
    expect(await joinAll(wrong)).toMatchObject({ status: 400 });
  }
  await ask(`DELETE /nodes/${b.id}`);
  const counts = { [id]: 1, [empty.id]: 0 };
  const countsIn = (clusters: { id: string; node_count: number }[]) =>
    Object.fromEntries(clusters.map((cluster) => [cluster.id, cluster.node_count]));
  expect(countsIn((await ask("GET /clusters")).body.data)).toEqual(counts);
  expect(countsIn((await ask("GET /graph")).body.clusters)).toEqual(counts);
  expect((await ask(`GET /clusters/${id}`)).body.node_count).toBe(1);
  expect((await ask(`PATCH /clusters/${id}`, { name: "Coins" })).body.node_count).toBe(1);
});

test("missing memories, and those of another agent, cannot be added", async () => {
  const [one, other] = [client(), client()];
  const { id } = await makeCluster(one);
  const foreign = await other.create();
  for (const node_id of ["n_none", foreign.id]) {
    expect(await join(one, id, node_id)).toMatchObject({
      status: 404,
      body: { issues: [{ path: "node_id" }] },
    });
  }
  expect(await join(other, id, foreign.id)).toMatchObject(NOT_FOUND);
  for (const call of ["", "/members", "/health"]) {
    expect(await other.ask(`GET /clusters/${id}${call}`)).toMatchObject(NOT_FOUND);
  }
  expect((await other.ask("GET /clusters")).body.count).toBe(0);
});

test("a memory of one of a cluster's subtypes belongs to it automatically", async () => {
  const one = client();
  const { id } = await makeCluster(one, { auto_subtypes: ["custom:trade", "custom:lesson"] });
  await makeCluster(one, { name: "Other" });
  const lesson = await one.create();
  const note = await one.create({ subtype: null });
  expect(await one.search("squeeze", { cluster_ids: [id] })).toEqual([lesson.id]);
  await one.ask(`PATCH /nodes/${note.id}`, { subtype: "custom:trade" });
  expect((await one.search("squeeze", { cluster_ids: [id] })).sort()).toEqual(
    [lesson.id, note.id].sort(),
  );
});

testOnFiles("a cluster's health counts current states", async () => {
  const one = client();
  const { id } = await makeCluster(one);
  const health = async () =>
    API.clusterHealth.strict().parse((await one.ask(`GET /clusters/${id}/health`)).body);
  const none = {
    cluster_id: id,
    name: "Majors",
    total_nodes: 0,
    active_nodes: 0,
    weak_nodes: 0,
    dormant_nodes: 0,
  };
  expect(await health()).toEqual({ ...none, health_ratio: 0 });
  const memories = await Promise.all(Array.from({ length: 4 }, () => one.create()));
  for (const node of memories) await join(one, id, node.id);
  await one.ask(`PATCH /nodes/${memories[0]!.id}`, { state_lifecycle: "DORMANT" });
  const long = new Date(Date.now() - 90 * 86_400_000).toISOString();
  const db = raw(one.file());
  db.prepare("UPDATE nodes SET provenance_created_at = ? WHERE id = ?").run(long, memories[1]!.id);
  expect(await health()).toEqual({
    ...none,
    total_nodes: 4,
    active_nodes: 2,
    weak_nodes: 1,
    dormant_nodes: 1,
    health_ratio: 0.5,
  });
});

test("pages continue where they ended, whatever is added meanwhile", async () => {
  const one = client();
  const { ask } = one;
  const { id } = await makeCluster(one);
  const memories = [await one.create(), await one.create(), await one.create()];
  for (const node of memories) await join(one, id, node.id);
  const first = (await ask(`GET /clusters/${id}/members?limit=2`)).body;
  expect(first.data.map((it: { id: string }) => it.id)).toEqual([memories[0]!.id, memories[1]!.id]);
  const late = await one.create();
  await join(one, id, late.id);
  await ask(`DELETE /clusters/${id}/members/${memories[1]!.id}`);
  const second = (await ask(`GET /clusters/${id}/members?limit=2&cursor=${first.next_cursor}`))
    .body;
  expect(second.data.map((it: { id: string }) => it.id)).toEqual([memories[2]!.id, late.id]);
  expect(second.next_cursor).toBeNull();
  await makeCluster(one, { name: "Second" });
  const clusters = (await ask("GET /clusters?limit=1")).body;
  const rest = (await ask(`GET /clusters?cursor=${clusters.next_cursor}`)).body;
  expect([...clusters.data, ...rest.data].map((it: { name: string }) => it.name)).toEqual([
    "Majors",
    "Second",
  ]);
  // A cursor is valid only for its own list.
  expect(await ask(`GET /clusters?cursor=${first.next_cursor}`)).toMatchObject({
    status: 400,
    body: { issues: [{ path: "cursor" }] },
  });
});

test("growth by a read survives additions, removals and deletions", async () => {
  const one = client();
  const { id } = await one.create();
  const { id: cluster } = await makeCluster(one);
  const grown = async () => (await one.ask(`GET /nodes/${id}?recall=false`)).body.neural_stability;
  const steps = [
    () => join(one, cluster, id),
    () => one.ask(`DELETE /clusters/${cluster}/members/${id}`),
    () => join(one, cluster, id).then(() => one.ask(`DELETE /clusters/${cluster}`)),
  ];
  for (const step of steps) {
    const { neural_stability } = (await one.ask(`GET /nodes/${id}`)).body;
    await step();
    expect(await grown()).toBe(neural_stability);
  }
  expect(await grown()).toBeGreaterThan(90);
});
