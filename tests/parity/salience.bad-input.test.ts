// Wrong events, signals and sources of salience are refused by field.

import { runInNewContext } from "node:vm";
import * as nous from "nous-wasm";
import { describe, expect, test } from "vitest";
import * as reference from "../../js/reference/index.ts";
import {
  checkDefaultResults,
  EXPECTED,
  expectRefusal,
  expectSame,
  INFINITY,
  js,
  MILLIONS,
  NEGATIVE_INFINITY,
  NO_NUMBERS,
  ODD_NAMES,
  ours,
  results,
  thrownBy,
} from "./support/bad-input.ts";

checkDefaultResults();

describe("salience", () => {
  const NOT_FINITE = [Number.NaN, INFINITY, NEGATIVE_INFINITY, ...NO_NUMBERS];

  test("from a figure that is not a number is refused by its name", () => {
    const read: [string, string][] = [
      ["custom:trade_close", "pnl_pct"],
      ["custom:trade_modify", "pnl_pct"],
      ["custom:missed_opportunity", "pnl_pct"],
      ["custom:trade_entry", "confidence"],
      ["custom:trade_entry", "rr_ratio"],
    ];
    for (const [subtype, field] of read) {
      for (const value of NOT_FINITE) {
        expectRefusal(() => js.calculateSalience(subtype, { [field]: value }), {
          field: `signals.${field}`,
        });
      }
    }
    const weighted = {
      rarity: { weight: 0.2 },
      surprise: { weight: 0.2 },
      consequence: { weight: 0.2 },
    };
    const engine = js.createEngine({ salience: weighted });
    for (const led_to_action of [...NOT_FINITE, 1.5, -0.5]) {
      if (typeof led_to_action === "boolean") continue;
      const given = { pnl_pct: 1, led_to_action };
      expectRefusal(() => engine.calculateSalience("custom:lesson", given), {
        field: "signals.led_to_action",
      });
    }
    for (const field of ["z_score", "outcome", "expectation"]) {
      for (const value of NOT_FINITE) {
        const signals = { pnl_pct: 1, [field]: value };
        expectRefusal(() => engine.calculateSalience("custom:trade_close", signals), {
          field: `signals.${field}`,
        });
      }
    }
  });

  test("ignores figures that no rule reads, which may be anything", () => {
    for (const field of [
      "z_score",
      "outcome",
      "expectation",
      "led_to_action",
      "confidence",
      "note",
      ...ODD_NAMES,
    ]) {
      for (const value of NOT_FINITE) {
        const signals = Object.fromEntries([["pnl_pct", -10] as const, [field, value] as const]);
        expect(nous.calculateSalience("custom:trade_close", signals)).toBe(1);
        expect(nous.calculateSalience("custom:lesson", signals)).toBe(0.5);
      }
    }
  });

  test("without a subtype, or with figures that are not an object, is refused", () => {
    for (const wrong of [
      5,
      Number.NaN,
      true,
      1n,
      {},
      ["custom:trade_close"],
      Symbol("subtype"),
      new String("x"),
    ]) {
      expectRefusal(() => js.calculateSalience(wrong, { pnl_pct: 1 }), { field: "subtype" });
      expectRefusal(() => js.modulateStability(wrong, 1), { field: "subtype" });
    }
    for (const wrong of [5, Number.NaN, "pnl_pct", true, 1n, [], [1], Symbol("signals"), () => 1]) {
      expectRefusal(() => js.calculateSalience("custom:trade_close", wrong), { field: "signals" });
    }
    for (const none of [
      null,
      undefined,
      {},
      new Map([["pnl_pct", -10]]),
      Object.create({ pnl_pct: -10 }),
    ]) {
      expect(nous.calculateSalience("custom:trade_close", none)).toBe(0.5);
    }
  });

  test("out of range, or not a number, changes no stability", () => {
    for (const wrong of [undefined, null, -5e-324, -1, 1 + Number.EPSILON, ...NOT_FINITE]) {
      for (const subtype of ["custom:trade_close", null]) {
        expectRefusal(() => js.modulateStability(subtype, wrong), { field: "salience" });
      }
    }
    for (const min of [0, -0]) {
      expect(nous.modulateStability("custom:trade_close", min)).toBe(
        reference.modulateStability("custom:trade_close", 0),
      );
    }
  });

  test("out of range, or not a number, prevents growth if it counts, and is not read otherwise", () => {
    const { decay } = nous.SECTION_PROFILES.EPISODIC;
    const wrongs = [
      "0.5",
      true,
      {},
      [0.5],
      1n,
      Symbol("salience"),
      -5e-324,
      1 + Number.EPSILON,
      ...NOT_FINITE,
    ];
    for (const curve of ["exponential", "fsrs6"]) {
      const [staked, plain] = [true, false].map((salienceGrowth) =>
        js.createEngine({ curve, salienceGrowth }),
      );
      for (const wrong of wrongs) {
        expectRefusal(() => staked.updateStabilityOnAccess(14, 0.3, 0.9, wrong), {
          field: "salience",
        });
        const inSection = () =>
          staked.updateStabilityOnAccessForSection(14, 0.3, decay, 0.9, wrong);
        expectRefusal(inSection, { field: "salience" });
        expect(plain.updateStabilityOnAccess(14, 0.3, 0.9, wrong)).toBe(
          staked.updateStabilityOnAccess(14, 0.3, 0.9),
        );
      }
    }
  });

  test("of unusual subtypes and with unusual figures is right", () => {
    for (const subtype of [...ODD_NAMES, "custom:trade_close\0", "x".repeat(MILLIONS)]) {
      expect(nous.calculateSalience(subtype, { pnl_pct: -10 })).toBe(0.5);
      expect(nous.modulateStability(subtype, 1)).toBe(reference.modulateStability(subtype, 1));
    }
    const signals = { pnl_pct: -3.7 };
    const expected = reference.calculateSalience("custom:trade_close", signals);
    const forms = [
      Object.freeze(signals),
      Object.assign(Object.create(null), signals),
      runInNewContext("({ pnl_pct: -3.7 })"),
      new Proxy(signals, {}),
    ];
    for (const form of forms)
      expect(nous.calculateSalience("custom:trade_close", form)).toBe(expected);
    for (const pnl_pct of [
      Number.MAX_VALUE,
      -Number.MAX_VALUE,
      5e-324,
      -5e-324,
      0,
      -0,
      null,
      undefined,
    ]) {
      const odd = { pnl_pct };
      for (const subtype of ["custom:trade_close", "custom:trade_modify", "custom:good_pass"]) {
        expect(nous.calculateSalience(subtype, odd)).toBe(
          reference.calculateSalience(subtype, odd),
        );
      }
    }
    for (const field of ["constructor", "__proto__", "größe"]) {
      const sources = { "custom:match": { field, scale: 1, weight: 0.5 } };
      const engine = nous.createEngine({ salience: { sources } });
      expect(engine.calculateSalience("custom:match", { other: 1 })).toBe(0.3);
      expect(engine.calculateSalience("custom:match", Object.fromEntries([[field, 1]]))).toBe(0.8);
    }
  });

  test("read by a getter: its exception comes through, and its calls do no harm", () => {
    const own = new RangeError("from a getter");
    const throwing = {
      get pnl_pct(): never {
        throw own;
      },
    };
    expect(thrownBy(() => nous.calculateSalience("custom:trade_close", throwing))).toBe(own);
    let inner: unknown;
    const calling = {
      get pnl_pct() {
        inner = results(ours);
        return -10;
      },
    };
    expect(nous.calculateSalience("custom:trade_close", calling)).toBe(1);
    expectSame(inner, EXPECTED);
    // More than the module keeps: it abandons the instance.
    const large = {
      get pnl_pct() {
        nous.classifyIntent("zz ".repeat(MILLIONS));
        return -10;
      },
    };
    expect(nous.calculateSalience("custom:trade_close", large)).toBe(1);
  });
});
