// Searches and their explanations. The question was read before: no code of the caller runs here.

import {
  ABSENT,
  ENDED_MAX_HOPS,
  ENDED_MAX_NODES,
  ENDED_NO_SPREAD,
  FILTERS_EXCLUDED,
  FIND,
  FIND_ACTIVATION,
  FIND_ROW,
  NOBODY,
  OUTCOME,
  OUTCOME_ACTIVATED,
  OUTCOME_CONNECTIONS,
  OUTCOME_EDGES_TRAVERSED,
  OUTCOME_ENDED,
  OUTCOME_FINDS,
  OUTCOME_HOPS,
  OUTCOME_KEPT,
  OUTCOME_RANKED,
  OUTCOME_SEEDS,
  SEARCH,
  SEARCH_AMONG,
  SEARCH_CONNECTIONS,
} from "../generated/layout.ts";
import { type Ranking, rankingNumbers, readRanking } from "./ranking.ts";
import type { ReadSearch } from "./read.ts";
import { refusedSearch } from "./refusals.ts";
import type { MemoryState } from "./state.ts";
import { edgeAt } from "./stored.ts";
import type { ExplainedNode, Explanation, SearchResult, Similar } from "./types.ts";

/** Why spreading ended, by code. */
const TERMINATIONS: Record<number, SearchResult<Ranking>["metrics"]["terminated"]> = {
  [ENDED_NO_SPREAD]: "no_spread",
  [ENDED_MAX_NODES]: "max_nodes",
  [ENDED_MAX_HOPS]: "max_hops",
};

/** @internal */
export function runSearch(state: MemoryState, read: ReadSearch): SearchResult<Ranking> {
  const { resident, ids } = state;
  writeSearch(state, read);
  if (!resident.module.search()) throw refusedSearch(state);
  resident.relocate();
  const { numbers, numbersAt: at } = resident;
  const returned = numbers[at + OUTCOME_RANKED]!;
  const ranking = readRanking(numbers, at + OUTCOME, returned, ids);
  const findsAt = at + OUTCOME + rankingNumbers(returned);
  const result: SearchResult<Ranking> = {
    ranking,
    serendipity: Array.from({ length: numbers[at + OUTCOME_FINDS]! }, (_, place) => ({
      id: ids[numbers[findsAt + FIND * place + FIND_ROW]!]!,
      activation: numbers[findsAt + FIND * place + FIND_ACTIVATION]!,
    })),
    metrics: {
      seeds_found: numbers[at + OUTCOME_SEEDS]!,
      nodes_activated: numbers[at + OUTCOME_ACTIVATED]!,
      nodes_filtered: numbers[at + OUTCOME_KEPT]!,
      nodes_returned: returned,
      hops: numbers[at + OUTCOME_HOPS]!,
      edges_traversed: numbers[at + OUTCOME_EDGES_TRAVERSED]!,
      terminated: TERMINATIONS[numbers[at + OUTCOME_ENDED]!]!,
    },
  };
  if (read.head[SEARCH_CONNECTIONS] === 1) {
    const connections = numbers[at + OUTCOME_CONNECTIONS]!;
    const slots = resident.rows.slice(resident.rowsAt, resident.rowsAt + connections);
    result.connections = Array.from(slots, (slot) => edgeAt(state, slot));
  }
  resident.shrinkAfterAnswer();
  return result;
}

/** @internal */
export function findSimilar(state: MemoryState, read: ReadSearch): Similar {
  const { resident } = state;
  writeSearch(state, read);
  const count = resident.module.similar();
  if (count < 0) throw resident.refusal();
  resident.relocate();
  const ids = Array.from(
    resident.rows.subarray(resident.rowsAt, resident.rowsAt + count),
    (row) => state.ids[row]!,
  );
  const scores = resident.numbers.slice(resident.numbersAt, resident.numbersAt + count);
  resident.shrinkAfterAnswer();
  return { ids, scores };
}

/** Explains the rank of the node of a row, whose id is `id`. @internal */
export function explainRank(
  state: MemoryState,
  read: ReadSearch,
  row: number,
  id: string,
): ExplainedNode {
  writeSearch(state, read);
  const explained: ModuleNode | undefined = state.resident.module.explain(row);
  if (explained === undefined) throw refusedSearch(state);
  state.resident.relocate();
  const { rank, absent, score } = explained;
  const name = ({ from, edge, parts, ...rest }: ModuleExplanation): Explanation => ({
    ...rest,
    ...(parts === undefined ? {} : { parts: parts.map(name) }),
    ...(from === undefined ? {} : { from: state.ids[from]! }),
    ...(edge === undefined ? {} : { edge: state.edgeIds[edge]! }),
  });
  return {
    id,
    rank,
    ...(absent === undefined ? {} : { absent }),
    score: score === null ? null : name(score),
  };
}

/** An explanation from the module: nodes by row, edges by slot. */
interface ModuleExplanation extends Omit<Explanation, "from" | "edge" | "parts"> {
  from?: number;
  edge?: number;
  parts?: ModuleExplanation[];
}

interface ModuleNode {
  rank: number | null;
  absent?: NonNullable<ExplainedNode["absent"]>;
  score: ModuleExplanation | null;
}

/** Writes a search into the scratch, and reserves `bytes` bytes. @internal */
export function writeSearch(
  { resident, rows: known }: MemoryState,
  { head, lists, excluded, hits, scores, embedding, among }: ReadSearch,
  bytes = 0,
): void {
  lists[FILTERS_EXCLUDED] = excluded.flatMap((id) => known.get(id) ?? []).sort((a, b) => a - b);
  const codes = lists.flat();
  const components = embedding?.length ?? 0;
  resident.reserve(
    Math.max(SEARCH + hits.length + components, OUTCOME),
    lists.length + codes.length + hits.length + (among?.length ?? 0),
    bytes,
  );
  const { numbers, rows, numbersAt, rowsAt } = resident;
  numbers.set(head, numbersAt);
  numbers[numbersAt + SEARCH_AMONG] = among?.length ?? ABSENT;
  numbers.set(scores, numbersAt + SEARCH);
  if (embedding !== undefined) numbers.set(embedding, numbersAt + SEARCH + hits.length);
  for (let list = 0; list < lists.length; list++) rows[rowsAt + list] = lists[list]!.length;
  rows.set(codes, rowsAt + lists.length);
  const hitsAt = rowsAt + lists.length + codes.length;
  for (let hit = 0; hit < hits.length; hit++) rows[hitsAt + hit] = known.get(hits[hit]!) ?? NOBODY;
  if (among !== undefined) rows.set(among, hitsAt + hits.length);
}
