// Rule: whether two texts are the same statement. They are if they have the same words in the same order
// after folding: letters in lower case, forms of one character, quotation marks and hyphens alike. Signs,
// numbers, operators and emoji count like words: "< 100 ms" is no "> 100 ms", and C++ no C#. Only marks
// around words, such as a full stop, do not count.

/** Returns the words of a text in the form in which texts are compared by words. */
export const comparedWords = (text: string): string[] =>
  text
    .toLowerCase()
    .normalize("NFKC")
    .match(/[\p{L}\p{N}]+/gu) ?? [];

/** Characters whose compatible form is another number: `10²` is no `102`. */
const OTHERWISE = /[^\p{No}\u2070-\u209f]+/gu;
/** Characters that show nothing: soft hyphens, and the choice of an emoji's form. */
const UNSEEN = /\u00ad|\u200b|\u2060|\ufe0e|\ufe0f|\ufeff/g;
const APOSTROPHES = /[\u2018\u2019\u201a\u201b]/g;
const QUOTES = /[\u201c-\u201f\u00ab\u00bb]/g;
const HYPHENS = /[\u2010-\u2015\u2212]/g;
/** Marks before and after a word that say nothing. A question mark does. */
const OPENING = "\"'([{¿¡";
const CLOSING = ".,;:!…\"')]}。、";

/**
 * Returns the statement of a text: two texts say the same if their statements are equal. Empty if the text
 * is blank.
 */
export const statementOf = (text: string): string =>
  text
    .replace(UNSEEN, "")
    .replace(OTHERWISE, (some) => some.normalize("NFKC"))
    .toLowerCase()
    .replace(APOSTROPHES, "'")
    .replace(QUOTES, '"')
    .replace(HYPHENS, "-")
    .split(/\s+/)
    .map(bare)
    .filter((word) => word !== "")
    .join(" ");

/** Returns a word without the marks around it. Marks alone are a word: `:)` is no `:(`. */
function bare(word: string): string {
  let [start, end] = [0, word.length];
  while (start < end && OPENING.includes(word[start]!)) start += 1;
  while (end > start && CLOSING.includes(word[end - 1]!)) end -= 1;
  return start < end ? word.slice(start, end) : word;
}
