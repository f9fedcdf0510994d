// An account of merging: what was boosted, what was left out and why, what is there for the sake of a part.

import { type MergedRow, type MergeRow, numberOf } from "../merge.ts";
import type { MemorySection } from "../types.ts";
import type { MergeTrace } from "./types.ts";

/** As many results that were left out are named. */
const MOST_CUT = 100;

/** What merging was told, and what an account of it needs to know of sections. @internal */
export interface MergeTerms {
  relevanceRatio: number;
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
  const { relevanceRatio, intents, intentBoosts } = terms;
  // Each memory's best instance, by the memory's place in the order of first sight.
  const places = new Map<unknown, number>();
  const rows: Row[] = [];
  const scores: number[] = [];
  let found = 0;
  for (const group of groups) {
    found += group.length;
    for (const row of group) {
      const score = numberOf(row.score);
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

  let top = Number.NEGATIVE_INFINITY;
  for (let place = 0; place < rows.length; place++) {
    if (intents.length > 0) {
      const section = terms.getSectionForSubtype(rows[place]!.subtype);
      if (intents.includes(section)) scores[place]! *= intentBoosts[section];
    }
    if (scores[place]! > top) top = scores[place]!;
  }
  const cutoff = rows.length === 0 ? 0 : top * relevanceRatio;

  const boosted: MergeTrace["boosted"] = [];
  const isSelected = new Array<boolean>(rows.length).fill(false);
  for (const { id, score, _original_score, _intent_boosted } of selected) {
    isSelected[places.get(id)!] = true;
    if (_intent_boosted) boosted.push({ id: id!, from: _original_score!, to: score });
  }

  const cut: MergeTrace["cut"] = [];
  let reaching = 0;
  for (let place = 0; place < rows.length; place++) {
    const score = scores[place]!;
    if (score >= cutoff) reaching++;
    if (isSelected[place] || cut.length === MOST_CUT) continue;
    cut.push({ id: rows[place]!.id!, score, why: score >= cutoff ? "max_results" : "below_cutoff" });
  }
  return {
    found,
    kept: rows.length,
    cutoff,
    boosted,
    covered: groups.length === 1 ? [] : selected.slice(reaching).map(({ id }) => id!),
    cut,
    cut_total: rows.length - selected.length,
  };
}
