// The history of what a memory tells: the values of its line in the order of time.
//
// Idea: a line is made of the memories that edges of replacement connect. They are told in the order of
// their times. An edge is stronger than a time: a memory that was imported late and replaced stands before
// the one that replaced it. A value holds until the first memory that replaces it.
//
// Cost: for each value a look at all others of the line and its edges.

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
  const left = [...times].sort(([, one], [, other]) => one - other).map(([id]) => id);
  const steps: HistoryStep[] = [];
  while (left.length > 0) {
    const isLeft = new Set(left);
    // The line has no circle: of those that are left, one replaces no other.
    const next = left.findIndex((one) =>
      edges.every(({ source_id, target_id }) => source_id !== one || !isLeft.has(target_id)),
    );
    const [one] = left.splice(Math.max(next, 0), 1) as [string];
    const newer = edges
      .filter(({ target_id }) => target_id === one)
      .sort((a, b) => times.get(a.source_id)! - times.get(b.source_id)!)[0];
    const since = times.get(one)!;
    if (newer === undefined) {
      steps.push({ id: one, since });
      continue;
    }
    const isSure = newer.type === SUPERSEDES;
    steps.push({
      ...{ id: one, since, until: times.get(newer.source_id)! },
      replaced_by: {
        id: newer.source_id,
        grade: isSure ? "sure" : "likely",
        probability: isSure ? 1 : newer.strength,
      },
    });
  }
  return steps;
}
