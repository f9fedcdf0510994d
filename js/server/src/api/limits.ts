// The limits of requests and answers. Those of texts are the limits of nous-memory.

export { MAX_NAME, MAX_QUERY, MAX_TEXT, MAX_TITLE } from "nous-memory";

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
