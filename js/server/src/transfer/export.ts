// Exports a memory as lines of JSON.

import { isPreset } from "../settings/preset.ts";
import type { Storage } from "../storage/storage.ts";
import { PORTABLE_KINDS } from "../storage/tables/portable.ts";
import { agentLine, writeLine } from "./lines.ts";

/**
 * Writes one state of a whole memory, edges last, after a line with the weights of evidence if the
 * agent has its own. Returns the number of lines. `write` gets each
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
    const preset = storage.meta("preset");
    if (isPreset(preset)) {
      write(`${agentLine({ preset })}\n`);
      count += 1;
    }
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
