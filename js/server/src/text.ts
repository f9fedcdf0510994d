// Characters of texts that other programs send.

/** Returns a text in which U+FFFD replaces each unpaired half of a surrogate pair. */
export const wellFormed = (text: string): string => (text as Text).toWellFormed();

/** Node has the method. The types are those of the oldest runtime that the engine runs in. */
type Text = string & { toWellFormed(): string };

/** Returns whether a text has control characters: U+0000 to U+001F, and U+007F to U+009F. */
export const hasControls = (text: string): boolean => /\p{Cc}/u.test(text);
