// The disk's own time for a durable write, beside which writes of a server are measured.

import { closeSync, fsyncSync, openSync, writeSync } from "node:fs";
import { join } from "node:path";

/** The least bytes that a commit writes: a page. */
const PAGE = Buffer.alloc(4_096, 1);

/** A file to which pages are written durably. */
export class BareDisk {
  readonly #file: number;

  /** @param folder - The folder of the file. It is on the disk that is measured. */
  constructor(folder: string) {
    this.#file = openSync(join(folder, "bare"), "w");
  }

  /** Writes a page and syncs it. Returns the nanoseconds that both took. */
  write(): number {
    const start = performance.now();
    writeSync(this.#file, PAGE);
    fsyncSync(this.#file);
    return (performance.now() - start) * 1e6;
  }

  /** Closes the file. */
  close(): void {
    closeSync(this.#file);
  }
}
