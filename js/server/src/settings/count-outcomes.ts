// The setting `count_outcomes`: whether the server or the agent's client counts a closed trade for
// its playbooks.

import type { Compat } from "./compat.ts";
import { entryOf, valueFor } from "./per-agent.ts";

/** The party that counts closed trades. */
export type Counter = "server" | "client";

/** The schema of an entry of the setting. */
export const counting = entryOf(["client", "server"] satisfies Counter[]);

/**
 * Returns who counts the trades of an agent. The default is `client` in the mode `hynous`, whose
 * client counts by itself, and `server` otherwise.
 */
export const counterOf = (entries: readonly string[], compat: Compat, agent: string): Counter =>
  valueFor<Counter>(entries, agent) ?? (compat === "hynous" ? "client" : "server");
