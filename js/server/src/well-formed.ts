/**
 * A text without halves of surrogate pairs, which are no text to anybody else: U+FFFD stands in
 * their place.
 */
export const wellFormed = (text: string): string => (text as Text).toWellFormed();

/** Node 20 has the method. The types are those of the oldest runtime that the engine runs in. */
type Text = string & { toWellFormed(): string };
