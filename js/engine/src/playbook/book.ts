// A book of playbooks. JavaScript keeps the playbooks; the module matches them.

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

/** The instance of all books. It is not one of the pool, whose instances may be discarded. */
function shelf(): Instance {
  if (sharedShelf === undefined || sharedShelf.dead) sharedShelf = ownInstance();
  return sharedShelf;
}

/**
 * Playbooks by id, in the order in which they were last added. Matching takes time in proportion to
 * the matches, not to the book. The names of anomaly types, symbols and variables are kept as long
 * as the book. The book's memory in the module is freed when the book is garbage-collected. After
 * an `instance_lost` all books of the process must be made anew.
 *
 * @example
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
  /** By id: the row in the module, null for a playbook that cannot match, or its problem. */
  readonly #all = new Map<string, number | null | PlaybookProblem>();
  readonly #byRow: (Known | undefined)[] = [];
  #room = 0;

  /**
   * Adds playbooks. One with a known id replaces the old one and moves to the end. One that cannot
   * be parsed never matches and is listed in `problems`.
   *
   * @throws {NousError} `invalid_argument` for an argument that is no array, an entry that is no
   *   object, a missing id. Nothing is added then.
   *
   * @example
   * ```ts
   * book.add([{ id: "p1", title: "Fade", trigger: { anomaly_types: ["funding_extreme"] } }]);
   * ```
   */
  add(playbooks: readonly (Playbook | PlaybookRow)[]): void {
    if (!Array.isArray(playbooks))
      throw invalid("playbooks", `must be an array, found ${show(playbooks)}`);
    // A later entry replaces an earlier one of the same id, as in the book.
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
    // Only now: if the new ones cannot be added, the old ones stay.
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

  /**
   * Removes playbooks. Unknown ids are skipped.
   *
   * @throws {NousError} `invalid_argument` for an argument that is no array of ids.
   */
  remove(ids: readonly string[]): void {
    for (const id of idsOf("ids", ids)) {
      const known = this.#all.get(id);
      // The module first: if its call fails, nothing is removed.
      if (typeof known === "number") {
        this.#module.remove(known);
        this.#byRow[known] = undefined;
      }
      this.#all.delete(id);
    }
  }

  /** The number of playbooks, including those that cannot match. */
  get size(): number {
    return this.#all.size;
  }

  /** The playbooks that cannot be parsed and never match, each with the reason. */
  get problems(): {
    /** Id of the playbook. */
    id: string;
    /** Why it cannot be parsed. */
    reason: PlaybookProblem;
  }[] {
    const problems: { id: string; reason: PlaybookProblem }[] = [];
    for (const [id, known] of this.#all)
      if (typeof known === "string") problems.push({ id, reason: known });
    return problems;
  }

  /**
   * Returns for each playbook the first event that triggers it, if its conditions hold in the
   * snapshot: highest relevance first, equal ones in the order of the book. `missing` lists the
   * variables of conditions that the snapshot lacks.
   *
   * @throws {NousError} `invalid_argument` with index and field of a wrong event, or the variable
   *   of a snapshot.
   *
   * @example
   * ```ts
   * const { matches, missing } = book.match(
   *   [{ type: "funding_extreme", symbol: "BTC", severity: 0.8 }],
   *   { funding: 0.08, open_interest: [1.1e9, 1.2e9, 1.3e9] },
   * );
   * ```
   */
  match(
    events: readonly AnomalyEvent[],
    snapshot: MarketSnapshot = {},
  ): {
    /** The matching playbooks, highest relevance first. */
    matches: PlaybookMatch[];
    /** Variables of conditions that the snapshot lacks. */
    missing: MissingVariable[];
  } {
    const anomalies = readEvents(events);
    const market = readMarket(snapshot);
    // No code of the caller runs from here on.
    const numbers: number[] = [];
    for (const [place, { type, symbol, severity }] of anomalies.entries()) {
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
    const answer = this.#module.matches(anomalies.length, known);
    const count = answer[0]!;
    const matches: PlaybookMatch[] = [];
    for (let at = 1; at < 1 + count * MATCH; at += MATCH) {
      const { type, symbol, severity } = anomalies[answer[at + MATCH_EVENT]!]!;
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

  /** Frees the book's memory in the module at once. The book must not be used again. @internal */
  [FREE](): void {
    this.#module.free();
  }

  /** No code of the caller runs between this and the call that reads the numbers. */
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

/** Copies the entries of a snapshot, with their lists. */
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
 * Matches playbooks without keeping them, and without a snapshot: all variables are missing.
 *
 * @throws {NousError} `invalid_argument` as `PlaybookBook.add` and `match`.
 *
 * @example
 * ```ts
 * const matches = matchPlaybooks(playbooks, [{ type: "funding_extreme", severity: 0.8 }]);
 * ```
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
