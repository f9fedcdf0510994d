// How a thread is shared: whoever has something to do in it gets a slice in turn.

/** How long work goes on before it gives way, in milliseconds. */
const SLICE = 10;

/** Somebody who waits for what is done for them, and may go away. */
export interface Asker {
  isGone: boolean;
}

/**
 * Nobody waits any more for what was to be done; it was not begun, or was ended between two slices.
 */
export class AskerGone extends Error {
  override readonly name = "AskerGone";
}

/** Each owner does one thing after another, so that it waits for one slice at most. */
export class Shares<Owner extends object> {
  /** Who waits for a slice, in the order of their turns. */
  readonly #waiting = new Map<Owner, () => void>();
  #isRunning = false;

  /**
   * Resolves at the owner's next slice, which lasts until what waited for it waits for something
   * again.
   */
  next(owner: Owner): Promise<void> {
    return new Promise((resolve) => {
      this.#waiting.set(owner, resolve);
      if (this.#isRunning) return;
      this.#isRunning = true;
      setImmediate(this.#run);
    });
  }

  /** Messages arrive between two slices: each has a turn of the event loop of its own. */
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
   * What long work of an owner calls between its steps: it returns at once within a slice, and else
   * waits for the next.
   *
   * @throws {AskerGone} where the asker went away meanwhile.
   */
  paceOf(owner: Owner, asker: Asker): () => Promise<void> {
    let begun = performance.now();
    return async () => {
      if (performance.now() - begun < SLICE) return;
      await this.next(owner);
      if (asker.isGone) throw new AskerGone();
      begun = performance.now();
    };
  }
}
