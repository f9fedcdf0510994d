// The reference of salience equals the golden vectors, and keeps the rules that they do not cover.

import { readFileSync } from "node:fs";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import * as reference from "../../js/reference/index.ts";
import { amount, runs } from "../support/amount.ts";
import { salience, salienceOptions, signals, subtype } from "./inputs/salience.ts";

interface Vector {
  subtype: string | null;
  signals?: reference.Signals | null;
  salience?: number;
  salience_in?: number;
  stability: number | null;
}

test("golden vectors", () => {
  const vectors: Vector[] = JSON.parse(
    readFileSync(new URL("../golden/salience.json", import.meta.url), "utf8"),
  );
  for (const vector of vectors) {
    const salience =
      vector.salience_in ?? reference.calculateSalience(vector.subtype, vector.signals);
    expect(salience, JSON.stringify(vector)).toBe(vector.salience_in ?? vector.salience);
    expect(reference.modulateStability(vector.subtype, salience), JSON.stringify(vector)).toBe(
      vector.stability,
    );
  }
});

describe("salience", () => {
  const { calculateSalience } = reference;

  test.each<[string | null | undefined, reference.Signals | null | undefined, number]>([
    ["custom:trade_close", { pnl_pct: 0.5 }, 0.3275],
    ["custom:trade_close", { pnl_pct: -2 }, 0.56],
    ["custom:trade_close", { pnl_pct: -0 }, 0.3],
    ["custom:trade_close", { pnl_pct: -5e-324 }, 0.44999999999999996],
    ["custom:trade_close", { pnl_pct: 12 }, 0.8500000000000001],
    ["custom:trade_entry", { confidence: null, rr_ratio: undefined }, 0.55],
    ["custom:trade_entry", { confidence: 0, rr_ratio: -1.5 }, 0.19999999999999998],
    ["custom:trade_entry", { confidence: 0, rr_ratio: -30 }, 0.1],
    ["custom:trade_entry", { confidence: 2, rr_ratio: 3 }, 1],
    ["custom:trade_modify", { pnl_pct: -1 }, 0.355],
    ["custom:trade_modify", { pnl_pct: -0, confidence: 1 }, 0.5],
    ["custom:good_pass", { pnl_pct: -5 }, 0.6499999999999999],
    ["custom:lesson", { pnl_pct: -9 }, 0.5],
    ["custom:signal", { pnl_pct: -9 }, 0.5],
    ["trade_close", { pnl_pct: -9 }, 0.5],
    ["constructor", { pnl_pct: -9 }, 0.5],
    ["", { pnl_pct: -9 }, 0.5],
    [null, { pnl_pct: -9 }, 0.5],
    [undefined, { pnl_pct: -9 }, 0.5],
    ["custom:trade_close", {}, 0.5],
    ["custom:trade_close", { pnl_pct: undefined }, 0.3],
    ["custom:trade_close", null, 0.5],
    ["custom:trade_close", undefined, 0.5],
    ["custom:trade_close", { note: "by hand" }, 0.3],
  ])("of %j with %j is %d", (subtype, signals, expected) => {
    expect(calculateSalience(subtype, signals)).toBe(expected);
  });

  test("is taken from the source of a subtype, which may replace one of the table", () => {
    const match: reference.SalienceSource = {
      field: "goal_diff",
      scale: 3,
      weight: 0.55,
      lossBonus: 0.15,
    };
    const of = (goal_diff: number | null, name = "custom:match", source = match) =>
      calculateSalience(name, { goal_diff, pnl_pct: 10 }, { sources: { [name]: source } });
    expect(of(1)).toBe(0.3 + (1 / 3) * 0.55);
    expect(of(-1)).toBe(0.3 + (1 / 3) * 0.55 + 0.15);
    expect(of(-1, "custom:match", { field: "goal_diff", scale: 3, weight: 0.55 })).toBe(of(1));
    expect(of(-4)).toBe(1);
    expect(of(null)).toBe(0.3);
    expect(of(3, "custom:trade_close")).toBe(0.8500000000000001);
    expect(of(3, "custom:watchpoint")).toBe(0.5);
    expect(calculateSalience("custom:match", {}, { sources: { "custom:match": match } })).toBe(0.5);
  });

  test("adds rarity and surprise for any subtype, before the clamp", () => {
    const rarity = { rarity: { weight: 0.2 } };
    const surprise = { surprise: { weight: 0.2 } };
    const rare = 1 - Math.exp(-1.5);
    expect(calculateSalience("custom:lesson", { z_score: -3 }, rarity)).toBe(0.5 + rare * 0.2);
    expect(calculateSalience("custom:trade_close", { pnl_pct: 1, z_score: 3 }, rarity)).toBe(
      0.355 + rare * 0.2,
    );
    expect(calculateSalience("custom:trade_modify", { z_score: 3 }, rarity)).toBe(0.5 + rare * 0.2);
    expect(calculateSalience("custom:lesson", { outcome: -0.5, expectation: 0.25 }, surprise)).toBe(
      0.65,
    );
    expect(calculateSalience("custom:lesson", { outcome: -5, expectation: 5 }, surprise)).toBe(0.7);
    expect(calculateSalience("custom:lesson", { outcome: 1, expectation: null }, surprise)).toBe(
      0.5,
    );
    expect(calculateSalience("custom:lesson", { z_score: 3, outcome: 1, expectation: 0 })).toBe(
      0.5,
    );
    const both = { ...rarity, ...surprise };
    const signals = { pnl_pct: -10, z_score: 9, outcome: 1, expectation: 0 };
    expect(calculateSalience("custom:trade_close", signals, both)).toBe(1);
    expect(calculateSalience("custom:trade_entry", { confidence: -1, z_score: 3 }, rarity)).toBe(
      0.1,
    );
    expect(calculateSalience("custom:watchpoint", signals, both)).toBe(0.5);
    expect(calculateSalience("", signals, both)).toBe(0.5);
  });

  test("adds for any subtype whose event led to action, before the clamp", () => {
    const consequence = { consequence: { weight: 0.25 } };
    const of = (led_to_action: unknown, name = "custom:lesson", more: object = {}) =>
      calculateSalience(name, { led_to_action, ...more }, consequence);
    expect([of(true), of(1), of(0.5), of(false), of(0), of(null)]).toEqual([
      0.75, 0.75, 0.625, 0.5, 0.5, 0.5,
    ]);
    expect(of(true, "custom:trade_close", { pnl_pct: 1 })).toBe(0.355 + 0.25);
    expect(of(true, "custom:trade_close", { pnl_pct: -10 })).toBe(1);
    expect(of(true, "custom:watchpoint")).toBe(0.5);
    expect(calculateSalience("custom:lesson", { led_to_action: true })).toBe(0.5);
  });

  test("laws: in [0.1, 1]; not smaller for a larger move, nor for a loss than for an equal gain", () => {
    fc.assert(
      fc.property(subtype, signals, salienceOptions, (subtype, signals, options) => {
        const of = (signals: reference.Signals | null | undefined) =>
          calculateSalience(subtype, signals, options);
        expect(of(signals)).toBeGreaterThanOrEqual(0.1);
        expect(of(signals)).toBeLessThanOrEqual(1);
        const { pnl_pct } = signals ?? {};
        if (typeof pnl_pct !== "number" || pnl_pct === 0) return;
        expect(of({ ...signals, pnl_pct: pnl_pct * 2 })).toBeGreaterThanOrEqual(of(signals));
        expect(of({ ...signals, pnl_pct: -Math.abs(pnl_pct) })).toBeGreaterThanOrEqual(
          of({ ...signals, pnl_pct: Math.abs(pnl_pct) }),
        );
      }),
      runs(amount(5000)),
    );
  });
});

describe("stability", () => {
  const { modulateStability, roundToHundredths } = reference;

  test.each<[string | null | undefined, number, number | null]>([
    ["custom:trade_close", 0.3275, 15.2],
    ["custom:trade_close", 1, 42],
    ["custom:playbook", 1, 540],
    ["custom:playbook", 0.1, 64.8],
    ["custom:trade_close", 0.5625, 23.62],
    ["custom:trade_close", 0.6875, 28.88],
    ["custom:lesson", 0.51, 91.8],
    ["custom:lesson", 0.505, null],
    ["custom:lesson", 0.495, null],
    ["custom:signal", 1, null],
    ["", 1, null],
    [null, 1, null],
    [undefined, 1, null],
  ])("of %j at %d is %d", (subtype, salience, expected) => {
    expect(modulateStability(subtype, salience)).toBe(expected);
  });

  test("laws: not shorter for higher salience; unchanged at neutral salience", () => {
    fc.assert(
      fc.property(subtype, salience, salience, (subtype, a, b) => {
        const initial = reference.getInitialStabilityForSubtype(subtype);
        const [low, high] = [Math.min(a, b), Math.max(a, b)].map(
          (s) => modulateStability(subtype, s) ?? initial,
        );
        expect(low).toBeLessThanOrEqual(high!);
        if (a > 0.52)
          expect(modulateStability(subtype, a) ?? initial).toBeGreaterThanOrEqual(initial);
      }),
      runs(amount(5000)),
    );
  });

  /** A double as a fraction in lowest terms of 2, from its bits. */
  function exactly(value: number): { numerator: bigint; denominator: bigint } {
    const bits = new BigUint64Array(new Float64Array([value]).buffer)[0]!;
    const exponent = Number((bits >> 52n) & 0x7ffn);
    const mantissa = (bits & 0xfffffffffffffn) | (exponent === 0 ? 0n : 1n << 52n);
    const power = Math.max(exponent, 1) - 1075;
    return power < 0
      ? { numerator: mantissa, denominator: 1n << BigInt(-power) }
      : { numerator: mantissa << BigInt(power), denominator: 1n };
  }

  test("rounds to two decimals by the exact value, and halves to even", () => {
    const value = fc.oneof(
      fc.nat({ max: 40_000 }).map((parts) => parts / 8),
      fc.nat({ max: 40_000 }).map((parts) => parts / 200),
      fc.double({ min: 0, max: 1e18, noNaN: true }),
      fc.double({ min: 0, max: 2000, noNaN: true }),
    );
    fc.assert(
      fc.property(value, (value) => {
        const { numerator, denominator } = exactly(value);
        const below = (numerator * 100n) / denominator;
        const over = 2n * (numerator * 100n - below * denominator);
        const up = over > denominator || (over === denominator && below % 2n === 1n);
        expect(roundToHundredths(value)).toBe(Number(`${up ? below + 1n : below}e-2`));
      }),
      runs(amount(20_000)),
    );
    expect([0.005, 1.005, 2.675, 0.125, 0.375, 0.625, 0.875].map(roundToHundredths)).toEqual([
      0.01, 1, 2.67, 0.12, 0.38, 0.62, 0.88,
    ]);
  });
});

describe("growth on recall", () => {
  const { updateStabilityOnAccess, updateStabilityOnAccessForSection } = reference;
  const { EPISODIC, SIGNALS } = reference.SECTION_PROFILES;

  test.each<
    [stability: number, difficulty: number, salience: number, episodic: number, global: number]
  >([
    [16, 0.5, 0.5, 24, 30],
    [16, 0.5, 1, 30, 37.5],
    [16, 0.5, 0.75, 27, 33.75],
    [16, 0.5, 0.25, 21, 26.25],
    [16, 0.5, 0, 18, 22.5],
    // A difficult memory of little salience may lose stability, as without salience.
    [16, 1, 0, 12, 15],
    [0, 0.5, 1, 0, 0],
    [160, 0.5, 1, 180, 365],
  ])(
    "of %d days at difficulty %d and salience %d comes to %d and %d",
    (stability, difficulty, salience, ...grown) => {
      expect(
        updateStabilityOnAccessForSection(stability, difficulty, EPISODIC.decay, salience),
      ).toBe(grown[0]);
      expect(updateStabilityOnAccess(stability, difficulty, salience)).toBe(grown[1]);
    },
  );

  test("laws: no less for higher salience, within the cap, and neutral salience has no effect", () => {
    const unit = fc.double({ min: 0, max: 1, noNaN: true });
    const days = fc.double({ min: 0, max: 400, noNaN: true });
    fc.assert(
      fc.property(
        days,
        unit,
        unit,
        unit,
        fc.constantFrom(EPISODIC, SIGNALS),
        (days, difficulty, a, b, { decay }) => {
          const grown = (salience?: number) =>
            updateStabilityOnAccessForSection(days, difficulty, decay, salience);
          expect(grown(Math.min(a, b))).toBeLessThanOrEqual(grown(Math.max(a, b)));
          expect(grown(1)).toBeLessThanOrEqual(decay.max_stability_days);
          expect(grown(0.5)).toBe(grown());
        },
      ),
      runs(amount(5000)),
    );
  });
});
