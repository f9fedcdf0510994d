// Reading lists of a caller's objects, each entry once.

import { listOf } from "../arguments.ts";
import { invalidEntry, invalidShape, show } from "../errors.ts";

/**
 * Copies the string fields of entries. Throws `invalid_argument` with place, id and field.
 * @internal
 */
export function readTexts<Field extends string>(
  batch: string,
  list: readonly Readonly<Record<Field, string>>[],
  fields: readonly Field[],
): Record<Field, string>[] {
  return Array.from(listOf(batch, list), (entry, place) => {
    if (typeof entry !== "object" || entry === null) throw invalidShape(batch, place, entry);
    const texts = fields.map((field) => {
      const text: unknown = entry[field];
      if (typeof text === "string") return [field, text] as const;
      throw invalidEntry(batch, place, entry, field, `must be a string, found ${show(text)}`);
    });
    return Object.fromEntries(texts) as Record<Field, string>;
  });
}

/** Returns the first entry of each id. @internal */
export function firstOfEach<T extends { readonly id: string }>(entries: readonly T[]): T[] {
  const known = new Set<string>();
  return entries.filter(({ id }) => !known.has(id) && known.add(id));
}
