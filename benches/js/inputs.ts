// Inputs for benches and tests: seeded, so that the same seed gives the same input on every
// machine.

import type { SubResults } from "../../tests/reference/merge.ts";
import type { GraphMetrics } from "../../tests/reference/rerank.ts";
import type { ScoredNode } from "../../tests/reference/signals.ts";

const MS_PER_DAY = 86_400_000;

/** The moment that all inputs are made for: 2026-02-20T12:00:00Z, in milliseconds. */
export const NOW = Date.UTC(2026, 1, 20, 12);

/** Uniform numbers in [0, 1): mulberry32. */
export function makeRandom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** One element of a list that is not empty. */
export function pick<T>(random: () => number, from: readonly T[]): T {
  return from[Math.floor(random() * from.length)]!;
}

/** Every subtype of the default table, an unknown one, and none. */
export const SUBTYPES: readonly (string | undefined)[] = [
  "custom:trade_entry",
  "custom:trade_close",
  "custom:trade_modify",
  "custom:trade",
  "custom:turn_summary",
  "custom:session_summary",
  "custom:market_event",
  "custom:signal",
  "custom:watchpoint",
  "custom:lesson",
  "custom:thesis",
  "custom:curiosity",
  "custom:playbook",
  "custom:missed_opportunity",
  "custom:good_pass",
  "custom:preference",
  undefined,
];

export interface CandidateOptions {
  /** Instants as Date objects (default), as a driver hands them out, or as milliseconds. */
  instants?: "date" | "ms";
  /**
   * Objects of one shape, absent fields undefined (default), or with the absent fields left out.
   */
  shapes?: "one" | "many";
}

/** Candidates as a search hands them over: two years of memories, scores partly absent. */
export function makeCandidates(
  count: number,
  seed: number,
  { instants = "date", shapes = "one" }: CandidateOptions = {},
): ScoredNode[] {
  const random = makeRandom(seed);
  const instant = (ms: number) => (instants === "date" ? new Date(ms) : ms);
  return Array.from({ length: count }, (_, i) => {
    const created = NOW - Math.floor(random() ** 2 * 730 * MS_PER_DAY);
    const accessed = created + Math.floor(random() * (NOW - created));
    const semantic = random() < 0.8 ? random() * 1.1 - 0.1 : undefined;
    const bm25 = random() < 0.45 ? random() * 14 : undefined;
    const graph = random() < 0.6 ? random() : undefined;
    const node: ScoredNode = {
      id: `node_${seed}_${i}`,
      semantic_score: semantic,
      bm25_score: bm25,
      graph_score: graph,
      last_accessed: instant(accessed),
      created_at: instant(created),
      access_count: Math.floor(random() ** 3 * 60),
      inbound_edge_count: Math.floor(random() ** 3 * 24),
      subtype: pick(random, SUBTYPES),
    };
    if (shapes === "many") {
      if (semantic === undefined) delete node.semantic_score;
      if (bm25 === undefined) delete node.bm25_score;
      if (graph === undefined) delete node.graph_score;
      if (node.subtype === undefined) delete node.subtype;
    }
    return node;
  });
}

/** Measures of a graph of `nodes` nodes. */
export function makeMetrics(nodes: number, seed: number): GraphMetrics {
  const random = makeRandom(seed);
  const average = 1 + random() * 5;
  const edges = Math.round(nodes * average);
  return {
    total_nodes: nodes,
    total_edges: edges,
    density: nodes > 1 ? edges / (nodes * (nodes - 1)) : 0,
    avg_inbound_edges: average,
    avg_outbound_edges: average,
  };
}

/** Pieces of a trading agent's questions, without any string of the intent table. */
const NEUTRAL_WORDS =
  "BTC ETH SOL DOGE the a and of to on for with from funding rate open interest liquidation cascade \
momentum breakout volatility ETF flows basis spread weekend support resistance range squeeze leverage size \
stop target macro CPI Fed calendar orderbook depth bid ask book whale wallet staking yield bridge gas fees \
show me tell about before after between January March 2026 24h 4h 15m hourly daily please maybe should \
compare against versus status market maker venue Binance spot perp futures options skew gamma".split(
    " ",
  );

const KEYWORD_PHRASES = [
  "what signals are firing",
  "right now",
  "any active signal",
  "my trade",
  "when did I",
  "what happened",
  "my short",
  "the pnl",
  "last week",
  "lessons learned",
  "what do I know",
  "my thesis",
  "why does",
  "the pattern",
  "which playbook",
  "my process",
  "steps for",
  "when I see",
  "the entry",
  "current drawdown",
] as const;

/** Questions of about `length` characters; about half hold strings of the intent table. */
export function makeQueries(length: number, count: number, seed: number): string[] {
  const random = makeRandom(seed);
  return Array.from({ length: count }, () => {
    const share = random() < 0.5 ? 0 : 0.15;
    let query = "";
    while (query.length < length) {
      const next = random() < share ? pick(random, KEYWORD_PHRASES) : pick(random, NEUTRAL_WORDS);
      query += query === "" ? next.charAt(0).toUpperCase() + next.slice(1) : ` ${next}`;
    }
    return `${query.slice(0, Math.max(length - 1, 0)).trimEnd()}?`;
  });
}

/** Questions as traders ask them, of every kind that classification tells apart. */
const QUESTIONS = [
  "What's my BTC thesis and how did my last SOL trade go?",
  "Which signals are firing on SOL right now?",
  "What is funding rate's entry price?",
  "show me my playbook for extreme funding",
  "who is watching the ETH perp book?",
  "how does open interest relate to liquidations",
  "anything I never closed on DOGE without a stop?",
  "what happened to AVAX in September",
  "what lessons have I learned about chasing breakouts",
  "ideas for trading the unlock, similar to last time",
];

/**
 * Questions of about so many characters: shorter ones are followed by words, longer ones by further
 * questions.
 */
export function makeQuestions(length: number, count: number, seed: number): string[] {
  const random = makeRandom(seed);
  return Array.from({ length: count }, (_, place) => {
    let question = QUESTIONS[place % QUESTIONS.length]!;
    while (question.length < length)
      question += ` ${pick(random, random() < 0.9 ? NEUTRAL_WORDS : KEYWORD_PHRASES)}`;
    return question.slice(0, length).trimEnd();
  });
}

/** Closed, entered and missed trades, with their figures. */
export function makeStakes(count: number, seed: number) {
  const random = makeRandom(seed);
  const subtypes = [
    "custom:trade_close",
    "custom:trade_entry",
    "custom:trade_modify",
    "custom:missed_opportunity",
  ];
  return Array.from({ length: count }, () => ({
    subtype: pick(random, subtypes),
    signals: { pnl_pct: random() * 24 - 12, confidence: random(), rr_ratio: random() * 4 },
  }));
}

const KINDS = 1_000;
const SYMBOLS = ["btc", "eth", "sol", "doge", "arb", "op", "avax", "link", "uni", "sui"];

/** Playbooks for one to three kinds of anomalies each; a quarter of them is for all symbols. */
export function makePlaybooks(count: number, seed: number) {
  const random = makeRandom(seed);
  const some = <T>(most: number, one: () => T) =>
    Array.from({ length: 1 + Math.floor(random() * most) }, one);
  return Array.from({ length: count }, (_, place) => {
    const samples = Math.floor(random() * 30);
    return {
      id: `p_${place}`,
      title: `Playbook ${place}`,
      action: "fade the move",
      direction: pick(random, ["long", "short", "either"]),
      success_count: Math.floor(random() * (samples + 1)),
      sample_size: samples,
      trigger: {
        anomaly_types: some(3, () => `kind_${Math.floor(random() * KINDS)}`),
        symbols: random() < 0.25 ? null : some(3, () => pick(random, SYMBOLS)),
        min_severity: random() * 0.8,
      },
    };
  });
}

export function makeEvents(count: number, seed: number) {
  const random = makeRandom(seed);
  return Array.from({ length: count }, () => ({
    type: `kind_${Math.floor(random() * KINDS)}`,
    symbol: pick(random, SYMBOLS).toUpperCase(),
    severity: random(),
  }));
}

/** A row that a search answers with. */
export interface SearchRow {
  id: string;
  score: number;
  subtype?: string;
  content_title: string;
}

/**
 * Results of `parts` sub-queries, `each` rows, best first; about a third of the ids are in several.
 */
export function makeSubResults(
  parts: number,
  each: number,
  seed: number,
): Map<string, SearchRow[]> & SubResults<SearchRow> {
  const random = makeRandom(seed);
  const ids = Math.max(Math.ceil(parts * each * 0.7), 1);
  const results = new Map<string, SearchRow[]>();
  for (let part = 0; part < parts; part++) {
    const seen = new Set<number>();
    const rows: SearchRow[] = [];
    while (rows.length < each && seen.size < ids) {
      const id = Math.floor(random() * ids);
      if (seen.has(id)) continue;
      seen.add(id);
      const row: SearchRow = { id: `node_${id}`, score: random(), content_title: `Memory ${id}` };
      const subtype = SUBTYPES[id % SUBTYPES.length];
      if (subtype !== undefined) row.subtype = subtype;
      rows.push(row);
    }
    rows.sort((a, b) => b.score - a.score);
    results.set(`sub-query ${part}`, rows);
  }
  return results;
}

/** Stored nodes as columns, for the decay sweep. */
export interface Columns {
  /** Milliseconds since 1970. */
  lastAccessed: Float64Array;
  /** Days. */
  stability: Float64Array;
  /** Index into the section order EPISODIC, SIGNALS, KNOWLEDGE, PROCEDURAL. */
  section: Uint8Array;
}

export function makeColumns(count: number, seed: number): Columns {
  const random = makeRandom(seed);
  const columns: Columns = {
    lastAccessed: new Float64Array(count),
    stability: new Float64Array(count),
    section: new Uint8Array(count),
  };
  for (let i = 0; i < count; i++) {
    columns.lastAccessed[i] = NOW - Math.floor(random() ** 2 * 400 * MS_PER_DAY);
    columns.stability[i] = 2 + random() ** 2 * 363;
    columns.section[i] = Math.floor(random() * 4);
  }
  return columns;
}
