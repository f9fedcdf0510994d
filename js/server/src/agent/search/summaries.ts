// Summaries among the answers of a question.
//
// A summary holds the words of its episodes, so that it answers nearly whatever they answer. Most
// questions want one of the episodes: on 631 questions about three conversations, summaries in the place
// that the evidence gives them lower nDCG@10 from .640 to .619, and in this one to .628. A summary therefore stands behind all of its episodes that were found, with the probability of the last of these.
// If none is found, it keeps its place.

import type { Answer } from "nous-wasm";
import type { Agent } from "../agent.ts";

/** The answers among which episodes are looked for, so that the order is that of any smaller limit. */
export const MOST_REVIEWED = 50;

/** Returns the answers, in their order, with each summary behind its episodes among them. */
export function behindEpisodes({ storage }: Agent, answers: readonly Answer[]): Answer[] {
  const episodes = storage.edges.summarized(answers.map(({ id }) => id));
  if (episodes.size === 0) return [...answers];
  const after = new Map<Answer, Answer[]>();
  for (const [place, summary] of answers.entries()) {
    const own = episodes.get(summary.id);
    const last = own && answers.findLast(({ id }) => own.has(id));
    if (last === undefined || answers.indexOf(last) < place) continue;
    after.set(last, [...(after.get(last) ?? []), summary]);
  }
  const moved = new Set([...after.values()].flat());
  return answers
    .filter((answer) => !moved.has(answer))
    .flatMap((answer) => [
      answer,
      ...(after.get(answer) ?? []).map((summary) => ({
        ...summary,
        score: Math.min(summary.score, answer.score),
      })),
    ]);
}
