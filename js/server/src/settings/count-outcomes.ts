// The setting `count_outcomes`: whether the server or the agent's client counts a closed trade for
// its playbooks.

import { type Compat, type Counter, DEFAULTS } from "./compat.ts";
import { entryOf, valueFor } from "./per-agent.ts";

/** The schema of an entry of the setting. */
export const counting = entryOf(["client", "server"] satisfies Counter[]);

/** Returns who counts the trades of an agent. The default depends on the mode. */
export const counterOf = (entries: readonly string[], compat: Compat, agent: string): Counter =>
  valueFor<Counter>(entries, agent) ?? DEFAULTS[compat].count_outcomes;
