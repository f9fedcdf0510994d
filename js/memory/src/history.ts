// The history of what a memory tells: the values of its line in the order of time.
//
// Idea: a line is made of the memories that edges of replacement connect. They are told in the order of
// their times. An edge is stronger than a time: a memory that was imported late and replaced stands before
// the one that replaced it. A value holds until the first memory that replaces it.
//
// Cost: linear in the edges of the line, and for each value a place in the order of time.

import { SUPERSEDES } from "./replacing-edges.ts";

/** An edge of a line, from the newer memory to the older one. */
export interface HistoryEdge {
  source_id: string;
  target_id: string;
  type: string;
  strength: number;
}

/** A value of a history. */
export interface HistoryStep {
  id: string;
  /** When it came to hold, in milliseconds since 1970. */
  since: number;
  /** When the memory that replaced it came to hold; undefined if it holds. */
  until?: number | undefined;
  /** The memory that replaced it; undefined if it holds. */
  replaced_by?:
    | {
        id: string;
        /** `sure`: it supersedes the value. `likely`: that is a guess. */
        grade: "sure" | "likely";
        /** 1 for what is sure. */
        probability: number;
      }
    | undefined;
}

/**
 * Returns the values of the line of a memory, in the order of time: the memory alone, if nothing replaced
 * it and it replaced nothing.
 *
 * @param line The edges of its line that count, as `MemoryIndex.line` returns them.
 * @param sinceOf Returns when a memory came to hold, in milliseconds since 1970; undefined for one that
 * is left out.
 */
export function historyOf(
  id: string,
  line: readonly HistoryEdge[],
  sinceOf: (id: string) => number | undefined,
): HistoryStep[] {
  const times = new Map<string, number>();
  for (const one of [id, ...line.flatMap(({ source_id, target_id }) => [target_id, source_id])]) {
    const since = sinceOf(one);
    if (since !== undefined) times.set(one, since);
  }
  const edges = line.filter(
    ({ source_id, target_id }) => times.has(source_id) && times.has(target_id),
  );
  const order = [...times].sort(([, one], [, other]) => one - other).map(([id]) => id);
  const placeOf = new Map(order.map((one, place) => [one, place]));
  /** The memories that replace each one, and of how many that are not told yet each one is the newer. */
  const newerOf = new Map<string, HistoryEdge[]>(order.map((one) => [one, []]));
  const waitsFor = new Map(order.map((one) => [one, 0]));
  for (const edge of edges) {
    newerOf.get(edge.target_id)!.push(edge);
    waitsFor.set(edge.source_id, waitsFor.get(edge.source_id)! + 1);
  }
  const steps: HistoryStep[] = [];
  const told = new Set<string>();
  const ready = new Places(order.flatMap((one, place) => (waitsFor.get(one) === 0 ? [place] : [])));
  let oldest = 0;
  while (steps.length < order.length) {
    while (told.has(order[oldest]!)) oldest++;
    // In a circle every memory replaces another one: the oldest is told first.
    const one = order[ready.first() ?? oldest]!;
    if (told.has(one)) continue;
    told.add(one);
    const newer = newerOf.get(one)!;
    steps.push(stepOf(one, newer, times));
    for (const { source_id } of newer) {
      const left = waitsFor.get(source_id)! - 1;
      waitsFor.set(source_id, left);
      if (left === 0) ready.add(placeOf.get(source_id)!);
    }
  }
  return steps;
}

/** Returns a value, which holds until the first memory that replaces it. */
function stepOf(
  id: string,
  newer: readonly HistoryEdge[],
  times: ReadonlyMap<string, number>,
): HistoryStep {
  const since = times.get(id)!;
  if (newer.length === 0) return { id, since };
  const first = newer.reduce((best, edge) =>
    times.get(edge.source_id)! < times.get(best.source_id)! ? edge : best,
  );
  const isSure = first.type === SUPERSEDES;
  return {
    ...{ id, since, until: times.get(first.source_id)! },
    replaced_by: {
      id: first.source_id,
      grade: isSure ? "sure" : "likely",
      probability: isSure ? 1 : first.strength,
    },
  };
}

/** Places in order, from which the first is taken. */
class Places {
  readonly #places: number[];

  /** @param places In order. */
  constructor(places: number[]) {
    // The first place stands last, where it is taken at no cost.
    this.#places = places.reverse();
  }

  first(): number | undefined {
    return this.#places.pop();
  }

  add(place: number): void {
    let [from, to] = [0, this.#places.length];
    while (from < to) {
      const middle = (from + to) >> 1;
      if (this.#places[middle]! > place) from = middle + 1;
      else to = middle;
    }
    this.#places.splice(from, 0, place);
  }
}
