// Lines of supersession: what becomes of one if a memory in it is deleted.

/** The type of the edge from a memory to the one that it supersedes. */
export const SUPERSEDES = "supersedes";

/** An edge of a line of supersession: from the newer memory to the older one. */
export interface LineEdge {
  id: string;
  type?: string | null | undefined;
  source_id: string;
  target_id: string;
}

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
 * deleted one after the other; see `edgesOver`.
 */
export function edgesWithout<E extends LineEdge>(edges: Iterable<E>, gone: Iterable<string>): E[] {
  const lines = new Map<string, E>();
  for (const edge of edges) if (edge.type === SUPERSEDES) lines.set(edge.id, edge);
  let byEnd = endsOf(lines.values());
  const moved = new Map<string, E>();
  for (const id of gone) {
    const changed = edgesOver(id, (end) => byEnd.get(end) ?? []);
    if (changed.length === 0) continue;
    for (const edge of changed) {
      lines.set(edge.id, edge);
      moved.set(edge.id, edge);
    }
    byEnd = endsOf(lines.values());
  }
  return [...moved.values()];
}

function endsOf<E extends LineEdge>(edges: Iterable<E>): Map<string, E[]> {
  const byEnd = new Map<string, E[]>();
  for (const edge of edges) {
    for (const end of new Set([edge.source_id, edge.target_id])) {
      const its = byEnd.get(end);
      if (its === undefined) byEnd.set(end, [edge]);
      else its.push(edge);
    }
  }
  return byEnd;
}
