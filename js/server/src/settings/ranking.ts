// How searches rank: the setting, and the field of requests.

/**
 * `evidence`: by the probability that a memory answers the question. `signals`: by a sum of six
 * signals.
 */
export const RANKINGS = ["evidence", "signals"] as const;
export type RankedBy = (typeof RANKINGS)[number];
