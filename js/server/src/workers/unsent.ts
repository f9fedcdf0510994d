// Answers that clients have not taken yet. They are counted, so that clients which ask and do not
// read fill no memory: a large answer is handed over in pieces, as the client takes them, and while
// too much waits nothing more is worked out.

import type { ServerResponse } from "node:http";
import { Refusal } from "../refusal.ts";

/** Bytes of all answers together that may wait for their clients. */
export const MOST_UNSENT = 64 * 2 ** 20;
/** An answer of fewer bytes is handed over in one piece, and is not counted. */
const PIECE = 64 * 2 ** 10;
/**
 * How long a client may take none of an answer, in milliseconds; and how long while too much waits.
 */
const PATIENCE = 30_000;
const PATIENCE_WHEN_FULL = 1_000;
const LOOK_EVERY = 250;

/** Whether so much waits that nothing more is to be worked out. */
export const isFull = (unsent: Int32Array): boolean => Atomics.load(unsent, 0) > MOST_UNSENT;

export const tooMuchUnsent = (): Refusal =>
  new Refusal(
    503,
    "too many answers wait for their clients to read them: nothing was done, try again",
  );

/** An answer that is being handed over. */
interface Sending {
  response: ServerResponse;
  /** When the client last took some of it, by `performance.now()`. */
  takenAt: number;
}

export class Unsent {
  /** Seen by the threads of agents, too. */
  readonly shared = new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT);
  readonly #bytes = new Int32Array(this.shared);
  readonly #sendings = new Set<Sending>();
  #looking: NodeJS.Timeout | undefined;

  /** Bytes that wait. */
  get bytes(): number {
    return Atomics.load(this.#bytes, 0);
  }

  /** The body of an answer, and its length where it is handed over in pieces. */
  bodyOf(
    answer: string,
    response: ServerResponse | undefined,
  ): { body: string | ReadableStream; bytes?: number } {
    if (response === undefined || answer.length < PIECE) return { body: answer };
    const bytes = Buffer.from(answer);
    return { body: this.#pieces(bytes, response), bytes: bytes.length };
  }

  #pieces(bytes: Buffer, response: ServerResponse): ReadableStream {
    const sending: Sending = { response, takenAt: performance.now() };
    this.#sendings.add(sending);
    Atomics.add(this.#bytes, 0, bytes.length);
    const over = () => {
      if (!this.#sendings.delete(sending)) return;
      Atomics.sub(this.#bytes, 0, bytes.length);
      response.off("close", over);
      if (this.#sendings.size > 0) return;
      clearInterval(this.#looking);
      this.#looking = undefined;
    };
    if (response.destroyed) over();
    else response.once("close", over);
    this.#looking ??= setInterval(() => this.#cutOff(), LOOK_EVERY).unref();
    let at = 0;
    return new ReadableStream({
      pull(controller) {
        sending.takenAt = performance.now();
        controller.enqueue(bytes.subarray(at, at + PIECE));
        at += PIECE;
        if (at >= bytes.length) controller.close();
      },
      cancel: over,
    });
  }

  /** Ends connections of clients that do not read. */
  #cutOff(): void {
    const patience = isFull(this.#bytes) ? PATIENCE_WHEN_FULL : PATIENCE;
    const since = performance.now() - patience;
    for (const { response, takenAt } of this.#sendings) if (takenAt < since) response.destroy();
  }
}
