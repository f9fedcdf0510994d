// Exports a memory as lines of JSON.

import { edgesWithout, SUPERSEDES, toIso } from "nous-memory";
import { learnedIn } from "../portable/learned.ts";
import { type AgentFacts, agentLine, learnedLine, writeLine } from "../portable/lines.ts";
import type { Storage } from "../storage/storage.ts";
import {
  PORTABLE,
  PORTABLE_KINDS,
  type PortableKind,
  type PortableRow,
} from "../storage/tables/portable.ts";

/** Returns the columns of a kind that name memories. */
function namesOf(kind: PortableKind): readonly string[] {
  if (kind === "node") return ["id"];
  if (kind === "conflict") return ["old_node_id", "new_node_id"];
  const ends = PORTABLE[kind].ends ?? [];
  return ends.filter(([, table]) => table === "nodes").map(([column]) => column);
}

/**
 * Writes one state of a whole memory, edges last. Lines with facts about the agent and with what use
 * has taught it come first, if it has its own. Returns the number of lines. `write` gets each line with
 * its line end.
 *
 * A memory that has expired by `now` is left out as if it were deleted: so are the rows that name it,
 * and what it superseded is superseded by its successor.
 */
export function exportMemory(
  storage: Storage,
  write: (lines: string) => void,
  done: (lines: number) => void,
  {
    withLearned,
    facts,
    now = Date.now(),
  }: { withLearned: boolean; facts: () => AgentFacts | undefined; now?: number },
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
    const expired = new Set(storage.nodes.expired(toIso(now), Number.MAX_SAFE_INTEGER));
    const lines = expired.size === 0 ? [] : storage.edges.ofTypes([SUPERSEDES]);
    const moved = new Map(edgesWithout(lines, expired).map(({ id, source_id }) => [id, source_id]));
    for (const kind of PORTABLE_KINDS) {
      const names = namesOf(kind);
      const movedRow = (row: PortableRow): PortableRow => {
        const source_id = kind === "edge" ? moved.get(row.id as string) : undefined;
        return source_id === undefined ? row : { ...row, source_id };
      };
      const exists = (row: PortableRow) => !names.some((name) => expired.has(row[name] as string));
      for (const all of storage.portable.rows(kind)) {
        const rows = all.map(movedRow).filter(exists);
        write(rows.map((row) => `${writeLine(kind, row, dimensions)}\n`).join(""));
        count += rows.length;
        done(count);
      }
    }
  });
  return count;
}
