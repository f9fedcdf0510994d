// Trades that have ended, read from memories, and the conditions under which they were won more
// often than others, or less. What was known of a trade is numbered here; the module counts and
// tests.

import { type Fields, isFields, isNumber, optionsOf } from "../arguments.ts";
import type { EngineContext } from "../engine-context.ts";
import { invalid, invalidEntry, invalidShape, NousError, show } from "../errors.ts";
import { moduleConstants } from "../generated/constants.ts";
import {
  type Body,
  CLOSE,
  type Episode,
  GENERAL,
  readBody,
  readEpisodes,
  symbolsOf,
  withNumbers,
} from "./episodes.ts";
import type {
  EdgeRow,
  EpisodeRow,
  FindPatternsOptions,
  FoundPatterns,
  LinkRow,
  TestedPattern,
  TradeCondition,
} from "./types.ts";

const ENTRY = "custom:trade_entry";
/**
 * The types of edges that tie a close and its entry, in either direction: the first where there is
 * one, else the second.
 */
const TIES = ["part_of", "relates_to"];

/**
 * Signals that are read as something else, or that may tell how the trade ended, when an entry is
 * written to later.
 */
const NO_CONDITIONS = new Set([
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
]);
/** Ids and instants are no conditions either. */
const NO_CONDITION_ENDS = ["_id", "_at"];
/** A longer text, in UTF-16 units, is prose and no label. */
const LONGEST_LABEL = 64;

/** The direction of a trade. @internal */
export type Direction = "long" | "short";

/** A trade that has ended, as much of it as a finding tells. */
interface Trade {
  id: string;
  direction: Direction | undefined;
}

/** A pattern with what only a plan asks about. @internal */
export interface Finding extends TestedPattern {
  /** What holds for all other trades of the group, and none of these. */
  opposite: TradeCondition[];
  /** The direction of all its trades; none where they differ. */
  direction: Direction | undefined;
  /** Whether its record makes a playbook of it. */
  playable: boolean;
}

/** Whether trades are read from memories of a subtype. @internal */
export const isTrade = (subtype: string): boolean => subtype === CLOSE || subtype === ENTRY;

const isLabel = (value: unknown): value is string =>
  typeof value === "string" && value !== "" && value.length <= LONGEST_LABEL;

const [WEEKDAY, HOURS, FUNDING] = ["weekday", "hours", "funding"] as const;

/** Numbers conditions: bands as the module does, what has a name in the order of first sight. */
class Conditions {
  readonly #known: TradeCondition[] = [WEEKDAY, HOURS, FUNDING].flatMap((kind, place) =>
    moduleConstants.trade_bands[place]!.map((value) => ({ kind, value })),
  );
  readonly #codes = new Map<string, Map<string, number>>();

  of(condition: TradeCondition): number {
    const name = condition.kind === "signal" ? `signal ${condition.field}` : condition.kind;
    let codes = this.#codes.get(name);
    if (codes === undefined) {
      codes = new Map();
      this.#codes.set(name, codes);
    }
    const known = codes.get(condition.value);
    if (known !== undefined) return known;
    codes.set(condition.value, this.#known.length);
    return this.#known.push(condition) - 1;
  }

  at(code: number): TradeCondition {
    return { ...this.#known[code]! };
  }
}

function anomaliesIn({ anomaly_types, anomaly_type }: Fields): string[] {
  return [...(Array.isArray(anomaly_types) ? anomaly_types : []), anomaly_type].filter(isLabel);
}

function directionIn({ side, direction }: Fields): Direction | undefined {
  for (const value of [side, direction]) {
    const name = typeof value === "string" ? value.toLowerCase() : "";
    if (name === "long" || name === "short") return name;
  }
  return undefined;
}

function labelsIn(signals: Fields): TradeCondition[] {
  const labels: TradeCondition[] = [];
  for (const [field, value] of Object.entries(signals)) {
    if (typeof value !== "boolean" && !isLabel(value)) continue;
    if (NO_CONDITIONS.has(field) || NO_CONDITION_ENDS.some((end) => field.endsWith(end))) continue;
    labels.push({ kind: "signal", field, value: String(value) });
  }
  return labels;
}

/**
 * Adds a trade as the module reads it, and tells its direction. A close tells its anomalies,
 * direction and type, where it stands for itself; its other signals know how the trade ended, so
 * that only those of the entry count.
 */
function addTrade(
  numbers: number[],
  conditions: Conditions,
  { episode, signals: close, pnl }: Close,
  entry: Episode<unknown> | undefined,
): Direction | undefined {
  const signals = entry === undefined ? {} : readBody(entry.body).signals;
  const { funding_rate } = signals;
  const before: number[] = [];
  for (const value of anomaliesIn(signals))
    before.push(conditions.of({ kind: "anomaly_type", value }));
  for (const value of anomaliesIn(close))
    before.push(conditions.of({ kind: "anomaly_type", value }));
  const direction = directionIn(signals) ?? directionIn(close);
  if (direction !== undefined) before.push(conditions.of({ kind: "direction", value: direction }));
  const tradeType = [signals.trade_type, close.trade_type].find(isLabel);
  if (tradeType !== undefined) before.push(conditions.of({ kind: "trade_type", value: tradeType }));
  const after = labelsIn(signals).map((label) => conditions.of(label));
  numbers.push(episode.createdAt, pnl, close.outcome === "flat" ? 1 : 0);
  numbers.push(entry?.createdAt ?? Number.NaN, isNumber(funding_rate) ? funding_rate : Number.NaN);
  numbers.push(before.length, after.length);
  // One by one: arguments, as a spread makes them, do not have room for any number.
  for (let place = 0; place < before.length; place++) numbers.push(before[place]!);
  for (let place = 0; place < after.length; place++) numbers.push(after[place]!);
  return direction;
}

/** A close whose end is known. */
interface Close extends Body {
  episode: Episode<unknown>;
  /** In percent. */
  pnl: number;
}

/**
 * The entries that closes are tied to, by the close: of several the earliest, of equally early ones
 * that of the first edge. An edge ties the two whichever of them is its source; edges in both
 * directions are one tie.
 */
function entriesTied(
  episodes: readonly Episode<unknown>[],
  links: readonly Link[],
): Map<string, Episode<unknown>> {
  const byId = new Map<string, Episode<unknown>>();
  for (const episode of episodes) if (episode.subtype === ENTRY) byId.set(episode.id, episode);
  const entries = new Map<string, Episode<unknown>>();
  for (const tie of [...TIES].reverse()) {
    const tied = new Map<string, Episode<unknown>>();
    const add = (close: string, entry: Episode<unknown> | undefined) => {
      if (entry === undefined) return;
      const other = tied.get(close);
      if (other === undefined || entry.createdAt < other.createdAt) tied.set(close, entry);
    };
    for (const { source_id, target_id, type } of links) {
      if (type !== tie) continue;
      add(source_id, byId.get(target_id));
      add(target_id, byId.get(source_id));
    }
    for (const [close, entry] of tied) entries.set(close, entry);
  }
  return entries;
}

/** An edge as it was when it was read. @internal */
export interface Link extends LinkRow {
  /** Of the type `generalizes`, where it was asked for. */
  id: string | null;
}

/** The type of edges that lead from what was learned to its episodes. @internal */
export const GENERALIZES = "generalizes";

/**
 * Reads edges as they are now; where they may have to be strengthened, those of what was learned
 * have ids. @internal
 */
export function readLinks(rows: readonly EdgeRow[], named: boolean): Link[] {
  if (!Array.isArray(rows)) throw invalid("edges", `must be an array, found ${show(rows)}`);
  const links: Link[] = [];
  for (let place = 0; place < rows.length; place++) {
    const row: unknown = rows[place];
    if (!isFields(row)) throw invalidShape("edges", place, row);
    const type = nameIn(place, row, "type", row.type);
    const [source_id, target_id] = [
      nameIn(place, row, "source_id", row.source_id),
      nameIn(place, row, "target_id", row.target_id),
    ];
    const id = named && type === GENERALIZES ? nameIn(place, row, "id", row.id) : null;
    links.push({ id, source_id, target_id, type });
  }
  return links;
}

function nameIn(place: number, row: Fields, field: string, value: unknown): string {
  if (typeof value === "string" && value !== "") return value;
  throw invalidEntry(
    "edges",
    place,
    row,
    field,
    `must be a string that is not empty, found ${show(value)}`,
  );
}

/**
 * Finds what holds for some of the closed trades of the groups that are named, or of all, and tests
 * it. @internal
 */
export function findings(
  context: EngineContext,
  episodes: readonly Episode<unknown>[],
  links: readonly Link[],
  symbols?: ReadonlySet<string>,
): Finding[] {
  const closes = closesIn(episodes);
  const titles = closes.map(({ episode }) => episode.title);
  const named = symbolsOf(context, titles, closes);
  const conditions = new Conditions();
  const entries = entriesTied(episodes, links);
  const codes = new Map<string, number>();
  const trades: Trade[] = [];
  const numbers: number[] = [];
  for (let place = 0; place < closes.length; place++) {
    const symbol = named[place] ?? GENERAL;
    if (symbols !== undefined && !symbols.has(symbol)) continue;
    if (!codes.has(symbol)) codes.set(symbol, codes.size);
    numbers.push(codes.get(symbol)!);
    const close = closes[place]!;
    const { id } = close.episode;
    trades.push({ id, direction: addTrade(numbers, conditions, close, entries.get(id)) });
  }
  const told = withNumbers(context, numbers, (engine) => engine.find_patterns(trades.length));
  return read(told, trades, [...codes.keys()], conditions);
}

/** The closes whose end is known. */
function closesIn(episodes: readonly Episode<unknown>[]): Close[] {
  const closes: Close[] = [];
  for (const episode of episodes) {
    if (episode.subtype !== CLOSE) continue;
    const { text, signals } = readBody(episode.body);
    const { pnl_pct: pnl } = signals;
    if (isNumber(pnl)) closes.push({ episode, text, signals, pnl });
  }
  return closes;
}

/** What the module found, in its order. */
function read(
  told: Float64Array,
  trades: readonly Trade[],
  symbols: readonly string[],
  conditions: Conditions,
): Finding[] {
  const found: Finding[] = [];
  let at = 0;
  const next = () => told[at++]!;
  const take = (many: number) => {
    at += many;
    return told.subarray(at - many, at);
  };
  while (at < told.length) {
    const symbol = symbols[next()]!;
    const [same, opposite] = [next(), next()];
    const named = Array.from(take(same + opposite), (code) => conditions.at(code));
    const [
      n,
      wins,
      rest_n,
      rest_wins,
      rate,
      low,
      high,
      rest_rate,
      lift,
      mean_return_pct,
      p_value,
      q_value,
    ] = take(12);
    const [kept, playable] = [next() === 1, next() === 1];
    const members = Array.from(take(n!), (place) => trades[place]!);
    const { direction } = members[0]!;
    found.push({
      symbol,
      conditions: named.slice(0, same),
      trade_ids: members.map(({ id }) => id),
      ...{ n: n!, wins: wins!, rate: rate!, interval: [low!, high!] },
      ...{ rest_n: rest_n!, rest_wins: rest_wins!, rest_rate: rest_rate! },
      lift: Number.isNaN(lift!) ? null : lift!,
      ...{ mean_return_pct: mean_return_pct!, p_value: p_value!, q_value: q_value!, kept },
      opposite: named.slice(same),
      direction: members.every((trade) => trade.direction === direction) ? direction : undefined,
      playable,
    });
  }
  return found;
}

const KEYS = new Set(["symbols"]);

/** @internal */
export function findPatterns(
  context: EngineContext,
  rows: readonly EpisodeRow[],
  edges: readonly LinkRow[],
  options: FindPatternsOptions | undefined,
): FoundPatterns {
  const { symbols } = optionsOf<FindPatternsOptions>("options", options, KEYS);
  const wanted = symbols == null ? undefined : new Set(namesOf(symbols));
  const episodes = readEpisodes(rows, isTrade);
  const found = findings(context, episodes, readLinks(edges, false), wanted);
  const tested = found.map(({ opposite: _, direction: __, playable: ___, ...pattern }) => pattern);
  return { patterns: tested.filter(({ kept }) => kept), tested };
}

function namesOf(symbols: readonly string[]): string[] {
  if (!Array.isArray(symbols)) throw invalid("symbols", `must be an array, found ${show(symbols)}`);
  return Array.from(symbols as unknown[], (symbol, index) => {
    if (typeof symbol === "string") return symbol;
    const message = `symbols[${index}] must be a string, found ${show(symbol)}`;
    throw new NousError("invalid_argument", message, { field: "symbols", index });
  });
}
