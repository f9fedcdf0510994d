// Many at once: an outcome for each, one transaction for all.

import { expect, test } from "vitest";
import * as API from "../../js/server/src/api/batches.ts";
import { start } from "./support/server-process.ts";
import { clientOf, LESSON, sharedServer } from "./support/shared-server.ts";
import { temporaryFolder } from "./support/temporary-folder.ts";

const { client } = sharedServer();

test("memories are created, and one that is refused keeps no other from it", async () => {
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
      { index: 1, status: 409, error: "the id is another memory's" },
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
  expect((await search("first")).sort()).toEqual([known.id, body.results[0].id, "own"].sort());
  expect((await ask("GET /health")).body.node_count).toBe(4);
  // What comes in the same batch is not corrected by it.
  const queued = [{ old_node_id: known.id, new_node_id: "own" }];
  expect((await ask("GET /contradiction/queue")).body.data).toMatchObject(queued);
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

test("edges are made between what is there", async () => {
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

test("a batch that is sent again is done once", async () => {
  const { ask } = client();
  const key = { "idempotency-key": "import-1" };
  const nodes = { items: [LESSON, LESSON] };
  const first = (await ask("POST /nodes/batch", nodes, key)).body;
  expect((await ask("POST /nodes/batch", nodes, key)).body).toEqual(first);
  expect((await ask("GET /health")).body.node_count).toBe(2);
  expect((await ask("POST /nodes/batch", { items: [LESSON] }, key)).status).toBe(422);
});

test("a kill leaves a batch whole, or none of it", { timeout: 60_000 }, async () => {
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
