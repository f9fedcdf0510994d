// Settings whose value may differ from agent to agent: a list of entries, each a value for all agents
// or `NAME=VALUE` for one.

import { z } from "zod";
import { isAgentName } from "./agent-names.ts";
import { type Compat, type Counter, DEFAULTS } from "./choices.ts";

/** Returns the schema of an entry. `values` are the legal values. */
export function entryOf(values: readonly string[]) {
  const [first = "", ...others] = values;
  const listed = others.length === 0 ? first : `${others.join(", ")} or ${first}`;
  return z.string().refine(
    (entry) => {
      const { agent, value } = partsOf(entry);
      return values.includes(value) && (agent === undefined || isAgentName(agent));
    },
    { error: `must be ${listed}, or for one agent NAME=VALUE; with commas between` },
  );
}

/**
 * Returns the value of an agent: that of its own entry, else that of an entry for all. The last entry
 * wins. Returns undefined if no entry is for the agent. Without an agent only entries for all count.
 */
export function valueFor<Value extends string>(
  entries: readonly string[],
  agent: string | undefined,
): Value | undefined {
  const parts = entries.map(partsOf).reverse();
  const own =
    parts.find((part) => part.agent === agent) ?? parts.find((part) => part.agent === undefined);
  return own?.value as Value | undefined;
}

/** Splits an entry at its last `=`, because a name may contain the sign. */
export function partsOf(entry: string): { agent: string | undefined; value: string } {
  const at = entry.lastIndexOf("=");
  return at < 0
    ? { agent: undefined, value: entry }
    : { agent: entry.slice(0, at), value: entry.slice(at + 1) };
}

/** The schema of an entry of `count_outcomes`. */
export const counting = entryOf(["client", "server"] satisfies Counter[]);

/** Returns who counts the closed trades of an agent. The default depends on the mode. */
export const counterOf = (entries: readonly string[], compat: Compat, agent: string): Counter =>
  valueFor<Counter>(entries, agent) ?? DEFAULTS[compat].count_outcomes;
