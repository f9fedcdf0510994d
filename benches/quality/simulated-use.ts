// Simulates the use of a memory: questions are asked in order of time, some of the memories shown
// are used, and the index learns from that.
//
// # Idea
//
// Of the ten memories shown the answers are used. One time in ten a wrong one is used instead. Each
// question is asked to an index that learns and to one that does not. Only the second half of the
// questions is judged: the first half is for learning.
//
// # Invariants
//
// - The order of questions, and which feedback is wrong, follow from the store and the seed alone.
// - Each store begins with an index that has learned nothing.

import { type Answer, type Learned, MemoryIndex, type WordVectors } from "nous-wasm";
import type { Random } from "../../js/sample/trader/random.ts";
import type { Hit } from "./bm25.ts";
import type { Asking, Case } from "./measure.ts";
import { DEPTH } from "./metrics.ts";
import { GRADE } from "./questions.ts";

/** The share of feedback that names a wrong memory. */
const WRONG = 0.1;

/** What two indexes found for the questions of the second half. */
export interface Simulated {
  readonly cases: readonly Case[];
  /** What the index that does not learn found. */
  readonly without: readonly (readonly Hit[])[];
  /** What the index that learns found. */
  readonly learning: readonly (readonly Hit[])[];
  /** The same with scores from which the mean contribution of traits is not taken off. */
  readonly uncentred: readonly (readonly Hit[])[];
  /** What the index had learned at the end. */
  readonly learned: Learned;
}

/**
 * Returns the questions that have an answer, in the order in which they are asked: by their time,
 * and those of one time by the creation of their last answer. A set may leave out when its
 * questions were asked, but none is asked before its answer is known.
 */
export function inOrderOfTime({ store, cases }: Asking): Case[] {
  const created = new Map(
    store.memories.map(({ id, created_at }) => [id, new Date(created_at ?? 0).getTime()]),
  );
  const knownAt = ({ grades }: Case) =>
    Math.max(...[...grades.keys()].map((id) => created.get(id) ?? 0));
  return cases
    .filter(({ grades }) => grades.size > 0)
    .sort((a, b) => a.now - b.now || knownAt(a) - knownAt(b));
}

/** Returns the ids of the memories that are used: the answers, or by mistake a wrong one. */
export function usedOf(
  shown: readonly string[],
  { grades }: Pick<Case, "grades">,
  random: Random,
): string[] {
  const isAnswer = (id: string) => grades.get(id) === GRADE.exact;
  const wrong = shown.filter((id) => !isAnswer(id));
  if (random.unit() >= WRONG) return shown.filter(isAnswer);
  return wrong.length === 0 ? [] : [wrong[random.whole(0, wrong.length - 1)]!];
}

/** Simulates the use of one store. */
export function simulateUse(asking: Asking, embedder: WordVectors, random: Random): Simulated {
  const [index, plain] = [new MemoryIndex({ embedder }), new MemoryIndex({ embedder })];
  for (const each of [index, plain]) {
    each.upsert(asking.store.memories);
    each.link(asking.store.edges);
  }
  const all = inOrderOfTime(asking);
  const half = Math.floor(all.length / 2);
  const [without, learning, uncentred]: [Hit[][], Hit[][], Hit[][]] = [[], [], []];
  for (const [place, one] of all.entries()) {
    const { text, now } = one;
    const found = index.ask(text, { limit: DEPTH, now });
    const shown = found.map(({ id }) => id);
    if (place >= half) {
      const before = plain.ask(text, { limit: DEPTH, now });
      without.push(before.map(hitOf));
      learning.push(found.map(hitOf));
      uncentred.push(found.map(withOffsetOf(plain, text, now)));
    }
    index.learn({ question: text, shown, used: usedOf(shown, one, random), now });
  }
  const learned = index.learned();
  index.free();
  plain.free();
  return { cases: all.slice(half), without, learning, uncentred, learned };
}

const hitOf = ({ id, score }: Answer): Hit => ({ id, score });

/** Returns a function that scores the sums of answers by the offset of an index. */
function withOffsetOf(index: MemoryIndex, question: string, now: number): (answer: Answer) => Hit {
  let fit: { scale: number; offset: number } | undefined;
  return ({ id, sum }) => {
    fit ??= index.why(id, question, { now });
    return { id, score: 1 / (1 + Math.exp(-(fit.scale * sum + fit.offset))) };
  };
}
