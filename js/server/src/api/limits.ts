// The limits of requests and answers. Texts are counted in UTF-16 units.

/** Of a name, such as a type or a subtype. */
export const MAX_NAME = 200;
/** Of a title. */
export const MAX_TITLE = 10_000;
/** Of any other text. */
export const MAX_TEXT = 1_000_000;
/** Of a query. */
export const MAX_QUERY = 10_000;
/** The most components of an embedding. */
export const MAX_COMPONENTS = 65_536;
/** The most memories that one search returns. */
export const MAX_FOUND = 100;
/**
 * The most bytes of JSON of an answer's rows; a first row may exceed it. It is above the size of
 * any memory with texts of usual length, and a thread serializes that much in less than 100 ms.
 */
export const MAX_ANSWER = 8 * 2 ** 20;
/** The most memories whose ids a deletion by a filter names. */
export const MAX_NAMED = 100;
