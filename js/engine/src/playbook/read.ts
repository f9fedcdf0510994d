// Reads playbooks: checks bodies and triggers, and turns them into the module's numbers.

import { type Fields, isFields, isNumber, MAX_ENTRIES } from "../arguments.ts";
import {
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
import type { Playbook, PlaybookMatch, PlaybookProblem, PlaybookRow } from "./types.ts";

/** The most levels of conditions, the comparison included. */
const MAX_DEPTH = 32;
/**
 * The most comparisons of one playbook. An empty list counts as one, because lists of empty lists
 * would have no bound.
 */
const MAX_COMPARISONS = 256;
/** The most pairs of anomaly type and symbol of one trigger. */
const MAX_PAIRS = 65_536;
/** A code that no name has. @internal */
export const UNKNOWN = 2 ** 32 - 2;

/** Steps of a condition in the module's format; comparisons follow. */
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

/** Thrown for a playbook that cannot be parsed. @internal */
export class Unreadable extends Error {
  constructor(readonly problem: PlaybookProblem) {
    super(problem);
  }
}

/** @internal */
export const isText = (value: unknown): value is string => typeof value === "string";
/** @internal */
export const isCount = (value: unknown): value is number =>
  Number.isSafeInteger(value) && (value as number) >= 0;
/** @internal */
export const isTexts = (value: unknown): value is readonly string[] =>
  Array.isArray(value) && value.length <= MAX_ENTRIES && Array.from(value).every(isText);

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

/** A text with its ASCII letters in lower case. @internal */
export const lowerAscii = (text: string): string =>
  /[A-Z]/.test(text) ? text.replace(/[A-Z]+/g, (letters) => letters.toLowerCase()) : text;

/** Numbers names in the order of their first appearance. */
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

/** The fields of a match that come from the playbook. @internal */
export type Known = Pick<
  PlaybookMatch,
  "id" | "title" | "action" | "direction" | "success_count" | "sample_size"
>;

/**
 * A parsed playbook. `trigger` is in the module's format; null if the playbook cannot match.
 * @internal
 */
export interface Reading {
  known: Known;
  trigger: readonly number[] | null;
}

/** Parses playbooks and numbers their names. @internal */
export class Reader {
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
    if (kindNames.size * Math.max(1, symbolNames.size) > MAX_PAIRS)
      throw new Unreadable("trigger_too_large");
    const min = read(given.min_severity, isNumber, 0, "malformed_trigger");
    const steps = given.conditions == null ? [] : this.#conditions(given.conditions);
    return [
      ...[success_count, sample_size, min],
      ...[kindNames.size, ...Array.from(kindNames, (kind) => this.kinds.of(kind))],
      ...[symbolNames.size, ...Array.from(symbolNames, (symbol) => this.symbols.of(symbol))],
      ...[steps.length / 4, ...steps],
    ];
  }

  /**
   * Returns a tree of conditions as steps, parents first. It reads no further than the bounds
   * allow, because the tree may have a cycle.
   */
  #conditions(root: unknown): number[] {
    const steps: number[] = [];
    let comparisons = 0;
    const countOne = () => {
      comparisons++;
      if (comparisons > MAX_COMPARISONS) throw new Unreadable("condition_too_large");
    };
    const readOne = (given: unknown, depth: number): void => {
      if (depth > MAX_DEPTH) throw new Unreadable("condition_too_deep");
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
        // A copy; one entry more than allowed is enough to be too large.
        const list: unknown[] = given[kind].slice(0, MAX_COMPARISONS + 1);
        if (list.length === 0) countOne();
        steps.push(STEPS[kind], list.length, 0, 0);
        // By index, so that holes are seen.
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
    // A stack overflow says nothing about the body.
    if (!(error instanceof SyntaxError)) throw error;
  }
  throw new Unreadable("malformed_body");
}
