// Guesses of what replaces what: edges that are removed once a guess is settled, or its text changed.

import { GUESSES, LIKELY_SUPERSEDES } from "nous-memory";
import type { EdgeRow } from "../../storage/rows.ts";
import type { Agent } from "../agent.ts";

type Stored = Pick<Agent, "storage">;

/** Returns the edges to what a memory is likely to replace (`out`), or from what replaces it (`in`). */
export const likelyEdges = ({ storage }: Stored, id: string, side: "in" | "out" | "both") =>
  storage.edges.of(id, side).filter(({ type }) => type === LIKELY_SUPERSEDES);

/** Returns the edges of all guesses about a memory: what it is likely or may be. */
export const guessesAbout = ({ storage }: Stored, id: string, side: "in" | "out" | "both") =>
  storage.edges.of(id, side).filter(({ type }) => GUESSES.includes(type ?? ""));

/** Within a `write`: removes the guess that one of two memories replaces the other. */
export function dropGuess(agent: Stored, one: string, other: string): string[] {
  const between = guessesAbout(agent, one, "both").filter(
    ({ source_id, target_id }) => source_id === other || target_id === other,
  );
  return removed(agent, between);
}

/** Within a `write`: removes all guesses about a memory whose text changes. */
export const dropGuesses = (agent: Stored, id: string): string[] =>
  removed(agent, guessesAbout(agent, id, "both"));

function removed({ storage }: Stored, edges: readonly EdgeRow[]): string[] {
  return edges.map(({ id, source_id, target_id, type }) => {
    storage.edges.delete(id);
    return `${source_id} ${type} ${target_id} is removed`;
  });
}
