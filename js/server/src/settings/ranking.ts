// How searches rank: the setting, and the field of requests.

import type { Compat } from "./compat.ts";

/**
 * `evidence`: by the probability that a memory answers the question. `signals`: by a sum of six
 * signals.
 */
export const RANKINGS = ["evidence", "signals"] as const;
export type RankedBy = (typeof RANKINGS)[number];

/** Returns how searches rank if the settings do not say: Hynous' server ranks by signals. */
export const defaultRanking = (compat: Compat = "none"): RankedBy =>
  compat === "hynous" ? "signals" : "evidence";
