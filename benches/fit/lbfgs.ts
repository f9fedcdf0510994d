// Minimises a smooth function of a few dozen numbers, some of them bounded from below.
//
// # Idea
//
// L-BFGS: the last steps and the changes of the gradient along them stand in for the curvature. A
// number at its bound whose gradient points outwards is held, and the step is taken in the others.
// Each trial point is pulled back to the bounds.
//
// # Invariants
//
// - No point that the function is asked for lies below a bound.
// - The value never rises from step to step.
// - There is no randomness: the same function gives the same point.
//
// # Cost
//
// One value with its gradient for most steps, and 4 · MEMORY products of vectors.

type Numbers = Float64Array<ArrayBuffer>;

/** A value and its gradient. */
export interface Slope {
  readonly value: number;
  readonly gradient: Numbers;
}

/** The point that {@link minimise} found. */
export interface Minimum {
  readonly point: Numbers;
  readonly value: number;
  /** The number of steps taken. */
  readonly steps: number;
  /** Whether the gradient is below the tolerance, or steps hardly lower the value any more. */
  readonly converged: boolean;
}

/** The number of steps that are remembered. */
const MEMORY = 10;
/** The most steps. */
const MAX_STEPS = 500;
/** The most halvings of a step. */
const MAX_HALVINGS = 40;
/** The share of the expected decrease that a step must reach. */
const SUFFICIENT = 1e-4;
/** The greatest component of the gradient at a minimum. */
const TOLERANCE = 1e-7;
/** A step that lowers the value by a smaller share is idle. */
const MIN_GAIN = 1e-9;
/** So many idle steps in a row are the end. */
const MAX_IDLE = 3;

/**
 * Minimises a function.
 *
 * @param slopeAt - Returns value and gradient at a point. Must not keep the point.
 * @param start - The first point. It is pulled back to the bounds.
 * @param lower - The bounds from below; −∞ for none.
 * @throws {RangeError} If the bounds are not as many as the numbers, or a value is not finite at
 * the start.
 * @example
 * ```ts
 * const square = (x: Float64Array) => ({
 *   value: (x[0]! - 3) ** 2,
 *   gradient: Float64Array.of(2 * (x[0]! - 3)),
 * });
 * minimise(square, [0], [-Infinity]).point; // [3]
 * ```
 */
export function minimise(
  slopeAt: (point: Numbers) => Slope,
  start: ArrayLike<number>,
  lower: ArrayLike<number>,
): Minimum {
  const size = start.length;
  if (lower.length !== size)
    throw new RangeError(`lower: ${lower.length} bounds for ${size} numbers`);
  const pull = (x: Numbers) => x.map((value, i) => Math.max(value, lower[i]!));
  let point = pull(Float64Array.from(start));
  let slope = slopeAt(point);
  if (!Number.isFinite(slope.value)) throw new RangeError(`start: the value is ${slope.value}`);
  const pairs: Pair[] = [];
  let idle = 0;
  for (let steps = 0; steps < MAX_STEPS; steps++) {
    const { gradient } = slope;
    const isFree = (i: number) => point[i]! > lower[i]! || gradient[i]! < 0;
    const free = gradient.map((value, i) => (isFree(i) ? value : 0));
    if (free.every((value) => Math.abs(value) < TOLERANCE))
      return { point, value: slope.value, steps, converged: true };
    let next = search(slopeAt, point, slope, direction(free, pairs, isFree), pull);
    if (next === null && pairs.length > 0) {
      // The remembered curvature misleads: forget it and go down the gradient.
      pairs.length = 0;
      next = search(slopeAt, point, slope, direction(free, pairs, isFree), pull);
    }
    if (next === null) return { point, value: slope.value, steps, converged: true };
    remember(pairs, {
      step: next.point.map((value, i) => value - point[i]!),
      change: next.slope.gradient.map((value, i) => value - gradient[i]!),
    });
    const gain = slope.value - next.slope.value;
    ({ point, slope } = next);
    idle = gain < MIN_GAIN * Math.max(1, Math.abs(slope.value)) ? idle + 1 : 0;
    if (idle === MAX_IDLE) return { point, value: slope.value, steps: steps + 1, converged: true };
  }
  return { point, value: slope.value, steps: MAX_STEPS, converged: false };
}

interface Pair {
  readonly step: Numbers;
  readonly change: Numbers;
}

function remember(pairs: Pair[], pair: Pair): void {
  // Without positive curvature along the step the direction could lead upwards.
  if (dot(pair.step, pair.change) <= 1e-12 * dot(pair.change, pair.change)) return;
  pairs.push(pair);
  if (pairs.length > MEMORY) pairs.shift();
}

/** Returns the descent direction by the two-loop recursion, 0 where a number is held. */
function direction(
  gradient: Numbers,
  pairs: readonly Pair[],
  isFree: (i: number) => boolean,
): Numbers {
  const d = gradient.map((value) => -value);
  const alphas = new Float64Array(pairs.length);
  for (let k = pairs.length - 1; k >= 0; k--) {
    const { step, change } = pairs[k]!;
    alphas[k] = dot(step, d) / dot(step, change);
    addScaled(d, -alphas[k]!, change);
  }
  const last = pairs.at(-1);
  const length = Math.sqrt(dot(gradient, gradient));
  const scale =
    last === undefined
      ? 1 / Math.max(1, length)
      : dot(last.step, last.change) / dot(last.change, last.change);
  for (let i = 0; i < d.length; i++) d[i]! *= scale;
  for (const [k, { step, change }] of pairs.entries())
    addScaled(d, alphas[k]! - dot(change, d) / dot(step, change), step);
  return d.map((value, i) => (isFree(i) ? value : 0));
}

interface Next {
  readonly point: Numbers;
  readonly slope: Slope;
}

/** Returns the first of ever shorter steps that lowers the value enough; null if none does. */
function search(
  slopeAt: (point: Numbers) => Slope,
  point: Numbers,
  { value, gradient }: Slope,
  along: Numbers,
  pull: (point: Numbers) => Numbers,
): Next | null {
  if (dot(along, gradient) >= 0) return null;
  for (let halvings = 0, length = 1; halvings < MAX_HALVINGS; halvings++, length /= 2) {
    const trial = pull(point.map((x, i) => x + length * along[i]!));
    const gain = trial.reduce((sum, x, i) => sum + gradient[i]! * (x - point[i]!), 0);
    if (gain >= 0) continue;
    const slope = slopeAt(trial);
    if (slope.value < value && slope.value <= value + SUFFICIENT * gain)
      return { point: trial, slope };
  }
  return null;
}

function dot(a: Numbers, b: Numbers): number {
  let sum = 0;
  for (let i = 0; i < a.length; i++) sum += a[i]! * b[i]!;
  return sum;
}

function addScaled(to: Numbers, factor: number, from: Numbers): void {
  for (let i = 0; i < to.length; i++) to[i]! += factor * from[i]!;
}
