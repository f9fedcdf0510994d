// Patterns: reads closed trades from memories, and finds the conditions under which they were
// profitable more or less often. Conditions are numbered here. The module counts and tests.

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
 * Types of the edges between a close and its entry, in either direction. The second type is used
 * only if there is no edge of the first.
 */
const TIES = ["part_of", "relates_to"];

/**
 * Signals that are no conditions: they are read elsewhere, or they may reveal the outcome of the
 * trade if the entry is updated later.
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
/** The most UTF-16 units of a label. Longer texts are prose. */
const LONGEST_LABEL = 64;

/** The direction of a trade. @internal */
export type Direction = "long" | "short";

/** The fields of a closed trade that a finding contains. */
interface Trade {
  id: string;
  direction: Direction | undefined;
}

/** A pattern with the fields that only a plan reads. @internal */
export interface Finding extends TestedPattern {
  /** Conditions that hold for all other trades of the group, and for none of these. */
  opposite: TradeCondition[];
  /** The direction of all its trades; undefined if they differ. */
  direction: Direction | undefined;
  /** Whether its record is good enough for a playbook. */
  playable: boolean;
}

/** Returns whether trades are read from memories of a subtype. @internal */
export const isTrade = (subtype: string): boolean => subtype === CLOSE || subtype === ENTRY;

const isLabel = (value: unknown): value is string =>
  typeof value === "string" && value !== "" && value.length <= LONGEST_LABEL;

const [WEEKDAY, HOURS, FUNDING] = ["weekday", "hours", "funding"] as const;

/**
 * Numbers conditions: bands as the module numbers them, then the others in the order of their first
 * appearance.
 */
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
 * Adds a trade in the module's format, and returns its direction. If a close has no entry, its own
 * anomalies, direction and type are read. Its other signals may reveal the outcome, so only those
 * of the entry count.
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
  // One by one, because a spread passes arguments, whose number is limited.
  for (let place = 0; place < before.length; place++) numbers.push(before[place]!);
  for (let place = 0; place < after.length; place++) numbers.push(after[place]!);
  return direction;
}

/** A close with a known result. */
interface Close extends Body {
  episode: Episode<unknown>;
  /** The result in percent. */
  pnl: number;
}

/**
 * Returns the entry of each close, by the id of the close. If a close has several entries, the
 * earliest counts; if those are equally early, the one of the first edge. The direction of an edge
 * does not matter.
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

/** A copy of an edge. @internal */
export interface Link extends LinkRow {
  /** Id of an edge of type `generalizes`, if `readLinks` was asked for it; else null. */
  id: string | null;
}

/** Type of the edges from lessons and playbooks to their episodes. @internal */
export const GENERALIZES = "generalizes";

/**
 * Copies and checks edges. With `named`, edges of type `generalizes` must have an id, because they
 * may have to be strengthened. @internal
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
 * Finds and tests the conditions of the closed trades, in the groups of `symbols`, or in all.
 * @internal
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
  const answer = withNumbers(context, numbers, (engine) => engine.find_patterns(trades.length));
  return read(answer, trades, [...codes.keys()], conditions);
}

/** Returns the closes with a known result. */
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

/** Reads the module's findings, in their order. */
function read(
  answer: Float64Array,
  trades: readonly Trade[],
  symbols: readonly string[],
  conditions: Conditions,
): Finding[] {
  const found: Finding[] = [];
  let at = 0;
  const next = () => answer[at++]!;
  const take = (many: number) => {
    at += many;
    return answer.subarray(at - many, at);
  };
  while (at < answer.length) {
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
