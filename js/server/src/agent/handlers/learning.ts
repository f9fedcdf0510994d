// What use teaches: feedback on searches, and the learned weights.

import type { learningOperations } from "../../api/learning.ts";
import { learnedIn } from "../../portable/learned.ts";
import type { HandlersOf } from "../handler.ts";
import { once } from "../idempotency.ts";
import { learnFrom, prepareToLearn } from "../rules/learning.ts";

export const learningHandlers: HandlersOf<typeof learningOperations> = {
  giveSearchFeedback: async (agent, { headers, body, question }) => {
    await prepareToLearn(agent);
    const { counted, moved } = once(agent, "giveSearchFeedback", { headers, body }, () =>
      learnFrom(agent, body, question),
    );
    return { ok: true, counted, moved };
  },

  readLearned: (agent) =>
    agent.read(() => {
      const { steps, shifts } = learnedIn(agent.storage);
      return { learning: agent.learns, steps, weights: shifts };
    }),

  forgetLearned: (agent) =>
    agent.write(() => {
      const { steps } = learnedIn(agent.storage);
      agent.storage.learned.remove();
      return { ok: true, forgotten: steps };
    }),
};
