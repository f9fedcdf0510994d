// Playbooks: how anomalies trigger them, their text for an agent, and the feedback from closed
// trades. The rules of procedural memory, in full. Plain on purpose: this is the yardstick of the
// parity tests.

import type {
  AnomalyEvent,
  AppliedPlaybook,
  MarketSnapshot,
  MissingVariable,
  Playbook,
  PlaybookMatch,
  PlaybookRecord,
  PlaybookRow,
} from "nous-wasm";
import { updateStabilityOnAccessForSection } from "./decay.ts";
import { getInitialStabilityForSubtype, SECTION_PROFILES } from "./sections.ts";
import { type Instant, toMs } from "./signals.ts";

export type {
  AnomalyEvent,
  AppliedPlaybook,
  MarketSnapshot,
  MissingVariable,
  Playbook,
  PlaybookBody,
  PlaybookMatch,
  PlaybookRecord,
  PlaybookRow,
  PlaybookTrigger,
} from "nous-wasm";

/** The reason why a playbook was set aside. */
export const PLAYBOOK_PROBLEMS = Object.freeze([
  "malformed_body",
  "malformed_trigger",
  "trigger_too_large",
  "malformed_condition",
  "condition_too_deep",
  "condition_too_large",
] as const);
export type PlaybookProblem = (typeof PLAYBOOK_PROBLEMS)[number];

/** The maximum nesting of conditions, the comparison included. */
export const MAX_CONDITION_DEPTH = 32;
/** The maximum number of comparisons of one playbook; an empty `all` or `any` counts as one. */
export const MAX_COMPARISONS = 256;
/** The maximum number of pairs of a different kind and a different symbol in one trigger. */
export const MAX_PAIRS = 65_536;

const FULL_SAMPLE = 10;
const EDGE_STRENGTHENING = 0.1;

// ---- reading ------------------------------------------------------------------------------------

class Unreadable extends Error {
  readonly reason: PlaybookProblem;

  constructor(reason: PlaybookProblem) {
    super(reason);
    this.reason = reason;
  }
}

type Fields = Readonly<Record<string, unknown>>;

const isFields = (value: unknown): value is Fields =>
  typeof value === "object" && value !== null && !Array.isArray(value);
const isText = (value: unknown): value is string => typeof value === "string";
const isNumber = (value: unknown): value is number => Number.isFinite(value);
const isCount = (value: unknown): value is number =>
  isNumber(value) && Number.isSafeInteger(value) && value >= 0;
const isTexts = (value: unknown): value is readonly string[] =>
  Array.isArray(value) && value.every(isText);

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

/** The values of a variable if there are at least this many. */
type Market = (variable: string, needed: number) => readonly number[] | undefined;
type Condition = (market: Market) => boolean;

const COMPARISONS: ReadonlyMap<unknown, (value: number, bound: number) => boolean> = new Map([
  ["<", (value, bound) => value < bound],
  ["<=", (value, bound) => value <= bound],
  ["≤", (value, bound) => value <= bound],
  [">", (value, bound) => value > bound],
  [">=", (value, bound) => value >= bound],
  ["≥", (value, bound) => value >= bound],
  ["=", (value, bound) => value === bound],
  ["!=", (value, bound) => value !== bound],
  ["≠", (value, bound) => value !== bound],
]);

const RISING = (before: number, after: number) => before < after;
const FALLING = (before: number, after: number) => before > after;

function readComparison({ var: variable, op, value, window }: Fields): Condition {
  const refuse = (): never => {
    throw new Unreadable("malformed_condition");
  };
  if (!isText(variable)) return refuse();

  const present =
    (holds: (value: number) => boolean): Condition =>
    (market) => {
      const values = market(variable, 1);
      return values !== undefined && holds(values.at(-1)!);
    };
  const compare = COMPARISONS.get(op);
  if (compare !== undefined) {
    return isNumber(value) ? present((it) => compare(it, value)) : refuse();
  }
  if (op === "between") {
    if (!Array.isArray(value) || value.length !== 2 || !value.every(isNumber)) return refuse();
    const [low, high] = value as [number, number];
    return present((it) => low <= it && it <= high);
  }
  if (op === "rising" || op === "falling") {
    if (!isCount(window) || window < 2) return refuse();
    const inOrder = op === "rising" ? RISING : FALLING;
    return (market) => {
      const last = market(variable, window)?.slice(-window);
      return last?.every((after, i) => i === 0 || inOrder(last[i - 1]!, after)) ?? false;
    };
  }
  return refuse();
}

/** A tree of conditions, read within the limits of depth and number: it may be cyclic. */
function readConditions(root: unknown): Condition {
  let comparisons = 0;
  const countOne = () => {
    comparisons++;
    if (comparisons > MAX_COMPARISONS) throw new Unreadable("condition_too_large");
  };

  const readOne = (given: unknown, depth: number): Condition => {
    if (depth > MAX_CONDITION_DEPTH) throw new Unreadable("condition_too_deep");
    if (!isFields(given)) throw new Unreadable("malformed_condition");
    const kinds = ["all", "any", "not", "var"].filter((kind) => given[kind] !== undefined);
    if (kinds.length !== 1) throw new Unreadable("malformed_condition");
    const { all, any, not } = given;

    if (not !== undefined) {
      const part = readOne(not, depth + 1);
      return (market) => !part(market);
    }
    const list = all ?? any;
    if (list === undefined) {
      countOne();
      return readComparison(given);
    }
    if (!Array.isArray(list)) throw new Unreadable("malformed_condition");
    // Otherwise nested empty lists would have no limit.
    if (list.length === 0) countOne();
    // Not by map, which skips holes.
    const parts = Array.from(list, (part) => readOne(part, depth + 1));
    // Every part is evaluated, even if the result is clear, so that all missing variables are
    // known.
    return (market) => {
      const answers = parts.map((part) => part(market));
      return all === undefined ? answers.includes(true) : !answers.includes(false);
    };
  };
  return readOne(root, 1);
}

interface Trigger {
  types: readonly string[];
  symbols: readonly string[];
  min: number;
  conditions: Condition;
}

const lowerAscii = (text: string): string =>
  text.replace(/[A-Z]/g, (letter) => letter.toLowerCase());

function readTrigger(given: unknown): Trigger | null {
  if (given === undefined || given === null) return null;
  if (!isFields(given)) throw new Unreadable("malformed_trigger");
  const { anomaly_types, min_severity, conditions } = given;
  const types = [...read(anomaly_types, isTexts, [], "malformed_trigger")];
  const symbols = read(given.symbols, isTexts, [], "malformed_trigger").map(lowerAscii);
  if (new Set(types).size * Math.max(1, new Set(symbols).size) > MAX_PAIRS)
    throw new Unreadable("trigger_too_large");
  return {
    types,
    symbols,
    min: read(min_severity, isNumber, 0, "malformed_trigger"),
    conditions:
      conditions === undefined || conditions === null ? () => true : readConditions(conditions),
  };
}

function parsed(body: string | null): Fields {
  try {
    const fields: unknown = JSON.parse(body ?? "");
    if (isFields(fields)) return fields;
  } catch {
    // As for any other text that is not an object.
  }
  throw new Unreadable("malformed_body");
}

/** A playbook as it was when it was added. */
type Known = Pick<
  PlaybookMatch,
  "title" | "action" | "direction" | "success_count" | "sample_size"
> & {
  active: boolean;
  trigger: Trigger | null;
};

function readPlaybook(given: Playbook | PlaybookRow): Known {
  const [title, fields]: [unknown, Fields] =
    "content_body" in given && given.content_body !== undefined
      ? [given.content_title, parsed(given.content_body)]
      : [(given as Playbook).title, { ...given }];
  return {
    title: read(title, isText, "", "malformed_body") || "Untitled",
    action: read(fields.action, isText, "", "malformed_body"),
    direction: read(fields.direction, isText, "", "malformed_body") || "either",
    success_count: read(fields.success_count, isCount, 0, "malformed_body"),
    sample_size: read(fields.sample_size, isCount, 0, "malformed_body"),
    active: (given.state_lifecycle ?? "ACTIVE") === "ACTIVE",
    trigger: readTrigger(fields.trigger),
  };
}

// ---- matching -----------------------------------------------------------------------------------

function isCalledUpBy(
  { types, symbols, min }: Trigger,
  { type, symbol, severity }: AnomalyEvent,
): boolean {
  if (!types.includes(type) || severity < min) return false;
  return symbols.length === 0 || (Boolean(symbol) && symbols.includes(lowerAscii(symbol!)));
}

function matchOf(
  id: string,
  playbook: Known,
  { type, symbol, severity }: AnomalyEvent,
): PlaybookMatch {
  const { title, action, direction, success_count, sample_size } = playbook;
  const success_rate = sample_size === 0 ? 0 : success_count / sample_size;
  return {
    ...{ id, title, action, direction, success_count, sample_size },
    ...{ type, symbol: symbol ?? null, severity },
    success_rate,
    relevance: success_rate * severity * Math.min(1, sample_size / FULL_SAMPLE),
  };
}

/** Playbooks by id, in the order of their last addition. */
export class PlaybookBook {
  readonly #playbooks = new Map<string, Known | PlaybookProblem>();

  /**
   * Adds playbooks as they are now; one with a known id replaces the other, and moves to the end.
   */
  add(playbooks: readonly (Playbook | PlaybookRow)[]): void {
    for (const playbook of playbooks) {
      this.#playbooks.delete(playbook.id);
      try {
        this.#playbooks.set(playbook.id, readPlaybook(playbook));
      } catch (error) {
        if (!(error instanceof Unreadable)) throw error;
        this.#playbooks.set(playbook.id, error.reason);
      }
    }
  }

  /** Removes playbooks; unknown ids are skipped. */
  remove(ids: readonly string[]): void {
    for (const id of ids) this.#playbooks.delete(id);
  }

  /** The number of all added playbooks, whether or not they can match. */
  get size(): number {
    return this.#playbooks.size;
  }

  /** Unparsable playbooks, which never match. */
  get problems(): { id: string; reason: PlaybookProblem }[] {
    return [...this.#playbooks].flatMap(([id, known]) =>
      typeof known === "string" ? [{ id, reason: known }] : [],
    );
  }

  /**
   * For each playbook the first event that matches, if its conditions hold in the snapshot: by
   * relevance, highest first, equal ones in the book's order. Also returns, in that order, the
   * missing variables of playbooks with an event.
   */
  match(
    events: readonly AnomalyEvent[],
    snapshot: MarketSnapshot = {},
  ): { matches: PlaybookMatch[]; missing: MissingVariable[] } {
    const matches: PlaybookMatch[] = [];
    const missing: MissingVariable[] = [];
    for (const [id, known] of this.#playbooks) {
      if (typeof known === "string" || !known.active || known.trigger === null) continue;
      const { trigger } = known;
      const event = events.find((event) => isCalledUpBy(trigger, event));
      if (event === undefined) continue;

      const missed = new Set<string>();
      const holds = trigger.conditions((variable, needed) => {
        const given = Object.hasOwn(snapshot, variable) ? snapshot[variable] : undefined;
        const values = typeof given === "number" ? [given] : (given ?? []);
        if (values.length >= needed) return values;
        missed.add(variable);
        return undefined;
      });
      for (const variable of missed) missing.push({ id, var: variable });
      if (holds) matches.push(matchOf(id, known, event));
    }
    matches.sort((a, b) => b.relevance - a.relevance);
    return { matches, missing };
  }
}

/** Matches without a book, and without a snapshot: every variable of a playbook is missing. */
export function matchPlaybooks(
  playbooks: readonly (Playbook | PlaybookRow)[],
  events: readonly AnomalyEvent[],
): PlaybookMatch[] {
  const book = new PlaybookBook();
  book.add(playbooks);
  return book.match(events).matches;
}

// ---- the agent's text ---------------------------------------------------------------------------

const HEADING = "[Matching Playbooks]";
const CLOSING =
  "If following a playbook, mention its ID in your thesis. The system auto-tracks success after trade close.";

/** An integer, half to even on the exact binary value. */
function roundHalfEven(value: number): number {
  const below = Math.floor(value);
  const over = value - below;
  if (over === 0.5) return below % 2 === 0 ? below : below + 1;
  return over < 0.5 ? below : below + 1;
}

function entry(match: PlaybookMatch, place: number): string {
  const { success_rate, success_count, sample_size, action, direction } = match;
  const percent = roundHalfEven(success_rate * 100);
  const record =
    sample_size === 0 ? "new win rate" : `${percent}% win rate (${success_count}/${sample_size})`;
  const lines = [
    `${place}. **${match.title}** — ${record}`,
    ...(action === "" ? [] : [`Action: ${action}`]),
    ...(direction === "either" ? [] : [`Direction: ${direction.toUpperCase()}`]),
    `Triggered by: ${match.type}${match.symbol ? ` on ${match.symbol}` : ""}`,
    `Playbook ID: ${match.id}`,
  ];
  return lines.map((line) => line.split(/[\n\v\f\r\u0085\u2028\u2029]+/).join(" ")).join("\n   ");
}

/** The block of a wake-up message, one entry for each match; empty without matches. */
export function formatPlaybookMatches(matches: readonly PlaybookMatch[]): string {
  if (matches.length === 0) return "";
  return [HEADING, ...matches.map((match, i) => entry(match, i + 1)), CLOSING].join("\n\n");
}

// ---- feedback -----------------------------------------------------------------------------------

/**
 * A playbook after a trade that followed it was closed: a success increases its stability, a
 * failure decreases it.
 */
export function applyOutcome(
  playbook: PlaybookRecord,
  profitable: boolean,
  now: Instant,
): AppliedPlaybook {
  const { decay, encoding } = SECTION_PROFILES.PROCEDURAL;
  const difficulty = playbook.difficulty ?? encoding.base_difficulty;
  // The growth of one recall at a stability of one day, without a cap.
  const factor = updateStabilityOnAccessForSection(1, difficulty, {
    ...decay,
    max_stability_days: Infinity,
  });
  const stability = profitable
    ? updateStabilityOnAccessForSection(playbook.stability, difficulty, decay)
    : playbook.stability / factor;
  const min = getInitialStabilityForSubtype("custom:missed_opportunity");
  return {
    success_count: playbook.success_count + (profitable ? 1 : 0),
    sample_size: playbook.sample_size + 1,
    last_applied: new Date(toMs(now)).toISOString(),
    stability: Math.min(Math.max(stability, min), decay.max_stability_days),
    strengthened: profitable ? EDGE_STRENGTHENING : 0,
  };
}
