// Text of memories and of language models: cut by characters, and told as data.

/**
 * The first so many characters of a text, which are code points: no pair of surrogates is cut.
 * @internal
 */
export function firstCharacters(text: string, most: number): string {
  if (text.length <= most) return text;
  return Array.from(text.slice(0, 2 * most))
    .slice(0, most)
    .join("");
}

/**
 * What some reader takes for the end of a line, or does not show at all, beyond what JSON escapes.
 */
const UNSEEN = /[\u007f-\u009f\u2028\u2029]/g;

/**
 * A text as JSON writes strings, on one line whoever reads it: nothing in it can pass for anything
 * but data. @internal
 */
export function quoted(text: string): string {
  const escaped = (unit: string) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`;
  return JSON.stringify(text).replace(UNSEEN, escaped);
}
