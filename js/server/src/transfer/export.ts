// Exports a memory as lines of JSON.

import type { Storage } from "../storage/storage.ts";
import { PORTABLE_KINDS } from "../storage/tables/portable.ts";
import { writeLine } from "./lines.ts";

/**
 * Writes one state of a whole memory, edges last. Returns the number of lines. `write` gets each
 * line with its line end.
 */
export function exportMemory(
  storage: Storage,
  write: (lines: string) => void,
  done: (lines: number) => void,
): number {
  let count = 0;
  storage.snapshot(() => {
    const dimensions = storage.embeddings.dimensions();
    for (const kind of PORTABLE_KINDS) {
      for (const rows of storage.portable.rows(kind)) {
        write(rows.map((row) => `${writeLine(kind, row, dimensions)}\n`).join(""));
        count += rows.length;
        done(count);
      }
    }
  });
  return count;
}
