// Consolidation: many trades become lessons and playbooks, each group whole or not at all, and
// without duplicates.

import { describe, expect, test } from "vitest";
import { consolidationAnswer } from "../../js/server/src/api/consolidation.ts";
import { execute } from "./support/existing-database.ts";
import { testOnFiles } from "./support/on-postgres.ts";
import { start } from "./support/server-process.ts";
import { type Client, clientOf, sharedServer } from "./support/shared-server.ts";
import { temporaryFolder } from "./support/temporary-folder.ts";
import { ANOMALY, learned, trade } from "./support/trades.ts";

const TRADING = ["--preset", "trading"];
const { client } = sharedServer(TRADING);

/** Of each of four symbols: together within the limit of one cycle. */
const TRADES = 12;

const consolidate = async (by: Client) => {
  const { status, body } = await by.ask("POST /consolidate");
  expect({ status, body }).toMatchObject({ status: 200, body: { errors: [] } });
  return consolidationAnswer.strict().parse(body);
};

describe("POST /consolidate", () => {
  test("writes lessons from trades, once", async () => {
    const own = client();
    await own.create();
    await trade(own, "BTC", 0, 20);
    const report = await consolidate(own);
    expect(report).toMatchObject({ groups_found: 1, groups_analyzed: 1, patterns_strengthened: 0 });
    expect(report.episodes_reviewed).toBe(40);
    expect(report.patterns_created).toBeGreaterThan(0);
    const [first, ...others] = await learned(own);
    expect(others).toHaveLength(report.patterns_created - 1);
    expect(first).toMatchObject({
      type: "concept",
      temporal_event_source: "consolidation",
      state_lifecycle: "ACTIVE",
    });
    expect(first.content.consolidation).toMatchObject({
      agent: own.agent,
      symbol: "BTC",
      figures: { n: 10 },
    });
    expect(first.episodes).toBe(10);
    expect(await consolidate(own)).toMatchObject({ patterns_created: 0, patterns_strengthened: 0 });
    expect(await own.search(first.content_title)).toContain(first.id);
  });

  test("updates its lessons when there are more trades", async () => {
    const own = client();
    await own.create();
    await trade(own, "ETH", 0, 20);
    await consolidate(own);
    const before = await learned(own);
    await trade(own, "ETH", 20, 26);
    expect(await consolidate(own)).toMatchObject({
      patterns_created: 0,
      patterns_strengthened: before.length,
    });
    const after = await learned(own);
    expect(after.map(({ id }) => id)).toEqual(before.map(({ id }) => id));
    expect(after[0]).toMatchObject({
      episodes: 13,
      version: 2,
      content: { consolidation: { figures: { n: 13 } } },
    });
  });

  test("turns a pattern with a trigger into a playbook, which an anomaly triggers at once", async () => {
    const own = client();
    await own.create();
    await trade(own, "SOL", 0, 20);
    await consolidate(own);
    const events = [{ type: ANOMALY, symbol: "SOL", severity: 1 }];
    const { body } = await own.ask("POST /playbooks/match", { events });
    const playbooks = (await learned(own)).filter(({ subtype }) => subtype === "custom:playbook");
    expect(playbooks).toHaveLength(1);
    expect(body.matches).toMatchObject([
      { id: playbooks[0].id, direction: "long", sample_size: 0 },
    ]);
  });

  test("is separate for each agent, and writes nothing without episodes", async () => {
    const [trader, stranger] = [client(), client()];
    await trader.create();
    await trade(trader, "BTC", 0, 20);
    expect(await consolidate(stranger)).toEqual({
      ...{ episodes_reviewed: 0, groups_found: 0, groups_analyzed: 0 },
      ...{ patterns_created: 0, patterns_strengthened: 0, errors: [] },
    });
    expect((await consolidate(trader)).patterns_created).toBeGreaterThan(0);
  });

  testOnFiles("is not stopped by rows of other programs", async () => {
    const own = client();
    await own.create();
    await trade(own, "BTC", 0, 20);
    execute(
      own.file(),
      `
      UPDATE nodes SET provenance_created_at = 'soon', created_at = 'late' WHERE id = 'n_BTC_close_0';
      UPDATE nodes SET content_title = x'00ff', content_body = 7 WHERE id = 'n_BTC_close_1';
      INSERT INTO nodes (id, subtype, content_body) VALUES ('n_odd', 'custom:lesson', '{"consolidation": {"agent": 7}}');
      INSERT INTO edges (id, type, source_id, target_id) VALUES (NULL, 'generalizes', 'n_odd', 'n_BTC_close_2');
    `,
    );
    expect((await consolidate(own)).patterns_created).toBeGreaterThan(0);
  });
});

test("kills leave each lesson with all its edges or no lesson, and no duplicates", {
  timeout: 120_000,
}, async () => {
  const folder = temporaryFolder();
  const symbols = ["BTC", "ETH", "SOL", "DOGE"];
  const first = await start(folder, TRADING);
  await clientOf(first, "default").create();
  for (const symbol of symbols) await trade(clientOf(first, "default"), symbol, 0, TRADES);
  await first.end();
  const whole = async (by: Client) => {
    const lessons = await learned(by);
    for (const { content, episodes } of lessons)
      expect(episodes).toBe(content.consolidation.figures.n);
    return lessons;
  };
  for (const delay of [0, 3, 8, 20]) {
    const server = await start(folder, [...TRADING, "--log-level", "error"]);
    const killed = clientOf(server, "default");
    await whole(killed);
    const asked = killed.ask("POST /consolidate").catch(() => {});
    await new Promise((resolve) => setTimeout(resolve, delay));
    await server.end("SIGKILL");
    await asked;
  }
  const own = clientOf(await start(folder, TRADING), "default");
  await consolidate(own);
  expect(await consolidate(own)).toMatchObject({ patterns_created: 0, patterns_strengthened: 0 });
  const lessons = await whole(own);
  const keys = lessons.map(({ content: { consolidation } }) =>
    JSON.stringify([consolidation.symbol, consolidation.condition]),
  );
  expect(new Set(keys).size).toBe(keys.length);
  expect(new Set(lessons.map(({ content }) => content.consolidation.symbol))).toEqual(
    new Set(symbols),
  );
});
