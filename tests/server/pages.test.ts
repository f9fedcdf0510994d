// Pages of lists: each entry once, in order, even with writes between two pages.

import { describe, expect, test } from "vitest";
import { raw } from "./support/existing-database.ts";
import { testOnFiles } from "./support/on-postgres.ts";
import { start } from "./support/server-process.ts";
import { type Client, clientOf, sharedServer } from "./support/shared-server.ts";
import { temporaryFolder } from "./support/temporary-folder.ts";

const { client } = sharedServer();

/** All pages of a list; `between` is called after each. */
async function pagesOf(
  { ask }: Client,
  list: string,
  between: () => Promise<unknown> = async () => {},
) {
  const pages = [];
  for (let cursor: string | null = ""; cursor !== null; ) {
    const { status, body } = await ask(`GET ${list}${cursor === "" ? "" : `&cursor=${cursor}`}`);
    expect({ status, body }).toMatchObject({ status: 200 });
    pages.push(body);
    cursor = body.next_cursor as string | null;
    await between();
  }
  return pages;
}

const idsOf = (rows: { id: string }[]) => rows.map(({ id }) => id);

describe("GET /nodes", () => {
  test("returns each memory once, newest first, even if others are added meanwhile", async () => {
    const one = client();
    const made = [];
    for (let turn = 0; turn < 7; turn++) made.push((await one.create()).id);
    const pages = await pagesOf(one, "/nodes?limit=3", () => one.create());
    expect(pages.map(({ count }) => count)).toEqual([3, 3, 1]);
    expect(pages.flatMap(({ data }) => idsOf(data))).toEqual(made.reverse());
  });

  testOnFiles("skips none with equal times, or without times", async () => {
    const one = client();
    const made = await Promise.all(Array.from({ length: 9 }, () => one.create()));
    const db = raw(one.file());
    db.exec("UPDATE nodes SET created_at = '2026-01-01 08:00:00' WHERE rowid <= 4");
    db.exec("UPDATE nodes SET created_at = 'long ago' WHERE rowid > 6");
    const whole = (await one.ask("GET /nodes")).body.data;
    expect(whole).toHaveLength(made.length);
    for (const limit of [1, 2, 4]) {
      const pages = await pagesOf(one, `/nodes?limit=${limit}`);
      expect(pages.flatMap(({ data }) => idsOf(data))).toEqual(idsOf(whole));
    }
  });

  test("continues after a page even if its last memory is gone", async () => {
    const one = client();
    const made = [];
    for (let turn = 0; turn < 4; turn++) made.push((await one.create()).id);
    const first = (await one.ask("GET /nodes?limit=2")).body;
    await one.ask(`DELETE /nodes/${first.data[1].id}`);
    const second = (await one.ask(`GET /nodes?limit=2&cursor=${first.next_cursor}`)).body;
    expect(idsOf(second.data)).toEqual([made[1], made[0]]);
    expect(second.next_cursor).toBeNull();
  });

  test("keeps its filters", async () => {
    const one = client();
    const notes = [];
    for (let turn = 0; turn < 6; turn++) {
      const { id } = await one.create({ type: turn % 2 === 0 ? "note" : "concept" });
      if (turn % 2 === 0) notes.push(id);
    }
    const pages = await pagesOf(one, "/nodes?type=note&lifecycle=ACTIVE&limit=2");
    expect(pages.flatMap(({ data }) => idsOf(data))).toEqual(notes.reverse());
  });
});

test("GET /edges returns a memory's edges in pages", async () => {
  const one = client();
  const { id } = await one.create();
  const made = [];
  for (let turn = 0; turn < 5; turn++) {
    made.push(
      (await one.link(id, (await one.create()).id, turn % 2 === 0 ? "causes" : "precedes")).id,
    );
  }
  const pages = await pagesOf(one, `/edges?node_id=${id}&limit=2`);
  expect(pages.map(({ count }) => count)).toEqual([2, 2, 1]);
  expect(pages.flatMap(({ data }) => idsOf(data))).toEqual(made);
  expect((await one.ask(`GET /edges?node_id=${id}`)).body).toMatchObject({
    count: 5,
    next_cursor: null,
  });
});

test("GET /graph returns each of its lists once", async () => {
  const one = client();
  const cluster = (await one.ask("POST /clusters", { name: "Majors" })).body.id;
  const made = [];
  for (let turn = 0; turn < 5; turn++) {
    made.push((await one.create()).id);
    if (turn > 1) await one.link(made[turn - 1], made[turn]);
    await one.ask(`POST /clusters/${cluster}/members`, { node_id: made[turn] });
  }
  const whole = (await one.ask("GET /graph")).body;
  expect(whole).toMatchObject({ count: { nodes: 5, edges: 3 }, next_cursor: null });
  const pages = await pagesOf(one, "/graph?limit=2");
  expect(pages.map(({ count }) => count)).toEqual([
    { nodes: 2, edges: 2 },
    { nodes: 2, edges: 1 },
    { nodes: 1, edges: 0 },
  ]);
  for (const list of ["nodes", "edges", "clusters", "memberships"]) {
    const named = (rows: { id?: string; node_id?: string }[]) =>
      rows.map(({ id, node_id }) => id ?? node_id);
    expect(named(pages.flatMap((page) => page[list]))).toEqual(named(whole[list]));
  }
});

test("GET /agents returns each agent once, even if agents come and go meanwhile", async () => {
  const server = await start(temporaryFolder());
  const agent = (name: string) => clientOf(server, name);
  const names = ["default"];
  for (let place = 0; place < 6; place++) {
    await agent(`agent ${place}`).create();
    names.push(`agent ${place}`);
  }
  const one = agent("default");
  const whole = (await one.ask("GET /agents")).body;
  expect(whole).toMatchObject({ count: 7, next_cursor: null });
  const namesOf = ({ data }: { data: { agent: string }[] }) => data.map((it) => it.agent);
  expect(namesOf(whole).toSorted()).toEqual(names.toSorted());
  const pages = await pagesOf(one, "/agents?limit=3");
  expect(pages.map(({ count }) => count)).toEqual([3, 3, 1]);
  expect(pages.flatMap(namesOf)).toEqual(namesOf(whole));
  const first = (await one.ask("GET /agents?limit=3")).body;
  await one.ask(`DELETE /agents/${encodeURIComponent(namesOf(first)[2]!)}`);
  const second = (await one.ask(`GET /agents?limit=3&cursor=${first.next_cursor}`)).body;
  expect(namesOf(second)).toEqual(namesOf(whole).slice(3, 6));
});

test("a cursor is valid only for its own list, and no other text is valid", async () => {
  const one = client();
  for (let turn = 0; turn < 2; turn++) await one.create();
  const { next_cursor } = (await one.ask("GET /nodes?limit=1")).body;
  for (const list of [
    "/agents?",
    "/graph?",
    "/clusters?",
    "/contradiction/queue?",
    "/edges?node_id=n_1&",
  ]) {
    const answer = await one.ask(`GET ${list}cursor=${next_cursor}`);
    expect(answer).toMatchObject({ status: 400, body: { issues: [{ path: "cursor" }] } });
  }
  for (const cursor of [
    next_cursor.slice(0, -3),
    `${next_cursor}AAAA`,
    btoa('["nodes",{}]'),
    btoa("null"),
  ]) {
    expect((await one.ask(`GET /nodes?cursor=${cursor}`)).status).toBe(400);
  }
});
