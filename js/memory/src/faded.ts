// Retrievability and lifecycle state of memories as of now.

import {
  type Engine,
  LIFECYCLE_STATES,
  MEMORY_SECTIONS,
  type MemoryIndex,
  type StoredLifecycleState,
  type StoredMemoryNode,
} from "nous-wasm";

/** Retrievability and lifecycle state as of now. */
export interface Faded {
  retrievability: number;
  lifecycle: StoredLifecycleState;
}

/**
 * Returns retrievability and state of memories as of now, as a sweep would store them; undefined
 * for a memory that is not in the index.
 */
export function fadedNow(
  ids: readonly string[],
  index: MemoryIndex,
  engine: Engine,
  now: number,
): (Faded | undefined)[] {
  return fadedOf(index.getAll(ids), engine, now);
}

/** Does the same for memories that were looked up in the index already. */
export function fadedOf(
  nodes: readonly (StoredMemoryNode | undefined)[],
  engine: Engine,
  now: number,
): (Faded | undefined)[] {
  const faded = fadedByTime(nodes, engine, now);
  for (const [place, its] of faded.entries())
    if (its !== undefined) its.lifecycle = sweptState(nodes[place]!.lifecycle, its.lifecycle);
  return faded;
}

/** Returns retrievability and state by time alone, whatever state is stored. */
export function fadedByTime(
  nodes: readonly (StoredMemoryNode | undefined)[],
  engine: Engine,
  now: number,
): (Faded | undefined)[] {
  const there = nodes.filter((node) => node !== undefined);
  const columns = {
    lastAccessed: there.map((node) => node.last_accessed),
    stability: there.map((node) => node.stability),
    section: there.map((node) =>
      MEMORY_SECTIONS.indexOf(engine.getSectionForSubtype(node.subtype)),
    ),
  };
  const { retrievability, lifecycle } = engine.decayColumns(columns, now);
  let place = 0;
  return nodes.map((node) => {
    if (node === undefined) return undefined;
    const faded = {
      retrievability: retrievability[place]!,
      lifecycle: LIFECYCLE_STATES[lifecycle[place]!]!,
    };
    place += 1;
    return faded;
  });
}

/**
 * Returns the state that a sweep would store: it leaves archived and deleted memories, and wakes no
 * dormant one.
 */
function sweptState(
  stored: StoredLifecycleState,
  computed: StoredLifecycleState,
): StoredLifecycleState {
  if (stored === "ARCHIVE" || stored === "DELETED") return stored;
  return stored === "DORMANT" && (computed === "ACTIVE" || computed === "WEAK") ? stored : computed;
}
