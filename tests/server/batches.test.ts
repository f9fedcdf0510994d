// Batches: an outcome for each entry, one transaction for all.

import { join } from "node:path";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { Agent } from "../../js/server/src/agent/agent.ts";
import * as API from "../../js/server/src/api/batches.ts";
import { SqliteStorage } from "../../js/server/src/storage/sqlite.ts";
import { AskerGone } from "../../js/server/src/workers/shares.ts";
import { beside, withinLock } from "./support/database-lock.ts";
import { ask as askAgent } from "./support/direct-agent.ts";
import { describeOnFiles } from "./support/on-postgres.ts";
import { start } from "./support/server-process.ts";
import { clientOf, LESSON, sharedServer } from "./support/shared-server.ts";
import { temporaryFolder } from "./support/temporary-folder.ts";

const { client } = sharedServer();

test("a refused memory does not prevent the others of a batch", async () => {
  const { ask, create, search } = client();
  await create({ id: "taken" });
  const known = await create({ content_title: "The first of all" });
  const items = [
    { ...LESSON, content_title: "First", embedding: [1, 0] },
    { ...LESSON, content_title: "Other", id: "taken" },
    { ...LESSON, content_title: "Too long a vector", embedding: [1, 0, 0] },
    { ...LESSON, id: "taken" },
    { ...LESSON, content_title: "Actually the first", id: "own" },
  ];
  const { status, body } = await ask("POST /nodes/batch", { items });
  expect(status).toBe(200);
  expect(API.batchMade.strict().parse(body)).toEqual({
    ok: true,
    created: 3,
    failed: 2,
    total: 5,
    results: [
      { index: 0, status: 201, id: expect.stringMatching(/^n_/) },
      { index: 1, status: 409, error: "another memory has this id" },
      {
        index: 2,
        status: 400,
        error: "the request is not valid",
        issues: [expect.objectContaining({ path: "embedding" })],
      },
      { index: 3, status: 201, id: "taken" },
      { index: 4, status: 201, id: "own", _contradiction_detected: true },
    ],
  });
  expect((await search("first", { limit: 3 })).sort()).toEqual(
    [known.id, body.results[0].id, "own"].sort(),
  );
  expect((await ask("GET /health")).body.node_count).toBe(4);
  // The comparison, which comes later, may have found more.
  const queued = (await ask("GET /contradiction/queue")).body.data.filter(
    ({ new_node_id }: { new_node_id: string }) => new_node_id === "own",
  );
  expect(queued).toContainEqual(expect.objectContaining({ old_node_id: known.id }));
});

test("memories are read, as recalls or not", async () => {
  const { ask, create } = client();
  const [a, b] = [await create(), await create()];
  const ids = [b.id, "n_none", a.id];
  const { body } = await ask("POST /nodes/batch-get", { ids, recall: false });
  expect(API.batchRead.strict().parse(body)).toMatchObject({
    found: 2,
    failed: 1,
    total: 3,
    results: [
      { index: 0, status: 200, node: { id: b.id, neural_access_count: 0 } },
      { index: 1, status: 404, error: "not found" },
      { index: 2, status: 200, node: { id: a.id } },
    ],
  });
  const recalled = (await ask("POST /nodes/batch-get", { ids })).body;
  expect(recalled.results[0].node.neural_access_count).toBe(1);
  const foreign = (await client().ask("POST /nodes/batch-get", { ids })).body;
  expect(foreign).toMatchObject({ found: 0, failed: 3 });
});

test("edges are created between existing memories", async () => {
  const { ask, create } = client();
  const [a, b] = [await create(), await create()];
  const items = [
    { source_id: a.id, target_id: b.id, type: "causes" },
    { source_id: a.id, target_id: "n_none", type: "causes" },
    { source_id: b.id, target_id: a.id, type: "precedes", strength: 0.1 },
  ];
  const { body } = await ask("POST /edges/batch", { items });
  expect(API.batchMade.strict().parse(body)).toMatchObject({
    created: 2,
    failed: 1,
    results: [{ status: 201 }, { status: 404, issues: [{ path: "target_id" }] }, { status: 201 }],
  });
  const { data } = (await ask(`GET /edges?node_id=${a.id}`)).body;
  expect(data).toMatchObject([{ strength: 0.8 }, { type: "precedes", strength: 0.1 }]);
});

test("a repeated batch is done once", async () => {
  const { ask } = client();
  const key = { "idempotency-key": "import-1" };
  const nodes = { items: [LESSON, LESSON] };
  const first = (await ask("POST /nodes/batch", nodes, key)).body;
  expect((await ask("POST /nodes/batch", nodes, key)).body).toEqual(first);
  expect((await ask("GET /health")).body.node_count).toBe(2);
  expect((await ask("POST /nodes/batch", { items: [LESSON] }, key)).status).toBe(422);
});

test("a kill leaves a complete batch or none of it", { timeout: 60_000 }, async () => {
  const folder = temporaryFolder();
  const MANY = 50;
  let acknowledged = 0;
  for (let round = 0; round < 3; round++) {
    const server = await start(folder);
    const { ask } = clientOf(server, "a");
    const items = Array.from({ length: MANY }, () => LESSON);
    const sending = Array.from({ length: 6 }, async () => {
      const answer = await ask("POST /nodes/batch", { items }).catch(() => undefined);
      if (answer === undefined) return;
      acknowledged += 1;
      await server.end("SIGKILL");
    });
    await Promise.all(sending);
  }
  const count = (await clientOf(await start(folder), "a").ask("GET /health")).body.node_count;
  expect(count % MANY).toBe(0);
  expect(count / MANY).toBeGreaterThanOrEqual(acknowledged);
  expect(acknowledged).toBeGreaterThanOrEqual(3);
});

describeOnFiles("a batch yields while its transaction is open:", () => {
  const LONG = "funding squeeze extremes revert ".repeat(2_000);
  const items = Array.from({ length: 100 }, () => ({ ...LESSON, content_body: LONG }));

  test("another agent is answered, the same agent is not", { timeout: 240_000 }, async () => {
    const server = await start(temporaryFolder(), ["--workers", "1"]);
    const [busy, other] = [clientOf(server, "busy"), clientOf(server, "other")];
    await other.create();
    const { id } = await busy.create({ content_title: "First" });
    const probe = beside(busy.file());
    // A machine that stops for seconds may miss it in one batch.
    let [batches, isSeen] = [0, false];
    while (!isSeen && batches < 10) {
      batches += 1;
      let [isMade, isRead] = [false, false];
      const made = busy.ask("POST /nodes/batch", { items }).finally(() => (isMade = true));
      let read: Promise<unknown> = Promise.resolve();
      isSeen = await withinLock(
        probe,
        () => isMade,
        async () => {
          read = busy.ask(`GET /nodes/${id}`).finally(() => (isRead = true));
          await other.search("squeeze");
          await other.create();
        },
      );
      if (isSeen) expect([isMade, isRead]).toEqual([false, false]);
      expect((await made).body).toMatchObject({ created: items.length, failed: 0 });
      await read;
    }
    expect(isSeen).toBe(true);
    const { body } = await busy.ask("GET /health");
    expect(body.node_count).toBe(1 + batches * items.length);
  });

  test("a kill in between leaves none of it", { timeout: 240_000 }, async () => {
    const folder = temporaryFolder();
    let [made, isSeen] = [0, false];
    for (let round = 0; !isSeen && round < 10; round++) {
      const server = await start(folder, ["--workers", "1"]);
      const [busy, other] = [clientOf(server, "busy"), clientOf(server, "other")];
      await other.create();
      await busy.ask("POST /nodes/batch", { items: [LESSON] });
      made += 1;
      const probe = beside(busy.file());
      let answer: { status: number } | undefined;
      let isOver = false;
      const sent = busy
        .ask("POST /nodes/batch", { items })
        .then((response) => (answer = response))
        .catch(() => {})
        .finally(() => (isOver = true));
      isSeen = await withinLock(
        probe,
        () => isOver,
        async () => {
          await other.search("squeeze");
        },
      );
      await server.end("SIGKILL");
      await sent;
      const again = await start(folder);
      const { node_count } = (await clientOf(again, "busy").ask("GET /health")).body;
      await again.end();
      if (isSeen && answer === undefined) expect([made, made + 100]).toContain(node_count);
      made = node_count;
      expect(made % 100).toBe(round + 1);
    }
    expect(isSeen).toBe(true);
  });
});

describe("a batch that yields", () => {
  function opened(): { agent: Agent; file: string } {
    const file = join(temporaryFolder(), "a.db");
    const agent = new Agent(new SqliteStorage(file, { durability: "normal" }));
    onTestFinished(() => agent.discard());
    return { agent, file };
  }
  const create = (agent: Agent, ids: string[], headers = {}) => {
    const items = ids.map((id) => ({ ...LESSON, id }));
    return askAgent(agent, "createNodes", { headers, body: { items } });
  };
  const nodesOf = (agent: Agent) => agent.read(() => agent.index.size);

  test("writes nothing if its client disconnects", async () => {
    const { agent, file } = opened();
    await create(agent, ["a"]);
    let turns = 0;
    agent.giveWay = async () => {
      turns += 1;
      if (turns === 3) throw new AskerGone();
    };
    const headers = { "Idempotency-Key": "once" };
    await expect(create(agent, ["b", "c", "d", "e", "f"], headers)).rejects.toThrow(AskerGone);
    expect(turns).toBe(3);
    expect(nodesOf(agent)).toBe(1);
    expect(beside(file).isHeld()).toBe(false);
    // It can be sent again.
    agent.giveWay = async () => {};
    expect(await create(agent, ["b", "c"], headers)).toMatchObject({ created: 2 });
    expect(nodesOf(agent)).toBe(3);
  });

  test("may be one of edges, too", async () => {
    const { agent, file } = opened();
    await create(agent, ["a", "b", "c"]);
    const held: boolean[] = [];
    const probe = beside(file);
    agent.giveWay = async () => {
      held.push(probe.isHeld());
    };
    const edges = ["b", "c"].map((target_id) => ({ source_id: "a", target_id, type: "causes" }));
    expect(await askAgent(agent, "createEdges", { body: { items: edges } })).toMatchObject({
      created: 2,
    });
    expect(held).toEqual([true]);
    expect(probe.isHeld()).toBe(false);
  });

  test("continues without a pause once it has been open for long", async () => {
    const { agent, file } = opened();
    await create(agent, ["first"]);
    const probe = beside(file);
    const now = vi.spyOn(performance, "now");
    onTestFinished(() => now.mockRestore());
    now.mockReturnValue(0);
    let pauses = 0;
    agent.giveWay = async () => {
      expect(probe.isHeld()).toBe(true);
      pauses += 1;
      // Others of the thread took their time.
      now.mockReturnValue(pauses * 1_000);
    };
    const ids = Array.from({ length: 10 }, (_, place) => `n${place}`);
    expect(await create(agent, ids)).toMatchObject({ created: 10 });
    // Another program waits for five seconds.
    expect(pauses).toBe(3);
    expect(probe.isHeld()).toBe(false);
  });
});
