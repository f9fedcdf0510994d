// Playbooks: read and kept here, matched in the module, told as text for an agent.

import {
  entryId,
  type Fields,
  idsOf,
  isFields,
  isNumber,
  MOST_ENTRIES,
  presentOf,
  requireShort,
} from "../arguments.ts";
import type { EngineContext } from "../engine-context.ts";
import { invalid, invalidEntry, invalidShape, NousError, problemWith, show } from "../errors.ts";
import { moduleConstants } from "../generated/constants.ts";
import {
  EVENT,
  EVENT_KIND,
  EVENT_SEVERITY,
  EVENT_SYMBOL,
  MATCH,
  MATCH_EVENT,
  MATCH_RELEVANCE,
  MATCH_ROW,
  MATCH_SUCCESS_RATE,
  MISSING,
  MISSING_ROW,
  MISSING_VARIABLE,
  NO_SYMBOL,
  STEP_ABOVE,
  STEP_ALL,
  STEP_ANY,
  STEP_AT_LEAST,
  STEP_AT_MOST,
  STEP_BELOW,
  STEP_BETWEEN,
  STEP_EQUAL,
  STEP_FALLING,
  STEP_NOT,
  STEP_RISING,
  STEP_UNEQUAL,
} from "../generated/layout.ts";
import type { Instance } from "../instance.ts";
import { numeric, ownInstance } from "../runtime.ts";
import type { Instant } from "../types.ts";

/**
 * What a playbook's body holds. What is missing or null has its default; what does not parse is a
 * problem, not an error.
 */
export interface PlaybookBody {
  /** A `PlaybookTrigger`. Without one the playbook never matches. */
  trigger?: unknown;
  /** What to do. Default: nothing. */
  action?: string | null | undefined;
  /** `long`, `short`, or `either`, the default. */
  direction?: string | null | undefined;
  /** Trades that followed it and made money. Whole; default 0. */
  success_count?: number | null | undefined;
  /** Trades that followed it. Whole; default 0. */
  sample_size?: number | null | undefined;
}

interface PlaybookHead {
  id: string;
  /** Only ACTIVE ones match. Default ACTIVE. */
  state_lifecycle?: string | null | undefined;
}

/** A playbook as an object. */
export interface Playbook extends PlaybookHead, PlaybookBody {
  title?: string | null | undefined;
}

/** A playbook as its memory is stored: the body is JSON text. */
export interface PlaybookRow extends PlaybookHead {
  content_title?: string | null | undefined;
  content_body: string | null;
}

/** What calls a playbook up. */
export interface PlaybookTrigger {
  /** Kinds of anomalies; none: nothing calls it up. */
  anomaly_types?: readonly string[] | null | undefined;
  /** In any case of ASCII; none: all, and events without a symbol. */
  symbols?: readonly string[] | null | undefined;
  /** Default 0. */
  min_severity?: number | null | undefined;
  conditions?: PlaybookCondition | null | undefined;
}

/** A tree of conditions on the market: at most 32 deep, with at most 256 comparisons. */
export type PlaybookCondition =
  | { all: readonly PlaybookCondition[] }
  | { any: readonly PlaybookCondition[] }
  | { not: PlaybookCondition }
  | { var: string; op: "<" | "<=" | "≤" | ">" | ">=" | "≥" | "=" | "!=" | "≠"; value: number }
  /** Both ends included. */
  | { var: string; op: "between"; value: readonly [low: number, high: number] }
  /** Over that many of the last values, at least 2. */
  | { var: string; op: "rising" | "falling"; window: number };

/** An anomaly. */
export interface AnomalyEvent {
  type: string;
  symbol?: string | null | undefined;
  /** In [0, 1]. */
  severity: number;
}

/** Named numbers of a market. Of several values the last is the present one. */
export type MarketSnapshot = Readonly<
  Record<string, number | readonly number[] | null | undefined>
>;

/** A playbook that an event has called up. */
export interface PlaybookMatch {
  id: string;
  title: string;
  action: string;
  direction: string;
  success_count: number;
  sample_size: number;
  /** Of the first event that matches; so are symbol and severity. */
  type: string;
  symbol: string | null;
  severity: number;
  /** Successes over samples; 0 without samples. */
  success_rate: number;
  /** Success rate times severity, less for fewer than ten samples. */
  relevance: number;
}

/** A variable that conditions asked for, where the snapshot has none, or too few of its values. */
export interface MissingVariable {
  id: string;
  var: string;
}

/** Why a playbook is put aside. */
export type PlaybookProblem =
  | "malformed_body"
  | "malformed_trigger"
  | "trigger_too_large"
  | "malformed_condition"
  | "condition_too_deep"
  | "condition_too_large";

/** What `applyOutcome` reads of a playbook. */
export interface PlaybookRecord {
  success_count: number;
  sample_size: number;
  /** Days. */
  stability: number;
  /** In [0, 1]. Default: the section's. */
  difficulty?: number | null | undefined;
}

/** A playbook's record after a trade. */
export interface AppliedPlaybook {
  success_count: number;
  sample_size: number;
  /** ISO 8601 in UTC, with milliseconds. */
  last_applied: string;
  /** Days. */
  stability: number;
  /** What the edge to the trade gains. */
  strengthened: number;
}

/** The most conditions one inside the other, the comparison included. */
const MOST_DEPTH = 32;
/**
 * The most comparisons of one playbook; an empty list counts as one, or lists of empty lists would
 * have no bound.
 */
const MOST_COMPARISONS = 256;
/** The most pairs of a kind and a symbol that one trigger names. */
const MOST_PAIRS = 65_536;
/** Past what is numbered: no playbook knows it. */
const UNKNOWN = 2 ** 32 - 2;
const FREE = Symbol("free");

/** Codes of the steps of a condition. */
const STEPS = {
  all: STEP_ALL,
  any: STEP_ANY,
  not: STEP_NOT,
  between: STEP_BETWEEN,
  rising: STEP_RISING,
  falling: STEP_FALLING,
} as const;
const COMPARISONS = new Map<unknown, number>([
  ["<", STEP_BELOW],
  ["<=", STEP_AT_MOST],
  ["≤", STEP_AT_MOST],
  [">", STEP_ABOVE],
  [">=", STEP_AT_LEAST],
  ["≥", STEP_AT_LEAST],
  ["=", STEP_EQUAL],
  ["!=", STEP_UNEQUAL],
  ["≠", STEP_UNEQUAL],
]);

class Unreadable extends Error {
  constructor(readonly problem: PlaybookProblem) {
    super(problem);
  }
}

const isText = (value: unknown): value is string => typeof value === "string";
const isCount = (value: unknown): value is number =>
  Number.isSafeInteger(value) && (value as number) >= 0;
const isTexts = (value: unknown): value is readonly string[] =>
  Array.isArray(value) && value.length <= MOST_ENTRIES && Array.from(value).every(isText);

function read<T>(
  value: unknown,
  is: (value: unknown) => value is T,
  absent: T,
  otherwise: PlaybookProblem,
): T {
  if (value === undefined || value === null) return absent;
  if (!is(value)) throw new Unreadable(otherwise);
  return value;
}

const lowerAscii = (text: string): string =>
  /[A-Z]/.test(text) ? text.replace(/[A-Z]+/g, (letters) => letters.toLowerCase()) : text;

/** Numbers names in the order of first sight. */
class Codes {
  readonly #codes = new Map<string, number>();
  readonly #names: string[] = [];

  of(name: string): number {
    const known = this.#codes.get(name);
    if (known !== undefined) return known;
    const code = this.#codes.size;
    this.#codes.set(name, code);
    this.#names.push(name);
    return code;
  }

  known(name: string): number {
    return this.#codes.get(name) ?? UNKNOWN;
  }

  name(code: number): string {
    return this.#names[code]!;
  }
}

/** A playbook as it was read: what a match tells of it, whatever called it up. */
type Known = Pick<
  PlaybookMatch,
  "id" | "title" | "action" | "direction" | "success_count" | "sample_size"
>;

/**
 * What a match tells of a playbook, and its trigger in the module's numbers; none where nothing can
 * call it up.
 */
interface Reading {
  known: Known;
  trigger: readonly number[] | null;
}

/** Reads playbooks, and numbers the names that they use. */
class Reader {
  readonly kinds = new Codes();
  readonly symbols = new Codes();
  readonly variables = new Codes();

  playbook(id: string, given: Playbook | PlaybookRow): Reading {
    const stored = "content_body" in given && given.content_body !== undefined;
    const title = stored ? given.content_title : (given as Playbook).title;
    const fields: Fields = stored ? parsed(given.content_body) : (given as unknown as Fields);
    const { action, direction, success_count, sample_size, trigger } = fields;
    const known = {
      id,
      title: read(title, isText, "", "malformed_body") || "Untitled",
      action: read(action, isText, "", "malformed_body"),
      direction: read(direction, isText, "", "malformed_body") || "either",
      success_count: read(success_count, isCount, 0, "malformed_body"),
      sample_size: read(sample_size, isCount, 0, "malformed_body"),
    };
    const numbers = this.#trigger(trigger, known);
    return { known, trigger: (given.state_lifecycle ?? "ACTIVE") === "ACTIVE" ? numbers : null };
  }

  #trigger(given: unknown, { success_count, sample_size }: Known): readonly number[] | null {
    if (given === undefined || given === null) return null;
    if (!isFields(given)) throw new Unreadable("malformed_trigger");
    const kinds = read(given.anomaly_types, isTexts, [], "malformed_trigger");
    const symbols = read(given.symbols, isTexts, [], "malformed_trigger");
    const [kindNames, symbolNames] = [new Set(kinds), new Set(symbols.map(lowerAscii))];
    if (kindNames.size * Math.max(1, symbolNames.size) > MOST_PAIRS)
      throw new Unreadable("trigger_too_large");
    const least = read(given.min_severity, isNumber, 0, "malformed_trigger");
    const steps = given.conditions == null ? [] : this.#conditions(given.conditions);
    return [
      ...[success_count, sample_size, least],
      ...[kindNames.size, ...Array.from(kindNames, (kind) => this.kinds.of(kind))],
      ...[symbolNames.size, ...Array.from(symbolNames, (symbol) => this.symbols.of(symbol))],
      ...[steps.length / 4, ...steps],
    ];
  }

  /**
   * A tree of conditions as steps, each before its parts; read no further than the bounds allow,
   * since it may be a cycle.
   */
  #conditions(root: unknown): number[] {
    const steps: number[] = [];
    let comparisons = 0;
    const countOne = () => {
      comparisons++;
      if (comparisons > MOST_COMPARISONS) throw new Unreadable("condition_too_large");
    };
    const readOne = (given: unknown, depth: number): void => {
      if (depth > MOST_DEPTH) throw new Unreadable("condition_too_deep");
      if (!isFields(given)) throw new Unreadable("malformed_condition");
      const kinds = (["all", "any", "not", "var"] as const).filter(
        (kind) => given[kind] !== undefined,
      );
      const [kind] = kinds;
      if (kind === undefined || kinds.length > 1) throw new Unreadable("malformed_condition");
      if (kind === "var") {
        countOne();
        steps.push(...this.#comparison(given));
      } else if (kind === "not") {
        steps.push(STEPS.not, 0, 0, 0);
        readOne(given.not, depth + 1);
      } else {
        if (!Array.isArray(given[kind])) throw new Unreadable("malformed_condition");
        // As it is now; one part more than there may be tells that it is too large.
        const list: unknown[] = given[kind].slice(0, MOST_COMPARISONS + 1);
        if (list.length === 0) countOne();
        steps.push(STEPS[kind], list.length, 0, 0);
        // By place, so that holes are seen.
        for (let place = 0; place < list.length; place++) readOne(list[place], depth + 1);
      }
    };
    readOne(root, 1);
    return steps;
  }

  #comparison({ var: variable, op, value, window }: Fields): [number, number, number, number] {
    if (!isText(variable)) throw new Unreadable("malformed_condition");
    const code = () => this.variables.of(variable);
    const comparison = COMPARISONS.get(op);
    if (comparison !== undefined && isNumber(value)) return [comparison, code(), value, 0];
    if (op === "between" && Array.isArray(value) && value.length === 2) {
      const [low, high] = value as unknown[];
      if (isNumber(low) && isNumber(high)) return [STEPS.between, code(), low, high];
    }
    if ((op === "rising" || op === "falling") && isCount(window) && window >= 2) {
      return [STEPS[op], code(), window, 0];
    }
    throw new Unreadable("malformed_condition");
  }
}

function parsed(body: unknown): Fields {
  try {
    const fields: unknown = JSON.parse(typeof body === "string" ? body : "");
    if (isFields(fields)) return fields;
  } catch (error) {
    // A stack that is full says nothing about the body.
    if (!(error instanceof SyntaxError)) throw error;
  }
  throw new Unreadable("malformed_body");
}

let sharedShelf: Instance | undefined;

/** The instance that all books stand in: not one that stateless calls may give up. */
function shelf(): Instance {
  if (sharedShelf === undefined || sharedShelf.dead) sharedShelf = ownInstance();
  return sharedShelf;
}

/**
 * Playbooks by id, in the order in which they were added last, found by what calls them up:
 * matching takes time in proportion to what matches, not to the book. Names of kinds, symbols and
 * variables stay as long as the book. Its part in the module goes when the book is collected;
 * should the module fail (`instance_lost`), all books of the process are to be made anew.
 *
 * ```ts
 * const book = new PlaybookBook();
 * book.add(playbooks);
 * const { matches } = book.match([{ type: "funding_extreme", symbol: "BTC", severity: 0.8 }]);
 * ```
 */
export class PlaybookBook {
  readonly #instance = shelf();
  readonly #module = new this.#instance.glue.Playbooks();
  readonly #reader = new Reader();
  /** By id the row in the module, none for what cannot match, or why it was put aside. */
  readonly #all = new Map<string, number | null | PlaybookProblem>();
  readonly #byRow: (Known | undefined)[] = [];
  #room = 0;

  /**
   * Adds playbooks as they are now; one whose id is known replaces the other, and moves to the end.
   * One that does not parse never matches, and is listed in `problems`.
   *
   * @throws {NousError} `invalid_argument` for a list that is none, an entry that is no object, an
   * id that is missing. Nothing
   * is added then.
   */
  add(playbooks: readonly (Playbook | PlaybookRow)[]): void {
    if (!Array.isArray(playbooks))
      throw invalid("playbooks", `must be an array, found ${show(playbooks)}`);
    // A later one of an id takes the place of an earlier one, here as in the book.
    const readings = new Map<string, Reading | PlaybookProblem>();
    for (let place = 0; place < playbooks.length; place++) {
      const given: unknown = playbooks[place];
      if (!isFields(given)) throw invalidShape("playbooks", place, given);
      const id = entryId("playbooks", place, given, "id", given.id);
      readings.delete(id);
      readings.set(id, this.#read(id, given as unknown as Playbook));
    }
    const added: { known: Known; trigger: readonly number[] }[] = [];
    for (const reading of readings.values()) {
      if (typeof reading === "object" && reading.trigger !== null) {
        added.push({ known: reading.known, trigger: reading.trigger });
      }
    }
    const numbers = added.flatMap(({ trigger }) => trigger);
    this.#write(numbers);
    const rows = this.#module.add(added.length);
    // Only now: whoever cannot be added leaves those in place that they would have replaced.
    this.remove([...readings.keys()]);
    for (const [place, { known }] of added.entries()) this.#byRow[rows[place]!] = known;
    let place = 0;
    for (const [id, reading] of readings) {
      const matchable = typeof reading === "object" && reading.trigger !== null;
      this.#all.set(id, typeof reading === "string" ? reading : matchable ? rows[place++]! : null);
    }
  }

  #read(id: string, given: Playbook | PlaybookRow): Reading | PlaybookProblem {
    try {
      return this.#reader.playbook(id, given);
    } catch (error) {
      if (error instanceof Unreadable) return error.problem;
      throw error;
    }
  }

  /** Removes playbooks; ids that are not known do nothing. */
  remove(ids: readonly string[]): void {
    for (const id of idsOf("ids", ids)) {
      const known = this.#all.get(id);
      // The module first: a call that fails has removed nothing.
      if (typeof known === "number") {
        this.#module.remove(known);
        this.#byRow[known] = undefined;
      }
      this.#all.delete(id);
    }
  }

  /** All that were added, whether or not they can match. */
  get size(): number {
    return this.#all.size;
  }

  /** What does not parse and therefore never matches, with the reason. */
  get problems(): { id: string; reason: PlaybookProblem }[] {
    const problems: { id: string; reason: PlaybookProblem }[] = [];
    for (const [id, known] of this.#all)
      if (typeof known === "string") problems.push({ id, reason: known });
    return problems;
  }

  /**
   * For each playbook the first event that calls it up, where its conditions hold in the snapshot:
   * by relevance, highest first, equal ones as they were added. With it the variables that
   * conditions missed.
   *
   * @throws {NousError} `invalid_argument` naming place and field of a wrong event, or the variable
   * of a snapshot.
   */
  match(
    events: readonly AnomalyEvent[],
    snapshot: MarketSnapshot = {},
  ): { matches: PlaybookMatch[]; missing: MissingVariable[] } {
    const told = readEvents(events);
    const market = readMarket(snapshot);
    // From here on nothing of the caller's runs.
    const numbers: number[] = [];
    for (const [place, { type, symbol, severity }] of told.entries()) {
      const at = place * EVENT;
      numbers[at + EVENT_KIND] = this.#reader.kinds.known(type);
      numbers[at + EVENT_SYMBOL] = symbol
        ? this.#reader.symbols.known(lowerAscii(symbol))
        : NO_SYMBOL;
      numbers[at + EVENT_SEVERITY] = severity;
    }
    let known = 0;
    for (const [variable, given] of market) {
      const code = this.#reader.variables.known(variable);
      if (code === UNKNOWN) continue;
      const values = valuesOf(variable, given);
      known++;
      numbers.push(code, values.length);
      for (let place = 0; place < values.length; place++) numbers.push(values[place]!);
    }
    this.#write(numbers);
    const answer = this.#module.matches(told.length, known);
    const count = answer[0]!;
    const matches: PlaybookMatch[] = [];
    for (let at = 1; at < 1 + count * MATCH; at += MATCH) {
      const { type, symbol, severity } = told[answer[at + MATCH_EVENT]!]!;
      const { id, title, action, direction, success_count, sample_size } =
        this.#byRow[answer[at + MATCH_ROW]!]!;
      matches.push({
        id,
        title,
        action,
        direction,
        success_count,
        sample_size,
        type,
        symbol: symbol ?? null,
        severity,
        success_rate: answer[at + MATCH_SUCCESS_RATE]!,
        relevance: answer[at + MATCH_RELEVANCE]!,
      });
    }
    const missing: MissingVariable[] = [];
    for (let at = 1 + count * MATCH; at < answer.length; at += MISSING) {
      missing.push({
        id: this.#byRow[answer[at + MISSING_ROW]!]!.id,
        var: this.#reader.variables.name(answer[at + MISSING_VARIABLE]!),
      });
    }
    return { matches, missing };
  }

  /** Gives the part in the module back at once, for a book that is not used again. @internal */
  [FREE](): void {
    this.#module.free();
  }

  /** Nothing of the caller's runs between this and the call that reads it. */
  #write(numbers: readonly number[]): void {
    if (numbers.length > this.#room) {
      const room = numbers.length * 2;
      this.#room = 0;
      if (!this.#module.reserve(room)) {
        const size = Math.ceil((room * 8) / 2 ** 20);
        throw new NousError(
          "out_of_memory",
          `The batch needs ${size} MiB at once: pass it in parts.`,
        );
      }
      this.#room = room;
    }
    const { buffer } = this.#instance.memory;
    new Float64Array(buffer, this.#module.numbers_at(), numbers.length).set(numbers);
  }
}

function readEvents(events: readonly AnomalyEvent[]): AnomalyEvent[] {
  if (!Array.isArray(events)) throw invalid("events", `must be an array, found ${show(events)}`);
  const read: AnomalyEvent[] = [];
  for (let place = 0; place < events.length; place++) {
    const event: unknown = events[place];
    if (!isFields(event)) throw invalidShape("events", place, event);
    const { type, symbol, severity } = event;
    if (!isText(type)) throw wrongEvent(place, event, "type", "a string");
    if (symbol != null && !isText(symbol)) throw wrongEvent(place, event, "symbol", "a string");
    if (!isNumber(severity)) throw wrongEvent(place, event, "severity", "a finite number");
    read.push({ type, symbol, severity });
  }
  return read;
}

const wrongEvent = (place: number, event: Fields, field: string, wanted: string): NousError =>
  invalidEntry("events", place, event, field, `must be ${wanted}, found ${show(event[field])}`);

/** A snapshot's entries as they are now, lists copied. */
function readMarket(snapshot: MarketSnapshot): [string, unknown][] {
  if (!isFields(snapshot)) throw invalid("snapshot", `must be an object, found ${show(snapshot)}`);
  return Object.entries(snapshot).map(([variable, given]) => {
    if (!Array.isArray(given)) return [variable, given];
    requireShort(`snapshot.${variable}`, given);
    return [variable, Array.from(given)];
  });
}

function valuesOf(variable: string, given: unknown): ArrayLike<number> {
  if (given === undefined || given === null) return [];
  if (given instanceof Float64Array || given instanceof Float32Array) {
    if (given.every(isNumber)) return given;
  }
  const values: unknown[] = Array.isArray(given) ? given : [given];
  const wrong = values.find((value) => !isNumber(value));
  if (!values.every(isNumber)) {
    throw invalid(
      `snapshot.${variable}`,
      `must be a finite number or a list of them, found ${show(wrong)}`,
    );
  }
  return values;
}

/**
 * Matches of playbooks without keeping them, and without a snapshot: a playbook that asks for a
 * variable misses it.
 */
export function matchPlaybooks(
  playbooks: readonly (Playbook | PlaybookRow)[],
  events: readonly AnomalyEvent[],
): PlaybookMatch[] {
  const book = new PlaybookBook();
  try {
    book.add(playbooks);
    return book.match(events).matches;
  } finally {
    book[FREE]();
  }
}

const HEADING = "[Matching Playbooks]";
const CLOSING =
  "If following a playbook, mention its ID in your thesis. The system auto-tracks success after trade close.";

/** The block of a wake-up message, one entry for each match; empty when there is none. */
export function formatPlaybookMatches(matches: readonly PlaybookMatch[]): string {
  if (!Array.isArray(matches)) throw invalid("matches", `must be an array, found ${show(matches)}`);
  if (matches.length === 0) return "";
  // Not by map, which passes over holes.
  return [HEADING, ...Array.from(matches, entryOf), CLOSING].join("\n\n");
}

function entryOf(match: PlaybookMatch, place: number): string {
  if (!isFields(match)) throw invalidShape("matches", place, match);
  const { id, title, action, direction, type, symbol, success_rate, success_count, sample_size } =
    match;
  for (const [field, text] of Object.entries({
    id,
    title,
    action,
    direction,
    type,
    symbol: symbol ?? "",
  })) {
    if (!isText(text))
      throw invalidEntry("matches", place, match, field, `must be a string, found ${show(text)}`);
  }
  for (const [field, number] of Object.entries({ success_rate, success_count, sample_size })) {
    if (!isNumber(number))
      throw invalidEntry(
        "matches",
        place,
        match,
        field,
        `must be a finite number, found ${show(number)}`,
      );
  }
  const percent = numeric().whole_percent(success_rate);
  const record =
    sample_size === 0 ? "new win rate" : `${percent}% win rate (${success_count}/${sample_size})`;
  const lines = [`${place + 1}. **${title}** — ${record}`];
  if (action !== "") lines.push(`Action: ${action}`);
  if (direction !== "either") lines.push(`Direction: ${direction.toUpperCase()}`);
  lines.push(`Triggered by: ${type}${symbol ? ` on ${symbol}` : ""}`, `Playbook ID: ${id}`);
  // A text of a playbook's own is no line of the block, such as another playbook's id would be.
  return lines.map((line) => line.replace(LINE_BREAKS, " ")).join("\n   ");
}

/** Whatever a reader may take for the end of a line. */
const LINE_BREAKS = /[\n\v\f\r\u0085\u2028\u2029]+/g;

/** @internal */
export function applyOutcome(
  context: EngineContext,
  playbook: PlaybookRecord,
  profitable: boolean,
  now: Instant | undefined,
): AppliedPlaybook {
  if (!isFields(playbook)) throw invalid("playbook", `must be an object, found ${show(playbook)}`);
  const { success_count, sample_size, stability, difficulty } = playbook;
  const refuse = (field: string, wanted: string, found: unknown) =>
    invalid(field, problemWith(`must be ${wanted}`, found));
  for (const [field, count] of [
    ["success_count", success_count],
    ["sample_size", sample_size],
  ] as const) {
    if (!isCount(count)) throw refuse(field, "a whole number of at least 0", count);
  }
  if (!(isNumber(stability) && stability >= 0))
    throw refuse("stability", "a finite number of at least 0", stability);
  if (difficulty != null && !(isNumber(difficulty) && difficulty >= 0 && difficulty <= 1)) {
    throw refuse("difficulty", "a number from 0 to 1", difficulty);
  }
  if (typeof profitable !== "boolean") throw refuse("profitable", "true or false", profitable);
  const present = new Date(presentOf(now));
  if (Number.isNaN(present.getTime())) throw refuse("now", "an instant that a Date can hold", now);
  return {
    success_count: success_count + (profitable ? 1 : 0),
    sample_size: sample_size + 1,
    last_applied: present.toISOString(),
    stability: context.pool
      .engine()
      .stability_after_outcome(stability, difficulty ?? Number.NaN, profitable),
    strengthened: profitable ? moduleConstants.edge_strengthening : 0,
  };
}
