// Views of the scratch of an object of the module: numbers, rows and bytes of a batch.

import { NousError } from "./errors.ts";
import { MAX_SCRATCH } from "./generated/layout.ts";
import type { Instance } from "./instance.ts";
import { refusal } from "./refusal.ts";

/** A vector of the module is smaller than 2 GiB. */
const MAX_BYTES = 2 ** 31;

/** A class of the module whose batches cross in scratch. @internal */
export interface OnScratch {
  reserve(numbers: number, rows: number, bytes: number): boolean;
  numbers_at(): number;
  rows_at(): number;
  bytes_at(): number;
}

/** A class of the module that frees large scratch. @internal */
export interface Shrinkable extends OnScratch {
  shrink_if_large(): boolean;
}

/** @internal */
export class ScratchView<M extends OnScratch> {
  /**
   * Views of the whole memory. They are empty after memory has grown; `revalidateViews` makes new
   * ones.
   */
  numbers: Float64Array;
  rows: Uint32Array;
  bytes: Uint8Array;
  /** Where the scratch starts in each view. */
  numbersAt = 0;
  rowsAt = 0;
  bytesAt = 0;
  #numbersRoom = 0;
  #rowsRoom = 0;
  #bytesRoom = 0;

  constructor(
    readonly instance: Instance,
    readonly module: M,
  ) {
    const { buffer } = instance.memory;
    this.rows = new Uint32Array(buffer);
    this.bytes = new Uint8Array(buffer);
    this.numbers = new Float64Array(buffer);
  }

  /** Bytes of the reserved room. */
  get size(): number {
    return this.#numbersRoom * 8 + this.#rowsRoom * 4 + this.#bytesRoom;
  }

  /**
   * Makes room for a batch, and revalidates the views.
   *
   * @throws {NousError} `out_of_memory` if there is too little memory.
   */
  reserve(numbers: number, rows: number, bytes: number): void {
    if (numbers > this.#numbersRoom || rows > this.#rowsRoom || bytes > this.#bytesRoom)
      this.#grow(numbers, rows, bytes);
    else this.revalidateViews();
  }

  #grow(numbers: number, rows: number, bytes: number): void {
    const had = [this.#numbersRoom, this.#rowsRoom, this.#bytesRoom] as const;
    // Unknown until all vectors are reserved: one may have moved when the next fails.
    this.#forgetRoom();
    const roomWith = (spare: number) => {
      const room = (wanted: number, had: number) =>
        wanted > had ? Math.ceil(wanted * spare) : had;
      const [n, r, b] = [room(numbers, had[0]), room(rows, had[1]), room(bytes, had[2])];
      const fits = n * 8 < MAX_BYTES && r * 4 < MAX_BYTES && b < MAX_BYTES;
      return fits && this.module.reserve(n, r, b) ? ([n, r, b] as const) : undefined;
    };
    // Half as much again, so that batches of rising size do not each move the scratch.
    const room = roomWith(1.5) ?? roomWith(1);
    if (room === undefined) {
      const isBound = this.instance.glue.take_error() !== undefined;
      const size = Math.ceil((numbers * 8 + rows * 4 + bytes) / 2 ** 20);
      const problem = isBound ? "more than maxBytes leaves" : "more than is available";
      throw new NousError(
        "out_of_memory",
        `The batch needs up to ${size} MiB at once, ${problem}: pass it in parts.`,
      );
    }
    this.relocate();
    [this.#numbersRoom, this.#rowsRoom, this.#bytesRoom] = room;
  }

  #forgetRoom(): void {
    this.#numbersRoom = this.#rowsRoom = this.#bytesRoom = 0;
  }

  /** Makes new views if memory has grown. */
  revalidateViews(): void {
    if (this.numbers.length !== 0) return;
    const { buffer } = this.instance.memory;
    this.rows = new Uint32Array(buffer);
    this.bytes = new Uint8Array(buffer);
    // Last, because its length is what the check above reads.
    this.numbers = new Float64Array(buffer);
  }

  /** Finds the scratch after a call that may have moved it. */
  relocate(): void {
    this.revalidateViews();
    this.numbersAt = this.module.numbers_at() / 8;
    this.rowsAt = this.module.rows_at() / 4;
    this.bytesAt = this.module.bytes_at();
  }

  /** Frees the scratch if a batch has made it large. */
  shrinkIfLarge(this: ScratchView<Shrinkable>): void {
    if (this.size > MAX_SCRATCH) this.shrinkAfterAnswer();
  }

  /** Frees the scratch if the module's answer may have made it large. */
  shrinkAfterAnswer(this: ScratchView<Shrinkable>): void {
    if (this.module.shrink_if_large()) this.#forgetRoom();
  }

  /** The error for a refusal that concerns no entry of a batch. */
  refusal(): NousError {
    return refusal(this.instance.glue);
  }
}
