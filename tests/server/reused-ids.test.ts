// A memory that is created under the id of a deleted or purged one inherits nothing from it.

import { join } from "node:path";
import { beforeEach, describe, expect, test } from "vitest";
import { Agent } from "../../js/server/src/agent/agent.ts";
import { SqliteStorage } from "../../js/server/src/storage/sqlite.ts";
import { ask } from "./support/direct-agent.ts";
import type { Client } from "./support/shared-server.ts";
import { sharedServer } from "./support/shared-server.ts";
import { temporaryFolder } from "./support/temporary-folder.ts";

const { client } = sharedServer(["--log-level", "error"]);

const PLAYBOOK = {
  subtype: "custom:playbook",
  content_body: JSON.stringify({ text: "Fade it", sample_size: 0 }),
};

const GONE: [how: string, remove: (own: Client, id: string) => Promise<unknown>][] = [
  ["deleted", (own, id) => own.ask(`DELETE /nodes/${id}`)],
  ["purged", (own, id) => own.ask(`POST /nodes/${id}/purge`)],
];

let own: Client;
beforeEach(() => {
  own = client();
});

/** A trade that followed a playbook, and the numbers of its uses and successes. */
async function counted(): Promise<number> {
  await own.link("p", "t", "applied_to");
  const { body } = await own.ask("POST /playbooks/outcome", { entry_id: "t", profitable: true });
  expect(body.problems).toEqual([]);
  return body.applied.length;
}

const etagOf = async (id: string) =>
  (await own.ask(`GET /nodes/${id}?recall=false`)).headers.get("etag");

describe.each(GONE)("a memory that was %s and is created again", (_, remove) => {
  test("as a playbook counts the trades that follow it", async () => {
    await own.create({ ...PLAYBOOK, id: "p" });
    await own.create({ id: "t", type: "episode", subtype: "custom:trade_entry" });
    expect(await counted()).toBe(1);
    expect(await counted()).toBe(0);
    await remove(own, "p");
    await own.create({ ...PLAYBOOK, id: "p" });
    expect(await counted()).toBe(1);
  });

  test("as a trade is counted", async () => {
    await own.create({ ...PLAYBOOK, id: "p" });
    const entry = { id: "t", type: "episode", subtype: "custom:trade_entry" };
    await own.create(entry);
    expect(await counted()).toBe(1);
    await remove(own, "t");
    await own.create(entry);
    expect(await counted()).toBe(1);
  });

  test.each(["old_node_id", "new_node_id"])("has none of the conflicts of the %s", async (end) => {
    await own.create({ id: "a" });
    await own.create({ id: "b" });
    const ends = { old_node_id: "a", new_node_id: "b" };
    const conflict = {
      ...ends,
      [end]: "b",
      [end === "new_node_id" ? "old_node_id" : "new_node_id"]: "a",
    };
    expect(await own.ask("POST /contradiction/queue", conflict)).toMatchObject({ status: 201 });
    const pending = async () => (await own.ask("GET /contradiction/queue")).body.data.length;
    expect(await pending()).toBe(1);
    await remove(own, "b");
    await own.create({ id: "b" });
    expect(await pending()).toBe(0);
  });

  test("has an ETag that no version of the earlier one had, and increases it", async () => {
    await own.create({ id: "n" });
    const seen = [await etagOf("n")];
    for (const content_title of ["One", "Two"]) {
      expect(
        (await own.ask("PATCH /nodes/n", { content_title }, { "if-match": seen.at(-1)! })).status,
      ).toBe(200);
      seen.push(await etagOf("n"));
    }
    expect(seen).toEqual(['"1"', '"2"', '"3"']);
    await remove(own, "n");
    const { version } = await own.create({ id: "n" });
    expect(version).toBe(4);
    for (const content_title of ["Three", "Four"]) {
      for (const etag of seen) {
        expect(
          (await own.ask("PATCH /nodes/n", { content_title }, { "if-match": etag! })).status,
        ).toBe(412);
      }
      const etag = (await etagOf("n"))!;
      expect(
        (await own.ask("PATCH /nodes/n", { content_title }, { "if-match": etag })).status,
      ).toBe(200);
    }
    await remove(own, "n");
    await own.ask("POST /nodes/batch", {
      items: [{ id: "n", type: "note", content_title: "Batch" }],
    });
    expect(await etagOf("n")).toBe('"7"');
    expect((await own.create({ id: "never there".replaceAll(" ", "_") })).version).toBe(1);
  });
});

test("a merge that deletes the new memory leaves its conflict resolved", async () => {
  await own.create({ id: "a" });
  await own.create({ id: "b" });
  const queued = await own.ask("POST /contradiction/queue", { old_node_id: "a", new_node_id: "b" });
  const resolution = { conflict_id: queued.body.id, resolution: "merge" };
  expect(await own.ask("POST /contradiction/resolve", resolution)).toMatchObject({ status: 200 });
  expect(await own.ask("POST /contradiction/resolve", resolution)).toMatchObject({ status: 409 });
  expect((await own.ask("GET /contradiction/queue?status=resolved")).body.data).toHaveLength(1);
});

test("a deletion honours If-Match", async () => {
  await own.create({ id: "n" });
  await own.ask("PATCH /nodes/n", { content_title: "Two" });
  const remove = (etag: string) => own.ask("DELETE /nodes/n", undefined, { "if-match": etag });
  expect(await remove('"1"')).toMatchObject({
    status: 412,
    body: { error: "the memory has version 2" },
  });
  expect(await remove("2")).toMatchObject({ status: 400 });
  expect((await own.ask("GET /nodes/n?recall=false")).status).toBe(200);
  expect(await remove('"1", "2"')).toMatchObject({ status: 200, body: { ok: true } });
  expect(await remove("*")).toMatchObject({ status: 404 });
});

test("a memory that another process creates again has none of this process's pending accesses", async () => {
  const file = join(temporaryFolder(), "a.db");
  let now = Date.UTC(2026, 10, 24);
  const open = () => {
    const clock = () => ++now;
    return new Agent(new SqliteStorage(file, { durability: "normal" }), { clock });
  };
  const [one, other] = [open(), open()];
  const given = { params: { id: "n" } };
  const body = { id: "n", type: "concept", content_title: "Once" };
  const count = () => other.storage.nodes.find("n")?.neural_access_count;
  await ask(one, "createNode", { body });
  await ask(one, "readNode", given);
  await ask(other, "deleteNode", given);
  await ask(other, "createNode", { body });
  one.flushAll();
  expect(count()).toBe(0);
  await ask(one, "readNode", given);
  await ask(other, "updateNode", { ...given, body: { content_title: "Twice" } });
  one.flushAll();
  expect(count()).toBe(1);
  one.close();
  other.close();
});
