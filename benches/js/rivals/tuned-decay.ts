// The best decay sweep we know to write in JavaScript without WASM: columns in, columns out, no objects,
// no branch on the data but such as nearly always go one way, and exp inlined. V8 calls its exp in C for
// each value; the same steps (fdlibm's e_exp.c) written here, for the arguments a memory has, give the
// same bits without the call.

import { DECAY_CONFIG, type DecayInput, type DecayOutput } from "../../../tests/reference/decay.ts";
import { MEMORY_SECTIONS, SECTION_PROFILES } from "../../../tests/reference/sections.ts";
import type { Instant } from "../../../tests/reference/signals.ts";

const MS_PER_DAY = 86_400_000;
const DORMANT_DAYS = DECAY_CONFIG.dormant_days;
const COMPRESS_DAYS = DECAY_CONFIG.compress_days;

const ACTIVE = Float64Array.from(MEMORY_SECTIONS, (s) => SECTION_PROFILES[s].decay.active_threshold);
const WEAK = Float64Array.from(MEMORY_SECTIONS, (s) => SECTION_PROFILES[s].decay.weak_threshold);

// e_exp.c: exp(x) = 2^k · exp(r), r = x − k · ln 2 in two parts, exp(r) by a rational approximation.
const LN2_HIGH = 6.93147180369123816490e-1;
const LN2_LOW = 1.90821492927058770002e-10;
const INVERSE_LN2 = 1.44269504088896338700;
const P1 = 1.66666666666666019037e-1;
const P2 = -2.77777777770155933842e-3;
const P3 = 6.61375632143793436117e-5;
const P4 = -1.65339022054652515390e-6;
const P5 = 4.13813679705723846039e-8;
/**
 * k is x / ln 2 rounded to an integer; but e_exp.c compares upper halves of doubles, so that in a sliver
 * next to −ln 2 / 2 its k is still 0. Arguments so close to that point are left to `Math.exp`.
 */
const HALF_LN2 = 0.346571795;
const SLIVER = 2e-6;
/** Below, e_exp.c answers 1 + x. */
const TINY = 2 ** -28;
/** Down to here 2^k and the result are normal numbers. */
const LOWEST = -708;

/** 2^−k by k. */
const POWERS = Float64Array.from({ length: 1023 }, (_, k) => 2 ** -k);

/**
 * Retrievability and lifecycle of every node at `now`; into `output` when it is given, which must be as
 * long as the input.
 */
export function decayColumns(
  { lastAccessed, stability, section }: DecayInput,
  now: Instant,
  output: DecayOutput = {
    retrievability: new Float64Array(lastAccessed.length),
    lifecycle: new Uint8Array(lastAccessed.length),
  },
): DecayOutput {
  const nowMs = typeof now === "number" ? now : now.getTime();
  const { retrievability, lifecycle } = output;
  for (let i = 0; i < lastAccessed.length; i++) {
    const elapsed = (nowMs - lastAccessed[i]!) / MS_PER_DAY;
    const t = elapsed > 0 ? elapsed : 0;
    const s = stability[i]!;
    const x = -t / s;
    let r: number;
    if (s > 0 && x <= -TINY && x >= LOWEST && Math.abs(x + HALF_LN2) > SLIVER) {
      const k = (0.5 - INVERSE_LN2 * x) | 0; // the sign turned: 2^−k
      const high = x + k * LN2_HIGH;
      const low = -k * LN2_LOW;
      const reduced = high - low;
      const square = reduced * reduced;
      const c =
        reduced - square * (P1 + square * (P2 + square * (P3 + square * (P4 + square * P5))));
      r = (1 - (low - (reduced * c) / (2 - c) - high)) * POWERS[k]!;
    } else r = s <= 0 ? 0 : Math.exp(x);
    retrievability[i] = r;

    // Which state is as good as random, so it is counted up instead of branched to.
    const code = section[i]!;
    const weak = WEAK[code]!;
    const below = +(r < weak);
    lifecycle[i] =
      +!(r > ACTIVE[code]!) +
      +!(r > weak) +
      (below & +(t >= DORMANT_DAYS)) +
      (below & +(t >= COMPRESS_DAYS));
  }
  return output;
}
