// How much there is.

import type { StoredLifecycleState } from "nous-wasm";
import type { wholeOperations } from "../../api/agent.ts";
import type { HandlersOf } from "../handlers.ts";
import { isState } from "../replica/index-rows.ts";

export const healthHandlers: HandlersOf<Pick<typeof wholeOperations, "health">> = {
  health: (agent) =>
    agent.read(() => {
      const { index, storage, soft, compat } = agent;
      const lifecycle = new Map<StoredLifecycleState, number>();
      const add = (state: StoredLifecycleState, count: number) =>
        lifecycle.set(state, (lifecycle.get(state) ?? 0) + count);
      const ahead = new Map(soft.states());
      for (const { state, count } of storage.countStates([...ahead.keys()])) {
        add(isState(state) ? state : "ACTIVE", count);
      }
      for (const state of ahead.values()) add(state, 1);
      // Hynous counts states as they were stored last.
      const due = compat === "hynous" ? [] : index.transitions(agent.now());
      for (const { from, to } of due) {
        add(from, -1);
        add(to, 1);
      }
      const there = [...lifecycle].filter(([, count]) => count > 0);
      return {
        status: "ok",
        node_count: index.size,
        edge_count: index.edgeCount,
        lifecycle: Object.fromEntries(there),
      };
    }),
};
