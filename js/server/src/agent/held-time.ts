// The time that the clock of the machine has shown for an hour. What cannot be undone goes by it: a
// clock that is ahead for less than an hour archives and drops nothing.

/** How long the clock must show a time before it counts, in milliseconds of the process. */
const HOLD = 3_600_000;
/** How far clock and process may drift apart before it counts as a step, in milliseconds. */
const DRIFT = 60_000;

/** How far the clock was ahead of the process's own time, and until when it was so. */
interface Offset {
  milliseconds: number;
  until: number;
}

/**
 * Compares the clock of the machine with a clock that nobody sets. A machine that slept looks as if
 * its clock had been set forward: its new time counts an hour later.
 */
export class HeldTime {
  readonly #wall: () => number;
  readonly #monotonic: () => number;
  /** Offsets of the last hour that no later one has fallen below: each is larger than the last. */
  readonly #offsets: Offset[] = [];

  /**
   * `wall` is the clock of the machine, in milliseconds since 1970; `monotonic` counts milliseconds
   * from any moment.
   */
  constructor(wall: () => number = Date.now, monotonic: () => number = () => performance.now()) {
    this.#wall = wall;
    this.#monotonic = monotonic;
    this.now();
  }

  /**
   * Milliseconds since 1970, by the smallest offset of the last hour. Each call looks at the clock:
   * a step counts from the call that saw it first.
   */
  now(): number {
    const [wall, at, offsets] = [this.#wall(), this.#monotonic(), this.#offsets];
    const milliseconds = wall - at;
    while ((offsets.at(-1)?.milliseconds ?? Number.NEGATIVE_INFINITY) > milliseconds) offsets.pop();
    const last = offsets.at(-1);
    const isStep = last === undefined || milliseconds - last.milliseconds > DRIFT;
    if (last !== undefined) last.until = isStep ? at : Number.POSITIVE_INFINITY;
    if (isStep) offsets.push({ milliseconds, until: Number.POSITIVE_INFINITY });
    while (offsets[0]!.until + HOLD <= at) offsets.shift();
    return offsets.length === 1 ? wall : Math.floor(offsets[0]!.milliseconds + at);
  }
}
