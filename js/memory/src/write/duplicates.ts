// Rule: whether two texts say the same. They do if they have nine of ten words and every number in
// common. A lower share would merge "the limit is 60" with "the limit is 300 now".

const MIN_SHARED = 0.9;
/** Texts with fewer words have to be equal, word for word. */
const FEW_WORDS = 4;

/** Returns the words of a text in the form in which texts are compared. */
export const comparedWords = (text: string): string[] =>
  text
    .toLowerCase()
    .normalize("NFKC")
    .match(/[\p{L}\p{N}]+/gu) ?? [];

/** Whether two texts, as `comparedWords` gives them, say the same. */
export function saysTheSame(one: readonly string[], other: readonly string[]): boolean {
  if (one.length === 0 || other.length === 0) return false;
  if (one.join(" ") === other.join(" ")) return true;
  if (Math.min(one.length, other.length) < FEW_WORDS) return false;
  const [a, b] = [new Set(one), new Set(other)];
  const numbers = (words: ReadonlySet<string>) =>
    [...words]
      .filter((word) => /\p{N}/u.test(word))
      .sort()
      .join(" ");
  if (numbers(a) !== numbers(b)) return false;
  const shared = [...a].filter((word) => b.has(word)).length;
  return shared / new Set([...a, ...b]).size >= MIN_SHARED;
}
