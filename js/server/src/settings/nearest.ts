// Suggests the name that a user most likely meant.

/** The most changed letters that still count as a typing error. */
const MOST_CHANGES = 2;

/** Returns the nearest of these names to a given one; undefined if none is near. */
export function nearest(given: string, names: Iterable<string>): string | undefined {
  const near = Array.from(names, (name) => ({ name, changes: changesBetween(given, name) }))
    .filter(({ name, changes }) => changes <= Math.min(MOST_CHANGES, name.length / 2))
    .sort((a, b) => a.changes - b.changes);
  return near[0]?.name;
}

/** Returns the edit distance: letters to insert, delete, replace, or swap with the next. */
function changesBetween(a: string, b: string): number {
  let [before, last]: [number[], number[]] = [
    [],
    Array.from({ length: b.length + 1 }, (_, i) => i),
  ];
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    for (let j = 1; j <= b.length; j++) {
      const isSame = a[i - 1] === b[j - 1];
      const isSwap = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1];
      row[j] = Math.min(
        row[j - 1]! + 1,
        last[j]! + 1,
        last[j - 1]! + (isSame ? 0 : 1),
        isSwap ? before[j - 2]! + 1 : Number.POSITIVE_INFINITY,
      );
    }
    [before, last] = [last, row];
  }
  return last[b.length]!;
}
