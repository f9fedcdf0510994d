// Finds the weight of the evidence that counts where words fail a question.
//
// # Idea
//
// The loss of the fit is that of a probability. Where words fail, no weight makes an answer sure, so
// that the loss keeps this weight small. But the order of the first memories gains from a large one.
// So it is searched for, after all others: it maximises the mean nDCG@10 of the sets.
//
// # Invariants
//
// - No set loses more than {@link MAX_LOSS}.
// - The same tables and weights give the same weight.

import { DEPTH, ndcg } from "../quality/metrics.ts";
import { bestRows, type EvidenceTable, sumsOf } from "./evidence-table.ts";
import { gradesOf } from "./judge.ts";
import type { WeightedTable } from "./listwise.ts";

/** The kind of evidence that is tuned. */
export const TUNED = "emb_rank";
/** Its weights that are tried. */
const TRIED = Array.from({ length: 25 }, (_, step) => step / 4);
/** What a set may lose in nDCG@10. */
const MAX_LOSS = 0.005;

/**
 * Returns weights with the tuned one, as large as the sets gain from it.
 *
 * @param weights - By kind of evidence, as {@link fitListwise} finds them.
 * @param sets - With their share of the mean.
 */
export function tune(
  weights: Readonly<Record<string, number>>,
  sets: readonly WeightedTable[],
): Readonly<Record<string, number>> {
  const tried = TRIED.map((weight) => {
    const raised = { ...weights, [TUNED]: weight };
    return { raised, means: sets.map(({ table }) => meanOf(table, raised)) };
  });
  const [{ means: before }] = tried as [(typeof tried)[number]];
  const total = sets.reduce((sum, { weight }) => sum + weight, 0);
  const gain = (means: readonly number[]) =>
    sets.reduce((sum, { weight }, at) => sum + (weight / total) * (means[at]! - before[at]!), 0);
  const allowed = tried.filter(({ means }) =>
    means.every((mean, at) => mean >= before[at]! - MAX_LOSS),
  );
  return allowed.reduce((best, one) => (gain(one.means) > gain(best.means) ? one : best)).raised;
}

/** Returns the mean nDCG@10 of the questions with an answer. */
function meanOf(table: EvidenceTable, weights: Readonly<Record<string, number>>): number {
  const sums = sumsOf(table, weights);
  const values = table.questionKinds.flatMap((_, question) => {
    const grades = gradesOf(table, question);
    if (grades.size === 0) return [];
    return ndcg(bestRows(table, sums, question, DEPTH).map(String), grades);
  });
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}
