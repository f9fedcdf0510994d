// Playbooks: finds the playbooks that events fire, and counts the outcomes of trades for them.

import { fadedNow } from "nous-memory";
import { formatPlaybookMatches } from "nous-wasm";
import type { playbookOperations } from "../../api/playbooks.ts";
import { notFound } from "../../refusal.ts";
import type { Agent } from "../agent.ts";
import type { HandlersOf } from "../handler.ts";
import { count } from "../rules/outcomes.ts";

export const playbookHandlers: HandlersOf<typeof playbookOperations> = {
  matchPlaybooks: (agent, { body: { events, snapshot } }) =>
    agent.read(() => {
      const { playbooks, index } = agent;
      const found = playbooks.match(events, snapshot);
      const isActive = activeAmong(agent, [...found.matches, ...found.missing]);
      const placeOf = (id: string) => index.get(id)?.sequence ?? 0;
      // The book orders playbooks by their last change, and a reloaded book does not know that
      // order. Equal relevance is therefore ordered by the rows.
      const matches = found.matches
        .filter(({ id }) => isActive(id))
        .sort((a, b) => b.relevance - a.relevance || placeOf(a.id) - placeOf(b.id));
      return {
        matches,
        count: matches.length,
        missing: found.missing.filter(({ id }) => isActive(id)),
        problems: playbooks.problems,
        text: formatPlaybookMatches(matches),
      };
    }),

  countOutcome: (agent, { body: { entry_id, profitable } }) =>
    agent.write((unit) => {
      if (agent.storage.nodes.find(entry_id) === undefined) throw notFound();
      return { ok: true, ...count(agent, entry_id, profitable, unit) };
    }),
};

/** Returns a function that says which of these playbooks are active as of now. */
function activeAmong(agent: Agent, found: readonly { id: string }[]): (id: string) => boolean {
  const ids = [...new Set(found.map(({ id }) => id))];
  const faded = fadedNow(ids, agent.index, agent.engine, agent.now());
  const active = new Set(ids.filter((_, place) => faded[place]?.lifecycle === "ACTIVE"));
  return (id) => active.has(id);
}
