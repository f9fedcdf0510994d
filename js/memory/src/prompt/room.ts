// How much room a prompt has. A view of the page reads it without the engine: it imports nothing.

/** The tokens of a prompt, if the request does not say. */
export const DEFAULT_TOKENS = 1_500;
/** The share of a prompt that the profile may take if it is larger, before other memories. */
export const PROFILE_SHARE = 0.3;
/** The share of a prompt that recent conversations may take. */
export const RECENT_SHARE = 0.15;
