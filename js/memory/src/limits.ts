// The limits of texts, in UTF-16 units.

/** Of a name, such as a type or a subtype. */
export const MAX_NAME = 200;
/** Of a title. */
export const MAX_TITLE = 10_000;
/** Of any other text. */
export const MAX_TEXT = 1_000_000;
/** Of a query. */
export const MAX_QUERY = 10_000;
