// An account of merging: what was boosted, what was left out and why, what is there for the sake of a part.

import { type MergedRow, type MergeRow, numberOf } from "../merge.ts";
import type { MemorySection } from "../types.ts";
import type { MergeTrace } from "./types.ts";

/** As many results that were left out are named. */
const MOST_CUT = 100;

/** The best instance of a memory. */
interface Kept {
  row: MergeRow;
  score: number;
  isSelected: boolean;
}

/** What merging was told, and what an account of it needs to know of sections. @internal */
export interface MergeTerms {
  relevanceRatio: number;
  maxResults: number;
  /** The sections that the question asks for. */
  intents: readonly MemorySection[];
  intentBoosts: Readonly<Record<MemorySection, number>>;
  getSectionForSubtype(subtype: string | null | undefined): MemorySection;
}

/** Accounts for a selection, in one pass over the results and one over the memories. @internal */
export function accountOf<Row extends MergeRow>(
  groups: readonly (readonly Row[])[],
  selected: readonly MergedRow<Row>[],
  terms: MergeTerms,
): MergeTrace {
  const { relevanceRatio, maxResults, intents, intentBoosts } = terms;
  const kept = new Map<unknown, Kept>();
  let found = 0;
  for (const rows of groups) {
    found += rows.length;
    for (const row of rows) {
      const score = numberOf(row.score);
      const best = kept.get(row.id);
      if (best === undefined) kept.set(row.id, { row, score, isSelected: false });
      else if (score > best.score) {
        best.row = row;
        best.score = score;
      }
    }
  }

  let top = Number.NEGATIVE_INFINITY;
  for (const best of kept.values()) {
    const section = intents.length === 0 ? undefined : terms.getSectionForSubtype(best.row.subtype);
    if (section !== undefined && intents.includes(section)) best.score *= intentBoosts[section];
    if (best.score > top) top = best.score;
  }
  const cutoff = kept.size === 0 ? 0 : top * relevanceRatio;

  const boosted: MergeTrace["boosted"] = [];
  for (const { id, score, _original_score, _intent_boosted } of selected) {
    kept.get(id)!.isSelected = true;
    if (_intent_boosted) boosted.push({ id: id!, from: _original_score!, to: score });
  }

  const cut: MergeTrace["cut"] = [];
  let reaching = 0;
  for (const [id, { score, isSelected }] of kept) {
    if (score >= cutoff) reaching++;
    if (isSelected || cut.length === MOST_CUT) continue;
    cut.push({ id: id as string, score, why: score >= cutoff ? "max_results" : "below_cutoff" });
  }
  // Where nothing reaches the cutoff, the one that is selected all the same was added for no part.
  const ranked = groups.length === 1 ? selected.length : Math.min(reaching, maxResults);
  return {
    found,
    kept: kept.size,
    cutoff,
    boosted,
    covered: selected.slice(ranked).map(({ id }) => id!),
    cut,
    cut_total: kept.size - selected.length,
  };
}
