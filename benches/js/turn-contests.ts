// Contests of turns: planning their queries, and the retrieval for them.

import * as reference from "../../js/reference/index.ts";
import type { Contest } from "./compare.ts";
import { type Engine, inTurn } from "./contests.ts";
import { planTurn as tuned } from "./rivals/turns.ts";

/** Turns of about sixty characters, of every kind that planning knows. */
export const TURNS = [
  "hey, what did we decide about the Redis cache last week?",
  "should we migrate the deployment to PostgreSQL or stay here",
  "which signals are firing on SOL right now, and since when?",
  "how do I deploy the application to the new cluster safely?",
  "catch me up: what happened while I was away, in a few words",
  "tell me about the storage of JSONB in PostgreSQL, and Alice",
  "thanks, that makes sense; and the history of this project?",
  "I deployed the service yesterday, and Bob reviewed the code",
];

export function turnContests(engine: Engine): Contest[] {
  const contestant = (plan: (text: string, frame: string) => unknown) => {
    const turn = inTurn(TURNS);
    return () => plan(turn(), "conversation");
  };
  return [
    {
      name: "plan for a turn of 60 characters",
      contestants: {
        reference: contestant(reference.planTurn),
        tuned: contestant(tuned),
        engine: contestant(engine.planTurn),
      },
    },
  ];
}
