// Patterns of users: regular expressions that take linear time, whatever the pattern and the text.

import { isFields, listOf } from "./arguments.ts";
import { invalid, invalidShape, NousError, show } from "./errors.ts";
import type { Glue } from "./instance.ts";
import { takeRefusal } from "./refusal.ts";
import { idle } from "./runtime.ts";

/** A pattern and the name of what it finds. Several patterns may have one name. */
export interface NamedPattern {
  /** The name that `PatternSet.firstMatch` returns. */
  name: string;
  /** A regular expression; see {@link PatternSet}. */
  pattern: string;
}

type ModulePatterns = NonNullable<ReturnType<Glue["Patterns"]["create"]>>;

/**
 * Patterns in order, compiled once. The time of a match grows with the length of the text and the
 * size of the pattern, and with nothing else, so that patterns may come from users.
 *
 * The syntax is that of the Rust crate `regex-lite`: classes, repetitions, groups, alternatives,
 * anchors and `\b`, without look-around and back-references. Letters match in either case. `\b`,
 * `\w`, `\d` and `\s` know ASCII alone. At most 1,000 patterns of 2,000 bytes each.
 *
 * @example
 * ```ts
 * const patterns = new PatternSet([
 *   { name: "event", pattern: String.raw`\b(yesterday|last week)\b` },
 *   { name: "task", pattern: String.raw`\b(must|have to)\b` },
 * ]);
 * patterns.firstMatch("I must call Omar"); // "task"
 * ```
 */
export class PatternSet {
  readonly #names: readonly string[];
  readonly #patterns: string[];
  /** The compiled patterns, by the glue of the instance that holds them. */
  readonly #compiled = new WeakMap<Glue, ModulePatterns>();

  /**
   * Compiles patterns.
   *
   * @throws {NousError} `invalid_argument` with index and field: a name or a pattern that is no
   *   string, a pattern that is too long or too large, that has a syntax error, look-around or a
   *   back-reference; `not_initialized` before the module is loaded.
   */
  constructor(patterns: readonly NamedPattern[]) {
    const read = Array.from(listOf("patterns", patterns), (entry: unknown, index) => {
      if (!isFields(entry)) throw invalidShape("patterns", index, entry);
      const { name, pattern } = entry;
      if (typeof name !== "string") throw refused(index, undefined, "name", mustBeText(name));
      if (typeof pattern !== "string") throw refused(index, name, "pattern", mustBeText(pattern));
      return { name, pattern };
    });
    this.#names = read.map(({ name }) => name);
    this.#patterns = read.map(({ pattern }) => pattern);
    this.#module();
  }

  /**
   * Returns the name of the first pattern that matches anywhere in the text, or undefined.
   *
   * @throws {NousError} `invalid_argument`: a text that is no string.
   */
  firstMatch(text: string): string | undefined {
    if (typeof text !== "string") throw invalid("text", mustBeText(text));
    const place = this.#module().first_match(text);
    return place < 0 ? undefined : this.#names[place];
  }

  /**
   * Returns whether any pattern matches anywhere in the text.
   *
   * @throws {NousError} As `firstMatch`.
   */
  test(text: string): boolean {
    return this.firstMatch(text) !== undefined;
  }

  #module(): ModulePatterns {
    const glue = idle();
    const known = this.#compiled.get(glue);
    if (known !== undefined) return known;
    const compiled = glue.Patterns.create(this.#patterns);
    if (compiled === undefined) {
      const { field, index, problem, found } = takeRefusal(glue);
      const what = found === null ? problem : `${problem}, found ${found}`;
      throw index === null ? invalid(field, what) : refused(index, this.#names[index], field, what);
    }
    this.#compiled.set(glue, compiled);
    return compiled;
  }
}

const mustBeText = (value: unknown) => `must be a string, found ${show(value)}`;

function refused(
  index: number,
  name: string | undefined,
  field: string,
  problem: string,
): NousError {
  const whose = !name ? "" : ` (name ${JSON.stringify(name)})`;
  const message = `patterns[${index}]${whose}: ${field} ${problem}`;
  return new NousError("invalid_argument", message, { field, index });
}
