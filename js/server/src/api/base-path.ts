/** The path before that of every operation. */
export const BASE = "/v1";

/** The header of `/livez` that names the run of the server. */
export const INSTANCE_HEADER = "x-nous-instance";
