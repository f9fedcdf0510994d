// Playbooks, anomalies and markets for fast-check, valid and broken, and whole lives of a book of
// them. A life is a list of steps, so that a counterexample can be read and rebuilt by hand.

import fc from "fast-check";
import {
  type AnomalyEvent,
  type AppliedPlaybook,
  MAX_COMPARISONS,
  MAX_CONDITION_DEPTH,
  type MarketSnapshot,
  type MissingVariable,
  PLAYBOOK_PROBLEMS,
  type Playbook,
  type PlaybookBody,
  type PlaybookMatch,
  type PlaybookProblem,
  type PlaybookRecord,
  type PlaybookRow,
} from "../../../js/reference/index.ts";
import { instant } from "./arbitraries.ts";

// ---- the common interface of package and reference ----------------------------------------------

/** A book of the package or of the reference. */
export interface Book {
  add(playbooks: readonly (Playbook | PlaybookRow)[]): unknown;
  remove(ids: readonly string[]): unknown;
  readonly size: number;
  readonly problems: readonly { id: string; reason: PlaybookProblem }[];
  match(
    events: readonly AnomalyEvent[],
    snapshot?: MarketSnapshot,
  ): { matches: PlaybookMatch[]; missing: MissingVariable[] };
}

/** The functions and the class of the package or of the reference. */
export interface Procedural {
  matchPlaybooks(
    playbooks: readonly (Playbook | PlaybookRow)[],
    events: readonly AnomalyEvent[],
  ): PlaybookMatch[];
  formatPlaybookMatches(matches: readonly PlaybookMatch[]): string;
  applyOutcome(playbook: PlaybookRecord, profitable: boolean, now: Date | number): AppliedPlaybook;
  PlaybookBook: new () => Book;
}

// ---- events and markets -------------------------------------------------------------------------

const TYPES = ["funding_extreme", "price_spike", "oi_surge", "oi_drop", "Price_Spike", "größe"];
/** With letters that only Unicode case folding treats as equal. */
const SYMBOLS = [
  "BTC",
  "btc",
  "Eth",
  "sol",
  "doge",
  "DOGE",
  "ÄTH",
  "äth",
  "\u212aAS",
  "kas",
  "1000PEPE",
];
const SEVERITIES = [0, -0, 0.3, 0.5, 0.7, 0.7000000000000001, 1];
const severity = fc.oneof(
  fc.constantFrom(...SEVERITIES),
  fc.double({ min: 0, max: 1, noNaN: true }),
);

export const event: fc.Arbitrary<AnomalyEvent> = fc.record(
  {
    type: fc.constantFrom(...TYPES),
    symbol: fc.oneof(
      { weight: 8, arbitrary: fc.constantFrom(...SYMBOLS) },
      { weight: 1, arbitrary: fc.constantFrom(null, undefined, "") },
    ),
    severity,
  },
  { requiredKeys: ["type", "severity"] },
);

const VARIABLES = [
  "funding_rate",
  "oi",
  "price",
  "spread",
  "größe",
  "constructor",
  "__proto__",
  "",
];
const LEVELS = [-1, -0, 0, 0.2, 0.30000000000000004, 1, 2, 1e300];
const level = fc.oneof(fc.constantFrom(...LEVELS), fc.double({ min: -3, max: 3, noNaN: true }));
const series = fc.oneof(
  fc.array(level, { maxLength: 6 }),
  fc.array(level, { maxLength: 6 }).map((values) => [...values].sort((a, b) => a - b)),
  fc.array(level, { maxLength: 6 }).map((values) => [...values].sort((a, b) => b - a)),
);

export const snapshot: fc.Arbitrary<MarketSnapshot> = fc
  .array(
    fc.tuple(
      fc.constantFrom(...VARIABLES),
      fc.oneof(
        { weight: 5, arbitrary: level },
        { weight: 5, arbitrary: series },
        { weight: 1, arbitrary: fc.constantFrom(null, undefined) },
      ),
    ),
    { maxLength: 8, size: "max" },
  )
  .map((entries) => Object.fromEntries(entries));

// ---- conditions ---------------------------------------------------------------------------------

const variable = fc.constantFrom(...VARIABLES);
/** Some longer than any series, and than a 32-bit number. */
const window = fc.oneof(
  { weight: 9, arbitrary: fc.integer({ min: 2, max: 5 }) },
  { weight: 1, arbitrary: fc.constantFrom(2 ** 32 + 2, Number.MAX_SAFE_INTEGER) },
);
const comparison: fc.Arbitrary<unknown> = fc.oneof(
  fc.record({
    var: variable,
    op: fc.constantFrom("<", "<=", "≤", ">", ">=", "≥", "=", "!=", "≠"),
    value: level,
  }),
  fc.record({ var: variable, op: fc.constant("between"), value: fc.tuple(level, level) }),
  fc.record({ var: variable, op: fc.constantFrom("rising", "falling"), window }),
);

const condition: fc.Arbitrary<unknown> = fc.letrec<{ tree: unknown }>((tie) => ({
  tree: fc.oneof(
    { maxDepth: 5, withCrossShrink: true },
    { weight: 4, arbitrary: comparison },
    { weight: 1, arbitrary: fc.record({ all: fc.array(tie("tree"), { maxLength: 3 }) }) },
    { weight: 1, arbitrary: fc.record({ any: fc.array(tie("tree"), { maxLength: 3 }) }) },
    { weight: 1, arbitrary: fc.record({ not: tie("tree") }) },
  ),
})).tree;

const ONE = { var: "price", op: ">", value: 0 };

/** A comparison nested this many levels deep. */
export const nested = (levels: number, inside: unknown = ONE): unknown => {
  let tree = inside;
  for (let level = 1; level < levels; level++)
    tree = level % 2 === 0 ? { not: tree } : { all: [tree] };
  return tree;
};

/** This many comparisons. */
export const broad = (many: number): unknown => ({ any: Array.from({ length: many }, () => ONE) });

const circle = (): unknown => {
  const all: unknown[] = [];
  all.push({ all });
  return { all };
};

/** Each level is the same object twice: 2³⁰ paths, and no comparison. */
const doubled = (): unknown => {
  let tree: unknown = { all: [] };
  for (let level = 0; level < MAX_CONDITION_DEPTH - 2; level++) tree = { all: [tree, tree] };
  return tree;
};

/** Each with one fault. */
export const BROKEN_CONDITIONS: readonly (readonly [PlaybookProblem, unknown])[] = [
  ...[
    ...[
      "price > 0",
      7,
      true,
      [],
      [ONE],
      {},
      { op: ">", value: 0 },
      { all: ONE },
      { any: null },
      { not: null },
      { not: [] },
    ],
    ...[
      { all: [ONE, null] },
      { any: [ONE, "price > 0"] },
      { not: 1 },
      { all: [ONE], any: [ONE] },
      { not: ONE, ...ONE },
    ],
    ...[undefined, null, ">>", "==", "Between", "constructor", 1].map((op) => ({ ...ONE, op })),
    ...[undefined, null, "0", true, [0], Number.NaN, Number.POSITIVE_INFINITY].map((value) => ({
      ...ONE,
      value,
    })),
    ...[null, 7, ["price"]].map((name) => ({ ...ONE, var: name })),
    ...[undefined, 1, [], [1], [1, 2, 3], [1, null], ["1", "2"], [0, Number.NaN]].map((value) => ({
      ...ONE,
      op: "between",
      value,
    })),
    ...[undefined, null, 1, 0, -2, 2.5, "3", Number.POSITIVE_INFINITY].map((window) => ({
      var: "oi",
      op: "rising",
      window,
    })),
    { var: "oi", op: "falling", value: 3 },
  ].map((given) => ["malformed_condition", given] as const),
  ...[nested(MAX_CONDITION_DEPTH + 1), nested(10_000), circle()].map(
    (given) => ["condition_too_deep", given] as const,
  ),
  ...[broad(MAX_COMPARISONS + 1), broad(100_000), doubled()].map(
    (given) => ["condition_too_large", given] as const,
  ),
];

// ---- playbooks ----------------------------------------------------------------------------------

const orNothing = <T>(arbitrary: fc.Arbitrary<T>, often = 6): fc.Arbitrary<T | null | undefined> =>
  fc.oneof(
    { weight: often, arbitrary },
    { weight: 1, arbitrary: fc.constantFrom(null, undefined) },
  );
const text = fc.string({ unit: "binary", maxLength: 12 });

const trigger: fc.Arbitrary<unknown> = fc.record(
  {
    anomaly_types: orNothing(
      fc.array(fc.constantFrom(...TYPES), { maxLength: 4, size: "max" }),
      20,
    ),
    symbols: orNothing(fc.array(fc.constantFrom(...SYMBOLS, ""), { maxLength: 4, size: "max" }), 2),
    min_severity: orNothing(fc.oneof(severity, severity, fc.constantFrom(-1, 2)), 3),
    conditions: orNothing(condition, 1),
  },
  { requiredKeys: ["anomaly_types"] },
);

const counts = fc
  .oneof(fc.nat({ max: 40 }), fc.constantFrom(0, 1, 8, 9, 10, 11, 200))
  .chain((sample_size) =>
    fc.record({
      success_count: fc.nat({ max: sample_size }),
      sample_size: fc.constant(sample_size),
    }),
  );

const body: fc.Arbitrary<PlaybookBody> = fc
  .tuple(
    fc.record(
      {
        trigger: orNothing(fc.oneof(trigger, fc.constant({})), 12),
        action: orNothing(text),
        direction: orNothing(fc.constantFrom("long", "short", "either")),
      },
      { requiredKeys: ["trigger"] },
    ),
    fc.oneof(
      { weight: 9, arbitrary: counts },
      { weight: 1, arbitrary: fc.constantFrom({}, { sample_size: null }) },
    ),
  )
  .map(([fields, counts]) => ({ ...fields, ...counts }));

/**
 * Bodies with one fault each, bodies that are not JSON, and bodies with fields of the wrong type.
 */
const names = (count: number) => Array.from({ length: count }, (_, i) => `name ${i}`);

export const BROKEN_BODIES: readonly (readonly [PlaybookProblem, object])[] = [
  ...[
    ...[7, {}, ["short"]].flatMap((value) => [{ action: value }, { direction: value }]),
    ...["3", -1, 1.5, Number.NaN, 2 ** 53, [1]].flatMap((value) => [
      { success_count: value },
      { sample_size: value },
    ]),
  ].map((given) => ["malformed_body", given] as const),
  ...[
    ...["funding", 7, true, [], [{ anomaly_types: ["price_spike"] }]],
    ...["price_spike", {}, 7, [null], ["price_spike", 7]].map((anomaly_types) => ({
      anomaly_types,
    })),
    ...["BTC", {}, ["BTC", null]].map((symbols) => ({ anomaly_types: ["price_spike"], symbols })),
    ...["0.5", [0.5], Number.NaN].map((min_severity) => ({
      anomaly_types: ["price_spike"],
      min_severity,
    })),
  ].map((trigger) => ["malformed_trigger", { trigger }] as const),
  ["trigger_too_large", { trigger: { anomaly_types: names(257), symbols: names(256) } }],
  ...BROKEN_CONDITIONS.map(
    ([problem, conditions]) =>
      [problem, { trigger: { anomaly_types: ["price_spike"], conditions } }] as const,
  ),
];

const IDS = 12;
const id = fc.oneof(
  { weight: 20, arbitrary: fc.nat({ max: IDS - 1 }).map((number) => `p_${number}`) },
  { weight: 1, arbitrary: fc.constantFrom("__proto__", "größe", " ") },
);
const state = fc.oneof(
  { weight: 6, arbitrary: fc.constantFrom("ACTIVE", null, undefined) },
  { weight: 1, arbitrary: fc.constantFrom("WEAK", "DORMANT", "ARCHIVE", "active", "") },
);

/** Each problem equally often. */
const brokenBody = fc
  .constantFrom(...PLAYBOOK_PROBLEMS)
  .chain((problem) => fc.constantFrom(...BROKEN_BODIES.filter(([named]) => named === problem)))
  .map(([, fields]) => fields);

const playbook: fc.Arbitrary<Playbook> = fc
  .tuple(
    fc.record({ id, title: orNothing(text), state_lifecycle: state }, { requiredKeys: ["id"] }),
    body,
    fc.oneof({ weight: 12, arbitrary: fc.constant({}) }, { weight: 1, arbitrary: brokenBody }),
  )
  .map(([head, fields, broken]) => ({ ...head, ...fields, ...broken }) as Playbook);

/** The same from a store, with plain text and other JSON among the bodies. */
const row: fc.Arbitrary<PlaybookRow> = fc.record(
  {
    id,
    content_title: orNothing(text),
    content_body: fc.oneof(
      {
        weight: 6,
        arbitrary: fc
          .tuple(body, text)
          .map(([fields, text]) =>
            JSON.stringify({ text, ...fields, last_applied: "2026-02-01T00:00:00.000Z" }),
          ),
      },
      {
        weight: 1,
        arbitrary: fc.constantFrom(null, "", "Fade it.", "{", "[]", "null", "7", '"{}"', "{}"),
      },
    ),
    state_lifecycle: state,
  },
  { requiredKeys: ["id", "content_body"] },
);

/** A playbook in either form. */
export const given: fc.Arbitrary<Playbook | PlaybookRow> = fc.oneof(
  { weight: 4, arbitrary: playbook },
  { weight: 1, arbitrary: row },
);

export const events: fc.Arbitrary<AnomalyEvent[]> = fc.array(event, { maxLength: 6, size: "max" });

/** A step of a book's life. */
export type Step =
  | { kind: "add"; playbooks: (Playbook | PlaybookRow)[] }
  | { kind: "remove"; ids: string[] }
  | { kind: "match"; events: AnomalyEvent[]; snapshot: MarketSnapshot | undefined };

const adding = fc.record({
  kind: fc.constant("add" as const),
  playbooks: fc.array(given, { minLength: 1, maxLength: 10, size: "max" }),
});
const removing = fc.record({
  kind: fc.constant("remove" as const),
  ids: fc.array(id, { maxLength: 4 }),
});
const matching = fc.record({
  kind: fc.constant("match" as const),
  events,
  snapshot: fc.option(snapshot, { nil: undefined, freq: 6 }),
});

export const life: fc.Arbitrary<Step[]> = fc
  .tuple(
    fc.option(adding, { freq: 20 }),
    fc.array(
      fc.oneof(
        { weight: 2, arbitrary: adding },
        { weight: 1, arbitrary: removing },
        { weight: 5, arbitrary: matching },
      ),
      { maxLength: 8, size: "max" },
    ),
  )
  .map(([first, rest]) => (first === null ? rest : [first, ...rest]));

// ---- feedback -----------------------------------------------------------------------------------

/** The arguments of an outcome. */
export const outcome: fc.Arbitrary<[PlaybookRecord, boolean, Date | number]> = fc.tuple(
  fc
    .tuple(
      counts,
      fc.oneof(fc.constantFrom(30, 52.5, 180, 365), fc.double({ min: 1, max: 400, noNaN: true })),
      orNothing(fc.oneof(fc.constantFrom(0, 0.5, 1), fc.double({ min: 0, max: 1, noNaN: true }))),
    )
    .map(([counted, stability, difficulty]) => ({ ...counted, stability, difficulty })),
  fc.boolean(),
  instant,
);
