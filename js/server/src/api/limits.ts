// How much a request may hold, and an answer. Texts are counted in UTF-16 units.

/** Of a name, such as a type or a subtype. */
export const MOST_NAME = 200;
export const MOST_TITLE = 10_000;
/** Of a text that is no title. */
export const MOST_TEXT = 1_000_000;
export const MOST_QUERY = 10_000;
/** Components of a vector. */
export const MOST_COMPONENTS = 65_536;
/** Memories that one search gives. */
export const MOST_FOUND = 100;
/**
 * Bytes of JSON that the rows of an answer take together; the first row may take more by itself. It
 * is above what any one memory of usual texts takes, and below what a thread needs 100 ms for.
 */
export const MOST_ANSWER = 8 * 2 ** 20;
