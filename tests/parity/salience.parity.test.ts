// The package computes salience as the golden vectors and the reference do, to the bit.

import { readFileSync } from "node:fs";
import fc from "fast-check";
import * as nous from "nous-wasm";
import { describe, expect, test } from "vitest";
import * as reference from "../../js/reference/index.ts";
import { amount, runs } from "../support/amount.ts";
import { salience, salienceOptions, signals, subtype } from "./inputs/salience.ts";

const LONG_RUN = runs(amount(50_000));

test("golden vectors", () => {
  const vectors = JSON.parse(
    readFileSync(new URL("../golden/salience.json", import.meta.url), "utf8"),
  );
  for (const { subtype, signals, salience_in, salience: recorded, stability } of vectors) {
    const salience = salience_in ?? nous.calculateSalience(subtype, signals);
    expect(salience).toBe(salience_in ?? recorded);
    expect(nous.modulateStability(subtype, salience)).toBe(stability);
  }
});

describe(`${LONG_RUN.numRuns} generated signals`, () => {
  test("calculateSalience", () => {
    fc.assert(
      fc.property(subtype, signals, (subtype, signals) => {
        expect(nous.calculateSalience(subtype, signals)).toBe(
          reference.calculateSalience(subtype, signals),
        );
      }),
      LONG_RUN,
    );
  });

  test("modulateStability", () => {
    fc.assert(
      fc.property(subtype, salience, (subtype, salience) => {
        expect(nous.modulateStability(subtype, salience)).toBe(
          reference.modulateStability(subtype, salience),
        );
      }),
      LONG_RUN,
    );
  });
});

test("calculateSalience by the user's own sources, with rarity, surprise and consequence, equals the reference's", () => {
  const events = fc.array(fc.tuple(subtype, signals), {
    minLength: 20,
    maxLength: 40,
    size: "max",
  });
  fc.assert(
    fc.property(salienceOptions, events, (options, events) => {
      const engine = nous.createEngine({ salience: options });
      for (const [subtype, signals] of events) {
        const expected = reference.calculateSalience(subtype, signals, options);
        expect(engine.calculateSalience(subtype, signals)).toBe(expected);
        // Sources give the salience, not its consequences.
        expect(engine.modulateStability(subtype, expected)).toBe(
          reference.modulateStability(subtype, expected),
        );
      }
    }),
    runs(500),
  );
});
