// The best decay sweep we know to write in JavaScript without WASM: input and output columns, no
// objects, only branches that nearly always go one way, and exp inlined. V8 calls its exp in C for
// each value. The same steps (fdlibm's e_exp.c), written here for the arguments of a memory, give
// the same bits without the call.

import { DECAY_CONFIG, type DecayInput, type DecayOutput } from "../decay.ts";
import { MEMORY_SECTIONS, SECTION_PROFILES } from "../sections.ts";
import type { Instant } from "../signals.ts";

const ACTIVE = Float64Array.from(
  MEMORY_SECTIONS,
  (s) => SECTION_PROFILES[s].decay.active_threshold,
);
const WEAK = Float64Array.from(MEMORY_SECTIONS, (s) => SECTION_PROFILES[s].decay.weak_threshold);

/** 2^−k by k. */
const POWERS = Float64Array.from({ length: 1023 }, (_, k) => 2 ** -k);

/**
 * Computes retrievability and lifecycle of every node at `now`, into `output` if it is given. It
 * must be as long as the input.
 */
export function decayColumns(
  { lastAccessed, stability, section }: DecayInput,
  now: Instant,
  output: DecayOutput = {
    retrievability: new Float64Array(lastAccessed.length),
    lifecycle: new Uint8Array(lastAccessed.length),
  },
): DecayOutput {
  // Locals for all constants: V8 reloads a module's `var`, which bundlers make of `const`, in every
  // iteration.
  const msPerDay = 86_400_000;
  const dormantDays = DECAY_CONFIG.dormant_days;
  const compressDays = DECAY_CONFIG.compress_days;
  const actives = ACTIVE;
  const weaks = WEAK;
  const powers = POWERS;

  // e_exp.c: exp(x) = 2^k · exp(r), r = x − k · ln 2 in two parts, exp(r) by a rational
  // approximation.
  const ln2High = 0.6931471803691238;
  const ln2Low = 1.9082149292705877e-10;
  const p1 = 0.16666666666666602;
  const p2 = -0.0027777777777015593;
  const p3 = 6.613756321437934e-5;
  const p4 = -1.6533902205465252e-6;
  const p5 = 4.1381367970572385e-8;
  // k is x / ln 2, rounded. But e_exp.c compares the upper halves of doubles, so that in a sliver
  // next to −ln 2 / 2 its k is still 0. Arguments in the sliver go to `Math.exp`.
  const halfLn2 = 0.346571795;
  const sliver = 2e-6;
  // For arguments above −2^−28, e_exp.c returns 1 + x.
  const tiny = 2 ** -28;
  // From here up, 2^k and the result are normal numbers.
  const lowest = -708;

  const nowMs = typeof now === "number" ? now : now.getTime();
  const { retrievability, lifecycle } = output;
  const count = lastAccessed.length;
  for (let i = 0; i < count; i++) {
    const t = Math.max(0, (nowMs - lastAccessed[i]!) / msPerDay);
    const s = stability[i]!;
    const x = -t / s;
    let r: number;
    if (s > 0 && x <= -tiny && x >= lowest && Math.abs(x + halfLn2) > sliver) {
      const k = (0.5 - Math.LOG2E * x) | 0; // the sign turned: 2^−k
      const high = x + k * ln2High;
      const low = -k * ln2Low;
      const reduced = high - low;
      const square = reduced * reduced;
      const c =
        reduced - square * (p1 + square * (p2 + square * (p3 + square * (p4 + square * p5))));
      r = (1 - (low - (reduced * c) / (2 - c) - high)) * powers[k]!;
    } else r = s <= 0 ? 0 : Math.exp(x);
    retrievability[i] = r;

    // The state is unpredictable, so that it is counted up without branches.
    const code = section[i]!;
    const weak = weaks[code]!;
    const below = +(r < weak);
    lifecycle[i] =
      +!(r > actives[code]!) +
      +!(r > weak) +
      (below & +(t >= dormantDays)) +
      (below & +(t >= compressDays));
  }
  return output;
}
