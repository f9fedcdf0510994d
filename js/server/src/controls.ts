/** Whether a text has control characters: U+0000 to U+001F, and U+007F to U+009F. */
export const hasControls = (text: string): boolean => /\p{Cc}/u.test(text);
