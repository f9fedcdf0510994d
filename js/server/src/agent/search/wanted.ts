// The filter of a request, with the conditions that the agent looks up: subtypes of sections, and
// lifecycle states as of now.

import { labelOf } from "nous-memory";
import type { SearchFilters } from "nous-wasm";
import { isCondition } from "../../api/condition.ts";
import type { Filter } from "../../api/filter.ts";
import type { Wanted } from "../../storage/tables/wanted.ts";
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

/**
 * Returns the part of a filter that the index knows: users, sessions and tags are its labels. The
 * database checks every condition afterwards; with these, the index finds fewer memories in vain.
 */
export function indexedPartOf(filter: Filter | null | undefined): SearchFilters {
  if (!isCondition(filter)) return {};
  const { user, session, tags, type } = filter;
  const only = (kind: "user" | "session", names: readonly (string | null)[] | undefined) =>
    names?.length === 1 && names[0] != null ? [labelOf(kind, names[0])] : [];
  const all = [
    ...only("user", user),
    ...only("session", session),
    ...(tags?.all ?? []).map((tag) => labelOf("tag", tag)),
  ];
  return {
    types: type,
    tags_all: all.length === 0 ? undefined : all,
    tags_any: tags?.any?.map((tag) => labelOf("tag", tag)),
    tags_none: tags?.none?.map((tag) => labelOf("tag", tag)),
  };
}
