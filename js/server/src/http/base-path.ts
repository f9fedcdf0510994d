/** The path before that of every operation. */
export const BASE = "/v1";
