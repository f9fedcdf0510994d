// Ids of memories whose programs give them none: the same for the same parts, on every machine.

const SEEDS = [0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344] as const;

/**
 * Returns 32 digits for texts in order. Two lists have the same digits by chance once in 2^64 pairs or
 * so; somebody who wants to can find such lists.
 */
export function keyOf(...parts: readonly string[]): string {
  const text = JSON.stringify(parts);
  const words = SEEDS.map((seed) => seed ^ text.length) as [number, number, number, number];
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    // Each word takes a part of its neighbour, so that all four depend on every character.
    words[0] = mixed(words[0] ^ code, words[3]);
    words[1] = mixed(words[1] ^ code, words[0]);
    words[2] = mixed(words[2] ^ code, words[1]);
    words[3] = mixed(words[3] ^ code, words[2]);
  }
  return words.map((word) => finished(word).toString(16).padStart(8, "0")).join("");
}

// The multipliers of MurmurHash3.
const mixed = (word: number, other: number): number => {
  const product = Math.imul(word, 0xcc9e2d51) ^ other;
  return Math.imul((product << 15) | (product >>> 17), 0x1b873593);
};

const finished = (word: number): number => {
  const once = Math.imul(word ^ (word >>> 16), 0x85ebca6b);
  const twice = Math.imul(once ^ (once >>> 13), 0xc2b2ae35);
  return (twice ^ (twice >>> 16)) >>> 0;
};
