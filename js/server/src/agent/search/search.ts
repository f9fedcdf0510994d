// A search by the ranking of its request.

import type { QuestionVector } from "../../api/operation.ts";
import type { SearchAnswer } from "../../api/search.ts";
import { wrong } from "../../refusal.ts";
import type { RankedBy } from "../../settings/choices.ts";
import type { Agent } from "../agent.ts";
import { searchByEvidence } from "./by-evidence.ts";
import { searchBySignals } from "./by-signals.ts";
import type { NodeSearch } from "./request.ts";

/** The fields of a request that decide how it ranks. */
export interface RankingChoice {
  ranking?: RankedBy | null | undefined;
  embedding?: readonly number[] | null | undefined;
}

/**
 * Returns how a request ranks: as it says, by signals if it brings an embedding, else as the agent
 * does.
 *
 * @throws {Refusal} If a request for evidence brings an embedding: it would not count.
 */
export function rankingOf(agent: Agent, { ranking, embedding }: RankingChoice): RankedBy {
  if (embedding == null) return ranking ?? agent.ranking;
  if (ranking === "evidence")
    throw wrong("embedding", "is compared by signals only: leave it out, or rank by signals");
  return "signals";
}

/**
 * Searches without counting accesses.
 *
 * @throws {Refusal} If the request's embedding does not fit those of the memories, or the ranking.
 */
export function search(
  agent: Agent,
  request: NodeSearch,
  question: QuestionVector | undefined,
  now: number,
): SearchAnswer {
  return rankingOf(agent, request) === "evidence"
    ? searchByEvidence(agent, request, question, now)
    : (agent.searchBySignals ?? searchBySignals)(agent, request, question, now);
}
