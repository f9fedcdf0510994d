// Valid inputs of every form that the functions must agree on, for fast-check, and a plain seeded
// generator of ranking batches for the long runs. Refused inputs are tested with the package.

import fc from "fast-check";
import {
  type DecayInput,
  type GraphMetrics,
  INTENT_STRINGS,
  type Instant,
  type IntentOptions,
  type MemoryRow,
  type MergeOptions,
  type MergeRow,
  type RerankingWeights,
  type ScoredNode,
  SECTION_PROFILES,
} from "../../../js/reference/index.ts";
import { makeRandom, NOW, pick, SUBTYPES } from "../../../js/reference/inputs.ts";

const MS_PER_DAY = 86_400_000;

/** So far ahead that exp still gives a finite recency. */
const FUTURE_DAYS = 20_000;

/** The earliest instant of a Date, in milliseconds. */
const EARLIEST = -8.64e15;

/** One ranking call, with all of its arguments. */
export interface Batch {
  candidates: ScoredNode[];
  metrics: GraphMetrics;
  weights: RerankingWeights | undefined;
  now: Instant;
  limit: number;
}

const UNKNOWN_SUBTYPES: readonly (string | null | undefined)[] = [
  undefined,
  null,
  "",
  "lesson",
  "custom:LESSON",
  "custom:lesson ",
  "custom:unheard_of",
  "custom:größe",
  "constructor",
  "__proto__",
];
const ALL_SUBTYPES: readonly (string | null | undefined)[] = [...SUBTYPES, ...UNKNOWN_SUBTYPES];

/** Values that tie, vanish or overwhelm. No value is negative. */
const EDGE_SCORES: readonly number[] = [
  0,
  -0,
  5e-324,
  2.2250738585072014e-308,
  1e-9,
  0.1,
  0.2,
  0.25,
  0.30000000000000004,
  0.5,
  1,
  1 + Number.EPSILON,
  12.5,
  1e300,
];
const EDGE_COUNTS: readonly number[] = [0, 1, 2, 6, 7, 9, 10, 11, 219, 220, 255, 256, 65_536, 1e6];
const EDGE_AVERAGES: readonly number[] = [0, 5e-324, 1e-3, 0.5, 1, 2, 3.3333, 10, 1e9, 1e300];
const EDGE_DAYS: readonly number[] = [
  0,
  1,
  6,
  7,
  8,
  29,
  30,
  365,
  4095,
  4096,
  30_000,
  -1,
  -7,
  -FUTURE_DAYS,
];

// ---- fast-check: ranking ------------------------------------------------------------------------

const score = fc.oneof(
  fc.constantFrom(undefined, null),
  fc.constantFrom(...EDGE_SCORES),
  fc.double({ min: 0, max: 1, noNaN: true }),
  fc.double({ min: 0, max: 1e300, noNaN: true }),
);
const signedScore = fc.oneof(
  score,
  fc.constantFrom(...EDGE_SCORES.map((value) => -value)),
  fc.double({ min: -1, max: 1, noNaN: true }),
);
const count = fc.oneof(
  fc.constantFrom(...EDGE_COUNTS),
  fc.nat({ max: 40 }),
  fc.nat({ max: 1_000_000 }),
);

/**
 * Milliseconds, with and without a fraction: around whole days before NOW, anywhere, and far off.
 */
const milliseconds = fc.oneof(
  fc
    .tuple(fc.constantFrom(...EDGE_DAYS), fc.constantFrom(-1, -0.5, 0, 0.5, 1))
    .map(([days, off]) => NOW - days * MS_PER_DAY + off),
  fc.integer({ min: NOW - 3000 * MS_PER_DAY, max: NOW + 30 * MS_PER_DAY }),
  fc.constantFrom(EARLIEST, -1, 0),
);

/** A Date or a number; the Date of a fraction drops the fraction. */
export const instant: fc.Arbitrary<Instant> = fc
  .tuple(milliseconds, fc.boolean())
  .map(([ms, asDate]) => (asDate ? new Date(ms) : ms));

export const candidate: fc.Arbitrary<ScoredNode> = fc.record(
  {
    id: fc.oneof(fc.string({ minLength: 1, maxLength: 8, unit: "binary" }), fc.uuid()),
    semantic_score: signedScore,
    bm25_score: score,
    graph_score: score,
    last_accessed: instant,
    created_at: instant,
    access_count: count,
    inbound_edge_count: count,
    subtype: fc.constantFrom(...ALL_SUBTYPES),
  },
  { requiredKeys: ["id", "last_accessed", "created_at", "access_count", "inbound_edge_count"] },
);

/** Candidates, some of them twice, so that there are equal scores whose order matters. */
export const candidates = (maxLength = 60): fc.Arbitrary<ScoredNode[]> =>
  fc
    .tuple(fc.array(candidate, { maxLength }), fc.array(fc.nat(), { maxLength: 6 }))
    .map(([nodes, again]) =>
      nodes.length === 0
        ? nodes
        : [
            ...nodes,
            ...again.map((i, twin) => ({ ...nodes[i % nodes.length]!, id: `twin${twin}` })),
          ],
    );

export const metrics: fc.Arbitrary<GraphMetrics> = fc
  .record({
    total_nodes: fc.nat(),
    total_edges: fc.nat(),
    density: fc.double({ min: 0, max: 1, noNaN: true }),
    avg_inbound_edges: fc.oneof(
      fc.constantFrom(...EDGE_AVERAGES),
      fc.double({ min: 0, max: 50, noNaN: true }),
    ),
    avg_outbound_edges: fc.double({ min: 0, max: 50, noNaN: true }),
  })
  .chain((all) => fc.constantFrom(all, all, all, withoutAverage(all)));

/** A missing average counts as 0. The type asks for it; callers in JavaScript may not know. */
function withoutAverage(all: GraphMetrics): GraphMetrics {
  const { avg_inbound_edges: _, ...rest } = all;
  return rest as GraphMetrics;
}

const weight = fc.oneof(
  fc.constantFrom(0, -0, 0.1, 0.15, 0.2, 1, -0.5),
  fc.double({ min: 0, max: 1, noNaN: true }),
);
export const weights: fc.Arbitrary<RerankingWeights> = fc.oneof(
  fc.constantFrom(...Object.values(SECTION_PROFILES).map((profile) => profile.reranking_weights)),
  fc.record({
    semantic: weight,
    keyword: weight,
    graph: weight,
    recency: weight,
    authority: weight,
    affinity: weight,
  }),
);

export const batch = (maxLength = 60): fc.Arbitrary<Batch> =>
  fc.record({
    candidates: candidates(maxLength),
    metrics,
    weights: fc.option(weights, { nil: undefined }),
    now: fc.constantFrom<Instant>(NOW, new Date(NOW), NOW + 0.5, NOW + MS_PER_DAY),
    limit: fc.oneof(fc.nat({ max: 25 }), fc.constantFrom(1, 20, 64, 65, 1000)),
  });

// ---- fast-check: decay --------------------------------------------------------------------------

/** Columns of one length; stability down to 0 and below. */
export const decayInput: fc.Arbitrary<DecayInput> = fc
  .array(
    fc.tuple(
      milliseconds,
      fc.oneof(
        fc.constantFrom(0, -0, -1, 5e-324, 0.5, 1, 2, 14, 60, 120, 365, 1e300),
        fc.double({ min: 0, max: 365, noNaN: true }),
      ),
      fc.nat({ max: 3 }),
    ),
    { maxLength: 200 },
  )
  .map((rows) => ({
    lastAccessed: Float64Array.from(rows, ([ms]) => ms),
    stability: Float64Array.from(rows, ([, days]) => days),
    section: Uint8Array.from(rows, ([, , code]) => code),
  }));

// ---- fast-check: intent -------------------------------------------------------------------------

const ALL_STRINGS = Object.values(INTENT_STRINGS).flat();

const ODD_TEXT = [
  "’",
  "‘",
  "ʼ",
  "＇",
  "'",
  "\t",
  "\n \u00a0",
  "\u3000",
  "\ufeff",
  "_",
  "-",
  "9",
  "é",
  "e\u0301",
  "\u200d",
  "𝒶",
  "🚀",
  "Σ",
  "ΛΟΓΟΣ",
  "İ",
  "ẞ",
  "\u212a", // the Kelvin sign, lower case k
  "ſ",
  "ﬁ",
  "\ud83d",
  "\ude80",
  "\0",
];

/**
 * A string of the table in some disguise: letter case, white space, apostrophes, parts of a word.
 */
const keyword = fc
  .tuple(fc.constantFrom(...ALL_STRINGS), fc.nat({ max: 6 }), fc.constantFrom(...ODD_TEXT))
  .map(([string, disguise, odd]) => {
    if (disguise === 0) return string.toUpperCase();
    if (disguise === 1) return string.replace(/ /g, " \t ");
    if (disguise === 2) return string.replace(/'/g, "’");
    if (disguise === 3) return `${odd}${string}`;
    if (disguise === 4) return `${string}${odd}`;
    if (disguise === 5) return string.slice(0, -1);
    return string;
  });

export const query: fc.Arbitrary<string> = fc.oneof(
  fc.string({ maxLength: 80 }),
  fc.string({ maxLength: 40, unit: "binary" }),
  fc
    .array(
      fc.oneof(
        { weight: 3, arbitrary: keyword },
        {
          weight: 2,
          arbitrary: fc.constantFrom("BTC", "funding", "the", "de", "s", "deliver", "ruler"),
        },
        { weight: 1, arbitrary: fc.constantFrom(...ODD_TEXT) },
      ),
      { maxLength: 12 },
    )
    .chain((parts) => fc.constantFrom("", " ", "  ", "\n").map((glue) => parts.join(glue))),
);

/** The user's own strings, in any letter case; some contain others. */
const ownStrings = fc.uniqueArray(
  fc.oneof(
    keyword,
    fc.constantFrom(
      "a",
      "aa",
      "aaa",
      "b a",
      "c++",
      "ÄRGER",
      "Λόγος",
      "it's",
      "İ",
      "🚀 moon",
      "go go",
    ),
    fc.string({ minLength: 1, maxLength: 6, unit: "grapheme" }),
  ),
  { maxLength: 8, selector: (string) => string.toLowerCase() },
);

export const intentOptions: fc.Arbitrary<IntentOptions> = fc.record(
  {
    matcher: fc.constantFrom("substring" as const, "words" as const),
    explain: fc.boolean(),
    strings: fc.record(
      {
        SIGNALS: ownStrings,
        EPISODIC: ownStrings,
        KNOWLEDGE: ownStrings,
        PROCEDURAL: ownStrings,
      },
      { requiredKeys: [] },
    ),
  },
  { requiredKeys: [] },
);

// ---- fast-check: merge --------------------------------------------------------------------------

const mergeScore = fc.oneof(
  fc.double({ min: 0, max: 1, noNaN: true }),
  fc.constantFrom(0, -0, 0.4, 0.5, 1, 1.3, -0.5, -1, 1e308, 5e-324),
  fc.constantFrom<unknown>(
    Number.NaN,
    Number.POSITIVE_INFINITY,
    Number.NEGATIVE_INFINITY,
    "0.61",
    " 0.5 ",
    "1e-3",
    "-0",
    "",
    " ",
    "abc",
    "NaN",
    "Infinity",
    null,
    undefined,
  ),
);

/** A search row, with an extra field that must survive. */
export type TaggedRow = MergeRow & { row: string };

const mergeRow: fc.Arbitrary<MergeRow> = fc.record(
  {
    id: fc.oneof(
      { weight: 9, arbitrary: fc.nat({ max: 14 }).map((id) => `n_${id}`) },
      { weight: 1, arbitrary: fc.constantFrom(undefined, null, "", "__proto__") },
    ),
    score: mergeScore,
    subtype: fc.constantFrom(...ALL_SUBTYPES),
  },
  { requiredKeys: [] },
);

export const subResults: fc.Arbitrary<[string, TaggedRow[]][]> = fc
  .array(fc.array(mergeRow, { maxLength: 9 }), { maxLength: 5 })
  .map((groups) =>
    groups.map((rows, group) => [
      `sub-query ${group}`,
      rows.map((row, i) => ({ ...row, row: `${group}/${i}` })),
    ]),
  );

export const mergeOptions: fc.Arbitrary<MergeOptions> = fc.record(
  {
    query: fc.oneof(query, fc.constantFrom(undefined, null, "", "what signals and lessons now")),
    sectionsEnabled: fc.boolean(),
    intentBoost: fc.constantFrom(0.8, 1, 1.3, 1.5, 2.25, 1e10),
    relevanceRatio: fc.oneof(
      fc.constantFrom(0, 0.4, 0.7, 1),
      fc.double({ min: 0, max: 1, noNaN: true }),
    ),
    maxResults: fc.constantFrom(1, 2, 3, 5, 20, 1000),
  },
  { requiredKeys: [] },
);

// ---- fast-check: context lines ------------------------------------------------------------------

const text = fc.oneof(
  fc.constantFrom(undefined, null, ""),
  fc.string({ maxLength: 30 }),
  fc.string({ maxLength: 20, unit: "binary" }),
  fc.constantFrom("🚀🚀", "\ud83d", "\ude80 tail", "e\u0301", "line\nbreak", "custom:", "👩‍👩‍👧"),
);

const body = fc.oneof(
  text,
  fc.json(),
  text.map((inner) => JSON.stringify({ text: inner, signals: { symbol: "BTC" } })),
  text.map((inner) => JSON.stringify({ text: inner }, null, 2)),
  fc.constantFrom(
    "{broken",
    "{}",
    ' {"text":"a blank before"}',
    '[{"text":"in a list"}]',
    '{"text":7}',
    '{"text":null}',
    '{"text":""}',
    '{"text":"first","text":"last"}',
    '{"text":"\\ud800 lone"}',
    '{"text":"\\ud83d\\ude80 pair"}',
    '{"text":"\\u0000 nul"}',
    '{"text":"raw\ttab"}',
    '{"text":"trailing",}',
    '{"text":"more"} behind',
    '{"text":"a number too large","n":1e999}',
    '{"text":"deep","d":[[[[[[[[{}]]]]]]]]}',
    '{"TEXT":"another key"}',
    '{"__proto__":{"text":"inherited"}}',
    '\ufeff{"text":"marked"}',
  ),
);

export const memoryRow: fc.Arbitrary<MemoryRow> = fc.record(
  {
    subtype: fc.oneof(fc.constantFrom(...ALL_SUBTYPES), text),
    type: fc.oneof(fc.constantFrom("concept", "episode", "custom:thing", "custom:signal"), text),
    memory_section: fc.constantFrom(undefined, null, "", "SIGNALS", "EPISODIC", "PROCEDURAL"),
    content_title: text,
    content_body: body,
    content_summary: text,
    provenance_created_at: fc.oneof(
      fc.constantFrom(
        undefined,
        null,
        "",
        "2026-01-15T00:00:00.000Z",
        "2026",
        "🚀🚀🚀🚀🚀🚀🚀🚀🚀🚀🚀",
      ),
      text,
    ),
  },
  { requiredKeys: [] },
);

export const memoryRows: fc.Arbitrary<MemoryRow[]> = fc.array(memoryRow, { maxLength: 12 });

export const maxTokens: fc.Arbitrary<number> = fc.oneof(
  fc.constantFrom(0, 10, 12.5, 30, 60, 4000),
  fc.nat({ max: 200 }),
);

// ---- plain and fast -----------------------------------------------------------------------------

/**
 * `count` varied ranking batches from one seed, without shrinking and some hundred times faster
 * than fast-check: mostly a handful of candidates, sometimes hundreds, one in three full of ties.
 */
export function* batches(count: number, seed: number): Generator<Batch> {
  const random = makeRandom(seed);
  for (let i = 0; i < count; i++) yield plainBatch(random);
}

function plainBatch(random: () => number): Batch {
  const ties = random() < 0.33;
  const sizes = random();
  const size = sizes < 0.9 ? random() ** 2 * 24 : sizes < 0.995 ? random() * 120 : random() * 600;
  const now = NOW + Math.floor(random() * 3) * 12_345_678;
  const candidates = Array.from({ length: Math.round(size) }, (_, i) =>
    plainNode(random, i, now, ties),
  );

  const edge = random() < 0.3;
  const average = edge ? pick(random, EDGE_AVERAGES) : random() * 12;
  const metrics = {
    total_nodes: 1000,
    total_edges: 3000,
    density: 0.003,
    avg_inbound_edges: average,
    avg_outbound_edges: 3,
  };
  return {
    candidates,
    metrics: random() < 0.03 ? withoutAverage(metrics) : metrics,
    weights: random() < 0.5 ? undefined : plainWeights(random),
    now: random() < 0.5 ? now : new Date(now),
    limit: random() < 0.5 ? Math.floor(random() * 25) : pick(random, [1, 20, 64, 65, 1000]),
  };
}

function plainNode(random: () => number, i: number, now: number, ties: boolean): ScoredNode {
  const node: ScoredNode = {
    id: `n_${i}`,
    last_accessed: plainInstant(random, now, ties),
    created_at: plainInstant(random, now, ties),
    access_count: plainCount(random, ties),
    inbound_edge_count: plainCount(random, ties),
  };
  const semantic = plainScore(random, ties);
  if (semantic !== undefined) {
    node.semantic_score = random() < 0.1 && semantic !== null ? -semantic : semantic;
  }
  const bm25 = plainScore(random, ties);
  if (bm25 !== undefined) node.bm25_score = bm25;
  const graph = plainScore(random, ties);
  if (graph !== undefined) node.graph_score = graph;
  if (random() < 0.9) node.subtype = pick(random, ALL_SUBTYPES);
  return node;
}

function plainScore(random: () => number, ties: boolean): number | null | undefined {
  const kind = random();
  if (kind < 0.25) return undefined;
  if (kind < 0.3) return null;
  if (ties) return pick(random, [0, 0.25, 0.5, 1]);
  if (kind < 0.4) return pick(random, EDGE_SCORES);
  return kind < 0.8 ? random() : random() * 20;
}

function plainCount(random: () => number, ties: boolean): number {
  if (ties) return pick(random, [0, 1, 10]);
  const kind = random();
  if (kind < 0.2) return pick(random, EDGE_COUNTS);
  return Math.floor(kind < 0.9 ? random() * 40 : random() * 1e6);
}

function plainInstant(random: () => number, now: number, ties: boolean): Instant {
  const kind = random();
  let ms = now - Math.floor(random() ** 2 * 800 * MS_PER_DAY);
  if (ties) ms = now - pick(random, [0, 3, 30]) * MS_PER_DAY;
  else if (kind < 0.15) ms = now - pick(random, EDGE_DAYS) * MS_PER_DAY + pick(random, [-1, 0, 1]);
  else if (kind < 0.18) ms = now + Math.floor(random() * 400 * MS_PER_DAY);
  else if (kind < 0.2) ms = pick(random, [EARLIEST, 0]);
  return random() < 0.5 ? ms : new Date(ms);
}

function plainWeights(random: () => number): RerankingWeights {
  const one = random() < 0.3 ? () => pick(random, [0, 0.1, 0.2, 1]) : random;
  return {
    semantic: one(),
    keyword: one(),
    graph: one(),
    recency: one(),
    authority: one(),
    affinity: one(),
  };
}
