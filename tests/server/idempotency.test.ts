// Repeated requests and conditional changes: idempotency keys, ids of the caller's own, versions.

import { describe, expect, test } from "vitest";
import { raw } from "./support/existing-database.ts";
import { testOnFiles } from "./support/on-postgres.ts";
import { start } from "./support/server-process.ts";
import { clientOf, LESSON, sharedServer } from "./support/shared-server.ts";
import { temporaryFolder } from "./support/temporary-folder.ts";

const { client } = sharedServer();
const keyed = (key: string) => ({ "idempotency-key": key });

describe("Idempotency-Key", () => {
  test("makes a repeated request create one memory, and gives the same answer", async () => {
    const one = client();
    const body = { ...LESSON, content_title: "Actually", embedding: [1, 2] };
    const send = () => one.ask("POST /nodes", body, keyed("k-1"));
    const [first, ...rest] = await Promise.all(Array.from({ length: 8 }, send));
    expect(first).toMatchObject({ status: 201, body: { _contradiction_detected: true } });
    for (const again of rest) expect(again).toMatchObject({ status: 201, body: first!.body });
    expect((await one.ask("GET /health")).body.node_count).toBe(1);
    expect((await one.ask("POST /nodes", body)).body.id).not.toBe(first!.body.id);
  });

  test("works for edges and clusters, too", async () => {
    const { ask, create } = client();
    const [a, b] = [await create(), await create()];
    const edge = { source_id: a.id, target_id: b.id, type: "causes" };
    for (const [call, body] of [
      ["POST /edges", edge] as const,
      ["POST /clusters", { name: "Majors" }] as const,
    ]) {
      const first = await ask(call, body, keyed(call.slice(6)));
      expect(first.status).toBe(201);
      expect((await ask(call, body, keyed(call.slice(6)))).body).toEqual(first.body);
    }
    expect((await ask("GET /graph")).body).toMatchObject({
      count: { edges: 1 },
      clusters: [{ name: "Majors" }],
    });
  });

  test("belongs to one request of one agent", async () => {
    const [one, other] = [client(), client()];
    const first = await one.ask("POST /nodes", LESSON, keyed("k"));
    for (const [call, body] of [
      ["POST /nodes", { ...LESSON, content_title: "Other" }],
      ["POST /clusters", { name: "Majors" }],
    ] as const) {
      const { status, body: refusal } = await one.ask(call, body, keyed("k"));
      expect({ status, refusal }).toEqual({
        status: 422,
        refusal: { error: "the Idempotency-Key was used for another request" },
      });
    }
    expect((await other.ask("POST /nodes", LESSON, keyed("k"))).body.id).not.toBe(first.body.id);
    expect((await one.ask("GET /health")).body.node_count).toBe(1);
  });

  test("may be reused after a refusal, with the request corrected", async () => {
    const { ask, create } = client();
    const { id } = await create();
    const edge = { source_id: id, target_id: "n_own", type: "causes" };
    expect((await ask("POST /edges", edge, keyed("k"))).status).toBe(404);
    await create({ id: "n_own" });
    expect((await ask("POST /edges", edge, keyed("k"))).status).toBe(201);
  });

  testOnFiles("expires after a day, and reports objects deleted since", async () => {
    const one = client();
    const send = () => one.ask("POST /nodes", LESSON, keyed("k"));
    const first = (await send()).body.id;
    await one.ask(`DELETE /nodes/${first}`);
    expect(await send()).toMatchObject({
      status: 409,
      body: { error: "the row that this Idempotency-Key created was deleted" },
    });
    const db = raw(one.file());
    db.prepare("UPDATE nous_retries SET created_at = ?").run(
      new Date(Date.now() - 25 * 3_600_000).toISOString(),
    );
    expect((await send()).body.id).not.toBe(first);
    expect(db.prepare("SELECT key FROM nous_retries").all()).toEqual([{ key: "k" }]);
  });

  testOnFiles("survives a kill, and stores no text", async () => {
    const folder = temporaryFolder();
    const server = await start(folder);
    const before = clientOf(server, "a");
    const sent = Array.from({ length: 30 }, (_, turn) => {
      const body = { ...LESSON, content_title: `xylophone ${turn}` };
      return { key: `k-${turn}`, body };
    });
    const idsByKey = new Map<string, string>();
    const sending = sent.map(async ({ key, body }) => {
      const answer = await before.ask("POST /nodes", body, keyed(key)).catch(() => undefined);
      if (answer !== undefined) idsByKey.set(key, answer.body.id);
      if (idsByKey.size === 5) await server.end("SIGKILL");
    });
    await Promise.all(sending);
    const after = clientOf(await start(folder), "a");
    for (const { key, body } of sent) {
      const { id } = (await after.ask("POST /nodes", body, keyed(key))).body;
      expect(id).toBe(idsByKey.get(key) ?? id);
    }
    expect((await after.ask("GET /health")).body.node_count).toBe(sent.length);
    expect(
      JSON.stringify(raw(after.file()).prepare("SELECT * FROM nous_retries").all()),
    ).not.toContain("xylophone");
  });

  test.each(["", "two words", "x".repeat(201)])("refuses %s", async (key) => {
    expect(await client().ask("POST /nodes", LESSON, keyed(key))).toMatchObject({
      status: 400,
      body: { issues: [{ path: "Idempotency-Key" }] },
    });
  });
});

describe("ids of the caller's own", () => {
  test("are kept, and a repeated creation makes one memory", async () => {
    const { ask, create, link, search } = client();
    const first = await create({ id: "trade:2026-01-01.7" });
    expect(first.id).toBe("trade:2026-01-01.7");
    expect(await create({ id: first.id })).toEqual(first);
    const other = await create();
    await link(first.id, other.id);
    expect(await search("squeeze")).toContain(first.id);
    expect((await ask(`GET /nodes/${first.id}`)).status).toBe(200);
    expect((await ask("GET /health")).body.node_count).toBe(2);
  });

  test("that another memory has are refused", async () => {
    const { ask, create } = client();
    await create({ id: "a" });
    for (const fields of [
      { content_title: "Other" },
      { content_body: null },
      { type: "note" },
      { subtype: null },
    ]) {
      expect(await ask("POST /nodes", { ...LESSON, id: "a", ...fields })).toMatchObject({
        status: 409,
        body: { error: "another memory has this id" },
      });
    }
    expect((await ask("GET /nodes/a?recall=false")).body).toMatchObject({ ...LESSON, version: 1 });
  });
});

describe("If-Match", () => {
  const matching = (version: string) => ({ "if-match": version });

  test("allows a change only of the version that the caller knows", async () => {
    const { ask, create } = client();
    const { id } = await create();
    const read = await ask(`GET /nodes/${id}`);
    expect(read.headers.get("etag")).toBe('"1"');
    const change = (content_title: string, version: string) =>
      ask(`PATCH /nodes/${id}`, { content_title }, matching(version));
    const first = await change("first", '"1"');
    expect(first).toMatchObject({ status: 200, body: { version: 2 } });
    expect(first.headers.get("etag")).toBe('"2"');
    expect(await change("late", '"1"')).toMatchObject({
      status: 412,
      body: { error: "the memory has version 2" },
    });
    expect((await change("second", '"1", W/"2"')).body).toMatchObject({
      content_title: "second",
      version: 3,
    });
    expect((await change("any", "*")).body.version).toBe(4);
    expect((await ask("POST /nodes", LESSON)).headers.get("etag")).toBe('"1"');
    expect((await ask(`PATCH /nodes/n_none`, { content_title: "x" }, matching('"1"'))).status).toBe(
      404,
    );
  });

  test("lets one of many concurrent changes win", async () => {
    const { ask, create } = client();
    const { id } = await create();
    const change = (turn: number) =>
      ask(`PATCH /nodes/${id}`, { content_title: `turn ${turn}` }, matching('"1"'));
    const statuses = (await Promise.all(Array.from({ length: 6 }, (_, turn) => change(turn)))).map(
      (it) => it.status,
    );
    expect(statuses.sort()).toEqual([200, 412, 412, 412, 412, 412]);
  });

  test.each(["", "1", '"a"', '"1" "2"', "**"])("refuses %s", async (version) => {
    expect(
      await client().ask("PATCH /nodes/a", { content_title: "x" }, matching(version)),
    ).toMatchObject({
      status: 400,
      body: { issues: [{ path: "If-Match" }] },
    });
  });
});
