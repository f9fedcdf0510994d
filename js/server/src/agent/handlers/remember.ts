// Remembers texts and messages.

import type { rememberOperations } from "../../api/remember.ts";
import type { HandlersOf } from "../handler.ts";
import { isKnown, onceInTurns } from "../idempotency.ts";
import { compareNow } from "../writes/comparing.ts";
import { answerOf, readTexts, remember } from "../writes/remember.ts";

export const rememberHandlers: HandlersOf<typeof rememberOperations> = {
  remember: async (agent, { headers, body, extracted, questions }) => {
    await agent.prepare("evidence");
    const isMade = agent.read(() => isKnown(agent, headers));
    const read = isMade ? undefined : await readTexts(agent, { body, extracted });
    const done = await onceInTurns(agent, "remember", { headers, body }, (unit) =>
      remember(agent, { body, extracted, read, questions }, unit),
    );
    // What is stored stays, also if the client has gone.
    await agent.applyInTurns((isBlocked) => agent.giveWay(isBlocked).catch(() => {}));
    if (!isMade)
      await compareNow(
        agent,
        done.made.map(({ id }) => id),
        questions,
      );
    const { not_taken } = body;
    return agent.read(() => ({
      ...answerOf(agent, done),
      ...(not_taken === undefined ? {} : { not_taken }),
    }));
  },
};
