// Playbooks: triggered by anomalies, regardless of who wrote them and when.

import { describe, expect, test } from "vitest";
import { raw } from "./support/existing-database.ts";
import { testOnFiles } from "./support/on-postgres.ts";
import { start } from "./support/server-process.ts";
import { type Client, clientOf, sharedServer } from "./support/shared-server.ts";
import { temporaryFolder } from "./support/temporary-folder.ts";

const { client } = sharedServer();

const FUNDING = { anomaly_types: ["funding_extreme"], symbols: ["BTC"], min_severity: 0.5 };
const EVENT = { type: "funding_extreme", symbol: "btc", severity: 0.8 };

const createPlaybook = (to: Client, body: object | string = {}, fields: object = {}) =>
  to.create({
    type: "concept",
    subtype: "custom:playbook",
    content_title: "Funding fade",
    content_body:
      typeof body === "string"
        ? body
        : JSON.stringify({ text: "Fade it", trigger: FUNDING, ...body }),
    ...fields,
  });

const match = async (by: Client, events: object[] = [EVENT], snapshot?: object) => {
  const { status, body } = await by.ask("POST /playbooks/match", { events, snapshot });
  expect({ status, body }).toMatchObject({ status: 200 });
  return body;
};
const matched = async (by: Client, events?: object[]) =>
  (await match(by, events)).matches.map(({ id }: { id: string }) => id);

describe("POST /playbooks/match", () => {
  test("returns the triggered playbooks, by relevance, and formats them as text", async () => {
    const own = client();
    const few = await createPlaybook(own, { success_count: 1, sample_size: 2 });
    const proven = await createPlaybook(own, {
      success_count: 9,
      sample_size: 12,
      action: "Short",
      direction: "short",
    });
    const answer = await match(own);
    expect(answer).toMatchObject({ count: 2, missing: [], problems: [] });
    expect(answer.matches).toEqual([
      {
        ...{
          id: proven.id,
          title: "Funding fade",
          action: "Short",
          direction: "short",
          success_count: 9,
          sample_size: 12,
        },
        ...{
          type: "funding_extreme",
          symbol: "btc",
          severity: 0.8,
          success_rate: 0.75,
          relevance: 0.75 * 0.8,
        },
      },
      expect.objectContaining({ id: few.id, relevance: 0.5 * 0.8 * 0.2 }),
    ]);
    expect(answer.text).toContain("1. **Funding fade** — 75% win rate (9/12)");
    expect(answer.text).toContain(`Playbook ID: ${few.id}`);
    expect(await match(own, [{ ...EVENT, severity: 0.4 }])).toMatchObject({
      matches: [],
      count: 0,
      text: "",
    });
    expect(await matched(client())).toEqual([]);
  });

  test("checks conditions on a snapshot of the market, and reports missing variables", async () => {
    const own = client();
    const conditions = { var: "funding_rate", op: ">", value: 0.001 };
    const { id } = await createPlaybook(own, { trigger: { ...FUNDING, conditions } });
    expect((await match(own, [EVENT], { funding_rate: [0.0001, 0.002] })).count).toBe(1);
    expect((await match(own, [EVENT], { funding_rate: 0.001 })).count).toBe(0);
    expect(await match(own)).toMatchObject({ count: 0, missing: [{ id, var: "funding_rate" }] });
  });

  test("reports an unreadable playbook, and matches the others", async () => {
    const own = client();
    const unreadable = [
      ["a plan in prose", "malformed_body"],
      [{ trigger: { anomaly_types: "funding_extreme" } }, "malformed_trigger"],
      [{ trigger: { ...FUNDING, conditions: { var: "x", op: "~" } } }, "malformed_condition"],
    ] as const;
    const problems = [];
    for (const [body, reason] of unreadable)
      problems.push({ id: (await createPlaybook(own, body)).id, reason });
    const { id } = await createPlaybook(own);
    await createPlaybook(own, { trigger: null });
    expect(await match(own)).toMatchObject({ matches: [{ id }], count: 1, problems });
  });

  testOnFiles("follows every write of this server and of others", async () => {
    const own = client();
    const first = await createPlaybook(own);
    const second = await createPlaybook(own);
    expect(await matched(own)).toEqual([first.id, second.id]);
    await own.ask(`PATCH /nodes/${first.id}`, { content_title: "Renamed" });
    expect(await matched(own)).toEqual([first.id, second.id]);
    await own.ask(`PATCH /nodes/${first.id}`, { subtype: "custom:lesson" });
    expect(await matched(own)).toEqual([second.id]);
    await own.ask(`PATCH /nodes/${first.id}`, { subtype: "custom:playbook" });
    await own.ask(`DELETE /nodes/${second.id}`);
    expect(await matched(own)).toEqual([first.id]);
    const body = JSON.stringify({ trigger: { anomaly_types: ["volume_spike"] } });
    raw(own.file()).prepare("UPDATE nodes SET content_body = ? WHERE id = ?").run(body, first.id);
    expect(await matched(own)).toEqual([]);
    expect(await matched(own, [{ type: "volume_spike", severity: 0 }])).toEqual([first.id]);
  });

  testOnFiles("matches only playbooks that are active at present", async () => {
    const own = client();
    const [asleep, faded, awake] = [
      await createPlaybook(own),
      await createPlaybook(own),
      await createPlaybook(own),
    ];
    await own.ask(`PATCH /nodes/${asleep.id}`, { state_lifecycle: "DORMANT" });
    const long = new Date(Date.now() - 3_000 * 86_400_000).toISOString();
    raw(own.file())
      .prepare("UPDATE nodes SET provenance_created_at = ? WHERE id = ?")
      .run(long, faded.id);
    expect(await matched(own)).toEqual([awake.id]);
    await own.ask(`PATCH /nodes/${asleep.id}`, { state_lifecycle: "ACTIVE" });
    expect(await matched(own)).toEqual([asleep.id, awake.id]);
  });

  test("gives the same matches in the same order after a restart", async () => {
    const folder = temporaryFolder();
    const first = await start(folder);
    const before = clientOf(first, "trader");
    const ids = [];
    for (let place = 0; place < 5; place++)
      ids.push((await createPlaybook(before, { success_count: 1, sample_size: 4 })).id);
    await before.ask(`PATCH /nodes/${ids[1]}`, { content_title: "Renamed" });
    const answer = await match(before);
    expect(answer.count).toBe(5);
    await first.end("SIGKILL");
    expect(await match(clientOf(await start(folder), "trader"))).toEqual(answer);
  });
});
