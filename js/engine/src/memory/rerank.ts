// Rankings of the caller's candidates, whose nodes the index holds.

import { limitOf, listOf, presentOf } from "../arguments.ts";
import { invalid, NousError, show } from "../errors.ts";
import { COLUMNS, COLUMNS_BM25, COLUMNS_GRAPH, COLUMNS_SEMANTIC } from "../generated/layout.ts";
import { DEFAULT_LIMIT, type ResidentIndex } from "../resident/resident-index.ts";
import { type Ranking, rankingNumbers, readRanking } from "./ranking.ts";
import { checkRerank, columnOf, lengthOf } from "./read.ts";
import { refusedCandidate } from "./refusals.ts";
import type { MemoryState } from "./state.ts";
import type { ResidentCandidates, ResidentRerankOptions } from "./types.ts";

/** The columns of candidates by their places on the wire. */
const SCORES: Record<number, keyof ResidentCandidates> = {
  [COLUMNS_SEMANTIC]: "semantic",
  [COLUMNS_BM25]: "bm25",
  [COLUMNS_GRAPH]: "graph",
};

/**
 * Reads candidates and ranks them in one function: a call takes about a microsecond, and columns go
 * to the scratch without a copy between. @internal
 */
export function rankCandidates(
  index: ResidentIndex<MemoryState>,
  candidates: ResidentCandidates,
  options: ResidentRerankOptions,
): Ranking {
  const state = index.live();
  checkRerank(candidates, options);
  const { limit, now, sections = true } = options;
  const present = presentOf(now);
  if (typeof sections !== "boolean")
    throw invalid("sections", `must be true or false, found ${show(sections)}`);
  const max = limitOf(limit, DEFAULT_LIMIT);
  const { ids, handles, semantic, bm25, graph } = candidates;
  if (handles !== undefined && !(ArrayBuffer.isView(handles) && handles instanceof Uint32Array)) {
    throw invalid("handles", `must be a Uint32Array, found ${show(handles)}`);
  }
  const own =
    handles === undefined
      ? Array.prototype.slice.call(listOf("ids", ids as readonly string[]))
      : undefined;
  const count = own?.length ?? lengthOf(handles!);
  // In the order of `COLUMNS`. A literal: an array with holes costs 3 % of a ranking by handles.
  const columns = [
    columnOf("semantic", semantic, count),
    columnOf("bm25", bm25, count),
    columnOf("graph", graph, count),
  ];
  const { resident } = state;
  // From here on no code of the caller runs. Code that ran may have changed the index, and the
  // length of a column.
  index.requireSame(state);
  for (let place = 0; place < columns.length; place++) {
    const column = columns[place];
    if (column !== undefined && lengthOf(column) !== count) throw changed(SCORES[place]!);
  }
  if (handles !== undefined && lengthOf(handles) !== count) throw changed("handles");
  const places = Math.min(max, count);
  resident.reserve(COLUMNS * count + rankingNumbers(places), count, 0);
  const { numbers, numbersAt: at } = resident;
  // Empty columns are not copied: one with a detached buffer would throw.
  if (handles === undefined) lookUp(state, own!, resident.rows, resident.rowsAt);
  else if (count > 0) resident.rows.set(handles, resident.rowsAt);
  for (let place = 0; place < columns.length; place++) {
    const column = columns[place];
    if (column === undefined) numbers.fill(0, at + place * count, at + (place + 1) * count);
    else if (count > 0) numbers.set(column, at + place * count);
  }
  if (!resident.module.rerank(count, places, present, sections))
    throw refusedCandidate(state, candidates);
  resident.revalidateViews();
  const ranking = readRanking(resident.numbers, at + COLUMNS * count, places, state.ids);
  resident.shrinkIfLarge();
  return ranking;
}

const changed = (field: string) => invalid(field, "changed while it was read");

/**
 * Writes the rows of ids, from a place on.
 *
 * @throws {NousError} `invalid_argument` with index and id if there is no such node.
 * @internal
 */
export function lookUp(
  { rows: known }: MemoryState,
  ids: readonly string[],
  rows: Uint32Array,
  at: number,
): void {
  for (let index = 0; index < ids.length; index++) {
    const row = known.get(ids[index]!);
    if (row === undefined) {
      const message = `ids[${index}] must name a memory of this index, found ${show(ids[index])}`;
      const id = ids[index];
      throw new NousError("invalid_argument", message, {
        field: "ids",
        index,
        ...(typeof id === "string" ? { id } : {}),
      });
    }
    rows[at + index] = row;
  }
}
