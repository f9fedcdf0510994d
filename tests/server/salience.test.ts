// The initial stability of a memory, by its salience.

import { spawnSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { databaseOptions } from "./support/on-postgres.ts";
import { PROGRAM, type Running, start } from "./support/server-process.ts";
import { sharedServer } from "./support/shared-server.ts";
import { temporaryFolder } from "./support/temporary-folder.ts";

const { client } = sharedServer();

describe("the initial stability", () => {
  const stabilityOf = async (fields: object) => (await client().create(fields)).neural_stability;

  test.each([
    ["a small win", { subtype: "custom:trade_close", signals: { pnl_pct: 0.5 } }, 15.18],
    ["a large loss", { subtype: "custom:trade_close", signals: { pnl_pct: -10 } }, 42],
    [
      "an entry that was sure of itself",
      { subtype: "custom:trade_entry", signals: { confidence: 1, rr_ratio: 3 } },
      42,
    ],
    ["nothing said", { subtype: "custom:trade_close", signals: {} }, 21],
    ["none", { subtype: "custom:trade_close", signals: null }, 21],
    [
      "figures that nobody reads",
      { subtype: "custom:trade_close", signals: { note: "late", legs: [{ at: 1 }] } },
      14.28,
    ],
    ["a subtype without stakes", { subtype: "custom:lesson", signals: { pnl_pct: -10 } }, 90],
  ])("%s", async (_, fields, days) => {
    expect(await stabilityOf(fields)).toBeCloseTo(days, 1);
  });

  test("is the given one, if there is one", async () => {
    const fields = {
      subtype: "custom:trade_close",
      signals: { pnl_pct: -10 },
      neural_stability: 3,
    };
    expect(await stabilityOf(fields)).toBe(3);
  });

  test("needs numbers as figures: others are refused by their names", async () => {
    const { ask, create } = client();
    const close = { type: "episode", content_title: "BTC closed", subtype: "custom:trade_close" };
    for (const pnl_pct of ["5", {}, true]) {
      const { status, body } = await ask("POST /nodes", { ...close, signals: { pnl_pct } });
      expect({ status, body }).toMatchObject({
        status: 400,
        body: { issues: [{ path: "signals.pnl_pct" }] },
      });
    }
    expect((await ask("GET /health")).body.node_count).toBe(0);
    await create({ ...close, signals: { pnl_pct: null } });
  });

  test("is longer for a memory that led to action, if the configuration says so", async () => {
    const folder = temporaryFolder();
    const config = join(folder, "nous.yaml");
    writeFileSync(config, "salience:\n  consequence:\n    weight: 0.25\n");
    const { ask } = await start(folder, ["--config", config]);
    const lesson = {
      type: "concept",
      subtype: "custom:market_event",
      content_title: "Funding spiked",
    };
    const stabilityOf = async (signals: object | null) =>
      (await ask("POST /nodes", { ...lesson, signals })).body.neural_stability;
    const [byDefault, acted, half, not] = await Promise.all(
      [null, { led_to_action: true }, { led_to_action: 0.5 }, { led_to_action: false }].map(
        stabilityOf,
      ),
    );
    expect(acted).toBeGreaterThan(half);
    expect(half).toBeGreaterThan(byDefault);
    expect(not).toBe(byDefault);
    expect(
      (await client().create({ ...lesson, signals: { led_to_action: true } })).neural_stability,
    ).toBe(byDefault);
    const { status, body } = await ask("POST /nodes", {
      ...lesson,
      signals: { led_to_action: "yes" },
    });
    const message = 'must be true, false or a number in [0, 1], found "yes"';
    expect({ status, body }).toMatchObject({
      status: 400,
      body: { issues: [{ path: "signals.led_to_action", message }] },
    });
  });

  describe("with salience_growth", () => {
    const CLOSE = { type: "episode", subtype: "custom:trade_close", neural_stability: 20 };

    /** Recalls some memories once each; returns the growth of their stability. */
    async function growth({ ask }: Running, ids: readonly string[]): Promise<number[]> {
      const grown: number[] = [];
      for (const id of ids) {
        const { body: before } = await ask(`GET /nodes/${id}?recall=false`);
        const { body: after } = await ask(`GET /nodes/${id}`);
        grown.push(after.neural_stability / before.neural_stability);
      }
      return grown;
    }

    test("recalls increase stability by the salience, after a restart and a change, too", async () => {
      const folder = temporaryFolder();
      const config = join(folder, "nous.yaml");
      writeFileSync(config, "salience_growth: true\n");
      const first = await start(folder, ["--config", config]);
      const ids: string[] = [];
      for (const signals of [{ pnl_pct: 0.5 }, {}, { pnl_pct: -10 }]) {
        ids.push(
          (await first.ask("POST /nodes", { ...CLOSE, content_title: "BTC closed", signals })).body
            .id,
        );
      }
      const rises = ([little, neutral, much]: number[]) => {
        expect(little).toBeGreaterThan(1);
        expect(neutral).toBeGreaterThan(little!);
        expect(much).toBeGreaterThan(neutral!);
      };
      rises(await growth(first, ids));
      expect(await first.end()).toBe(0);
      const second = await start(folder, ["--config", config]);
      rises(await growth(second, ids));
      // A memory imported without its figures has none.
      const lines = JSON.stringify({
        ...(await second.ask(`GET /nodes/${ids[2]}?recall=false`)).body,
        kind: "node",
      });
      const file = join(temporaryFolder(), "one.jsonl");
      writeFileSync(file, `${lines}\n`);
      const place = ["--data-dir", folder, ...(await databaseOptions(folder))];
      const given = ["import", file, "--conflicts", "overwrite", ...place];
      expect(spawnSync(process.execPath, [PROGRAM, ...given], { encoding: "utf8" })).toMatchObject({
        status: 0,
      });
      const [, without, emptied] = await growth(second, ids);
      expect(emptied).toBeCloseTo(without!, 3);
      // The salience of a lesson is not computed.
      for (const id of ids) await second.ask(`PATCH /nodes/${id}`, { subtype: "custom:lesson" });
      const [one, ...others] = await growth(second, ids);
      expect(others).toEqual([one, one]);
    });
  });
});
