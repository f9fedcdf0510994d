// A source of word vectors for tests: small, deterministic, and without vectors for some words.

import type { WordVectors } from "../../../js/engine/src/memory/types.ts";
import { makeRandom } from "../../../js/reference/inputs.ts";

const TOPICS = 5;
/** One word in so many has no vector. */
const WITHOUT = 7;

const hash = (bytes: Uint8Array): number =>
  bytes.reduce((hash, byte) => (Math.imul(hash, 31) + byte) >>> 0, 7);

/** Words share a topic with one in five others, which are near. */
export function fakeEmbedder(dimensions: number): WordVectors {
  const unitOf = (seed: number) => {
    const random = makeRandom(seed);
    return Float64Array.from({ length: dimensions }, () => random() - 0.5);
  };
  const topics = Array.from({ length: TOPICS }, (_, topic) => unitOf(topic + 1));
  return {
    dimensions,
    addWord(word, sum) {
      const own = hash(word);
      if (own % WITHOUT === 0) return false;
      const noise = unitOf(own);
      const topic = topics[own % TOPICS]!;
      for (let place = 0; place < dimensions; place++)
        sum[place]! += topic[place]! + 0.7 * noise[place]!;
      return true;
    },
  };
}
