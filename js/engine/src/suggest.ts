// Suggestions for misspelled names: the nearest known name by edit distance.

/** Unknown field names whose nearest field is remembered; a caller may have any number of them. */
const MAX_REMEMBERED = 1024;
/**
 * Field names that are shorter are near too many other words: `id` and `uid`, `tags` and `tabs`.
 */
const SHORTEST_FIELD = 5;

/** A name without what only spelling conventions differ in: `maxSeeds` and `max_seeds`. */
const bare = (name: string): string => name.toLowerCase().replaceAll("_", "");

/**
 * Edits from one text to another: characters inserted, deleted, replaced, or two neighbours
 * swapped.
 * @internal
 */
export function editDistance(from: string, to: string): number {
  let beforeLast: number[] = [];
  let last = Array.from({ length: to.length + 1 }, (_, place) => place);
  for (let i = 1; i <= from.length; i++) {
    const row = [i];
    for (let j = 1; j <= to.length; j++) {
      const isSame = from[i - 1] === to[j - 1];
      row[j] = Math.min(last[j]! + 1, row[j - 1]! + 1, last[j - 1]! + (isSame ? 0 : 1));
      const isSwapped = i > 1 && j > 1 && from[i - 1] === to[j - 2] && from[i - 2] === to[j - 1];
      if (isSwapped) row[j] = Math.min(row[j]!, beforeLast[j - 2]! + 1);
    }
    [beforeLast, last] = [last, row];
  }
  return last[to.length]!;
}

/** The nearest of some names, at most `most` edits away; of equals, the first. */
function nearestWithin(
  name: string,
  names: Iterable<string>,
  maxOf: (known: string) => number,
): string | undefined {
  const given = bare(name);
  let nearest: string | undefined;
  let min = Number.POSITIVE_INFINITY;
  for (const known of names) {
    const max = maxOf(known);
    // The lengths alone differ by more: the texts need not be compared.
    if (Math.abs(bare(known).length - given.length) > max) continue;
    const edits = editDistance(given, bare(known));
    if (edits > max || edits >= min) continue;
    nearest = known;
    min = edits;
  }
  return nearest;
}

/**
 * The known name that a misspelled one may mean, if one is close: one edit away for names of up to
 * five characters, two for longer ones. Case and underscores do not count. @internal
 */
export const nearest = (name: string, names: Iterable<string>): string | undefined =>
  nearestWithin(name, names, (known) => (known.length > 5 ? 2 : 1));

/** The part of a message that says which name may be meant; empty if none is near. @internal */
export function didYouMean(name: string, names: Iterable<string>): string {
  const meant = nearest(name, names);
  return meant === undefined ? "" : ` (did you mean ${meant}?)`;
}

/** The fields of the entries of a batch, which may have other fields as well. @internal */
export class KnownFields {
  readonly #known: ReadonlySet<string>;
  /** By the name of an unknown field the field that it may mean. */
  readonly #meant = new Map<string, string | undefined>();
  /**
   * Fields of an earlier entry, in their order: known ones, and unknown ones that mean no known
   * one. The entries of a program have the same fields, and comparing two names takes a fifth of
   * the time of a look-up.
   */
  #earlier: readonly string[] = [];

  constructor(...known: string[]) {
    this.#known = new Set(known);
  }

  /**
   * A field of an entry that looks misspelled, and the field that it means: its name is at most one
   * edit away from a field that the entry does not have. Other unknown fields are columns that the
   * index does not need.
   */
  misspelled(entry: object): { found: string; meant: string } | undefined {
    const earlier = this.#earlier;
    let place = 0;
    for (const found in entry) {
      if (found === earlier[place]) place++;
      else return this.#misspelledIn(entry);
    }
    return undefined;
  }

  #misspelledIn(entry: object): { found: string; meant: string } | undefined {
    const harmless: string[] = [];
    for (const found in entry) {
      const meant = this.#known.has(found) ? undefined : this.#meantBy(found);
      if (meant === undefined) harmless.push(found);
      else if (!(meant in entry)) return { found, meant };
    }
    this.#earlier = harmless.slice(0, MAX_REMEMBERED);
    return undefined;
  }

  #meantBy(found: string): string | undefined {
    const meant = this.#meant.get(found);
    if (meant !== undefined || this.#meant.has(found)) return meant;
    const near = nearestWithin(found, this.#known, ({ length }) =>
      length < SHORTEST_FIELD ? -1 : 1,
    );
    if (this.#meant.size < MAX_REMEMBERED) this.#meant.set(found, near);
    return near;
  }
}
