// Periodic work: sweeps by default, consolidation on request, by one process at a time, and
// reported in the log.

import { describe, expect, test } from "vitest";
import { OPTIONS } from "../../js/server/src/settings/options.ts";
import { agentFile } from "../../js/server/src/settings/paths.ts";
import { SqliteStorage } from "../../js/server/src/storage/sqlite.ts";
import { describeOnFiles, stored } from "./support/on-postgres.ts";
import { type Running, start } from "./support/server-process.ts";
import { clientOf } from "./support/shared-server.ts";
import { temporaryFolder } from "./support/temporary-folder.ts";

const DAY = 86_400_000;
const DONE = "Periodic work is done";

/** The work that was done, by task and agent. */
const doneBy = (server: Running): { task: string; agent: string; transitions_count?: number }[] =>
  server
    .log()
    .split("\n")
    .filter((line) => line.includes(DONE))
    .map((line) => JSON.parse(line));

/** An agent with a memory that has faded since the last sweep. */
async function withFaded(server: Running, agent: string): Promise<string> {
  const own = clientOf(server, agent);
  const { id } = await own.create();
  for (let place = 0; place < 2; place++) await own.create();
  const long = new Date(Date.now() - 100 * DAY).toISOString();
  await own.stored("UPDATE nodes SET provenance_created_at = ? WHERE id = ?", long, id);
  return id;
}
const storedState = async (dataDir: string, agent: string, id: string) =>
  (
    await stored({ dataDir, agent }, "SELECT state_lifecycle AS state FROM nodes WHERE id = ?", id)
  )[0];

describe("the scheduler", () => {
  test("sweeps and consolidates every agent, open or not, repeatedly", {
    timeout: 60_000,
  }, async () => {
    const folder = temporaryFolder();
    const first = await start(folder);
    const ids = [await withFaded(first, "one"), await withFaded(first, "two")];
    expect(doneBy(first)).toEqual([]);
    await first.end();
    const options = ["--decay-interval", "1", "--consolidate-interval", "1"];
    const server = await start(folder, options);
    for (const [place, agent] of ["one", "two"].entries()) {
      await expect
        .poll(() => doneBy(server), { timeout: 20_000 })
        .toContainEqual(
          expect.objectContaining({ task: "decay", agent, processed: 3, transitions_count: 1 }),
        );
      await expect
        .poll(() => doneBy(server), { timeout: 20_000 })
        .toContainEqual(
          expect.objectContaining({ task: "consolidate", agent, patterns_created: 0, errors: 0 }),
        );
      await expect
        .poll(() => storedState(folder, agent, ids[place]!), { timeout: 20_000 })
        .toMatchObject({ state: "WEAK" });
    }
    const count = doneBy(server).length;
    await expect.poll(() => doneBy(server).length, { timeout: 20_000 }).toBeGreaterThan(count + 4);
    expect(await server.end()).toBe(0);
  });

  test("sweeps soon after the start if the last sweep was long ago, and not again before its time", async () => {
    const folder = temporaryFolder();
    const first = await start(folder);
    const id = await withFaded(first, "one");
    await first.end();
    // The default, which the tests override for all other servers.
    const byDefault = OPTIONS.decay_interval.default();
    expect(byDefault).toBe(6 * 3_600);
    const server = await start(folder, ["--decay-interval", String(byDefault)]);
    await expect
      .poll(() => storedState(folder, "one", id), { timeout: 20_000 })
      .toMatchObject({ state: "WEAK" });
    await server.end();
    const second = await start(folder, ["--decay-interval", String(byDefault)]);
    await new Promise((resolve) => setTimeout(resolve, 11_000));
    expect(doneBy(second).filter(({ task }) => task === "decay")).toEqual([]);
  });

  test("leaves a memory unchanged if the clock looks wrong, and logs that", {
    timeout: 60_000,
  }, async () => {
    const folder = temporaryFolder();
    const first = await start(folder);
    const own = clientOf(first, "default");
    const { id } = await own.create();
    await own.stored("UPDATE nodes SET provenance_created_at = '2010-01-01T00:00:00.000Z'");
    await first.end();
    const server = await start(folder, ["--decay-interval", "1"]);
    await expect
      .poll(() => server.log(), { timeout: 20_000 })
      .toMatch(/1 of 1 memories would be archived.*Periodic work failed/);
    expect(await storedState(folder, "default", id)).toMatchObject({ state: "ACTIVE" });
  });

  test("refuses an invalid interval with a sentence, which stops the server", async () => {
    await expect(start(temporaryFolder(), ["--decay-interval", "-1"])).rejects.toThrow(
      /--decay-interval/,
    );
    await expect(start(temporaryFolder(), ["--consolidate-interval", "1e9"])).rejects.toThrow(
      /--consolidate-interval/,
    );
  });
});

describeOnFiles("a lease", () => {
  test("gives each turn to one process, and to another once that process is gone", () => {
    const file = agentFile(temporaryFolder(), "default");
    const [one, other] = [
      new SqliteStorage(file, { durability: "full" }),
      new SqliteStorage(file, { durability: "full" }),
    ];
    const take = (storage: SqliteStorage, now: number) => storage.tasks.take("decay", now, 80, 600);
    expect([take(one, 1_000), take(other, 1_000), take(one, 1_010)]).toEqual([true, false, false]);
    expect(other.tasks.take("consolidate", 1_000, 80, 600)).toBe(true);
    one.tasks.leave("decay", 1_000);
    expect([take(other, 1_079), take(one, 1_079)]).toEqual([false, false]);
    expect([take(other, 1_080), take(one, 1_080)]).toEqual([true, false]);
    // Not done, so that it is due at once.
    other.tasks.leave("decay", null);
    expect(take(one, 1_081)).toBe(true);
    // The process ends without releasing its lease.
    expect([take(other, 1_680), take(other, 1_681)]).toEqual([false, true]);
    one.tasks.leave("decay", 9_999);
    expect(take(one, 1_700)).toBe(false);
    other.tasks.leave("decay", 5_000);
    expect(take(one, 1_800)).toBe(true);
    for (const storage of [one, other]) storage.close();
  });
});
