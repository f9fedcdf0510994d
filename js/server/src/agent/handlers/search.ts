// Searches: rank by evidence or by signals, and count accesses.

import type { searchOperations } from "../../api/search.ts";
import type { HandlersOf } from "../handler.ts";
import { rankingOf, search } from "../search/search.ts";

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

  isAnswerable: async (agent, { body: { question: query, filter }, question }) => {
    await agent.prepare("evidence");
    return agent.read(() => {
      const sought = { query, filter, limit: 1, ranking: "evidence" } as const;
      const {
        data,
        answerable = false,
        knows = "no",
        probability = 0,
      } = search(agent, sought, question, agent.now());
      const best = data.map(({ id, content_title }) => ({ id, content_title }))[0] ?? null;
      return { answerable, knows, probability, best };
    });
  },
};
