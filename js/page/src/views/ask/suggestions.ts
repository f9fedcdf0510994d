// Questions that the page suggests for the samples, which answer each of them first. Each shows
// something that the engine does: other words for the same, a correction, a time, two questions in
// one, German.

import { memoryName, question } from "../../app/address.ts";
import { opened } from "../../memory/client.ts";

const SUGGESTIONS: Readonly<Record<string, readonly string[]>> = {
  general: [
    "Which evening is without screens?",
    "Who is our family physician?",
    "Which book did the club discuss in October?",
    "When did we give up the car, and what does a viola by Kenji cost?",
    "Wie lange dauerte die Operation von Papa?",
  ],
  trader: [
    "Can extreme funding stay extreme?",
    "What did I miss in August?",
    "When did extreme funding stay extreme, and how do I profit from forced sellers?",
    "Is risky trading dangerous after defeats?",
    "Welche Lektion gibt es zu Meme Coins?",
  ],
};

/**
 * Returns the suggestions for a memory. For the visitor's own, they are made of its last
 * memories.
 */
export function suggestionsFor(memory: string): readonly string[] {
  const state = opened.value;
  return SUGGESTIONS[memory] ?? (state.state === "open" ? state.summary.suggested : []);
}

/**
 * Returns the question of the address, else the first suggestion, so that views open on an answer. It is empty
 * if there is neither.
 */
export const askedQuestion = (): string =>
  question.value === "" ? (suggestionsFor(memoryName.value)[0] ?? "") : question.value;
