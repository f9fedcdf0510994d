// Searches: rank by evidence or by signals, and count accesses.

import type { QuestionVector } from "../../api/operation.ts";
import type { SearchAnswer, searchOperations } from "../../api/search.ts";
import { wrong } from "../../refusal.ts";
import type { RankedBy } from "../../settings/ranking.ts";
import type { Agent } from "../agent.ts";
import type { HandlersOf } from "../handler.ts";
import { searchByEvidence } from "../search/by-evidence.ts";
import { searchBySignals } from "../search/by-signals.ts";
import type { NodeSearch } from "../search/filters.ts";

export const searchHandlers: HandlersOf<typeof searchOperations> = {
  /** Counts an access of each memory that it returns. */
  search: (agent, { body, question }) => {
    const ranking = rankingOf(agent, body);
    const found = () =>
      agent.read(() => {
        const now = agent.now();
        const answer = search(agent, body, question, now);
        if (!body.recall) return answer;
        const ids = answer.data.map(({ id }) => id);
        agent.index.touch(ids, now);
        agent.soft.touched(ids, now);
        return answer;
      });
    const preparing = agent.prepare(ranking);
    return preparing === undefined ? found() : preparing.then(found);
  },

  isAnswerable: async (agent, { body: { question: query, filter } }) => {
    await agent.prepare("evidence");
    return agent.read(() => {
      const sought = { query, filter, limit: 1, ranking: "evidence" } as const;
      const {
        data,
        answerable = false,
        probability = 0,
      } = search(agent, sought, undefined, agent.now());
      const best = data.map(({ id, content_title }) => ({ id, content_title }))[0] ?? null;
      return { answerable, probability, best };
    });
  },
};

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
    ? searchByEvidence(agent, request, now)
    : searchBySignals(agent, request, question, now);
}
