// Shared by the tests of wrong input: values that are wrong everywhere, a check of errors, and
// usual calls that must give right results after every error.

import * as nous from "nous-wasm";
import { afterEach, expect } from "vitest";
import * as reference from "../../../js/reference/index.ts";
import { makeCandidates, makeColumns, makeMetrics, NOW } from "../../../js/reference/inputs.ts";
import { amount } from "../../support/amount.ts";
import { same } from "./same.ts";

export const DAY = 86_400_000;
export const { POSITIVE_INFINITY: INFINITY, NEGATIVE_INFINITY } = Number;

/** The functions as JavaScript sees them. */
// biome-ignore lint/suspicious/noExplicitAny: what types forbid is what is tested here
export const js = nous as any;

export const metrics = { avg_inbound_edges: 2 };
export const node = (changes: object = {}) => ({
  id: "the node",
  semantic_score: 0.5,
  bm25_score: 1,
  graph_score: 0.25,
  last_accessed: NOW - DAY,
  created_at: NOW - 9 * DAY,
  access_count: 3,
  inbound_edge_count: 1,
  subtype: "custom:lesson",
  ...changes,
});

export function expectSame(actual: unknown, expected: unknown): void {
  const difference = same(actual, expected);
  if (difference !== null) expect.fail(difference);
}

export function thrownBy(call: () => unknown): unknown {
  try {
    call();
  } catch (error) {
    return error;
  }
  return expect.fail("nothing was thrown");
}

/** Expects the package's error with exactly these details, and a message that names them. */
export function expectRefusal(
  call: () => unknown,
  details: nous.NousErrorDetails,
  code = "invalid_argument",
): void {
  const error = thrownBy(call);
  if (!(error instanceof nous.NousError)) throw error;
  expect(error).toBeInstanceOf(Error);
  expect(error.name).toBe("NousError");
  expect({ code: error.code, ...error.details }).toEqual({ code, ...details });
  expect(error.message).toContain(details.field);
  if (details.index !== undefined) expect(error.message).toContain(`[${details.index}]`);
  if (details.id !== undefined) expect(error.message).toContain(JSON.stringify(details.id));
}

// After every error, and after anything else in a test, the next normal calls must give the right
// results.
export const byDefault = makeCandidates(70, 4);
export const defaultMetrics = makeMetrics(70, 4);
export const defaultColumns = makeColumns(33, 2);
const defaultGroups: [string, reference.MergeRow[]][] = [
  [
    "a",
    byDefault
      .slice(0, 40)
      .map(({ id, semantic_score, subtype }) => ({ id, score: semantic_score, subtype })),
  ],
  [
    "b",
    byDefault
      .slice(20)
      .map(({ id, graph_score, subtype }) => ({ id, score: graph_score, subtype })),
  ],
];
const defaultRows = byDefault.map(({ id, subtype }) => ({
  content_title: id,
  content_body: `{"text":"${id}"}`,
  subtype,
}));
export const QUERY = "which lessons from my trades help right now?";
export const defaultPlaybooks = [
  { id: "all", trigger: { anomaly_types: ["spike", "surge"] }, success_count: 3, sample_size: 4 },
  {
    id: "one",
    trigger: { anomaly_types: ["surge"], symbols: ["btc"], min_severity: 0.5 },
    sample_size: 12,
  },
];
export const defaultEvents = [{ type: "surge", symbol: "BTC", severity: 0.75 }];
export const defaultEpisodes = ["BTC", "eth", "a BTC", "btc", "Eth", "ETH!"].map(
  (content_title, place) => {
    return { id: `${place}`, subtype: "custom:signal", content_title, created_at: NOW - place };
  },
);
type Compared =
  | keyof nous.Engine
  | "matchPlaybooks"
  | "formatPlaybookMatches"
  | "overlap"
  | "estimateTokens";
export const results = (from: Pick<typeof reference, Compared & keyof typeof reference>) => [
  from.rerankWithSectionWeights(byDefault, defaultMetrics, NOW),
  from.rerankTop(byDefault, defaultMetrics, { now: NOW, limit: 7 }),
  from.decayColumns(defaultColumns as nous.DecayColumns & reference.DecayInput, NOW),
  from.classifyIntent(QUERY),
  from.planTurn(QUERY, "decision"),
  from.mergeAndSelect(defaultGroups, { query: QUERY }),
  from.formatContext(defaultRows, 300),
  from.calculateRetrievability(3, 14),
  from.calculateSalience("custom:trade_close", { pnl_pct: -4 }),
  from.modulateStability("custom:trade_close", 0.9),
  from.applyOutcome({ success_count: 3, sample_size: 4, stability: 200 }, false, NOW),
  from.formatPlaybookMatches(from.matchPlaybooks(defaultPlaybooks, defaultEvents)),
  from.groupEpisodes(defaultEpisodes, { now: NOW }),
  from.overlap(QUERY, "Lessons of the last trades"),
  from.estimateTokens(QUERY),
];
export const EXPECTED = results(reference);
export const ours = nous as unknown as Parameters<typeof results>[0];

/** After each test of a file, compares the usual results with those of the reference. */
export const checkDefaultResults = (): void => afterEach(() => expectSame(results(ours), EXPECTED));

/** Values that are not numbers, by their names. */
export const NO_NUMBERS: unknown[] = [
  "0.5",
  "",
  true,
  1n,
  {},
  [],
  [1],
  Symbol("one"),
  () => 1,
  new Number(1),
];

/** An instant later than any `Date`, in milliseconds. */
export const TOO_LATE = 8.64e15 + 2;

/** Invalid instants. */
export const NO_MOMENTS: unknown[] = [
  ...[
    null,
    Number.NaN,
    INFINITY,
    TOO_LATE,
    new Date(Number.NaN),
    "",
    "yesterday",
    "1",
    true,
    1n,
    {},
    [],
  ],
  ...[Symbol("now"), () => NOW],
];

export const MILLIONS = amount(10_000_000, 2_000_000);
/** Repeats a piece: to millions of characters for the named pieces, to a tenth for others. */
export const repeated = (piece: string, long: readonly string[]) =>
  piece.repeat((long.includes(piece) ? MILLIONS : MILLIONS / 10) / piece.length);

/** Functions of a question. */
export const ASKED = [
  "checkDisqualifiers",
  "classifyQueryType",
  "classifyQuery",
  "extractQueryEntities",
  "extractQueryAttribute",
  "decompose",
  "reformulate",
  "understand",
];

/** Names of object members, and names that UTF-8 cannot encode. */
export const ODD_NAMES = ["__proto__", "constructor", "toString", "\ud83d", "\ude80", "\ufffd"];
