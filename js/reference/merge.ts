// Results of several sub-queries → one selection: dedup, boost, cut-off, coverage.
// The merge rules, in full. Plain on purpose: this is the yardstick of the parity tests.

import { classifyIntent } from "./intent.ts";
import { getSectionForSubtype } from "./sections.ts";

export interface MergeRow {
  id?: string | null | undefined;
  score?: unknown;
  subtype?: string | null | undefined;
}

export interface MergeOptions {
  /** The whole question, for its intent. */
  query?: string | null | undefined;
  sectionsEnabled?: boolean | undefined;
  intentBoost?: number | undefined;
  relevanceRatio?: number | undefined;
  maxResults?: number | undefined;
}

export type MergedRow<T> = T & {
  score: number;
  _original_score?: number;
  _intent_boosted?: true;
  /** Number of the sub-query that this instance came from. */
  _sub_query_group: number;
};

export type SubResults<T> = ReadonlyMap<string, T[]> | readonly (readonly [string, T[]])[];

/** A finite number as it is, a numeric string as its number, anything else as 0. */
function scoreOf(score: unknown): number {
  const value = typeof score === "string" ? Number(score) : score;
  return typeof value === "number" && Number.isFinite(value) ? value : 0;
}

interface Kept<T> {
  row: T;
  group: number;
  score: number;
  boosted: boolean;
}

function finish<T extends MergeRow>({ row, group, score, boosted }: Kept<T>): MergedRow<T> {
  return {
    ...row,
    score,
    ...(boosted ? { _original_score: scoreOf(row.score), _intent_boosted: true as const } : {}),
    _sub_query_group: group,
  };
}

/**
 * Merges the results of all sub-queries and selects the relevant ones. Inputs are never changed.
 */
export function mergeAndSelect<T extends MergeRow>(
  subResults: SubResults<T>,
  {
    query,
    sectionsEnabled = true,
    intentBoost = 1.3,
    relevanceRatio = 0.4,
    maxResults = 20,
  }: MergeOptions = {},
): MergedRow<T>[] {
  const groups = [...subResults].map(([, rows]) => rows);

  // 1, 2: the best instance of each id, in the order of first sight.
  const kept = new Map<string, Kept<T>>();
  groups.forEach((rows, group) => {
    for (const row of rows) {
      if (row.id == null || row.id === "") continue;
      const score = scoreOf(row.score);
      const best = kept.get(row.id);
      if (best === undefined || score > best.score) {
        kept.set(row.id, { row, group, score, boosted: false });
      }
    }
  });

  // 3: boosts the sections that the question asks for.
  if (sectionsEnabled && query && intentBoost > 1) {
    const intents = classifyIntent(query);
    for (const instance of kept.values()) {
      if (!intents.includes(getSectionForSubtype(instance.row.subtype))) continue;
      instance.score *= intentBoost;
      instance.boosted = true;
    }
  }

  // 4, 5: sorts by score, and cuts off below a share of the best.
  const ranked = [...kept.values()].sort((a, b) => b.score - a.score);
  const cutoff = (ranked[0]?.score ?? 0) * relevanceRatio;
  const selected = ranked.filter((instance) => instance.score >= cutoff).slice(0, maxResults);

  // 6: adds a result for every sub-query that found any.
  if (groups.length > 1) {
    const covered = new Set(selected.map((instance) => instance.group));
    const chosen = new Set(selected.map((instance) => instance.row.id));
    groups.forEach((rows, group) => {
      if (covered.has(group) || selected.length >= maxResults) return;
      const row = rows.find((r) => r.id != null && r.id !== "" && !chosen.has(r.id));
      if (row === undefined) return;
      const best = kept.get(row.id!)!;
      selected.push(
        best.row === row && best.group === group
          ? best
          : { row, group, score: scoreOf(row.score), boosted: false },
      );
      chosen.add(row.id);
      covered.add(best.group);
    });
  }

  // 7: at least one result.
  if (selected.length === 0 && ranked[0] !== undefined) selected.push(ranked[0]);

  return selected.map(finish);
}

/** Each unordered pair of nodes of one sub-query's group, once. */
export function coRecallPairs(
  selected: readonly { id: string; _sub_query_group?: number | undefined }[],
): [string, string][] {
  const pairs: [string, string][] = [];
  const seen = new Set<string>();
  selected.forEach((a, i) => {
    for (const b of selected.slice(i + 1)) {
      if (a._sub_query_group !== b._sub_query_group || a.id === b.id) continue;
      const pair = JSON.stringify([a.id, b.id].sort());
      if (seen.has(pair)) continue;
      seen.add(pair);
      pairs.push([a.id, b.id]);
    }
  });
  return pairs;
}
