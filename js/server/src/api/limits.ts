// The limits of requests and answers. Texts are counted in UTF-16 units.

/** Of a name, such as a type or a subtype. */
export const MOST_NAME = 200;
/** Of a title. */
export const MOST_TITLE = 10_000;
/** Of any other text. */
export const MOST_TEXT = 1_000_000;
/** Of a query. */
export const MOST_QUERY = 10_000;
/** The most components of an embedding. */
export const MOST_COMPONENTS = 65_536;
/** The most memories that one search returns. */
export const MOST_FOUND = 100;
/**
 * The most bytes of JSON of an answer's rows; a first row may exceed it. It is above the size of
 * any memory with texts of usual length, and a thread serializes that much in less than 100 ms.
 */
export const MOST_ANSWER = 8 * 2 ** 20;
/** The most memories whose ids a deletion by a filter names. */
export const MOST_NAMED = 100;
