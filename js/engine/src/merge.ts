// Merging: ids become numbers here, the module selects, and only selected rows are built.

import { copyWith, countOf, finiteScore, requireFinite } from "./arguments.ts";
import type { EngineContext } from "./engine-context.ts";
import { invalid, invalidShape, NousError, show } from "./errors.ts";
import { moduleConstants } from "./generated/constants.ts";
import {
  NO_ID,
  PAIR,
  PAIR_ONE,
  PAIR_OTHER,
  SELECTED,
  SELECTED_BOOSTED,
  SELECTED_GROUP,
  SELECTED_ROW,
  SELECTED_SCORE,
} from "./generated/layout.ts";
import { intentBits } from "./intent.ts";
import { requireLoaded } from "./runtime.ts";

/** The fields of a sub-query's result that merging reads. */
export interface MergeRow {
  /** Id of the memory. Results with a missing or empty id are dropped. */
  id?: string | null | undefined;
  /** A number, or a string with a number. Anything else counts as 0. */
  score?: unknown;
  /** Subtype of the memory. It decides the section, and so whether the result is boosted. */
  subtype?: string | null | undefined;
}

/** Results by sub-query, in order: a map, or pairs of sub-query and results. */
export type SubResults<Row> =
  | ReadonlyMap<string, readonly Row[]>
  | readonly (readonly [string, readonly Row[]])[];

/**
 * Options of `mergeAndSelect`.
 *
 * @example
 * ```ts
 * mergeAndSelect(subResults, { query: question, relevanceRatio: 0.5, maxResults: 10 });
 * ```
 */
export interface MergeOptions {
  /**
   * The whole question. Results whose section is one of its intents are boosted. Default: no
   * boosts.
   */
  query?: string | null | undefined;
  /** Whether results are boosted. Default: `sections.enabled` of the configuration, true. */
  sectionsEnabled?: boolean | undefined;
  /** Factor of the boost. 1 or less means no boost. Default 1.3. */
  intentBoost?: number | undefined;
  /** Results below this share of the best score are left out. Default 0.4. */
  relevanceRatio?: number | undefined;
  /** The most results: a whole number of at least 0. Default 20. */
  maxResults?: number | undefined;
}

/** A selected result: a new object with all fields of the result. */
export type MergedRow<Row> = Row & {
  /** The score, after the boost. */
  score: number;
  /** The score before the boost. Missing if the result was not boosted. */
  _original_score?: number;
  /** True if the result was boosted; else missing. */
  _intent_boosted?: true;
  /** Index of the sub-query that found this instance. */
  _sub_query_group: number;
};

/** @internal */
export function mergeAndSelect<Row extends MergeRow>(
  context: EngineContext,
  subResults: SubResults<Row>,
  options: MergeOptions = {},
): MergedRow<Row>[] {
  requireLoaded();
  if (options === null) throw invalid("options", "must be an object, found null");
  const { query, sectionsEnabled = context.enabled } = options;
  const { relevanceRatio = moduleConstants.relevance_ratio } = options;
  const intentBoost = options.intentBoost ?? context.intentBoost;
  if (query != null && typeof query !== "string")
    throw invalid("query", `must be a string, found ${show(query)}`);
  requireFinite("intentBoost", intentBoost);
  requireFinite("relevanceRatio", relevanceRatio);
  const max = countOf("maxResults", options.maxResults, moduleConstants.max_results);
  const groups = groupsOf(subResults);
  const intents = sectionsEnabled && query ? intentBits(context, query) : 0;
  // The scratch has room for these lengths. A getter may change the lists while they are read.
  const lengths = groups.map((group) => group.length);
  const rows = lengths.reduce((sum, length) => sum + length, 0);

  const lease = context.pool.acquire();
  try {
    lease.reserve(SELECTED * rows + groups.length, 0, rows);
    const { numbers, bytes, numbersAt, bytesAt } = lease;
    const codes = new Map<unknown, number>();
    let row = 0;
    for (let group = 0; group < groups.length; group++) {
      const results = groups[group]!;
      const length = lengths[group]!;
      numbers[numbersAt + 2 * rows + group] = length;
      for (let place = 0; place < length; place++, row++) {
        const result = results[place]!;
        if (typeof result !== "object" || result === null) {
          throw invalidShape(`subResults[${group}]`, place, result);
        }
        const { id } = result;
        let code: number = NO_ID;
        if (id != null && id !== "") {
          const known = codes.get(id);
          code = known === undefined ? codes.size : known;
          if (known === undefined) codes.set(id, code);
        }
        numbers[numbersAt + row] = finiteScore(result.score);
        numbers[numbersAt + rows + row] = code;
        if (intents !== 0) bytes[bytesAt + row] = context.codes.get(result.subtype);
      }
    }
    const count = lease.engine.merge_and_select(
      rows,
      codes.size,
      groups.length,
      intents,
      intentBoost,
      relevanceRatio,
      max,
    );
    lease.revalidateViews();
    return build(lease.numbers, lease.numbersAt, count, groups);
  } finally {
    context.pool.release(lease);
  }
}

function build<Row extends MergeRow>(
  numbers: Float64Array,
  first: number,
  count: number,
  groups: (readonly Row[])[],
): MergedRow<Row>[] {
  const selected: MergedRow<Row>[] = [];
  for (let place = 0; place < count; place++) {
    const at = first + place * SELECTED;
    const group = numbers[at + SELECTED_GROUP]!;
    const row = groups[group]![numbers[at + SELECTED_ROW]!]!;
    const score = numbers[at + SELECTED_SCORE]!;
    selected.push(
      numbers[at + SELECTED_BOOSTED] === 1
        ? copyWith(row, {
            score,
            _original_score: finiteScore(row.score),
            _intent_boosted: true as const,
            _sub_query_group: group,
          })
        : copyWith(row, { score, _sub_query_group: group }),
    );
  }
  return selected;
}

function groupsOf<Row>(subResults: SubResults<Row>): (readonly Row[])[] {
  const pairs = subResults instanceof Map || Array.isArray(subResults) ? subResults : undefined;
  if (pairs === undefined) {
    throw invalid(
      "subResults",
      `must be a Map or an array of [subQuery, results], found ${show(subResults)}`,
    );
  }
  const groups: (readonly Row[])[] = [];
  for (const pair of pairs as Iterable<readonly [string, readonly Row[]]>) {
    const results = Array.isArray(pair) ? pair[1] : undefined;
    if (!Array.isArray(results)) {
      throw invalid(
        `subResults[${groups.length}]`,
        `must be [subQuery, results] with an array of results`,
      );
    }
    groups.push(results);
  }
  return groups;
}

/**
 * The most pairs of one call of `coRecallPairs`. A group of five thousand has that many; it takes
 * seconds.
 */
const MAX_PAIRS = 2 ** 24;

/** @internal */
export function coRecallPairs(
  context: EngineContext,
  selected: readonly { id: string; _sub_query_group?: number | undefined }[],
): [string, string][] {
  if (!Array.isArray(selected))
    throw invalid("selected", `must be an array, found ${show(selected)}`);
  const count = selected.length;
  const lease = context.pool.acquire();
  try {
    lease.reserve(2 * count, 0, 0);
    const { numbers, numbersAt } = lease;
    const names = new Array<string>(count);
    const ids = new Map<unknown, number>();
    const groups = new Map<unknown, number>();
    const codeIn = (codes: Map<unknown, number>, key: unknown): number => {
      const code = codes.get(key) ?? codes.size;
      codes.set(key, code);
      return code;
    };
    const sizes: number[] = [];
    let max = 0;
    for (let place = 0; place < count; place++) {
      const node = selected[place]!;
      if (typeof node !== "object" || node === null) throw invalidShape("selected", place, node);
      names[place] = node.id;
      numbers[numbersAt + place] = codeIn(ids, names[place]);
      const group = codeIn(groups, node._sub_query_group);
      numbers[numbersAt + count + place] = group;
      // One pair with each earlier member of the group.
      max += sizes[group] ?? 0;
      sizes[group] = (sizes[group] ?? 0) + 1;
    }
    if (max > MAX_PAIRS) {
      const message = `selected would make ${max} pairs, and ${MAX_PAIRS} are the most at once: pass its groups one by one, or fewer of each.`;
      throw new NousError("out_of_memory", message, { field: "selected" });
    }
    const places = lease.engine.co_recall_pairs(count);
    const pairs: [string, string][] = [];
    for (let at = 0; at < places.length; at += PAIR) {
      pairs.push([names[places[at + PAIR_ONE]!]!, names[places[at + PAIR_OTHER]!]!]);
    }
    return pairs;
  } finally {
    context.pool.release(lease);
  }
}
