// Measuring pattern detection: memories with known regularities, and the judging of findings.

import { describe, expect, it } from "vitest";
import { judge, type Tested } from "../../benches/quality/discoveries.ts";
import {
  type ClosedTrade,
  type Condition,
  closedTrades,
  findPatterns,
} from "../../js/reference/patterns.ts";
import {
  generatePlanted,
  PLANTED_DEFAULTS,
  type PlantedCondition,
  type Reason,
} from "../../js/sample/trader/planted.ts";

const { effects, symbols, trades: TRADES } = PLANTED_DEFAULTS;
const CONDITIONS = 2 * effects.length;

const tradesOf = ({ nodes, edges }: ReturnType<typeof generatePlanted>): ClosedTrade[] =>
  closedTrades(nodes, edges, ({ content_body }) => JSON.parse(content_body!).signals.symbol);
const conditionOf = (reason: Reason): Condition =>
  "anomaly_type" in reason
    ? { kind: "anomaly_type", value: reason.anomaly_type }
    : { kind: "signal", field: reason.field, value: String(reason.value) };
const keyOf = (condition: Condition) => JSON.stringify(condition);

/** The number of trades of a symbol with a condition, and of wins among these. */
class Tally {
  readonly conditions = new Map<string, Condition>();
  readonly #counts = new Map<string, { n: number; wins: number }>();

  constructor(trades: readonly ClosedTrade[]) {
    for (const { symbol, won, conditions } of trades) {
      for (const condition of conditions) {
        const key = keyOf(condition);
        this.conditions.set(key, condition);
        const counted = this.of(symbol, condition);
        counted.n++;
        if (won) counted.wins++;
        this.#counts.set(symbol + key, counted);
      }
    }
  }

  of(symbol: string, condition: Condition): { n: number; wins: number } {
    return this.#counts.get(symbol + keyOf(condition)) ?? { n: 0, wins: 0 };
  }
}

describe("a planted memory", () => {
  const memories = Array.from({ length: 40 }, (_, i) => generatePlanted({ seed: i + 1 }));
  const found = memories.map((memory) => {
    const trades = tradesOf(memory);
    return { truth: memory.truth, trades, tally: new Tally(trades) };
  });
  const [memory] = memories;

  it("is the same on every run, and differs for another seed", () => {
    expect(generatePlanted({ seed: 1 })).toEqual(memory);
    expect(memories[1]).not.toEqual(memory);
  });

  it("has an entry and a close for each trade, in the order of creation", () => {
    const { nodes, edges } = memory!;
    expect(nodes).toHaveLength(2 * symbols.length * CONDITIONS * TRADES);
    expect(edges).toHaveLength(nodes.length / 2);
    const times = nodes.map(({ created_at }) => created_at);
    expect(times).toEqual(times.toSorted((a, b) => a - b));
    const byId = new Map(nodes.map((node) => [node.id, node]));
    for (const { type, source_id, target_id } of edges) {
      const [close, entry] = [byId.get(source_id)!, byId.get(target_id)!];
      expect([type, close.subtype, entry.subtype]).toEqual([
        "part_of",
        "custom:trade_close",
        "custom:trade_entry",
      ]);
      expect(close.created_at).toBeGreaterThan(entry.created_at);
    }
  });

  it("has as many meaningless conditions as regularities, with the same numbers of trades", () => {
    for (const { truth, trades, tally } of found) {
      expect(trades).toHaveLength(symbols.length * CONDITIONS * TRADES);
      for (const symbol of symbols) {
        const own = truth.filter((one) => one.symbol === symbol);
        expect(own.map(({ effect }) => effect)).toEqual([...effects, ...effects.map(() => 0)]);
        for (const { reason } of own) expect(tally.of(symbol, conditionOf(reason)).n).toBe(TRADES);
      }
    }
  });

  it("distinguishes every regularity from its symbol's other trades by its effect only", () => {
    for (const { truth } of found) {
      for (const symbol of symbols) {
        const own = truth.filter((one) => one.symbol === symbol);
        const all = own.reduce((sum, { rate }) => sum + rate, 0);
        for (const { effect, rate } of own)
          expect(100 * (rate - (all - rate) / (own.length - 1))).toBeCloseTo(effect, 10);
      }
    }
  });

  /** Standard errors between the actual and the expected wins. */
  const deviation = (parts: readonly { n: number; wins: number; rate: number }[]) =>
    parts.reduce((sum, { n, wins, rate }) => sum + wins - n * rate, 0) /
    Math.sqrt(parts.reduce((sum, { n, rate }) => sum + n * rate * (1 - rate), 0));

  it("is won at the true rates", () => {
    for (const size of new Set([0, ...effects])) {
      const parts = found.flatMap(({ truth, tally }) =>
        truth
          .filter(({ effect }) => effect === size)
          .map(({ symbol, reason, rate }) => ({ ...tally.of(symbol, conditionOf(reason)), rate })),
      );
      expect(Math.abs(deviation(parts)), `${size} points`).toBeLessThan(4);
    }
  });

  it("is won at the same rate on every weekday, at every hour, on either side, at any funding", () => {
    const all = new Map(found.flatMap(({ tally }) => [...tally.conditions]));
    const byDefault = [...all.values()].filter(
      ({ kind }) => kind !== "anomaly_type" && kind !== "signal",
    );
    expect(byDefault).toHaveLength(7 + 4 + 2 + 2 + 5);
    for (const condition of byDefault) {
      const parts = found.flatMap(({ truth, tally }) =>
        symbols.map((symbol) => {
          const own = truth.filter((one) => one.symbol === symbol);
          const rate = own.reduce((sum, one) => sum + one.rate, 0) / own.length;
          return { ...tally.of(symbol, condition), rate };
        }),
      );
      expect(parts.every(({ n }) => n >= 20)).toBe(true);
      expect(Math.abs(deviation(parts)), keyOf(condition)).toBeLessThan(4);
    }
  });

  it("yields almost nothing without regularities, and almost all effects of 35 points", () => {
    const some = found.slice(0, 5).map(({ truth, trades }) =>
      judge(
        truth,
        findPatterns(trades).filter(({ kept }) => kept),
      ),
    );
    const large = some.flatMap(({ regularities }) =>
      regularities.filter(({ effect }) => Math.abs(effect) === 35),
    );
    expect(large.filter((one) => one.found).length / large.length).toBeGreaterThan(0.9);
    const none = Array.from({ length: 20 }, (_, i) =>
      generatePlanted({ seed: i + 1, symbols: ["BTC"], effects: [0, 0, 0, 0], trades: 20 }),
    );
    const empty = none.filter((one) => findPatterns(tradesOf(one)).every(({ kept }) => !kept));
    expect(empty.length).toBeGreaterThanOrEqual(16);
  });

  it.each([
    [{ effects: [10] }, "add up"],
    [{ effects: [50, -50] }, "beyond 40 points"],
    [{ effects: Array.from({ length: 13 }, () => 0) }, "more than 12"],
    [{ trades: 0 }, "trades: 0"],
    [{ trades: 1.5 }, "trades: 1.5"],
  ])("is refused with %j", (options, message) => {
    expect(() => generatePlanted(options)).toThrow(message);
  });
});

describe("the judge", () => {
  const reason = { anomaly_type: "oi_surge" };
  const flag = { field: "spot_led", value: true };
  const truth: PlantedCondition[] = [
    { symbol: "BTC", reason, effect: 25, rate: 0.7 },
    { symbol: "BTC", reason: flag, effect: -15, rate: 0.4 },
    { symbol: "ETH", reason, effect: 0, rate: 0.5 },
  ];
  const tested = (symbol: string, rate: number, ...conditions: Condition[]): Tested => ({
    ...{ symbol, conditions, rate },
    rest_rate: 0.5,
  });
  const surge: Condition = { kind: "anomaly_type", value: "oi_surge" };
  const spot: Condition = { kind: "signal", field: "spot_led", value: "true" };
  const monday: Condition = { kind: "weekday", value: "Monday" };

  it.each<[string, Tested[], found: boolean[], wrong: number]>([
    ["nothing", [], [false, false], 0],
    ["all that is true", [tested("BTC", 0.8, surge), tested("BTC", 0.3, spot)], [true, true], 0],
    ["the wrong sign", [tested("BTC", 0.3, surge)], [false, false], 1],
    ["another symbol's", [tested("ETH", 0.8, surge), tested("SOL", 0.8, surge)], [false, false], 2],
    ["what means nothing", [tested("BTC", 0.8, monday)], [false, false], 1],
    ["one true of two together", [tested("BTC", 0.8, monday, surge)], [true, false], 0],
  ])("recognizes %s", (_, patterns, found, wrong) => {
    expect(judge(truth, patterns)).toEqual({
      regularities: [
        { effect: 25, found: found[0] },
        { effect: -15, found: found[1] },
      ],
      reported: patterns.length,
      wrong,
    });
  });
});
