// The history of a fact.

import { historyOf, parseInstant, toIso } from "nous-memory";
import type { historyOperations } from "../../api/history.ts";
import { Refusal } from "../../refusal.ts";
import { AnswerRoom } from "../answer-room.ts";
import type { HandlersOf } from "../handler.ts";
import { presentNow } from "../present.ts";
import { search } from "../search/search.ts";
import { wantedOf } from "../search/wanted.ts";

export const historyHandlers: HandlersOf<typeof historyOperations> = {
  factHistory: async (agent, { body: { id, query, filter }, question }) => {
    await agent.prepare("evidence");
    return agent.read(() => {
      const now = agent.now();
      const found = () => {
        const sought = { query: query!, filter, limit: 1, ranking: "evidence" } as const;
        return search(agent, sought, question, now).data[0]?.id;
      };
      const one = id ?? found();
      if (one === undefined) return { data: [], count: 0 };
      if (agent.rows([one]).length === 0)
        throw new Refusal(404, "not found", [{ path: "id", message: `names no memory: ${one}` }]);
      const line = agent.index.line(one);
      const ids = [...new Set([one, ...line.flatMap((it) => [it.source_id, it.target_id])])];
      const wanted = wantedOf(agent, filter, now);
      const passing = wanted === undefined ? ids : agent.storage.nodes.passing(ids, { wanted });
      const nodes = new Map(
        presentNow(agent.rows(passing), agent, now).map((node) => [node.id, node]),
      );
      const steps = historyOf(one, line, (id) => {
        const node = nodes.get(id);
        return node && (parseInstant(node.temporal_event_time ?? node.created_at ?? "") ?? 0);
      });
      const room = new AnswerRoom();
      const data = steps
        .map(({ id, since, until, replaced_by = null }) => ({
          ...nodes.get(id)!,
          since: toIso(since),
          until: until === undefined ? null : toIso(until),
          replaced_by,
        }))
        .filter((value) => room.take(value));
      return { data, count: data.length };
    });
  },
};
