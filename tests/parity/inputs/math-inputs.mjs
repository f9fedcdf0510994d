// The arguments with which the engine's exp, expm1 and tanh are compared with V8's: the same on
// every run and every machine. Used by math-oracle.mjs for the native build, and importable by
// tests of the WebAssembly build.

const NEIGHBOURS = 3;

/** xoshiro128** by Blackman and Vigna: 32 random bits a call, from a fixed seed. */
function random32(seed) {
  let [a, b, c, d] = [0x9e3779b9 ^ seed, 0x243f6a88, 0xb7e15162, 0xdeadbeef];
  return () => {
    const product = Math.imul(b, 5);
    const result = Math.imul((product << 7) | (product >>> 25), 9) >>> 0;
    const shifted = b << 9;
    c ^= a;
    d ^= b;
    b ^= c;
    a ^= d;
    c ^= shifted;
    d = (d << 11) | (d >>> 21);
    return result;
  };
}

const double = new Float64Array(1);
const words = new Uint32Array(double.buffer);
const bits = new BigInt64Array(double.buffer);

/** The double `steps` representable numbers away from `x`, away from zero for positive steps. */
function neighbour(x, steps) {
  double[0] = x;
  bits[0] += BigInt(steps);
  return double[0];
}

/** The double with these two words. */
function fromWords(high, low) {
  words[1] = high;
  words[0] = low;
  return double[0];
}

/**
 * Zeros, infinities, NaN, subnormals, and every bound in the algorithms, each with its neighbours,
 * in both signs.
 */
function edges() {
  const bounds = [
    1,
    2,
    22,
    0.25,
    0.5,
    Number.MIN_VALUE,
    2 ** -1022,
    2 ** -54,
    2 ** -53,
    2 ** -29,
    2 ** -28,
    2 ** -27,
    708,
    fromWords(0x3fd62e42, 0xfefa39ef), // ½ ln 2
    fromWords(0x3fd62e43, 0), // where a high word first lies above that of ½ ln 2
    fromWords(0x3ff0a2b2, 0), // the high word of 1½ ln 2
    fromWords(0x4043687a, 0), // the high word of 56 ln 2
    fromWords(0x40862e42, 0),
    fromWords(0x40862e42, 0xfefa39ef), // exp overflows above
    fromWords(0x40874910, 0xd52d3051), // exp(−x) vanishes above
    fromWords(0x4086232b, 0xdd7abcd2), // ln 2^1022: exp(−x) is subnormal above
    19.0615474653985, // 27½ ln 2: tanh is 1 from about here on
    Number.MAX_VALUE,
  ];
  const list = [0, -0, Infinity, -Infinity, Number.NaN, fromWords(0x000fffff, 0xffffffff)];
  for (const bound of bounds) {
    for (let steps = -NEIGHBOURS; steps <= NEIGHBOURS; steps++) {
      list.push(neighbour(bound, steps), -neighbour(bound, steps));
    }
  }
  for (let exponent = -1074; exponent <= 1023; exponent++)
    list.push(2 ** exponent, -(2 ** exponent));
  for (let n = 1; n <= 800; n++) list.push(n, -n, n / 10, -n / 10, n / 30, -n / 30);
  return list;
}

/** One argument after the other; `i` counts them, `next` gives 32 random bits. */
const GENERATORS = {
  /** Any bit pattern, NaN with payload included. */
  bits: (_, next) => fromWords(next(), next()),

  /**
   * Uniform over the ranges where exp is neither 0 nor infinite, where tanh is not ±1, and where
   * neither is reduced.
   */
  range: (i, next) => {
    const unit = next() / 2 ** 32 + next() / 2 ** 64;
    return [-746 + unit * 1457, (2 * unit - 1) * 22, (2 * unit - 1) * 1.1][i % 3];
  },

  /** Within a few steps of a multiple of ½ ln 2, where the reduction of the argument changes. */
  boundaries: (_, next) => {
    const multiple = (next() % 4304) - 2153;
    return neighbour((multiple * Math.LN2) / 2, (next() % 33) - 16);
  },

  /** Small numbers of every magnitude, in both signs. */
  small: (_, next) =>
    fromWords((next() % 2) * 0x80000000 + 0x3c000000 + (next() % 0x03f00000), next()),

  /**
   * −t/S for whole milliseconds t up to ten years and stabilities S from 0.1 days to a year; never
   * positive.
   */
  decay: (_, next) => {
    const milliseconds = (next() % 3650) * 86_400_000 + (next() % 86_400_000);
    return -(milliseconds / 86_400_000) / (0.1 + (next() % 36_500) / 100);
  },

  /** −days/30 for whole days. */
  days: (_, next) => -(next() % 4096) / 30,

  /** count/10 for whole counts. */
  counts: (_, next) => (next() % 512) / 10,
};

/** The kinds of arguments that `inputs` knows. */
export const KINDS = ["edges", ...Object.keys(GENERATORS), "all"];

/**
 * `n` arguments of a kind: one of `KINDS`. `edges` are the first `n` of a fixed list, repeated if
 * `n` is larger; `all` is that list once, followed by the other kinds in turn. Equal calls give
 * equal numbers.
 *
 * @param {string} kind
 * @param {number} n
 * @returns {Float64Array}
 */
export function inputs(kind, n) {
  const index = KINDS.indexOf(kind);
  if (index < 0)
    throw new RangeError(`unknown kind of inputs '${kind}'; there are ${KINDS.join(", ")}`);
  const next = random32(index);
  const out = new Float64Array(n);
  const fixed = kind === "edges" || kind === "all" ? edges() : [];
  const generators = kind === "all" ? Object.values(GENERATORS) : [GENERATORS[kind]];
  for (let i = 0; i < n; i++) {
    if (i < fixed.length || kind === "edges") {
      out[i] = fixed[i % fixed.length];
    } else {
      out[i] = generators[i % generators.length](Math.floor(i / generators.length), next);
    }
  }
  return out;
}
