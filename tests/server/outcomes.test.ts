// Trades that followed playbooks: each counts once, in any order of its parts, and however often
// they are written.

import { describe, expect, test } from "vitest";
import { outcomeAnswer } from "../../js/server/src/api/playbooks.ts";
import { start } from "./support/server-process.ts";
import { type Client, clientOf, sharedServer } from "./support/shared-server.ts";
import { temporaryFolder } from "./support/temporary-folder.ts";

const { client } = sharedServer();

const playbook = (
  by: Client,
  body: unknown = { text: "Fade it", success_count: 3, sample_size: 4 },
) =>
  by.create({
    subtype: "custom:playbook",
    content_title: "Fade",
    content_body: typeof body === "string" ? body : JSON.stringify(body),
  });
const entry = (by: Client) =>
  by.create({ type: "episode", subtype: "custom:trade_entry", content_title: "BTC long" });
const close = (by: Client, fields: object = {}) =>
  by.create({
    type: "episode",
    subtype: "custom:trade_close",
    content_title: "BTC closed",
    signals: { pnl_pct: 4 },
    ...fields,
  });
const bodyOf = (signals: object) => JSON.stringify({ text: "Out", signals });

const read = async (by: Client, { id }: { id: string }) =>
  (await by.ask(`GET /nodes/${id}?recall=false`)).body;
const countsOf = async (by: Client, node: { id: string }) => {
  const { success_count, sample_size } = JSON.parse((await read(by, node)).content_body);
  return [success_count, sample_size];
};

describe("pending recalls of a playbook", () => {
  test("are written once, before a change of the playbook, which stands", async () => {
    const own = client();
    const [plan, opened, closed] = [await playbook(own), await entry(own), await close(own)];
    await own.link(plan.id, opened.id, "applied_to");
    await own.link(closed.id, opened.id, "part_of");
    await own.ask(`GET /nodes/${plan.id}`);
    const changed = {
      neural_stability: 77,
      state_lifecycle: "DORMANT",
      neural_retrievability: 0.2,
    };
    const { body } = await own.ask(`PATCH /nodes/${plan.id}`, changed);
    expect(body).toMatchObject({ ...changed, neural_access_count: 1 });
    const [stored] = await own.stored("SELECT * FROM nodes WHERE id = ?", plan.id);
    expect(stored).toMatchObject({ ...changed, neural_access_count: 1 });
  });

  test("do not undo the growth of a playbook that counts two trades at once", async () => {
    const stabilities = [];
    for (const isRead of [false, true]) {
      const own = client();
      const plan = await playbook(own);
      const items = [];
      for (const _ of [1, 2]) {
        const [opened, closed] = [await entry(own), await close(own)];
        await own.link(plan.id, opened.id, "applied_to");
        items.push({ source_id: closed.id, target_id: opened.id, type: "part_of" });
      }
      // A search result counts an access, and does not grow stability.
      if (isRead) await own.search("fade");
      await own.ask("POST /edges/batch", { items });
      const { neural_stability, neural_access_count } = await read(own, plan);
      expect(neural_access_count).toBe(isRead ? 1 : 0);
      stabilities.push(neural_stability);
    }
    expect(stabilities[1]).toBe(stabilities[0]);
  });
});

describe("closing a trade", () => {
  test("counts for its playbook, whose stability and edge grow by success", async () => {
    const own = client();
    const [plan, opened, closed] = [await playbook(own), await entry(own), await close(own)];
    const applied = await own.link(plan.id, opened.id, "applied_to");
    expect(await countsOf(own, plan)).toEqual([3, 4]);
    await own.link(closed.id, opened.id, "part_of");
    const after = await read(own, plan);
    expect(JSON.parse(after.content_body)).toEqual({
      ...{ text: "Fade it", success_count: 4, sample_size: 5 },
      last_applied: expect.stringMatching(/^\d{4}-.*Z$/),
    });
    expect(after.neural_stability).toBeGreaterThan(plan.neural_stability);
    expect(after.version).toBe(2);
    const { body } = await own.ask(`GET /edges?node_id=${plan.id}`);
    expect(body.data).toMatchObject([{ id: applied.id, strength: 0.85 }]);
  });

  test.each([
    ["a loss", { signals: { pnl_pct: -4 } }, [3, 5]],
    ["an end where it began", { signals: { pnl_pct: 0.01, outcome: "flat" } }, [3, 5]],
    ["figures in the body", { signals: null, content_body: bodyOf({ pnl_pct: 2 }) }, [4, 5]],
    [
      "figures that it came with, before those of the body",
      { signals: { pnl_pct: 2 }, content_body: bodyOf({ pnl_pct: -2 }) },
      [4, 5],
    ],
    ["no figures", { signals: null }, [3, 4]],
  ])("%s", async (_, fields, counts) => {
    const own = client();
    const [plan, opened, closed] = [
      await playbook(own),
      await entry(own),
      await close(own, fields),
    ];
    await own.link(plan.id, opened.id, "applied_to");
    await own.link(closed.id, opened.id, "relates_to");
    expect(await countsOf(own, plan)).toEqual(counts);
  });

  test.each(["part_of", "relates_to"])(
    "is also recognized by an edge from the entry to the close: %s",
    async (type) => {
      const own = client();
      const [plan, opened, closed] = [await playbook(own), await entry(own), await close(own)];
      await own.link(plan.id, opened.id, "applied_to");
      await own.link(opened.id, closed.id, type);
      expect(await countsOf(own, plan)).toEqual([4, 5]);
    },
  );

  test("treats edges in both directions as one tie, in either order", async () => {
    const own = client();
    const [plan, opened, closed] = [await playbook(own), await entry(own), await close(own)];
    await own.link(opened.id, closed.id, "part_of");
    await own.link(closed.id, opened.id, "part_of");
    expect(await countsOf(own, plan)).toEqual([3, 4]);
    await own.link(plan.id, opened.id, "applied_to");
    expect(await countsOf(own, plan)).toEqual([4, 5]);
    const late = await entry(own);
    const note = await own.create({ content_title: "Out", content_body: bodyOf({ pnl_pct: -1 }) });
    await own.link(plan.id, late.id, "applied_to");
    await own.link(late.id, note.id, "part_of");
    expect(await countsOf(own, plan)).toEqual([4, 5]);
    await own.ask(`PATCH /nodes/${note.id}`, { subtype: "custom:trade_close" });
    expect(await countsOf(own, plan)).toEqual([4, 6]);
  });

  test("counts once, with any repeated writes", async () => {
    const own = client();
    const [plan, other, opened, closed] = [
      await playbook(own),
      await playbook(own),
      await entry(own),
      await close(own),
    ];
    await own.link(closed.id, opened.id, "part_of");
    const edge = await own.link(plan.id, opened.id, "applied_to");
    expect(edge.strength).toBe(0.85);
    await own.link(plan.id, opened.id, "applied_to");
    await own.link(closed.id, opened.id, "relates_to");
    await own.link((await close(own)).id, opened.id, "part_of");
    await own.ask(`PATCH /nodes/${closed.id}`, { content_title: "Closed" });
    expect(await countsOf(own, plan)).toEqual([4, 5]);
    await own.link(other.id, opened.id, "applied_to");
    expect([await countsOf(own, plan), await countsOf(own, other)]).toEqual([
      [4, 5],
      [4, 5],
    ]);
  });

  test("also happens if a memory becomes a close, or gets its result later", async () => {
    const own = client();
    const [plan, opened] = [await playbook(own), await entry(own)];
    const note = await own.create({ content_title: "Out of BTC", content_body: "Done" });
    await own.link(plan.id, opened.id, "applied_to");
    await own.link(note.id, opened.id, "part_of");
    await own.ask(`PATCH /nodes/${note.id}`, { subtype: "custom:trade_close" });
    expect(await countsOf(own, plan)).toEqual([3, 4]);
    await own.ask(`PATCH /nodes/${note.id}`, { content_body: bodyOf({ pnl_pct: -1 }) });
    expect(await countsOf(own, plan)).toEqual([3, 5]);
  });

  test("concerns only its own entry, and only entries", async () => {
    const own = client();
    const [plan, opened, mentioned, closed] = [
      await playbook(own),
      await entry(own),
      await entry(own),
      await close(own),
    ];
    const lesson = await own.create();
    for (const { id } of [mentioned, lesson]) await own.link(plan.id, id, "applied_to");
    await own.link(closed.id, opened.id, "part_of");
    for (const { id } of [mentioned, lesson]) await own.link(closed.id, id, "relates_to");
    expect(await countsOf(own, plan)).toEqual([3, 4]);
  });

  test("skips an unreadable playbook, and counts it once it is readable", async () => {
    const own = client();
    const [prose, odd, plan] = [
      await playbook(own, "in prose"),
      await playbook(own, { sample_size: -1 }),
      await playbook(own),
    ];
    const [opened, closed] = [await entry(own), await close(own)];
    for (const { id } of [prose, odd, plan]) await own.link(id, opened.id, "applied_to");
    await own.link(closed.id, opened.id, "part_of");
    expect(await countsOf(own, plan)).toEqual([4, 5]);
    const { body } = await own.ask("POST /playbooks/outcome", {
      entry_id: opened.id,
      profitable: true,
    });
    const problems = [prose, odd].map(({ id }) => ({ id, reason: "malformed_body" }));
    expect(body).toEqual({ ok: true, applied: [], counted_before: [plan.id], problems });
    const mended = await own.ask(`PATCH /nodes/${prose.id}`, { content_body: "{}" });
    expect(JSON.parse(mended.body.content_body)).toMatchObject({
      success_count: 1,
      sample_size: 1,
    });
    expect(await countsOf(own, prose)).toEqual([1, 1]);
  });
});

describe("POST /playbooks/outcome", () => {
  test("counts a trade without a close, once, also against a close", async () => {
    const own = client();
    const [plan, opened, closed] = [
      await playbook(own),
      await entry(own),
      await close(own, { signals: { pnl_pct: -9 } }),
    ];
    await own.link(plan.id, opened.id, "applied_to");
    const ask = async (profitable: boolean) => {
      const { status, body } = await own.ask("POST /playbooks/outcome", {
        entry_id: opened.id,
        profitable,
      });
      expect({ status, body }).toMatchObject({ status: 200 });
      return outcomeAnswer.strict().parse(body);
    };
    expect((await ask(true)).applied).toMatchObject([
      { id: plan.id, success_count: 4, sample_size: 5 },
    ]);
    expect(await ask(false)).toEqual({
      ok: true,
      applied: [],
      counted_before: [plan.id],
      problems: [],
    });
    await own.link(closed.id, opened.id, "part_of");
    expect(await countsOf(own, plan)).toEqual([4, 5]);
    const events = [{ type: "x", severity: 1 }];
    expect((await own.ask("POST /playbooks/match", { events })).status).toBe(200);
  });

  test("sees only trades of its own agent", async () => {
    const [own, stranger] = [client(), client()];
    const { id } = await entry(own);
    const { status, body } = await stranger.ask("POST /playbooks/outcome", {
      entry_id: id,
      profitable: true,
    });
    expect({ status, body }).toEqual({ status: 404, body: { error: "not found" } });
  });

  test("concurrent outcomes, even across kills, are neither lost nor counted twice", {
    timeout: 120_000,
  }, async () => {
    const folder = temporaryFolder();
    let server = await start(folder);
    const own = () => clientOf(server, "default");
    const plan = await playbook(own(), { success_count: 0, sample_size: 0 });
    const trades: { opened: { id: string }; closed: { id: string } }[] = [];
    for (let place = 0; place < 12; place++) {
      const opened = await entry(own());
      await own().link(plan.id, opened.id, "applied_to");
      trades.push({ opened, closed: await close(own()) });
    }
    const closing = () =>
      trades.flatMap(({ opened, closed }) => [
        own().ask("POST /playbooks/outcome", { entry_id: opened.id, profitable: true }),
        own().ask("POST /edges", { source_id: closed.id, target_id: opened.id, type: "part_of" }),
      ]);
    for (const delay of [5, 15]) {
      const asked = Promise.allSettled(closing());
      await new Promise((resolve) => setTimeout(resolve, delay));
      await server.end("SIGKILL");
      await asked;
      server = await start(folder);
    }
    for (const { status } of await Promise.all(closing())) expect(status).toBeLessThan(300);
    expect(await countsOf(own(), plan)).toEqual([12, 12]);
  });
});
