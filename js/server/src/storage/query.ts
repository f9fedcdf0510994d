// Statements with values: the tag `sql` makes them, so that a value never becomes text of a
// statement.

/** A statement, or a part of one, with the values that it binds. */
export class Query {
  /** The text around the values: one part more than values. */
  readonly parts: readonly string[];
  readonly values: readonly unknown[];

  constructor(parts: readonly string[], values: readonly unknown[]) {
    this.parts = parts;
    this.values = values;
  }

  /** The text as PostgreSQL takes it, with `$1` for the first value. */
  get text(): string {
    return this.parts.reduce((text, part, place) => `${text}$${place}${part}`);
  }

  /** The text as SQLite takes it, with a `?` for each value. */
  get marked(): string {
    return this.parts.join("?");
  }
}

/**
 * Makes a statement. A query among the values becomes a part of the statement; every other value is
 * bound.
 *
 * @example
 * ```ts
 * const own = sql`agent = ${agent}`;
 * sql`SELECT id FROM nous.nodes WHERE ${own} AND id = ${id}`.text;
 * // SELECT id FROM nous.nodes WHERE agent = $1 AND id = $2
 * ```
 */
export function sql(texts: TemplateStringsArray, ...given: readonly unknown[]): Query {
  const parts = [texts[0]!];
  const values: unknown[] = [];
  for (const [place, value] of given.entries()) {
    const after = texts[place + 1]!;
    if (value instanceof Query) {
      parts[parts.length - 1] += value.parts[0]!;
      parts.push(...value.parts.slice(1));
      parts[parts.length - 1] += after;
      values.push(...value.values);
    } else {
      parts.push(after);
      values.push(value);
    }
  }
  return new Query(parts, values);
}

/** Makes a part of a statement from text. Never pass text of a request. */
export const raw = (text: string): Query => new Query([text], []);

/** Joins parts of a statement. */
export const joined = (queries: readonly Query[], between: string): Query =>
  queries.reduce(
    (all, one, place) => (place === 0 ? one : sql`${all}${raw(between)}${one}`),
    raw(""),
  );

/** Joins conditions of which all have to hold. */
export const allOf = (conditions: readonly Query[]): Query =>
  conditions.length === 0 ? raw("true") : joined(conditions, " AND ");

/** Joins conditions of which one has to hold. */
export const oneOfAll = (conditions: readonly Query[]): Query =>
  conditions.length === 0 ? raw("false") : sql`(${joined(conditions, " OR ")})`;
