// Whether scores are probabilities: of the results scored 0.8, do 80 % answer?

/** A result: its score, and whether it answers its question. */
export interface Judged {
  /** From 0 to 1. */
  readonly score: number;
  readonly isAnswer: boolean;
}

/** Results with scores between two bounds. */
export interface Bin {
  /** The least score of the bin. */
  readonly from: number;
  /** The bound above; the last bin holds 1, too. */
  readonly to: number;
  readonly count: number;
  /** The mean score; 0 if the bin is empty. */
  readonly score: number;
  /** The share of answers; 0 if the bin is empty. */
  readonly share: number;
}

/** The number of bins. */
const BINS = 10;

/**
 * Returns ten bins of equal width.
 *
 * @throws {RangeError} If a score is not between 0 and 1.
 */
export function binsOf(results: readonly Judged[]): Bin[] {
  const sums = Array.from({ length: BINS }, () => ({ count: 0, score: 0, answers: 0 }));
  for (const { score, isAnswer } of results) {
    if (!(score >= 0 && score <= 1)) throw new RangeError(`a score of ${score} is no probability`);
    const sum = sums[Math.min(Math.floor(score * BINS), BINS - 1)]!;
    sum.count++;
    sum.score += score;
    sum.answers += isAnswer ? 1 : 0;
  }
  return sums.map(({ count, score, answers }, place) => ({
    from: place / BINS,
    to: (place + 1) / BINS,
    count,
    score: count === 0 ? 0 : score / count,
    share: count === 0 ? 0 : answers / count,
  }));
}

/**
 * Returns the expected calibration error: the distance between mean score and share of answers of a
 * bin, averaged over the results. 0 is perfect. 0 without results.
 */
export function calibrationError(bins: readonly Bin[]): number {
  const total = bins.reduce((sum, { count }) => sum + count, 0);
  const far = bins.reduce(
    (sum, { count, score, share }) => sum + count * Math.abs(score - share),
    0,
  );
  return total === 0 ? 0 : far / total;
}
