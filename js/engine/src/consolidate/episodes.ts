// Episodes: reads rows of a store, finds their symbols, selects those that are due for review, and
// groups them.

import { type Fields, isFields, optionsOf, presentOf } from "../arguments.ts";
import type { EngineContext } from "../engine-context.ts";
import {
  invalid,
  invalidEntry,
  invalidShape,
  type NousError,
  problemWith,
  show,
} from "../errors.ts";
import { moduleConstants } from "../generated/constants.ts";
import {
  EPISODE,
  EPISODE_CREATED_AT,
  EPISODE_KIND,
  GROUP,
  GROUP_SIZE,
  GROUP_SYMBOL,
} from "../generated/layout.ts";
import { toMilliseconds } from "../instant.ts";
import { maxBytes, writeText } from "../text.ts";
import type { EpisodeGroup, EpisodeRow, GroupEpisodesOptions, MemoryText } from "./types.ts";

/** Name of the group of episodes without a symbol. @internal */
export const GENERAL = "_general";

/** Subtype of a closed trade. @internal */
export const CLOSE = "custom:trade_close";

/** The contents of a body. @internal */
export interface Body {
  /** The text of a JSON body, "" if it has none; else the body itself. */
  text: string;
  /** The signals of a JSON body; empty if it has none. */
  signals: Fields;
}

/** A copy of an episode's fields. @internal */
export interface Episode<Row = EpisodeRow> {
  row: Row;
  id: string;
  subtype: string;
  active: boolean;
  createdAt: number;
  title: string;
  body: string;
}

/**
 * First characters of JSON. The check is cheaper than an exception for every text that is no JSON.
 */
const MAY_BE_JSON = /^[ \t\n\r]*[[{"\d\-tfn]/;

/** @internal */
export function readBody(body: string): Body {
  const value = MAY_BE_JSON.test(body) ? parsed(body) : undefined;
  if (value === undefined) return { text: body, signals: {} };
  const { text, signals } = isFields(value) ? value : ({} as Fields);
  return { text: typeof text === "string" ? text : "", signals: isFields(signals) ? signals : {} };
}

/** Returns parsed JSON; undefined for text that is no JSON. @internal */
export function parsed(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch (error) {
    // A stack overflow says nothing about the text.
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

/** Returns the symbol in the signals, in capitals. */
function symbolOfSignals({ symbol, coin }: Fields): string | undefined {
  const named = [symbol, coin].find((name) => typeof name === "string" && name !== "");
  return (named as string | undefined)?.toUpperCase();
}

/**
 * Returns the symbol of each memory, by its signals, title and text; null if it has none. @internal
 */
export function symbolsOf(
  context: EngineContext,
  titles: readonly string[],
  bodies: readonly Body[],
): (string | null)[] {
  const symbols = bodies.map(({ signals }) => symbolOfSignals(signals) ?? null);
  // Most titles name a symbol, so most texts need not be passed to the module.
  for (const texts of [titles, bodies.map(({ text }) => text)]) {
    const open = symbols.flatMap((symbol, place) =>
      symbol === null && texts[place] !== "" ? [place] : [],
    );
    const found = firstSymbols(
      context,
      open.map((place) => texts[place]!),
    );
    for (const [at, place] of open.entries()) symbols[place] = found[at]!;
  }
  return symbols;
}

/** Room for the texts of one call, in bytes. A longer text is passed alone. */
const MAX_ROOM = 2 ** 20;

/** Returns the first known symbol of each text, in capitals. */
function firstSymbols(context: EngineContext, texts: readonly string[]): (string | null)[] {
  const found: (string | null)[] = [];
  while (found.length < texts.length) {
    const from = found.length;
    let [to, room] = [from, 0];
    do room += maxBytes(texts[to++]!.length);
    while (to < texts.length && room + maxBytes(texts[to]!.length) <= MAX_ROOM);
    const lease = context.pool.acquire();
    try {
      lease.reserve(to - from, 0, room);
      const { numbers, bytes, numbersAt, bytesAt } = lease;
      let at = bytesAt;
      for (let place = from; place < to; place++) {
        const length = writeText(texts[place]!, bytes, at);
        numbers[numbersAt + place - from] = length;
        at += length;
      }
      lease.engine.first_symbols(to - from);
      lease.revalidateViews();
      for (let place = from; place < to; place++) {
        const symbol = context.knownSymbols[lease.numbers[lease.numbersAt + place - from]!];
        found.push(symbol?.toUpperCase() ?? null);
      }
    } finally {
      context.pool.release(lease);
    }
  }
  return found;
}

/** @internal */
export function extractSymbol(context: EngineContext, node: MemoryText): string | null {
  if (!isFields(node)) throw invalid("node", `must be an object, found ${show(node)}`);
  const text = (field: keyof MemoryText) => {
    const value: unknown = node[field] ?? "";
    if (typeof value === "string") return value;
    throw invalid(field, `must be a string, found ${show(value)}`);
  };
  const [title, body] = [text("content_title"), text("content_body")];
  return symbolsOf(context, [title], [readBody(body)])[0]!;
}

/**
 * Copies and checks the rows of the wanted subtypes, in their order. Of several rows with one id
 * the first counts. @internal
 */
export function readEpisodes<Row extends EpisodeRow>(
  rows: readonly Row[],
  wanted: (subtype: string) => boolean,
): Episode<Row>[] {
  if (!Array.isArray(rows)) throw invalid("episodes", `must be an array, found ${show(rows)}`);
  const episodes: Episode<Row>[] = [];
  const seen = new Set<string>();
  for (let place = 0; place < rows.length; place++) {
    const row: Row = rows[place];
    if (!isFields(row)) throw invalidShape("episodes", place, row);
    const id: unknown = row.id;
    if (typeof id !== "string" || id === "")
      throw wrong(place, row, "id", "a string that is not empty", id);
    const subtype = textIn(place, row, "subtype", row.subtype);
    const isNew = seen.size < seen.add(id).size;
    if (!isNew || !wanted(subtype)) continue;
    const state = textIn(place, row, "state_lifecycle", row.state_lifecycle);
    episodes.push({
      row,
      id,
      subtype,
      active: state === "" || state === "ACTIVE",
      createdAt: creationOf(place, row),
      title: textIn(place, row, "content_title", row.content_title),
      body: textIn(place, row, "content_body", row.content_body),
    });
  }
  return episodes;
}

const wrong = (
  place: number,
  row: unknown,
  field: string,
  wanted: string,
  found: unknown,
): NousError =>
  invalidEntry("episodes", place, row, field, problemWith(`must be ${wanted}`, found));

/** Returns "" for a missing text. */
function textIn(place: number, row: unknown, field: keyof EpisodeRow, value: unknown): string {
  if (typeof value === "string") return value;
  if (value === undefined || value === null) return "";
  throw wrong(place, row, field, "a string", value);
}

/** The largest distance from 1970 that a `Date` holds, in milliseconds. */
const LAST_INSTANT = 8.64e15;

function creationOf(place: number, row: EpisodeRow): number {
  const { provenance_created_at, created_at } = row;
  const createdAt = toMilliseconds(provenance_created_at ?? created_at);
  if (Math.abs(createdAt) <= LAST_INSTANT) return createdAt;
  const field = provenance_created_at == null ? "created_at" : "provenance_created_at";
  throw wrong(place, row, field, "an instant", provenance_created_at ?? created_at);
}

/** The kind of an episode, by its subtype. */
const KINDS = new Map<string, number>(
  moduleConstants.episode_sources.map((subtype, kind) => [subtype, kind]),
);

/** Returns whether consolidation reads episodes of a subtype. @internal */
export const isSource = (subtype: string): boolean => KINDS.has(subtype);

/** A group with the copies of its episodes. @internal */
export interface Group<Row> {
  symbol: string;
  episodes: Episode<Row>[];
}

/** Result of a review. @internal */
export interface Review<Row> {
  /** Number of reviewed episodes. */
  reviewed: number;
  /** Number of groups with enough episodes. */
  found: number;
  /** The groups to analyse, in order. */
  groups: Group<Row>[];
}

/** Selects the episodes to review, and groups them by symbol. @internal */
export function review<Row>(
  context: EngineContext,
  episodes: readonly Episode<Row>[],
  now: number,
): Review<Row> {
  const given = episodes.filter(({ active }) => active);
  const reviewed = Array.from(recent(context, given, now), (place) => given[place]!);
  const titles = reviewed.map(({ title }) => title);
  const bodies = reviewed.map(({ body }) => readBody(body));
  const symbols = symbolsOf(context, titles, bodies).map((symbol) => symbol ?? GENERAL);
  const codes = new Map<string, number>();
  for (const symbol of symbols) if (!codes.has(symbol)) codes.set(symbol, codes.size);
  const answer = withNumbers(
    context,
    symbols.map((symbol) => codes.get(symbol)!),
    (engine) => engine.episode_groups(symbols.length),
  );
  const names = [...codes.keys()];
  const groups: Group<Row>[] = [];
  let at = 1;
  while (at < answer.length) {
    const symbol = names[answer[at + GROUP_SYMBOL]!]!;
    const from = at + GROUP;
    at = from + answer[at + GROUP_SIZE]!;
    const episodes = Array.from(answer.subarray(from, at), (place) => reviewed[place]!);
    groups.push({ symbol, episodes });
  }
  return { reviewed: reviewed.length, found: answer[0]!, groups };
}

/** Returns the places of the episodes to review, newest first. */
function recent(
  context: EngineContext,
  episodes: readonly Episode<unknown>[],
  now: number,
): Uint32Array {
  const numbers: number[] = [];
  for (const [place, { subtype, createdAt }] of episodes.entries()) {
    numbers[place * EPISODE + EPISODE_KIND] = KINDS.get(subtype)!;
    numbers[place * EPISODE + EPISODE_CREATED_AT] = createdAt;
  }
  return withNumbers(context, numbers, (engine) => engine.episode_sources(episodes.length, now));
}

type Engine = ReturnType<EngineContext["pool"]["acquire"]>["engine"];

/** Calls `use` with an engine that has the numbers in its scratch. @internal */
export function withNumbers<T>(
  context: EngineContext,
  numbers: readonly number[],
  use: (engine: Engine) => T,
): T {
  const lease = context.pool.acquire();
  try {
    lease.reserve(numbers.length, 0, 0);
    lease.numbers.set(numbers, lease.numbersAt);
    return use(lease.engine);
  } finally {
    context.pool.release(lease);
  }
}

const KEYS = new Set(["now"]);

/** @internal */
export function groupEpisodes<Row extends EpisodeRow>(
  context: EngineContext,
  rows: readonly Row[],
  options: GroupEpisodesOptions | undefined,
): EpisodeGroup<Row>[] {
  const { now } = optionsOf<GroupEpisodesOptions>("options", options, KEYS);
  const present = presentOf(now);
  const { groups } = review(context, readEpisodes(rows, isSource), present);
  return groups.map(({ symbol, episodes }) => ({
    symbol,
    episodes: episodes.map(({ row }) => row),
  }));
}
