// Filters by lifecycle state as of now: the database and the index hold states as they were stored.

import type { MemoryIndex, StoredLifecycleState } from "nous-wasm";
import type { LifecycleFilter } from "../storage/filters/conditions.ts";
import type { Memory } from "./behaviour.ts";

/**
 * Returns the filters of the database and of the index for a state as of `now`. A memory may have
 * entered or left the state since it was stored, and the index may be ahead of the database.
 */
export function statesOf(
  { index, soft }: Pick<Memory, "index" | "soft">,
  state: StoredLifecycleState,
  now: number,
): { stored: LifecycleFilter; indexed: StoredLifecycleState[] } {
  const due = index.transitions(now);
  const differing = new Map(soft.states());
  for (const { id, to } of due) differing.set(id, to);
  const ids = [...differing.keys()];
  return {
    stored: {
      state,
      leaving: ids.filter((id) => differing.get(id) !== state),
      arriving: ids.filter((id) => differing.get(id) === state),
    },
    indexed: [...new Set([state, ...arrivingFrom(due, state)])],
  };
}

/**
 * Returns the database's filter for a state as it was stored last, soft state included, without the
 * changes by time since then.
 */
export function storedState(
  { soft }: Pick<Memory, "soft">,
  state: StoredLifecycleState,
): LifecycleFilter {
  const ahead = [...soft.states()];
  return {
    state,
    leaving: ahead.filter(([, stored]) => stored !== state).map(([id]) => id),
    arriving: ahead.filter(([, stored]) => stored === state).map(([id]) => id),
  };
}

const arrivingFrom = (due: ReturnType<MemoryIndex["transitions"]>, state: StoredLifecycleState) =>
  due.filter(({ to }) => to === state).map(({ from }) => from);
