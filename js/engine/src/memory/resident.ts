// What is resident in an instance of its own, a memory or a full-text index, with views over its
// scratch.

import { NousError } from "../errors.ts";
import type { Glue, Instance } from "../instance.ts";
import { ownInstance, type PlainData, takeRefusal } from "../runtime.ts";

/** Scratch that is kept, in bytes. The module gives back what is more, when it is asked. */
const MOST_SCRATCH = 2 ** 24;

/** The module's memory of one agent. @internal */
export type ResidentModule = NonNullable<ReturnType<Glue["Resident"]["create"]>>;

/** A class of the module whose batches cross in scratch. @internal */
export interface OnScratch {
  reserve(numbers: number, rows: number, bytes: number): boolean;
  numbers_at(): number;
  rows_at(): number;
  bytes_at(): number;
  release(): boolean;
}

/** What a memory is made with, checked. @internal */
export interface Making {
  dimensions: number;
  i8: boolean;
  embeddingId: string;
  maxBytes: number;
}

/** What the module refused. @internal */
export function refusalOf(glue: Glue): NousError {
  const { code, field, problem, found } = takeRefusal(glue);
  return new NousError(code, `${field} ${problem}${found === null ? "" : `, found ${found}`}`, {
    field,
  });
}

/** @internal */
export class Resident<M extends OnScratch = ResidentModule> {
  /** Views of the whole memory; the places below are where the scratch begins in each. */
  numbers!: Float64Array;
  rows!: Uint32Array;
  bytes!: Uint8Array;
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
    this.find();
  }

  static create(
    config: PlainData | undefined,
    { dimensions, i8, embeddingId, maxBytes }: Making,
  ): Resident {
    const instance = ownInstance();
    const { glue, memory } = instance;
    const own = memory.buffer.byteLength;
    const module = glue.Resident.create(config, dimensions, i8, embeddingId, maxBytes, own);
    if (module === undefined) throw refusalOf(glue);
    return new Resident(instance, module);
  }

  /** Makes room in the scratch, and the views good. */
  reserve(numbers: number, rows: number, bytes: number): void {
    if (numbers <= this.#numbersRoom && rows <= this.#rowsRoom && bytes <= this.#bytesRoom) {
      this.refresh();
      return;
    }
    // Half as much again, so that batches of rising size do not each move it.
    const room = (wanted: number, had: number) => (wanted > had ? Math.ceil(wanted * 1.5) : had);
    const wanted = [
      room(numbers, this.#numbersRoom),
      room(rows, this.#rowsRoom),
      room(bytes, this.#bytesRoom),
    ] as const;
    const exact = [
      Math.max(numbers, this.#numbersRoom),
      Math.max(rows, this.#rowsRoom),
      Math.max(bytes, this.#bytesRoom),
    ] as const;
    // One may have moved when another fails.
    this.#forget();
    const got = [wanted, exact].find(
      ([n, r, b]) => this.#fits(n, r, b) && this.module.reserve(n, r, b),
    );
    if (got === undefined) {
      const refused = this.instance.glue.take_error();
      const size = Math.ceil((exact[0] * 8 + exact[1] * 4 + exact[2]) / 2 ** 20);
      const problem = refused === undefined ? "more than there is" : "more than maxBytes leaves";
      throw new NousError(
        "out_of_memory",
        `The batch needs up to ${size} MiB at once, ${problem}: pass it in parts.`,
      );
    }
    this.find();
    [this.#numbersRoom, this.#rowsRoom, this.#bytesRoom] = got;
  }

  /** A vector of the module is smaller than 2 GiB. */
  #fits(numbers: number, rows: number, bytes: number): boolean {
    return numbers * 8 < 2 ** 31 && rows * 4 < 2 ** 31 && bytes < 2 ** 31;
  }

  #forget(): void {
    this.#numbersRoom = this.#rowsRoom = this.#bytesRoom = 0;
  }

  /** Makes the views good again: memory that grows leaves them empty. */
  refresh(): void {
    if (this.numbers !== undefined && this.numbers.length !== 0) return;
    const { buffer } = this.instance.memory;
    this.numbers = new Float64Array(buffer);
    this.rows = new Uint32Array(buffer);
    this.bytes = new Uint8Array(buffer);
  }

  /** Finds the scratch, after a call that may have moved it. */
  find(): void {
    this.refresh();
    this.numbersAt = this.module.numbers_at() / 8;
    this.rowsAt = this.module.rows_at() / 4;
    this.bytesAt = this.module.bytes_at();
  }

  /** Gives scratch back where a batch has made it large. */
  release(): void {
    const room = this.#numbersRoom * 8 + this.#rowsRoom * 4 + this.#bytesRoom;
    if (room > MOST_SCRATCH) this.releaseAnswer();
  }

  /** The same where the module's own answer may have made it large. */
  releaseAnswer(): void {
    if (this.module.release()) this.#forget();
  }

  refusal(): NousError {
    return refusalOf(this.instance.glue);
  }
}
