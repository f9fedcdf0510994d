// Imports a memory from lines of JSON, completely or not at all.

import { parseInstant } from "nous-memory";
import type { Learned } from "nous-wasm";
import { MAX_NAMES } from "../agent/replica/index-replica.ts";
import { learnedIn } from "../portable/learned.ts";
import { type AgentFacts, LineError, readLine } from "../portable/lines.ts";
import { writeRow } from "../portable/rows.ts";
import type { Storage } from "../storage/storage.ts";
import type { NameKind } from "../storage/tables/names.ts";
import type { PortableKind, PortableRow } from "../storage/tables/portable.ts";
import type { ConflictPolicy } from "./conflict-policy.ts";
import { OTHER_FILES } from "./files.ts";

/** The result of an import: how many rows it took, or left as they were. */
export interface Imported {
  added: number;
  replaced: number;
  skipped: number;
}

const NAME_KINDS: readonly NameKind[] = ["type", "subtype", "edge type"];

/** A line that named a missing row when it was read. */
interface PostponedRow {
  place: number;
  kind: PortableKind;
  row: PortableRow;
}

/**
 * Imports lines into a store in one transaction. Edges and memberships may come before the rows
 * that they name; at the end those rows must exist. An outcome that names a missing row is skipped:
 * the row was deleted before the export.
 *
 * @param options.placeOf Names the place of a line in errors.
 * @param options.counts Returns whether rows of a kind count in the result. By default all do.
 * @throws {LineError} If a line is invalid. The message names the line, and nothing is changed.
 */
export function importMemory(
  storage: Storage,
  lines: Iterable<string>,
  {
    conflicts,
    now,
    placeOf = (place) => `Line ${place}`,
    counts = () => true,
  }: {
    conflicts: ConflictPolicy;
    now: number;
    placeOf?: (place: number) => string;
    counts?: (kind: PortableKind) => boolean;
  },
): Imported {
  return storage.transaction(() => {
    const before = new Set(storage.edges.dangling());
    const dimensions = storage.embeddings.dimensions();
    // Pins the number of components, so that it is not counted again for every line.
    if (dimensions !== 0) storage.setMeta("dimensions", String(dimensions));
    storage.portable.deferEnds();
    const imported: Imported = { added: 0, replaced: 0, skipped: 0 };
    const count = (kind: PortableKind, how: keyof Imported) => {
      if (counts(kind)) imported[how] += 1;
    };
    const waiting: PostponedRow[] = [];
    let place = 0;
    for (const given of lines) {
      place += 1;
      // Editors of Windows begin a file with a byte order mark.
      const line = place === 1 ? given.replace(/^\ufeff/, "") : given;
      if (line.trim() === "") continue;
      try {
        const read = readLine(line, now);
        if (read.kind === "agent") {
          imported[takeFacts(storage, read.facts, conflicts)] += 1;
          continue;
        }
        if (read.kind === "learned") {
          imported[takeLearned(storage, read.learned, conflicts)] += 1;
          continue;
        }
        const { kind, row } = read;
        // Edges are checked together at the end.
        if (kind !== "edge" && storage.portable.lacking(kind, row) !== undefined)
          waiting.push({ place, kind, row });
        else count(kind, take(storage, kind, row, conflicts));
      } catch (error) {
        if (!(error instanceof LineError)) throw error;
        const hint = place === 1 ? ` ${OTHER_FILES}` : "";
        throw new LineError(`${placeOf(place)}: ${error.message}.${hint}`);
      }
    }
    for (const { place, kind, row } of waiting) {
      const lacking = storage.portable.lacking(kind, row);
      if (lacking !== undefined && kind !== "outcome") {
        throw new LineError(
          `Line ${place}: ${lacking}: names ${JSON.stringify(row[lacking])}, which is not there.`,
        );
      }
      count(kind, lacking === undefined ? take(storage, kind, row, conflicts) : "skipped");
    }
    const loose = storage.edges.dangling().find((id) => !before.has(id));
    if (loose !== undefined)
      throw new LineError(`The edge ${loose} leads to or from a memory that is not there.`);
    for (const kind of NAME_KINDS) {
      if (storage.names.inUse(kind).length > MAX_NAMES)
        throw new LineError(`There would be more than ${MAX_NAMES} ${kind}s.`);
    }
    return imported;
  });
}

function take(
  storage: Storage,
  kind: PortableKind,
  row: PortableRow,
  conflicts: ConflictPolicy,
): keyof Imported {
  const there = storage.portable.changedAt(kind, row);
  if (there !== undefined && !isTaken(conflicts, there.at, changeOf(kind, row))) return "skipped";
  writeRow(storage, kind, row);
  return there === undefined ? "added" : "replaced";
}

/** Facts have no time: only `overwrite` replaces those that the agent has. */
function takeFacts(
  storage: Storage,
  { preset }: AgentFacts,
  conflicts: ConflictPolicy,
): keyof Imported {
  const isThere = storage.meta("preset") !== undefined;
  if (isThere && conflicts !== "overwrite") return "skipped";
  storage.setMeta("preset", preset);
  return isThere ? "replaced" : "added";
}

/** What use has taught has no time, either. Steps of two agents do not add up. */
function takeLearned(
  storage: Storage,
  learned: Learned,
  conflicts: ConflictPolicy,
): keyof Imported {
  const isThere = learnedIn(storage).steps > 0;
  if (isThere && conflicts !== "overwrite") return "skipped";
  storage.learned.put(learned);
  return isThere ? "replaced" : "added";
}

function isTaken(conflicts: ConflictPolicy, stored: string | null, given: string | null): boolean {
  if (conflicts !== "newer") return conflicts === "overwrite";
  const [before, after] = [stored, given].map(
    (time) => parseInstant(time ?? "") ?? Number.NEGATIVE_INFINITY,
  );
  return after! > before!;
}

/** Returns when a row was last changed, by the column of its kind. */
function changeOf(kind: PortableKind, row: PortableRow): string | null {
  const columns = {
    node: ["last_modified"],
    outcome: ["applied_at"],
    cluster: ["created_at"],
    membership: ["updated_at"],
    conflict: ["resolved_at", "created_at"],
    edge: ["created_at"],
  }[kind];
  const changes = columns.map((column) => row[column] as string | null);
  return changes.find((at) => at !== null) ?? null;
}
