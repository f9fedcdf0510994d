// Events, their circumstances, and the sources of their salience, for fast-check.

import fc from "fast-check";
import type { SalienceOptions, SalienceSource, Signals } from "../../../js/reference/index.ts";
import { SUBTYPES } from "../../../js/reference/inputs.ts";

const JUDGED = ["custom:trade_close", "custom:trade_entry", "custom:trade_modify"];
const PASSED = ["custom:missed_opportunity", "custom:good_pass"];
const OWN = ["custom:match", "match", "custom:größe"];
const UNKNOWN = [
  null,
  undefined,
  "",
  "trade_close",
  "custom:TRADE_CLOSE",
  "custom:trade_close ",
  "constructor",
];

export const subtype: fc.Arbitrary<string | null | undefined> = fc.oneof(
  { weight: 6, arbitrary: fc.constantFrom(...JUDGED, ...PASSED) },
  { weight: 2, arbitrary: fc.constantFrom(...OWN) },
  { weight: 1, arbitrary: fc.constantFrom(...SUBTYPES) },
  { weight: 1, arbitrary: fc.constantFrom(...UNKNOWN, "__proto__") },
);

const EDGES = [
  0,
  5e-324,
  1e-9,
  0.066,
  0.1,
  0.295,
  0.5,
  1,
  2,
  3,
  3.7,
  5.99,
  10 - 1e-15,
  10,
  10.1,
  60,
  750,
  1e300,
];
const number = fc.oneof(
  fc.constantFrom(...EDGES, ...EDGES.map((value) => -value)),
  fc.integer({ min: -1200, max: 1200 }).map((hundredths) => hundredths / 100),
  fc.double({ min: -12, max: 12, noNaN: true }),
  fc.double({ noNaN: true, noDefaultInfinity: true }),
);
/** Mostly in the range that the rules expect. */
const share = fc.oneof(
  fc.double({ min: 0, max: 1, noNaN: true }),
  fc.integer({ min: 0, max: 1000 }).map((thousandths) => thousandths / 1000),
);

const FIELDS = [
  "pnl_pct",
  "confidence",
  "rr_ratio",
  "goal_diff",
  "z_score",
  "outcome",
  "expectation",
] as const;

/**
 * Numbers under the names that rules read, or null, or missing; fields that no rule reads may be
 * anything.
 */
export const signals: fc.Arbitrary<Signals | null | undefined> = fc.oneof(
  { weight: 1, arbitrary: fc.constantFrom(null, undefined, {}) },
  {
    weight: 20,
    arbitrary: fc.record(
      {
        ...(Object.fromEntries(
          FIELDS.map((field) => [
            field,
            fc.oneof(
              { weight: 4, arbitrary: number },
              { weight: 4, arbitrary: share },
              { weight: 1, arbitrary: fc.constantFrom(null, undefined) },
            ),
          ]),
        ) as Record<(typeof FIELDS)[number], fc.Arbitrary<number | null | undefined>>),
        led_to_action: fc.oneof(
          share,
          fc.constantFrom<boolean | number | null | undefined>(true, false, 0, 1, null, undefined),
        ),
        note: fc.constantFrom<unknown>("full size", true, ["BTC"], undefined),
      },
      { requiredKeys: [] },
    ),
  },
);

const weight = fc.oneof(fc.constantFrom(0, 0.2, 0.55, 1), share);

const source: fc.Arbitrary<SalienceSource> = fc.record(
  {
    field: fc.constantFrom("goal_diff", "pnl_pct", "unheard_of"),
    scale: fc.oneof(
      fc.constantFrom(1e-6, 1, 3, 10, 1e6),
      fc.double({ min: 0.01, max: 100, noNaN: true }),
    ),
    weight,
    lossBonus: weight,
  },
  { requiredKeys: ["field", "scale", "weight"] },
);

const weighted = fc.record({ weight }, { requiredKeys: [] });

export const salienceOptions: fc.Arbitrary<SalienceOptions> = fc.record(
  {
    sources: fc
      .uniqueArray(
        fc.tuple(fc.constantFrom(...JUDGED, ...PASSED, ...OWN, "custom:signal"), source),
        {
          maxLength: 4,
          selector: ([name]) => name,
        },
      )
      .map((entries): Record<string, SalienceSource> => Object.fromEntries(entries)),
    rarity: weighted,
    surprise: weighted,
    consequence: weighted,
  },
  { requiredKeys: [] },
);

/**
 * In [0.1, 1]: also at the bounds of rules, and where a stability lies half-way between two
 * hundredths.
 */
export const salience = fc.oneof(
  fc.constantFrom(
    0.1,
    0.48,
    0.49,
    0.4900000000000001,
    0.495,
    0.5,
    0.505,
    0.51,
    0.5100000000000001,
    0.53,
    0.75,
    1,
  ),
  fc.integer({ min: 26, max: 256 }).map((parts) => parts / 256),
  fc.double({ min: 0.1, max: 1, noNaN: true }),
);
