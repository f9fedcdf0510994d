// Exports a memory as lines of JSON.

import { learnedIn } from "../agent/replica/learned.ts";
import type { Storage } from "../storage/storage.ts";
import { PORTABLE_KINDS } from "../storage/tables/portable.ts";
import { type AgentFacts, agentLine, learnedLine, writeLine } from "./lines.ts";

/**
 * Writes one state of a whole memory, edges last. Lines with facts about the agent and with what use
 * has taught it come first, if it has its own. Returns the number of lines. `write` gets each line with
 * its line end.
 */
export function exportMemory(
  storage: Storage,
  write: (lines: string) => void,
  done: (lines: number) => void,
  { withLearned, facts }: { withLearned: boolean; facts: () => AgentFacts | undefined },
): number {
  let count = 0;
  storage.snapshot(() => {
    const dimensions = storage.embeddings.dimensions();
    const known = facts();
    if (known !== undefined) {
      write(`${agentLine(known)}\n`);
      count += 1;
    }
    const learned = learnedIn(storage);
    if (withLearned && learned.steps > 0) {
      write(`${learnedLine(learned)}\n`);
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
