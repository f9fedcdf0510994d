// What answers tell of guesses that one memory replaces another: with the time since which the newer one
// holds.

import { rounded } from "nous-memory";
import type { Answer } from "nous-wasm";
import type { FoundNode } from "../../api/search.ts";
import type { Agent } from "../agent.ts";
import { presentNow } from "../present.ts";

type Guesses = { [Field in "replaced_by" | "replaces"]?: Answer[Field] | undefined };
type Told = Pick<FoundNode, "replaced_by" | "replaces">;

/** Returns what tells the guesses of a memory. `answers` have all that will be told. */
export function replacementsOf(
  agent: Agent,
  answers: readonly (Guesses & { id: string })[],
): (id: string, guesses: Guesses) => Told {
  const newer = answers.flatMap(({ id, replaced_by, replaces }) => [
    ...(replaced_by === undefined ? [] : [replaced_by.id]),
    ...(replaces === undefined ? [] : [id]),
  ]);
  if (newer.length === 0) return () => ({});
  const nodes = presentNow(agent.rows([...new Set(newer)]), agent, agent.now());
  const since = new Map(
    nodes.map(({ id, temporal_event_time, created_at }) => [
      id,
      temporal_event_time ?? created_at ?? "",
    ]),
  );
  const told = (guess: Guesses["replaces"], newer: string) => ({
    id: guess!.id,
    probability: rounded(guess!.probability),
    since: since.get(newer) ?? "",
  });
  return (id, { replaced_by, replaces }) => ({
    ...(replaced_by && { replaced_by: told(replaced_by, replaced_by.id) }),
    ...(replaces && { replaces: told(replaces, id) }),
  });
}
