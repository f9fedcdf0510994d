// The filter of a request, with the conditions that the agent looks up: subtypes of sections, and
// lifecycle states as of now.

import { isCondition } from "../../api/condition.ts";
import type { Filter } from "../../api/filter.ts";
import type { Wanted } from "../../storage/filters/conditions.ts";
import type { Agent } from "../agent.ts";
import { statesOf } from "../lifecycle-filters.ts";

/** Returns the filter for the database; undefined if it has no condition. Call it within `read`. */
export function wantedOf(
  agent: Agent,
  filter: Filter | null | undefined,
  now: number,
): Wanted | undefined {
  if (!isCondition(filter)) return undefined;
  const { section, lifecycle } = filter;
  const { storage, engine } = agent;
  return {
    filter,
    subtypes:
      section === undefined
        ? undefined
        : storage.nodes
            .subtypes()
            .filter((subtype) => section.includes(engine.getSectionForSubtype(subtype))),
    lifecycles:
      lifecycle && [...new Set(lifecycle)].map((state) => statesOf(agent, state, now).stored),
  };
}
