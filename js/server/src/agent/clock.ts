// The clock of an agent. It detects when the machine's clock was set back, because times taken
// before then lie ahead, and when it was set far forward, because it was wrong before.

import { MAX_AHEAD, MAX_JUMP } from "nous-memory";
import type { HeldTime } from "./held-time.ts";

export class Clock {
  readonly #wall: () => number;
  readonly #heldTime: HeldTime;
  #latest = Number.NEGATIVE_INFINITY;
  #isSetBack = false;
  #isSetFarForward = false;

  /** `wall` is the clock of the machine, in milliseconds since 1970. */
  constructor(wall: () => number, heldTime: HeldTime) {
    this.#wall = wall;
    this.#heldTime = heldTime;
  }

  /**
   * Returns milliseconds since 1970. The time stands still while the machine's clock makes up for a
   * step back of at most `MAX_AHEAD`.
   */
  now(): number {
    this.#heldTime.now();
    const wall = this.#wall();
    if (wall < this.#latest && wall >= this.#latest - MAX_AHEAD) return this.#latest;
    this.#isSetBack ||= wall < this.#latest;
    this.#isSetFarForward ||= Number.isFinite(this.#latest) && wall - this.#latest > MAX_JUMP;
    this.#latest = wall;
    return wall;
  }

  /** Milliseconds since 1970 as the clock has shown them for an hour; never after `now`. */
  heldNow(): number {
    return Math.min(this.now(), this.#heldTime.now());
  }

  /** Returns whether the clock was set back by more than `MAX_AHEAD` since the last call. */
  wasSetBack(): boolean {
    this.now();
    const was = this.#isSetBack;
    this.#isSetBack = false;
    return was;
  }

  /** Returns whether the clock was set forward by more than `MAX_JUMP` since the last call. */
  wasSetFarForward(): boolean {
    this.now();
    const was = this.#isSetFarForward;
    this.#isSetFarForward = false;
    return was;
  }
}
