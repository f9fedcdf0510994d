// Remembers texts and messages.

import type { rememberOperations } from "../../api/remember.ts";
import type { HandlersOf } from "../handler.ts";
import { onceInTurns } from "../idempotency.ts";
import { answerOf, remember } from "../writes/remember.ts";

export const rememberHandlers: HandlersOf<typeof rememberOperations> = {
  remember: async (agent, { headers, body, extracted }) => {
    await agent.prepare("evidence");
    const done = await onceInTurns(agent, "remember", { headers, body }, (unit) =>
      remember(agent, body, extracted, unit),
    );
    const { not_taken } = body;
    return agent.read(() => ({
      ...answerOf(agent, done),
      ...(not_taken === undefined ? {} : { not_taken }),
    }));
  },
};
