// Counting closed trades: by the server, or by the client, as Hynous' client does. A trade counts
// once in either case.

import { describe, expect, test } from "vitest";
import { some } from "../support/amount.ts";
import { describeOnFiles } from "./support/on-postgres.ts";
import { start } from "./support/server-process.ts";
import { type Client, clientOf, sharedServer } from "./support/shared-server.ts";
import { temporaryFolder } from "./support/temporary-folder.ts";

interface Trade {
  entry: string;
  close: string;
}

const memory = (by: Client, subtype: string, content_title: string, body: object) =>
  by.create({
    type: "concept",
    subtype,
    content_title,
    content_body: JSON.stringify(body),
    content_summary: "…",
  });

const playbook = (by: Client) =>
  memory(by, "custom:playbook", "Fade the funding", {
    action: "fade",
    success_count: 3,
    sample_size: 4,
  });

/**
 * The calls of Hynous' client for a trade that follows a playbook, up to the edge between its entry
 * and its close.
 */
async function closeTrade(by: Client, playbookId: string, pnl_pct: number): Promise<Trade> {
  const signals = { symbol: "BTC", side: "long" };
  const entry = await memory(by, "custom:trade_entry", "LONG BTC", { text: "In", signals });
  await by.link(playbookId, entry.id, "applied_to");
  const found = await by.ask("GET /nodes?subtype=custom:trade_entry&limit=10");
  expect(found.body.data.map(({ id }: { id: string }) => id)).toContain(entry.id);
  const close = await memory(by, "custom:trade_close", "CLOSED LONG BTC", {
    text: "Out",
    signals: { ...signals, pnl_pct },
  });
  await by.link(entry.id, close.id, "part_of");
  return { entry: entry.id, close: close.id };
}

interface Edge {
  id: string;
  type: string;
  source_id: string;
  target_id: string;
}

/**
 * The calls after that edge: the client strengthens the edge, and counts the trade by a PATCH of
 * each playbook that it followed.
 */
async function countTrade(by: Client, { entry, close }: Trade, pnl_pct: number): Promise<void> {
  const out = (await by.ask(`GET /edges?node_id=${entry}&direction=out`)).body.data as Edge[];
  const tie = out.find(({ target_id }) => target_id === close)!;
  expect((await by.ask(`POST /edges/${tie.id}/strengthen`, { amount: 0.1 })).status).toBe(200);
  const into = (await by.ask(`GET /edges?node_id=${entry}&direction=in`)).body.data as Edge[];
  for (const { id, source_id } of into.filter(({ type }) => type === "applied_to")) {
    const { content_body } = (await by.ask(`GET /nodes/${source_id}`)).body;
    const body = JSON.parse(content_body);
    body.sample_size += 1;
    if (pnl_pct > 0) body.success_count += 1;
    body.last_applied = new Date().toISOString().replace("Z", "+00:00");
    expect(
      (await by.ask(`PATCH /nodes/${source_id}`, { content_body: JSON.stringify(body) })).status,
    ).toBe(200);
    if (pnl_pct > 0) await by.ask(`POST /edges/${id}/strengthen`, { amount: 0.1 });
  }
}

async function countsOf(by: Client, { id }: { id: string }): Promise<[won: number, all: number]> {
  const { content_body } = (await by.ask(`GET /nodes/${id}?recall=false`)).body;
  const { success_count, sample_size } = JSON.parse(content_body);
  return [success_count, sample_size];
}

const bodyOf = (
  success_count: number,
  sample_size: number,
  last_applied = new Date().toISOString(),
) => ({
  content_body: JSON.stringify({ success_count, sample_size, last_applied }),
});

const COUNTING: [string, string[]][] = [
  ["the server counts", ["--count-outcomes", "server"]],
  ["the client counts", ["--count-outcomes", "client"]],
];
describe.each(some(COUNTING, 1))("%s", (_, options) => countsOnce(options));
const COUNTING_AS_HYNOUS: [string, string[]][] = [
  ["the client of Hynous counts", ["--compat", "hynous"]],
  ["the server counts for that client", ["--compat", "hynous", "--count-outcomes", "server"]],
];
describeOnFiles.each(some(COUNTING_AS_HYNOUS, 1))("%s", (_, options) => countsOnce(options));

/** The tests of a server with these options. */
function countsOnce(options: readonly string[]): void {
  const { client } = sharedServer(options);
  const isServer = options.includes("server");

  test("each trade of Hynous' client counts once, won or lost", async () => {
    const own = client();
    const plan = await playbook(own);
    for (const [pnl, counts] of [
      [4, [4, 5]],
      [-2, [4, 6]],
      [1, [5, 7]],
    ] as const) {
      const trade = await closeTrade(own, plan.id, pnl);
      const before: [number, number] =
        pnl > 0 ? [counts[0] - 1, counts[1] - 1] : [counts[0], counts[1] - 1];
      expect(await countsOf(own, plan)).toEqual(isServer ? counts : before);
      await countTrade(own, trade, pnl);
      expect(await countsOf(own, plan)).toEqual(counts);
    }
  });

  test("trades whose closes are written before the client counts the first one count once each", async () => {
    const own = client();
    const plan = await playbook(own);
    const trades = [await closeTrade(own, plan.id, 3), await closeTrade(own, plan.id, -1)];
    await countTrade(own, trades[0]!, 3);
    await countTrade(own, trades[1]!, -1);
    expect(await countsOf(own, plan)).toEqual([4, 6]);
  });

  test("an explicit outcome counts", async () => {
    const own = client();
    const [plan, entry] = [
      await playbook(own),
      await memory(own, "custom:trade_entry", "LONG BTC", {}),
    ];
    await own.link(plan.id, entry.id, "applied_to");
    const { body } = await own.ask("POST /playbooks/outcome", {
      entry_id: entry.id,
      profitable: true,
    });
    expect(body.applied).toMatchObject([{ id: plan.id, success_count: 4, sample_size: 5 }]);
  });
}

describe("counts that a client sets", () => {
  const { client } = sharedServer();

  test("stand if the server has not counted that trade", async () => {
    const own = client();
    const plan = await playbook(own);
    await own.ask(`PATCH /nodes/${plan.id}`, bodyOf(4, 5));
    expect(await countsOf(own, plan)).toEqual([4, 5]);
    await closeTrade(own, plan.id, -1);
    expect(await countsOf(own, plan)).toEqual([4, 6]);
    // It was lost, and this one is won.
    await own.ask(`PATCH /nodes/${plan.id}`, bodyOf(5, 7));
    expect(await countsOf(own, plan)).toEqual([5, 7]);
    await own.ask(`PATCH /nodes/${plan.id}`, bodyOf(0, 0));
    expect(await countsOf(own, plan)).toEqual([0, 0]);
  });

  test("are separate from the client's other changes", async () => {
    const own = client();
    const plan = await playbook(own);
    await closeTrade(own, plan.id, 2);
    const content_body = JSON.stringify({
      text: "New",
      success_count: 5,
      sample_size: 6,
      last_applied: "2026-03-01",
    });
    const { body } = await own.ask(`PATCH /nodes/${plan.id}`, {
      content_body,
      content_title: "Renamed",
    });
    expect(body.content_title).toBe("Renamed");
    expect(JSON.parse(body.content_body)).toEqual({
      ...{ text: "New", success_count: 4, sample_size: 5, last_applied: "2026-03-01" },
    });
  });
});

test("an agent may have a setting of its own", async () => {
  const folder = temporaryFolder();
  const server = await start(folder, ["--count-outcomes", "trader=client"]);
  const [trader, other] = [clientOf(server, "trader"), clientOf(server, "other")];
  const counts = [];
  for (const own of [trader, other]) {
    const plan = await playbook(own);
    await closeTrade(own, plan.id, 2);
    counts.push(await countsOf(own, plan));
  }
  expect(counts).toEqual([
    [3, 4],
    [4, 5],
  ]);
});

test("a wrong setting stops the server with a sentence", async () => {
  for (const wrong of ["nobody", "trader=nobody", "=client", "server,=client"]) {
    const starting = start(temporaryFolder(), [`--count-outcomes=${wrong}`]);
    await expect(starting).rejects.toThrow(/--count-outcomes is .*: must be server or client/);
  }
});
