// Who counts a closed trade for the playbooks that it followed: the server, or the agent's client.

import { z } from "zod";
import { isAgentName } from "./agent-names.ts";
import type { Compat } from "./compat.ts";

const COUNTERS = ["server", "client"] as const;
export type Counter = (typeof COUNTERS)[number];

/**
 * An entry of the setting: who counts for all agents, or, as `NAME=server` or `NAME=client`, for
 * one.
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
 * Returns who counts the trades of an agent: as its own entry says, else as the entry of all says,
 * else the client where the server behaves as Hynous' Nous server, whose client counts by itself,
 * and the server otherwise. The last entry wins.
 */
export function counterOf(entries: readonly string[], compat: Compat, agent: string): Counter {
  const parts = entries.map(partsOf).reverse();
  const own =
    parts.find((part) => part.agent === agent) ?? parts.find((part) => part.agent === undefined);
  const usual = compat === "hynous" ? "client" : "server";
  return (own?.counter as Counter | undefined) ?? usual;
}

/** A name may hold the sign, too: what follows the last one is the counter. */
function partsOf(entry: string): { agent: string | undefined; counter: string } {
  const at = entry.lastIndexOf("=");
  return at < 0
    ? { agent: undefined, counter: entry }
    : { agent: entry.slice(0, at), counter: entry.slice(at + 1) };
}

const isCounter = (text: string): text is Counter => (COUNTERS as readonly string[]).includes(text);
