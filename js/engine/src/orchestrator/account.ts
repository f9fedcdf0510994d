// The record of a merge: which memories were boosted, which were left out and why, and which
// represent a part.

import { finiteScore } from "../arguments.ts";
import type { MergedRow, MergeRow } from "../merge.ts";
import type { MemorySection } from "../types.ts";
import type { MergeTrace } from "./types.ts";

/** The most left out results that the record names. */
const MAX_CUT = 100;

/** The terms of a merge, and the sections of subtypes. @internal */
export interface MergeTerms {
  relevanceRatio: number;
  /** The intents of the question. */
  intents: readonly MemorySection[];
  intentBoosts: Readonly<Record<MemorySection, number>>;
  getSectionForSubtype(subtype: string | null | undefined): MemorySection;
}

/** The record, and the scores before boosts. @internal */
export interface Account<Row extends MergeRow> {
  trace: MergeTrace;
  /** The scores of boosted memories before the boost. */
  unboosted: ReadonlyMap<MergedRow<Row>, number>;
}

/**
 * Makes the record of a selection, in one pass over the results and one over the memories.
 * @internal
 */
export function accountOf<Row extends MergeRow>(
  groups: readonly (readonly Row[])[],
  selected: readonly MergedRow<Row>[],
  terms: MergeTerms,
): Account<Row> {
  const { relevanceRatio, intents, intentBoosts } = terms;
  /** Returns the boost of a memory: 1 if its section is no intent of the question. */
  const boostOf = ({ subtype }: Row): number => {
    if (intents.length === 0) return 1;
    const section = terms.getSectionForSubtype(subtype);
    return intents.includes(section) ? intentBoosts[section] : 1;
  };
  // The best instance of each memory, in the order in which the memories were found.
  const places = new Map<unknown, number>();
  const rows: Row[] = [];
  const scores: number[] = [];
  let found = 0;
  for (const group of groups) {
    found += group.length;
    for (const row of group) {
      const score = finiteScore(row.score);
      const place = places.get(row.id);
      if (place === undefined) {
        places.set(row.id, rows.length);
        rows.push(row);
        scores.push(score);
      } else if (score > scores[place]!) {
        rows[place] = row;
        scores[place] = score;
      }
    }
  }

  const before = [...scores];
  let top = Number.NEGATIVE_INFINITY;
  for (let place = 0; place < rows.length; place++) {
    scores[place]! *= boostOf(rows[place]!);
    if (scores[place]! > top) top = scores[place]!;
  }
  const cutoff = rows.length === 0 ? 0 : top * relevanceRatio;

  const boosted: MergeTrace["boosted"] = [];
  const isSelected = new Array<boolean>(rows.length).fill(false);
  const unboosted = new Map<MergedRow<Row>, number>();
  for (const row of selected) {
    const { id, score, _intent_boosted } = row;
    const place = places.get(id)!;
    isSelected[place] = true;
    // The mark alone may come from the caller's row, if that was merged before.
    const isBoosted = _intent_boosted && boostOf(rows[place]!) > 1 && score === scores[place];
    if (!isBoosted) continue;
    boosted.push({ id: id!, from: before[place]!, to: score });
    unboosted.set(row, before[place]!);
  }

  const cut: MergeTrace["cut"] = [];
  let reaching = 0;
  for (let place = 0; place < rows.length; place++) {
    const score = scores[place]!;
    if (score >= cutoff) reaching++;
    if (isSelected[place] || cut.length === MAX_CUT) continue;
    cut.push({
      id: rows[place]!.id!,
      score,
      why: score >= cutoff ? "max_results" : "below_cutoff",
    });
  }
  const trace: MergeTrace = {
    found,
    kept: rows.length,
    cutoff,
    boosted,
    covered: groups.length === 1 ? [] : selected.slice(reaching).map(({ id }) => id!),
    cut,
    cut_total: rows.length - selected.length,
  };
  return { trace, unboosted };
}
