// Copies an agent from one database to another, while a server may go on writing to the first.
//
// # Idea
//
// A pass reads all rows of the agent in one snapshot, and all rows of the copy. It writes the rows
// that differ, and deletes those that are gone, in one transaction. The first pass copies
// everything. Later passes copy what was written meanwhile. A pass without a difference is the
// proof: at that moment both hold equal rows.
//
// # Invariants
//
// - Nobody else writes to the copy between two passes. The copy keeps the epoch of its source and
//   the number of its own change log, and a pass refuses a copy with another number.
// - A pass is one transaction: an interrupted one changes nothing, and the next begins again.
//
// # Cost
//
// A pass reads both databases whole, and keeps a hash of each row in memory, about 150 bytes.

import { createHash } from "node:crypto";
import { isDeepStrictEqual } from "node:util";
import { learnedIn } from "../portable/learned.ts";
import { StorageError } from "../storage/errors.ts";
import type { MetaKey, Storage } from "../storage/storage.ts";
import {
  MOVED_KINDS,
  type MovedKind,
  PORTABLE,
  type PortableRow,
} from "../storage/tables/portable.ts";

/** Passes over an agent that is written to all the time. */
const MAX_PASSES = 5;
/** The facts about an agent that a copy has, too. */
const FACTS: readonly MetaKey[] = [
  "dimensions",
  "embedding_model",
  "preset",
  "compared_until",
  "last_sweep",
];

/** The result of a move. */
export interface Moved {
  /** The number of rows of each kind in the last pass. */
  rows: Readonly<Record<MovedKind, number>>;
  /** A hash of all rows, equal on both sides. */
  checksum: string;
  passes: number;
  /** Rows that the last pass wrote or deleted. 0: the last pass found both sides equal. */
  differences: number;
}

/**
 * Copies all rows of an agent. `to` is empty, or a copy that an earlier move began.
 *
 * @throws {StorageError} If `to` has memories of its own, or was written to since the last move.
 */
export function moveMemory(from: Storage, to: Storage): Moved {
  for (let passes = 1; ; passes++) {
    const pass = copyOnce(from, to);
    if (pass.differences === 0 || passes === MAX_PASSES) return { ...pass, passes };
  }
}

function copyOnce(from: Storage, to: Storage): Omit<Moved, "passes"> {
  return from.snapshot(() =>
    to.transaction(() => {
      checkIsCopy(from, to);
      for (const fact of FACTS) {
        const value = from.meta(fact);
        if (value !== undefined && value !== to.meta(fact)) to.setMeta(fact, value);
      }
      const learned = learnedIn(from);
      if (!isDeepStrictEqual(learned, learnedIn(to))) to.learned.put(learned);
      to.portable.deferEnds();
      const sum = createHash("sha256");
      const rows = {} as Record<MovedKind, number>;
      const gone = new Map<MovedKind, PortableRow[]>();
      let differences = 0;
      for (const kind of MOVED_KINDS) {
        const kept = hashesIn(to, kind);
        const folded = new Uint8Array(32);
        rows[kind] = 0;
        for (const batch of from.portable.rows(kind)) {
          const changed = batch.filter((row) => {
            const hash = hashOf(row);
            fold(folded, hash);
            const key = keyOf(kind, row);
            const isEqual = kept.get(key)?.hash.equals(hash) === true;
            kept.delete(key);
            return !isEqual;
          });
          to.portable.put(kind, changed);
          if (kind === "node") to.nodes.seal(changed.map(({ id }) => id as string));
          rows[kind] += batch.length;
          differences += changed.length;
        }
        gone.set(
          kind,
          [...kept.values()].map(({ row }) => row),
        );
        differences += kept.size;
        sum.update(`${kind} ${rows[kind]} `).update(folded);
      }
      // Rows that name others go before them.
      for (const kind of MOVED_KINDS.toReversed())
        for (const row of gone.get(kind)!) to.portable.remove(kind, row);
      to.setMeta("copy_of", `${from.meta("epoch")} ${to.changeLog.range().last}`);
      return { rows, checksum: sum.digest("hex").slice(0, 16), differences };
    }),
  );
}

/** @throws {StorageError} If the store is neither empty nor an untouched copy of `from`. */
function checkIsCopy(from: Storage, to: Storage): void {
  const copy = to.meta("copy_of");
  if (copy === undefined) {
    if (to.portable.count() === 0) return;
    throw new StorageError(
      "The agent has memories of its own there: delete it there first, or use export and import.",
    );
  }
  const [epoch, last] = copy.split(" ");
  if (epoch !== from.meta("epoch"))
    throw new StorageError("The agent there is a copy of another database: delete it there first.");
  if (Number(last) !== to.changeLog.range().last)
    throw new StorageError(
      "The copy was written to since it was made: a move would overwrite that. Nothing is changed.",
    );
}

/** Returns the hash of each row of a kind, with the columns of its key. */
function hashesIn(
  storage: Storage,
  kind: MovedKind,
): Map<string, { hash: Buffer; row: PortableRow }> {
  const { key } = PORTABLE[kind];
  const hashes = new Map<string, { hash: Buffer; row: PortableRow }>();
  for (const rows of storage.portable.rows(kind)) {
    for (const row of rows) {
      const named = Object.fromEntries(key.map((column) => [column, row[column]!]));
      hashes.set(keyOf(kind, row), { hash: hashOf(row), row: named });
    }
  }
  return hashes;
}

const keyOf = (kind: MovedKind, row: PortableRow): string =>
  JSON.stringify(PORTABLE[kind].key.map((column) => row[column]));

/** Returns a hash of a row's columns, whatever their order. */
function hashOf(row: PortableRow): Buffer {
  const hash = createHash("sha256");
  for (const column of Object.keys(row).sort()) {
    const value = row[column] ?? null;
    hash.update(`${column} `);
    if (value instanceof Object) hash.update(new Uint8Array(value));
    else hash.update(JSON.stringify(value));
    hash.update("\n");
  }
  return hash.digest();
}

/** Folds the hash of a row into that of all rows, whose order does not count. */
function fold(all: Uint8Array, hash: Uint8Array): void {
  for (let place = 0; place < all.length; place++) all[place]! ^= hash[place]!;
}
