// Prints the results of ts-fsrs: node fsrs-oracle.mjs <sequences> <reviews in each>
//
// Standard output gets, as little-endian doubles, for each sequence its 21 weights, the same as
// ts-fsrs bounds them, and for each review grade, elapsed days, retrievability before it (0 for the
// first), stability and difficulty after it. Every other sequence has the default weights, the
// others random ones, some out of bounds. Equal calls give equal bytes.

import { writeSync } from "node:fs";

import { default_w, FSRSAlgorithm } from "ts-fsrs";

const [sequences, reviews] = process.argv.slice(2).map(Number);

/** Numbers in [0, 1) from a fixed seed: mulberry32. */
let seed = 20_241_121;
function random() {
  seed = (seed + 0x6d2b79f5) | 0;
  let mixed = Math.imul(seed ^ (seed >>> 15), seed | 1);
  mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
  return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
}

/** Weights from 0 to two and a half times the default, so that some leave their bounds. */
const randomWeights = () => default_w.map((weight) => weight * random() * 2.5);

/** Whole days: often zero or few, mostly about the memory's stability, sometimes very long. */
function elapsedDays(stability) {
  const kind = random();
  if (kind < 0.2) return 0;
  if (kind < 0.4) return 1 + Math.floor(random() * 5);
  if (kind < 0.95) return Math.round(stability * random() * 3);
  return Math.floor(random() * 40_000);
}

for (let sequence = 0; sequence < sequences; sequence++) {
  const weights = sequence % 2 === 0 ? [...default_w] : randomWeights();
  const algorithm = new FSRSAlgorithm({ w: weights });
  const out = [...weights, ...algorithm.parameters.w];
  let state = null;
  for (let review = 0; review < reviews; review++) {
    const grade = 1 + Math.floor(random() * 4);
    const elapsed = state === null ? 0 : elapsedDays(state.stability);
    const retrievability =
      state === null ? 0 : algorithm.forgetting_curve(elapsed, state.stability);
    state = algorithm.next_state(state, elapsed, grade);
    out.push(grade, elapsed, retrievability, state.stability, state.difficulty);
  }
  const view = new DataView(new ArrayBuffer(out.length * 8));
  for (const [i, value] of out.entries()) view.setFloat64(i * 8, value, true);
  for (let sent = 0; sent < view.byteLength; ) {
    sent += writeSync(1, view, sent, view.byteLength - sent);
  }
}
