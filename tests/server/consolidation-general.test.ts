// Consolidation of a general memory: summaries, duplicates and possible contradictions.

import { describe, expect, test, vi } from "vitest";
import { consolidationAnswer } from "../../js/server/src/api/consolidation.ts";
import { raw } from "./support/existing-database.ts";
import { testOnFiles } from "./support/on-postgres.ts";
import { type Client, sharedServer } from "./support/shared-server.ts";

const { client } = sharedServer();

const FERRY = [
  "The ferry to Bergen was cancelled because of the storm.",
  "We waited at the harbour: the ferry to Bergen left two hours late.",
  "A storm closed the harbour, and no ferry sailed to Bergen.",
  "The captain of the Bergen ferry explained the storm warnings.",
];
const OTHERS = [
  "Mira visited the pottery exhibition.",
  "The dentist repaired a molar.",
  "Grandmother planted tomatoes beside the greenhouse.",
];

interface Fields {
  user?: string;
  expires_at?: string;
  [name: string]: unknown;
}

async function remember(own: Client, texts: readonly string[], fields: Fields = {}) {
  const ids: string[] = [];
  for (const [place, text] of texts.entries()) {
    const event_time = new Date(Date.UTC(2026, 8, 1 + place)).toISOString();
    const memory = { type: "event", content_title: text, event_time, ...fields };
    ids.push((await own.create({ subtype: undefined, content_body: null, ...memory })).id);
  }
  return ids;
}

async function consolidate(own: Client, request: object = {}) {
  const { status, body } = await own.ask("POST /consolidate", request);
  expect({ status, body }).toMatchObject({ status: 200, body: { errors: [] } });
  return consolidationAnswer.strict().parse(body);
}

const read = async (own: Client, id: string) => (await own.ask(`GET /nodes/${id}`)).body;
const sourcesOf = async (own: Client, id: string): Promise<string[]> =>
  (await own.ask(`GET /edges?node_id=${id}&direction=out`)).body.data.map(
    ({ type, target_id }: { type: string; target_id: string }) => {
      expect(type).toBe("summarizes");
      return target_id;
    },
  );

describe("a summary", () => {
  test("quotes episodes about the same things, with links, once", async () => {
    const own = client();
    const ids = await remember(own, FERRY);
    await remember(own, OTHERS);
    const report = await consolidate(own);
    expect(report).toMatchObject({ episodes_reviewed: 7, groups_found: 1, patterns_created: 1 });
    const [made] = report.summaries!;
    expect(made).toMatchObject({ action: "created", sources: 4 });
    expect((await sourcesOf(own, made!.id!)).sort()).toEqual(ids.toSorted());
    const summary = await read(own, made!.id!);
    expect(summary).toMatchObject({ type: "summary", provenance_source: "consolidation" });
    expect(summary.content_title).toMatch(/ferry|storm|Bergen/);
    expect(summary.content_body.split("\n")[0]).toBe(`2026-09-01: ${FERRY[0]}`);
    for (const line of summary.content_body.split("\n"))
      expect(FERRY).toContain(line.slice("2026-09-01: ".length));
    expect(await consolidate(own)).toMatchObject({ summaries: [], patterns_created: 0 });
  });

  test("grows with its group, and keeps its id", async () => {
    const own = client();
    await remember(own, FERRY.slice(0, 3));
    const [first] = (await consolidate(own)).summaries!;
    await remember(own, FERRY.slice(3), { event_time: "2026-10-01T00:00:00Z" });
    const [second, ...others] = (await consolidate(own)).summaries!;
    expect(others).toEqual([]);
    expect(second).toMatchObject({ id: first!.id, action: "updated", sources: 4 });
    expect(await sourcesOf(own, first!.id!)).toHaveLength(4);
  });

  test("is found only if its type is asked for, and takes no place of another memory", async () => {
    const own = client();
    const ids = await remember(own, FERRY);
    await remember(own, OTHERS);
    const question = "ferry Bergen storm harbour summary";
    const before = await own.search(question);
    const [made] = (await consolidate(own)).summaries!;
    const id = made!.id!;
    const after = await own.search(question);
    expect(after).not.toContain(id);
    // Its words change how rare a word is, and so the order.
    expect(after.toSorted()).toEqual(before.toSorted());
    expect(after).toEqual(expect.arrayContaining(ids));
    for (const asked of [{ type: "summary" }, { subtype: "summary" }])
      expect(await own.search(question, asked)).toEqual([id]);
    const filter = { type: ["summary", "event"] };
    expect(await own.search(question, { filter })).toContain(id);
    expect(await own.search(question, { filter: { type: "event" } })).not.toContain(id);
  });

  test("is left out of a prompt, and its explanation says why", async () => {
    const own = client();
    await remember(own, FERRY);
    const [made] = (await consolidate(own)).summaries!;
    const id = made!.id!;
    const { body } = await own.ask("POST /context", { input: "ferry Bergen storm", min_score: 0 });
    expect(Object.keys(body.recalled_content)).toHaveLength(FERRY.length);
    const query = "ferry Bergen storm";
    const [why] = (await own.ask("POST /explain", { query, id })).body.data;
    expect(why).toMatchObject({ rank: null, absent: "filtered" });
    const filter = { type: "summary" };
    const [asked] = (await own.ask("POST /explain", { query, id, filter })).body.data;
    expect(asked).toMatchObject({ rank: 1 });
    expect(asked).not.toHaveProperty("absent");
  });

  test("that a user took over is found like any memory", async () => {
    const own = client();
    await remember(own, FERRY);
    const [made] = (await consolidate(own)).summaries!;
    const id = made!.id!;
    await own.ask(`PATCH /nodes/${id}`, { source: "mira" });
    expect(await own.search("ferry Bergen storm")).toContain(id);
  });

  test("holds memories of one user alone, and none that expires", async () => {
    const own = client();
    await remember(own, FERRY.slice(0, 2), { user: "mira" });
    await remember(own, FERRY.slice(2), { user: "omar" });
    await remember(own, FERRY.slice(2, 3), { user: "mira", expires_at: "2099-01-01T00:00:00Z" });
    expect(await consolidate(own)).toMatchObject({ groups_found: 0, summaries: [] });
    await remember(own, FERRY.slice(3), { user: "mira" });
    const [made] = (await consolidate(own)).summaries!;
    expect(await read(own, made!.id!)).toMatchObject({ user: "mira" });
  });

  test("disappears with the deletion of a memory that it quotes", async () => {
    const own = client();
    const ids = await remember(own, FERRY);
    const [made] = (await consolidate(own)).summaries!;
    await own.ask(`DELETE /nodes/${ids[0]}`);
    expect((await own.ask(`GET /nodes/${made!.id}`)).status).toBe(404);
    const rows = await own.stored(
      "SELECT count(*) AS count FROM nodes WHERE content_body LIKE ?",
      `%${FERRY[0]}%`,
    );
    expect(rows).toEqual([{ count: 0 }]);
    const [again] = (await consolidate(own)).summaries!;
    expect(again).toMatchObject({ action: "created", sources: 3 });
    expect((await read(own, again!.id!)).content_body).not.toContain(FERRY[0]);
  });

  test("is as in the report of a dry run, which writes nothing", async () => {
    const own = client();
    await remember(own, FERRY);
    const dry = await consolidate(own, { dry_run: true });
    expect(dry.summaries).toMatchObject([{ id: null, action: "created", sources: 4 }]);
    expect((await own.ask("GET /nodes?type=summary")).body.data).toEqual([]);
    const [made] = (await consolidate(own)).summaries!;
    expect(made!.title).toBe(dry.summaries![0]!.title);
  });

  testOnFiles("is written although other rows hold bytes for texts", async () => {
    const own = client();
    const ids = await remember(own, [...FERRY, ...OTHERS]);
    raw(own.file())
      .prepare("UPDATE nodes SET content_title = ?, content_body = ? WHERE id = ?")
      .run(Buffer.from([1, 2]), Buffer.from([3]), ids.at(-1)!);
    expect((await consolidate(own)).summaries).toHaveLength(1);
  });
});

describe("duplicates", () => {
  const FACT = "The API of Skerry allows 300 requests a minute for every key";

  async function twice(own: Client, second: Fields = {}) {
    const fact = { type: "fact", subtype: undefined, content_title: FACT, content_body: null };
    const older = await own.create({ ...fact, tags: ["api"] });
    return [older.id, (await own.create({ ...fact, tags: ["limits"], ...second })).id];
  }

  test("are listed, and merged on request: tags and edges move to the older memory", async () => {
    const own = client();
    const [kept, duplicate] = await twice(own);
    const { id: other } = await own.create({ content_title: "Something else" });
    await own.link(duplicate, other, "relates_to");
    expect((await consolidate(own)).duplicates).toEqual([{ kept, duplicate, merged: false }]);
    expect((await own.ask(`GET /nodes/${duplicate}`)).status).toBe(200);
    const request = { merge_duplicates: true };
    expect((await consolidate(own, { ...request, dry_run: true })).duplicates).toEqual([
      { kept, duplicate, merged: false },
    ]);
    expect((await consolidate(own, request)).duplicates).toEqual([
      { kept, duplicate, merged: true },
    ]);
    expect((await own.ask(`GET /nodes/${duplicate}`)).status).toBe(404);
    expect((await read(own, kept)).tags.sort()).toEqual(["api", "limits"]);
    const { data } = (await own.ask(`GET /edges?node_id=${kept}&direction=out`)).body;
    expect(data).toMatchObject([{ type: "relates_to", target_id: other }]);
    expect((await consolidate(own, request)).duplicates).toEqual([]);
  });

  test.each([
    ["user", { user: "mira" }],
    ["metadata", { metadata: { customer: 7 } }],
    ["expiry", { expires_at: "2099-01-01T00:00:00Z" }],
    ["number", { content_title: FACT.replace("300", "60") }],
    ["type", { type: "project" }],
  ])("differ in no %s", async (_, second) => {
    const own = client();
    await twice(own, second);
    expect((await consolidate(own)).duplicates).toEqual([]);
  });
});

test("memories that a restart or an import left uncompared become possible conflicts", async () => {
  const own = client();
  const fact = { type: "fact", subtype: undefined, content_body: null };
  const older = await own.create({
    ...fact,
    content_title: "Skerry is deployed on Thursdays at noon",
    created_at: "2026-03-01T00:00:00Z",
  });
  const newer = await own.create({
    ...fact,
    content_title: "Skerry is deployed on Tuesdays at noon now, no longer on Thursdays",
  });
  const pending = async () => (await own.ask("GET /contradiction/queue")).body.data;
  // A new memory is compared after its request was answered.
  await vi.waitFor(
    async () => expect(await pending()).toMatchObject([{ grade: expect.any(String) }]),
    { timeout: 30_000 },
  );
  await own.stored("DELETE FROM conflict_queue");
  const { conflicts, conflicts_left } = await consolidate(own);
  expect({ conflicts, conflicts_left }).toEqual({ conflicts: 1, conflicts_left: 0 });
  expect(await pending()).toMatchObject([{ old_node_id: older.id, new_node_id: newer.id }]);
  expect(await consolidate(own)).toMatchObject({ conflicts: 0 });
  expect(await pending()).toHaveLength(1);
});

test("an agent that learns from trades refuses the fields of summaries", async () => {
  const own = client();
  await own.create();
  await own.ask("PATCH /agent", { preset: "trading" });
  const { status, body } = await own.ask("POST /consolidate", { dry_run: true });
  expect({ status, body }).toMatchObject({ status: 400 });
  expect(JSON.stringify(body)).toContain("dry_run");
});
