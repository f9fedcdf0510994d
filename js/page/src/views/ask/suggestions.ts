// Questions that the page suggests for the samples.

import { opened } from "../../memory/client.ts";

const SUGGESTIONS: Readonly<Record<string, readonly string[]>> = {
  general: [
    "Which milk should I buy for Theo?",
    "What did we do in Oban last summer?",
    "Who looks after the children on Tuesdays?",
    "How long do we keep the request logs?",
    "Wann bringe ich das Auto in die Werkstatt?",
    "What is the capital of Mongolia?",
  ],
  trader: [
    "What lessons did I learn about funding?",
    "How did the last SOL trade go?",
    "Which playbook fits a funding squeeze?",
    "What is my BTC thesis?",
    "What did I miss in March?",
  ],
};

/** Returns the suggestions for a memory: for the visitor's own, what its last memories are about. */
export function suggestionsFor(memory: string): readonly string[] {
  const state = opened.value;
  return SUGGESTIONS[memory] ?? (state.state === "open" ? state.summary.suggested : []);
}
