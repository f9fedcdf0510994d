/**
 * A text without halves of surrogate pairs, which are no text to anybody else: U+FFFD stands in
 * their place.
 */
export const wellFormed = (text: string): string => Buffer.from(text).toString();
