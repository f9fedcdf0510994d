// The setting `count_outcomes`: whether the server or the agent's client counts a closed trade for
// its playbooks.

import { z } from "zod";
import { isAgentName } from "./agent-names.ts";
import type { Compat } from "./compat.ts";

const COUNTERS = ["server", "client"] as const;
/** The party that counts closed trades. */
export type Counter = (typeof COUNTERS)[number];

/**
 * An entry of the setting: `server` or `client` for all agents, or `NAME=server` or `NAME=client`
 * for one agent.
 */
export const counting = z.string().refine(
  (entry) => {
    const { agent, counter } = partsOf(entry);
    return isCounter(counter) && (agent === undefined || isAgentName(agent));
  },
  {
    error:
      "must be server or client, or for one agent NAME=server or NAME=client; with commas between",
  },
);

/**
 * Returns who counts the trades of an agent: the agent's own entry, else the entry for all, else
 * the default. The default is `client` in the mode `hynous`, whose client counts by itself, and
 * `server` otherwise. The last entry wins.
 */
export function counterOf(entries: readonly string[], compat: Compat, agent: string): Counter {
  const parts = entries.map(partsOf).reverse();
  const own =
    parts.find((part) => part.agent === agent) ?? parts.find((part) => part.agent === undefined);
  const usual = compat === "hynous" ? "client" : "server";
  return (own?.counter as Counter | undefined) ?? usual;
}

/** Splits an entry at its last `=`, because a name may contain the sign. */
function partsOf(entry: string): { agent: string | undefined; counter: string } {
  const at = entry.lastIndexOf("=");
  return at < 0
    ? { agent: undefined, counter: entry }
    : { agent: entry.slice(0, at), counter: entry.slice(at + 1) };
}

const isCounter = (text: string): text is Counter => (COUNTERS as readonly string[]).includes(text);
