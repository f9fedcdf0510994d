// Counts answers that clients have not read yet, so that clients that do not read cannot fill the
// memory. A large answer is sent in pieces, as the client reads. While too many bytes wait, the
// server computes no more answers.

import type { ServerResponse } from "node:http";
import { Refusal } from "../refusal.ts";

/** Bytes of all answers together that may wait for clients. */
export const MAX_UNSENT = 64 * 2 ** 20;
/** The size of a piece, in bytes. A smaller answer is sent whole, and is not counted. */
const PIECE = 64 * 2 ** 10;
/**
 * How long a client may read nothing of an answer, in milliseconds; the second value applies while
 * too many bytes wait.
 */
const PATIENCE = 30_000;
const PATIENCE_WHEN_FULL = 1_000;
const LOOK_EVERY = 250;

/** Returns whether too many bytes wait, so that no more answers are computed. */
export const isFull = (unsent: Int32Array): boolean => Atomics.load(unsent, 0) > MAX_UNSENT;

export const tooMuchUnsent = (): Refusal =>
  new Refusal(
    503,
    "too many answers wait for their clients to read them: nothing was done, try again",
  );

/** An answer that is being sent. */
interface Sending {
  response: ServerResponse;
  /** When the client last read some of it, by `performance.now()`. */
  takenAt: number;
}

export class Unsent {
  /** The count, which agent threads read. */
  readonly shared = new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT);
  readonly #bytes = new Int32Array(this.shared);
  readonly #sendings = new Set<Sending>();
  #looking: NodeJS.Timeout | undefined;

  /** Bytes that wait for clients. */
  get bytes(): number {
    return Atomics.load(this.#bytes, 0);
  }

  /** Returns the body of an answer, with its length if the answer is sent in pieces. */
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

  /** Ends the connections of clients that do not read. */
  #cutOff(): void {
    const patience = isFull(this.#bytes) ? PATIENCE_WHEN_FULL : PATIENCE;
    const since = performance.now() - patience;
    for (const { response, takenAt } of this.#sendings) if (takenAt < since) response.destroy();
  }
}
