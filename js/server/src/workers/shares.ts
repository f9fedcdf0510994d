// Shares a thread's time between agents: each agent with work gets a slice in turn.

/** How long work may go on before it gives way, in milliseconds. */
const SLICE = 10;

/** The client that waits for some work. It may go away. */
import type { Pause } from "nous-memory";
export interface Asker {
  isGone: boolean;
}

/** The client has gone: the work was not begun, or ended between two slices. */
export class AskerGone extends Error {
  override readonly name = "AskerGone";
}

/**
 * Hands out slices. Each owner does one thing at a time, so that it waits for one slice at most.
 */
export class Shares<Owner extends object> {
  /** The owners that wait for a slice, in the order of their turns. */
  readonly #waiting = new Map<Owner, () => void>();
  #isRunning = false;

  /**
   * Resolves at the owner's next slice. The slice lasts until the owner's work waits for something.
   */
  next(owner: Owner): Promise<void> {
    return new Promise((resolve) => {
      this.#waiting.set(owner, resolve);
      if (this.#isRunning) return;
      this.#isRunning = true;
      setImmediate(this.#run);
    });
  }

  /**
   * Each slice is a turn of the event loop of its own, so that messages arrive between two slices.
   */
  readonly #run = (): void => {
    const [first] = this.#waiting;
    if (first === undefined) {
      this.#isRunning = false;
      return;
    }
    const [owner, begin] = first;
    this.#waiting.delete(owner);
    begin();
    setImmediate(this.#run);
  };

  /**
   * Returns the function that long work of an owner awaits between its steps. Within a slice it
   * returns at once, unless the work is blocked; otherwise it waits for the next slice.
   *
   * @throws {AskerGone} If the asker went away meanwhile.
   */
  paceOf(owner: Owner, asker: Asker): Pause {
    let begun = performance.now();
    return async (isBlocked = false) => {
      if (!isBlocked && performance.now() - begun < SLICE) return;
      await this.next(owner);
      if (asker.isGone) throw new AskerGone();
      begun = performance.now();
    };
  }
}
