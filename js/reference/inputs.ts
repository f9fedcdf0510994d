// Inputs for benches and tests. Seeded: a seed gives the same input on every machine.

import type { SubResults } from "./merge.ts";
import { makeRandom } from "./random.ts";
import type { GraphMetrics } from "./rerank.ts";
import type { ScoredNode } from "./signals.ts";

export { makeRandom };

const MS_PER_DAY = 86_400_000;

/** The present of all inputs: 2026-02-20T12:00:00Z, in milliseconds. */
export const NOW = Date.UTC(2026, 1, 20, 12);

/** Draws an element of a non-empty list. */
export function pick<T>(random: () => number, from: readonly T[]): T {
  return from[Math.floor(random() * from.length)]!;
}

/** Every subtype of the default table, an unknown subtype, and undefined. */
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

/** The form of generated candidates. */
export interface CandidateOptions {
  /**
   * Instants as Date objects, as a database driver returns them, or as milliseconds. Default
   * `date`.
   */
  instants?: "date" | "ms";
  /**
   * `one`: all objects have all fields, some undefined. `many`: absent fields are left out. Default
   * `one`.
   */
  shapes?: "one" | "many";
}

/** Returns candidates of a search: memories of two years, some without all scores. */
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

/** Returns the metrics of a graph of `nodes` nodes. */
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

/** Words of a trading agent's questions, without any string of the intent table. */
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

/**
 * Returns questions of about `length` characters. About half contain strings of the intent table.
 */
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

/** Questions of traders, of every kind that the classification knows. */
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
 * Returns questions of about `length` characters. Short ones are padded with words, long ones with
 * further questions.
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

/** Returns closed, entered and missed trades with their signals. */
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

/**
 * Returns playbooks for one to three kinds of anomalies each. A quarter of them covers all symbols.
 */
export function makePlaybooks(count: number, seed: number) {
  const random = makeRandom(seed);
  const some = <T>(max: number, one: () => T) =>
    Array.from({ length: 1 + Math.floor(random() * max) }, one);
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

/** Returns anomaly events. */
export function makeEvents(count: number, seed: number) {
  const random = makeRandom(seed);
  return Array.from({ length: count }, () => ({
    type: `kind_${Math.floor(random() * KINDS)}`,
    symbol: pick(random, SYMBOLS).toUpperCase(),
    severity: random(),
  }));
}

/** A result row of a search. */
export interface SearchRow {
  id: string;
  score: number;
  subtype?: string;
  content_title: string;
}

/**
 * Returns the results of `parts` sub-queries, each of `each` rows, best first. About a third of the
 * ids occur in several.
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

/** Nodes as columns, for the decay sweep. */
export interface Columns {
  /** Milliseconds since 1970. */
  lastAccessed: Float64Array;
  /** Days. */
  stability: Float64Array;
  /** Index into the section order EPISODIC, SIGNALS, KNOWLEDGE, PROCEDURAL. */
  section: Uint8Array;
}

/** Returns random nodes as columns. */
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
