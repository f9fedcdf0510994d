// Rule: what an agent learns from guesses that were confirmed or rejected.

/** The guesses that stand for what is known before any is resolved. */
const PRIOR = 10;
/** The share of resolved guesses that were right, before any is resolved. */
const PRIOR_SHARE = 0.5;
/** The most that is learned, in log-odds. */
const MAX_LEARNED = 1;

/**
 * Returns what is added to the log-odds of a guess: the log-odds of the share of confirmed ones,
 * moved towards 0 as far as there are few. 0 if none is resolved.
 *
 * @param confirmed How many guesses were confirmed.
 * @param rejected How many were rejected.
 */
export function learnedOffset(confirmed: number, rejected: number): number {
  const share = (confirmed + PRIOR * PRIOR_SHARE) / (confirmed + rejected + PRIOR);
  return Math.max(-MAX_LEARNED, Math.min(Math.log(share / (1 - share)), MAX_LEARNED));
}
