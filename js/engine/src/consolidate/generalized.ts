// Edges from lessons and playbooks to the episodes that they generalize.

import { GENERALIZES, type Link } from "./patterns.ts";

/** The episodes that lessons and playbooks generalize, by the ids of both. @internal */
export class Generalized {
  /** The edge id of each pair; null if this consolidation has already changed the edge. */
  readonly #edges = new Map<string, Map<string, string | null>>();

  constructor(links: readonly Link[]) {
    for (const { id, source_id, target_id, type } of links) {
      const from = type === GENERALIZES ? this.from(source_id) : undefined;
      if (from !== undefined && !from.has(target_id)) from.set(target_id, id);
    }
  }

  /** Returns the episodes that a node generalizes. */
  from(id: string): Map<string, string | null> {
    let from = this.#edges.get(id);
    if (from === undefined) {
      from = new Map();
      this.#edges.set(id, from);
    }
    return from;
  }

  /** Yields the nodes that generalize all given episodes. */
  *over(episodes: readonly string[]): Generator<string> {
    for (const [id, from] of this.#edges)
      if (episodes.every((episode) => from.has(episode))) yield id;
  }
}
