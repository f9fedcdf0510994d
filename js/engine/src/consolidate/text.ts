// Text of memories and language models: cut by characters, and quoted as data.

/**
 * Returns the first `most` characters of a text. Characters are code points, so no surrogate pair
 * is cut. @internal
 */
export function firstCharacters(text: string, max: number): string {
  if (text.length <= max) return text;
  return Array.from(text.slice(0, 2 * max))
    .slice(0, max)
    .join("");
}

/**
 * Characters that JSON does not escape, but that some readers take for the end of a line or do not
 * show.
 */
const UNSEEN = /[\u007f-\u009f\u2028\u2029]/g;

/**
 * Returns a text as a JSON string on one line, for every reader. Nothing in it can be read as
 * anything but data. @internal
 */
export function quoted(text: string): string {
  const escaped = (unit: string) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`;
  return JSON.stringify(text).replace(UNSEEN, escaped);
}
