// A book of playbooks: kept here, matched in the module.

import { entryId, type Fields, idsOf, isFields, isNumber, requireShort } from "../arguments.ts";
import { invalid, invalidEntry, invalidShape, NousError, show } from "../errors.ts";
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
} from "../generated/layout.ts";
import type { Instance } from "../instance.ts";
import { ownInstance } from "../runtime.ts";
import {
  isText,
  type Known,
  lowerAscii,
  Reader,
  type Reading,
  UNKNOWN,
  Unreadable,
} from "./read.ts";
import type {
  AnomalyEvent,
  MarketSnapshot,
  MissingVariable,
  Playbook,
  PlaybookMatch,
  PlaybookProblem,
  PlaybookRow,
} from "./types.ts";

const FREE = Symbol("free");

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
