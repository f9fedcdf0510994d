// Patterns of many closed trades: the conditions under which they won more often, or less, than the
// others of their group. The statistics of consolidation, in full. Plain on purpose: this is the
// yardstick of the parity tests.

import type { TestedPattern } from "nous-wasm";
import { type Instant, toMs } from "./signals.ts";

export type { TestedPattern } from "nous-wasm";

/** The fields of a memory that concern closed trades. */
export interface EpisodeNode {
  id: string;
  subtype?: string | null | undefined;
  content_title?: string | null | undefined;
  /** JSON with `signals` in it; any other text has none. */
  content_body?: string | null | undefined;
  created_at: Instant;
}

export interface EpisodeEdge {
  source_id: string;
  target_id: string;
  type: string;
}

/** A known fact at the entry of a trade. */
export type Condition =
  | {
      kind: "anomaly_type" | "direction" | "trade_type" | "weekday" | "hours" | "funding";
      value: string;
    }
  /** A signal of the entry, text or boolean, by its name. */
  | { kind: "signal"; field: string; value: string };

/** A trade that has ended. */
export interface ClosedTrade {
  /** The id of the node of the close. */
  id: string;
  /** The group for comparison. */
  symbol: string;
  /** When it was closed, ms since 1970. */
  at: number;
  won: boolean;
  /** In percent, in the direction of the trade. */
  return_pct: number;
  /** Without repetitions. */
  conditions: readonly Condition[];
}

// ---- from memories to trades --------------------------------------------------------------------

const CLOSE = "custom:trade_close";
const ENTRY = "custom:trade_entry";
/**
 * The types of edges that link a close and its entry, in either direction: an edge of the first
 * type wins over one of the second.
 */
const TIES = ["part_of", "relates_to"];

/**
 * Signals of an entry that have another meaning, or that may reveal how the trade ended if the
 * entry is updated later.
 */
const NO_CONDITIONS = [
  ...[
    "symbol",
    "coin",
    "action",
    "side",
    "direction",
    "trade_type",
    "anomaly_type",
    "anomaly_types",
  ],
  ...["status", "outcome", "result", "exit_reason", "won", "profitable"],
];
/** Ids and instants are not conditions either. */
const NO_CONDITION_ENDS = ["_id", "_at"];
/** A longer text, in UTF-16 units, is prose and not a label. */
const LONGEST_LABEL = 64;

const MS_PER_DAY = 86_400_000;
const MS_PER_BAND = 21_600_000;
const HOUR_BANDS = ["00-06", "06-12", "12-18", "18-24"];
const WEEKDAYS = ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"];
/** The weekday of 1 January 1970, a Thursday. */
const FIRST_WEEKDAY = 3;

/** Percent an hour. The base funding rate of perpetuals, 0.01 % for eight hours, is neutral. */
const NEUTRAL_FUNDING = 0.0015;
/** Percent an hour, about five times the neutral rate. */
const EXTREME_FUNDING = 0.006;

type Fields = Readonly<Record<string, unknown>>;

const isFields = (value: unknown): value is Fields =>
  typeof value === "object" && value !== null && !Array.isArray(value);

function signalsOf(node: EpisodeNode | undefined): Fields {
  try {
    const body: unknown = JSON.parse(node?.content_body ?? "");
    if (isFields(body) && isFields(body.signals)) return body.signals;
  } catch {
    // As with a body that has no signals.
  }
  return {};
}

const isNumber = (value: unknown): value is number => Number.isFinite(value);
const isLabel = (value: unknown): value is string =>
  typeof value === "string" && value !== "" && value.length <= LONGEST_LABEL;

function anomaliesIn({ anomaly_types, anomaly_type }: Fields): string[] {
  return [...(Array.isArray(anomaly_types) ? anomaly_types : []), anomaly_type].filter(isLabel);
}

function directionIn({ side, direction }: Fields): string | undefined {
  return [side, direction]
    .filter((value) => typeof value === "string")
    .map((value) => value.toLowerCase())
    .find((value) => value === "long" || value === "short");
}

export function fundingBand(rate: number): string {
  if (rate <= -EXTREME_FUNDING) return "deeply negative";
  if (rate <= -NEUTRAL_FUNDING) return "negative";
  if (rate < NEUTRAL_FUNDING) return "neutral";
  return rate < EXTREME_FUNDING ? "elevated" : "extreme";
}

/** By UTC. */
export function weekdayOf(ms: number): string {
  const day = Math.floor(ms / MS_PER_DAY) + FIRST_WEEKDAY;
  return WEEKDAYS[day - Math.floor(day / WEEKDAYS.length) * WEEKDAYS.length]!;
}

/** By UTC. */
export function hourBandOf(ms: number): string {
  const band = Math.floor((ms - Math.floor(ms / MS_PER_DAY) * MS_PER_DAY) / MS_PER_BAND);
  // A fraction of a millisecond before midnight may be rounded to it.
  return HOUR_BANDS[Math.min(band, HOUR_BANDS.length - 1)]!;
}

function signalConditions(signals: Fields): Condition[] {
  return Object.entries(signals).flatMap(([field, value]): Condition[] => {
    if (NO_CONDITIONS.includes(field) || NO_CONDITION_ENDS.some((end) => field.endsWith(end)))
      return [];
    if (typeof value === "boolean") return [{ kind: "signal", field, value: String(value) }];
    return isLabel(value) ? [{ kind: "signal", field, value }] : [];
  });
}

const keyOf = (condition: Condition): string =>
  JSON.stringify([
    condition.kind,
    condition.kind === "signal" ? condition.field : "",
    condition.value,
  ]);

/**
 * The facts known when the trade began. If the close stands alone, its anomalies, direction and
 * type count; its other signals know how the trade ended, so that only those of the entry count.
 * Hour, weekday and funding are those of the entry.
 */
function conditionsOf(close: Fields, entry: EpisodeNode | undefined): Condition[] {
  const signals = signalsOf(entry);
  const found: Condition[] = [...anomaliesIn(signals), ...anomaliesIn(close)].map((value) => ({
    kind: "anomaly_type",
    value,
  }));
  const direction = directionIn(signals) ?? directionIn(close);
  if (direction !== undefined) found.push({ kind: "direction", value: direction });
  const tradeType = [signals.trade_type, close.trade_type].find(isLabel);
  if (tradeType !== undefined) found.push({ kind: "trade_type", value: tradeType });
  if (entry !== undefined) {
    const at = toMs(entry.created_at);
    found.push({ kind: "weekday", value: weekdayOf(at) }, { kind: "hours", value: hourBandOf(at) });
  }
  const { funding_rate } = signals;
  if (isNumber(funding_rate)) found.push({ kind: "funding", value: fundingBand(funding_rate) });
  found.push(...signalConditions(signals));
  return [...new Map(found.map((condition) => [keyOf(condition), condition])).values()];
}

/**
 * The entry of each close: of several the earliest, of equally early ones that of the first edge.
 * An edge may lead in either direction.
 */
function entriesTied(
  byId: ReadonlyMap<string, EpisodeNode>,
  edges: readonly EpisodeEdge[],
): Map<string, EpisodeNode> {
  const entries = new Map<string, EpisodeNode>();
  for (const tie of TIES) {
    const tied = new Map<string, EpisodeNode>();
    const both = edges
      .filter(({ type }) => type === tie)
      .flatMap(({ source_id, target_id }) => [
        [source_id, byId.get(target_id)] as const,
        [target_id, byId.get(source_id)] as const,
      ]);
    for (const [close, entry] of both) {
      if (entry?.subtype !== ENTRY) continue;
      const other = tied.get(close);
      if (other === undefined || toMs(entry.created_at) < toMs(other.created_at))
        tied.set(close, entry);
    }
    for (const [close, entry] of tied) if (!entries.has(close)) entries.set(close, entry);
  }
  return entries;
}

/**
 * The closed trades of a memory, in the order of its nodes; the first of equal ids counts. A trade
 * without a finite `pnl_pct` has no known result. It won if that is above 0 and it is not marked as
 * flat, like one whose gain went to fees.
 */
export function closedTrades(
  nodes: readonly EpisodeNode[],
  edges: readonly EpisodeEdge[],
  symbolOf: (close: EpisodeNode) => string,
): ClosedTrade[] {
  const byId = new Map<string, EpisodeNode>();
  for (const node of nodes) if (!byId.has(node.id)) byId.set(node.id, node);
  const entries = entriesTied(byId, edges);

  return [...byId.values()].flatMap((node) => {
    if (node.subtype !== CLOSE) return [];
    const signals = signalsOf(node);
    const { pnl_pct, outcome } = signals;
    if (!isNumber(pnl_pct)) return [];
    return [
      {
        id: node.id,
        symbol: symbolOf(node),
        at: toMs(node.created_at),
        won: pnl_pct > 0 && outcome !== "flat",
        return_pct: pnl_pct,
        conditions: conditionsOf(signals, entries.get(node.id)),
      },
    ];
  });
}

// ---- statistics ---------------------------------------------------------------------------------

/** The 97.5 % quantile of the normal distribution. */
const Z = 1.959963984540054;
/** Counts as likely as the observed one, up to rounding, belong to the tail, as in R. */
const AS_LIKELY = 1 + 1e-7;

/** Wilson's score interval at 95 %, for `n` of 1 or more. */
export function wilsonInterval(wins: number, n: number): [low: number, high: number] {
  const middle = (wins + (Z * Z) / 2) / (n + Z * Z);
  const half = (Z * Math.sqrt((wins * (n - wins)) / n + (Z * Z) / 4)) / (n + Z * Z);
  return [Math.max(0, middle - half), Math.min(1, middle + half)];
}

/**
 * The share of a distribution over low, low + 1, … high that is no more likely than `observed`.
 * Weights begin with 1 at `mode` and follow from the ratio of each to the one before, first upwards
 * and then downwards, so that no logarithm is needed, and weights that underflow are negligible.
 * For 5,000 trades this takes 5,000 steps of a few products and a division.
 */
function tailOf(
  observed: number,
  [low, high]: readonly [number, number],
  mode: number,
  ratio: (k: number) => number,
): number {
  const weights: [k: number, weight: number][] = [[mode, 1]];
  for (let k = mode, weight = 1; k < high; k++) {
    weight *= ratio(k);
    weights.push([k + 1, weight]);
  }
  for (let k = mode, weight = 1; k > low; k--) {
    weight /= ratio(k - 1);
    weights.push([k - 1, weight]);
  }

  const likely = weights.find(([k]) => k === observed)![1] * AS_LIKELY;
  let all = 0;
  let tail = 0;
  for (const [, weight] of weights) {
    all += weight;
    if (weight <= likely) tail += weight;
  }
  return tail / all;
}

/**
 * The exact binomial test of `wins` in `n` trades against the rate of the rest, taken as the true
 * rate: two-sided by small p values. The rest has at least one trade.
 */
export function binomialTest(wins: number, n: number, restWins: number, restN: number): number {
  const restLosses = restN - restWins;
  const mode = Math.min(n, Math.floor(((n + 1) * restWins) / restN));
  return tailOf(wins, [0, n], mode, (k) => ((n - k) * restWins) / ((k + 1) * restLosses));
}

/**
 * Fisher's exact test of the same two rates, both treated as observations: two-sided by small p
 * values.
 */
export function fisherTest(wins: number, n: number, restWins: number, restN: number): number {
  const allWins = wins + restWins;
  const allLosses = n + restN - allWins;
  const low = Math.max(0, n - allLosses);
  const high = Math.min(n, allWins);
  const mode = Math.min(
    high,
    Math.max(low, Math.floor(((n + 1) * (allWins + 1)) / (n + restN + 2))),
  );
  return tailOf(
    wins,
    [low, high],
    mode,
    (k) => ((allWins - k) * (n - k)) / ((k + 1) * (allLosses - n + k + 1)),
  );
}

/** A p value above this counts as one of a null condition. */
const LIKELY_NOTHING = 0.5;

/**
 * The estimated number of null conditions among these, at most all of them: p values of null
 * conditions are uniform, so their number is twice the number of p values above one half (Storey,
 * Taylor and Siegmund 2004).
 */
function meaningless(pValues: readonly number[]): number {
  const above = pValues.filter((p) => p > LIKELY_NOTHING).length;
  return Math.min(pValues.length, (above + 1) / (1 - LIKELY_NOTHING));
}

/**
 * q values by Benjamini and Hochberg: the lowest rate of false discoveries at which each would be
 * reported, if `nulls` of the conditions are null. No q value is below its p value: true neighbours
 * do not make chance a worse explanation of one condition.
 */
export function qValues(pValues: readonly number[], nulls = meaningless(pValues)): number[] {
  const m = pValues.length;
  const falling = pValues.map((_, i) => i).sort((a, b) => pValues[b]! - pValues[a]!);
  const q = new Array<number>(m);
  let min = 1;
  falling.forEach((i, place) => {
    min = Math.min(min, (pValues[i]! * nulls) / (m - place));
    q[i] = Math.max(min, pValues[i]!);
  });
  return q;
}

// ---- from trades to patterns --------------------------------------------------------------------

/** The fewest trades on either side of a split. */
const MIN_TRADES = 5;
/** The accepted average share of false patterns among the reported ones. */
export const FALSE_DISCOVERY_RATE = 0.1;

/** Some of a group's trades, by their indexes, and their common conditions. */
interface Split {
  conditions: Condition[];
  places: number[];
}

/**
 * The conditions of a group, with conditions of the very same trades joined, in the order in which
 * they are first seen.
 */
function splitsOf(trades: readonly ClosedTrade[]): Split[] {
  const byCondition = new Map<string, { condition: Condition; places: number[] }>();
  trades.forEach(({ conditions }, place) => {
    for (const condition of conditions) {
      const key = keyOf(condition);
      if (!byCondition.has(key)) byCondition.set(key, { condition, places: [] });
      byCondition.get(key)!.places.push(place);
    }
  });

  const byPlaces = new Map<string, Split>();
  for (const { condition, places } of byCondition.values()) {
    if (places.length < MIN_TRADES || trades.length - places.length < MIN_TRADES) continue;
    const key = places.join();
    if (!byPlaces.has(key)) byPlaces.set(key, { conditions: [], places });
    byPlaces.get(key)!.conditions.push(condition);
  }

  // Longs against shorts and shorts against longs are one question. The smaller side is tested; of
  // equal sides, the first seen.
  const seen = [...byPlaces.keys()];
  return seen.flatMap((key, order) => {
    const split = byPlaces.get(key)!;
    const places = new Set(split.places);
    const others = trades.flatMap((_, place) => (places.has(place) ? [] : [place]));
    const opposite = seen.indexOf(others.join());
    const more = places.size - others.length;
    return opposite === -1 || more < 0 || (more === 0 && order < opposite) ? [split] : [];
  });
}

type Untold = Omit<TestedPattern, "q_value" | "kept">;

function test({ conditions, places }: Split, trades: readonly ClosedTrade[]): Untold {
  const chosen = places.map((place) => trades[place]!);
  const n = chosen.length;
  const wins = chosen.filter(({ won }) => won).length;
  const rest_n = trades.length - n;
  const rest_wins = trades.filter(({ won }) => won).length - wins;
  const rate = wins / n;
  const rest_rate = rest_wins / rest_n;
  return {
    symbol: trades[0]!.symbol,
    conditions,
    trade_ids: chosen.map(({ id }) => id),
    ...{ n, wins, rate, interval: wilsonInterval(wins, n) },
    ...{ rest_n, rest_wins, rest_rate, lift: rest_wins === 0 ? null : rate / rest_rate },
    // Divided first, so that no sum overflows.
    mean_return_pct: chosen.reduce((sum, { return_pct }) => sum + return_pct / n, 0),
    p_value: Math.max(
      binomialTest(wins, n, rest_wins, rest_n),
      fisherTest(wins, n, rest_wins, rest_n),
    ),
  };
}

/**
 * All testable conditions of all groups together, each against the other trades of its group: by
 * group and then by condition, both in the order in which they are first seen as trades were
 * closed.
 *
 * A binomial test alone takes the rate of the others for the true one. If the others are few, it
 * finds false patterns, in a fifth of the memories without any pattern
 * (benches/quality/lessons.ts). So the p value is the larger of that test's and of Fisher's, which
 * treats both rates as observed. This finds fewer patterns, and the estimate of null conditions
 * makes up for it. Each division of a group in two is one test, whatever conditions describe it.
 */
export function findPatterns(trades: readonly ClosedTrade[]): TestedPattern[] {
  const groups = new Map<string, ClosedTrade[]>();
  for (const trade of [...trades].sort((a, b) => a.at - b.at)) {
    if (!groups.has(trade.symbol)) groups.set(trade.symbol, []);
    groups.get(trade.symbol)!.push(trade);
  }
  const tested = [...groups.values()].flatMap((group) =>
    splitsOf(group).map((split) => test(split, group)),
  );
  const q = qValues(tested.map(({ p_value }) => p_value));
  return tested.map((pattern, i) => ({
    ...pattern,
    q_value: q[i]!,
    kept: q[i]! <= FALSE_DISCOVERY_RATE,
  }));
}
