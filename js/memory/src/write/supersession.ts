// Lines of supersession: what becomes of one if a memory in it is deleted.

import { type LineEdge, SUPERSEDES } from "../replacing-edges.ts";

export {
  GUESSES,
  LIKELY_SUPERSEDES,
  type LineEdge,
  SUPERSEDES,
  typeOfGuess,
} from "../replacing-edges.ts";

/**
 * Returns the edges from a memory that lead from its successor once it is deleted, with that source:
 * what the memory superseded would be current again otherwise. Its successor is the memory that
 * superseded it last. None if nothing did.
 *
 * If edges go round in a circle, an edge that is newer than the one from the successor stays out: it
 * leads to what the memory superseded when it became true again, and that is current again.
 *
 * @param edgesOf Returns the edges of type `supersedes` from and to a memory, in order.
 */
export function edgesOver<E extends LineEdge>(
  id: string,
  edgesOf: (id: string) => readonly E[],
): E[] {
  const its = edgesOf(id);
  const last = its.findLastIndex((edge) => edge.target_id === id && edge.source_id !== id);
  if (last === -1) return [];
  const { source_id } = its[last]!;
  const older = its.flatMap((edge, place) =>
    edge.source_id === id && edge.target_id !== id && edge.target_id !== source_id
      ? { edge: { ...edge, source_id }, isNewer: place > last }
      : [],
  );
  const above = older.some(({ isNewer }) => isNewer) ? allAbove(id, edgesOf) : new Set();
  return older
    .filter(({ edge, isNewer }) => !isNewer || !above.has(edge.target_id))
    .map(({ edge }) => edge);
}

/** Returns a memory and all those from which edges lead to it, over any number of others. */
function allAbove(id: string, edgesOf: (id: string) => readonly LineEdge[]): Set<string> {
  const above = new Set([id]);
  for (const older of above)
    for (const { source_id, target_id } of edgesOf(older))
      if (target_id === older) above.add(source_id);
  return above;
}

/**
 * Returns the edges of lists of edges, in order, that lead from another memory once memories are
 * deleted one after the other; see `edgesOver`. The time is linear in the edges of lines, and for
 * each deleted memory in the edges of its line.
 */
export function edgesWithout<E extends LineEdge>(edges: Iterable<E>, gone: Iterable<string>): E[] {
  const lines = Array.from(edges).filter(({ type }) => type === SUPERSEDES);
  const places = new Map(lines.map(({ id }, place) => [id, place]));
  // The places of the edges from and to each memory, in order.
  const byEnd = new Map<string, number[]>();
  for (const [place, { source_id, target_id }] of lines.entries())
    for (const end of new Set([source_id, target_id])) addTo(byEnd, end, place);
  const moved = new Map<string, E>();
  for (const id of gone) {
    const changed = edgesOver(id, (end) => (byEnd.get(end) ?? []).map((place) => lines[place]!));
    for (const edge of changed) {
      const place = places.get(edge.id)!;
      lines[place] = edge;
      byEnd.set(
        id,
        byEnd.get(id)!.filter((other) => other !== place),
      );
      addTo(byEnd, edge.source_id, place);
      moved.set(edge.id, edge);
    }
  }
  return [...moved.values()];
}

/** Adds a number to the list of a key, where it belongs by its size. */
function addTo(lists: Map<string, number[]>, key: string, number: number): void {
  const list = lists.get(key);
  if (list === undefined) lists.set(key, [number]);
  else list.splice(list.findLastIndex((other) => other < number) + 1, 0, number);
}
