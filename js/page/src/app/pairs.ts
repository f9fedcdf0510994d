// Numbers by name, as the address writes them: `recency_signals*2*intent*0.5`.

const BETWEEN = "*";

/** Returns the names and values of a text; names without a value are left out. */
export function pairsIn(text: string): [name: string, value: string][] {
  const parts = text.split(BETWEEN);
  const pairs: [string, string][] = [];
  for (let at = 0; at + 1 < parts.length; at += 2) pairs.push([parts[at]!, parts[at + 1]!]);
  return pairs;
}

/** Returns names and values as a text. */
export const asPairs = (pairs: Iterable<readonly [string, string | number]>): string =>
  [...pairs].flat().join(BETWEEN);

/** Returns a number of the address within bounds; undefined if it is none. */
export function numberIn(text: string, min: number, max: number): number | undefined {
  const value = text.trim() === "" ? Number.NaN : Number(text);
  return Number.isFinite(value) ? Math.min(max, Math.max(min, value)) : undefined;
}
