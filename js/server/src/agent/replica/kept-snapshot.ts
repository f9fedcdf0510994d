// Snapshots of indexes. A snapshot holds the contents of an index, so that a start reads only the
// rows that changed since. It holds words of memories. Deleting it loses nothing.

import { createHash } from "node:crypto";
import { MAX_AHEAD, MAX_JUMP, type Steps } from "nous-memory";
import { RemoteError, StorageError } from "../../storage/errors.ts";
import type { SnapshotStore } from "../../storage/snapshots.ts";
import type { Storage } from "../../storage/storage.ts";
import type { Log } from "./follower.ts";

/** The version of the format. Raise it when rows are read into an index in another way. */
const FORMAT = 9;
/** The byte of a line feed, which ends the header. */
const LINE_END = 0x0a;

/** Indexes with fewer memories get no snapshot: building them from rows is as fast. */
const MIN_KEPT = 1_000;
/**
 * A new snapshot is written only after this many entries of the change log, and after so many for
 * each memory: a large one takes long to write.
 */
const MIN_CHANGES = 50;
const MIN_SHARE = 0.01;

/** An index that can be written as a snapshot. */
export interface Snapshotted {
  readonly size: number;
  snapshotParts(): Iterable<Uint8Array>;
}

/** The inputs beside the rows that decide the contents of an index. */
export interface BuildInputs {
  /** The part of the engine's configuration that affects this index. */
  configuration: unknown;
  /** Components of an embedding; 0 without embeddings. */
  dimensions: number;
  /** The clock, in milliseconds since 1970: no time in the index is later. */
  now: number;
}

/** The first line of a snapshot: the database and the moment of the index, and the build inputs. */
interface SnapshotHeader {
  format: number;
  /** The kind of index: `index` or `full text`. */
  what: string;
  /** The database's epoch. A restore changes it. */
  epoch: string;
  /** The opening of the database in which the snapshot was written. */
  opening: string;
  /** The last entry of the change log that the index has. */
  sequence: number;
  dimensions: number;
  /** The clock at the time of writing, in milliseconds since 1970. */
  now: number;
  /** The SHA-256 of the configuration. */
  configuration: string;
}

export class KeptSnapshot {
  readonly #store: SnapshotStore;
  readonly #what: string;
  readonly #log: Log;
  /**
   * Whether the snapshot was not read yet. A second read is a rebuild of a lost index, whose
   * snapshot may be the cause.
   */
  #isFresh = true;
  /** Whether the stored snapshot could not be read. */
  #isUnusable = false;

  /** `what` is the kind of index, for the header and the log. */
  constructor(store: SnapshotStore, what: string, log: Log) {
    this.#store = store;
    this.#what = what;
    this.#log = log;
  }

  /**
   * Writes an index that has the change log up to `sequence` and nothing that the database lacks.
   * Does nothing if the stored snapshot is recent enough, whichever server wrote it. The index must
   * not change during the pauses. With `isAnew` it is written in any case: the stored one holds text
   * that must leave it, or lacks text.
   */
  *keep(
    storage: Storage,
    index: Snapshotted,
    inputs: BuildInputs,
    sequence: number,
    { isAnew = false } = {},
  ): Steps<void> {
    if (index.size < MIN_KEPT) {
      this.#store.remove();
      return;
    }
    const min = Math.max(MIN_CHANGES, Math.floor(index.size * MIN_SHARE));
    const isLost = isAnew || this.#isUnusable;
    const written = isLost ? undefined : this.#written(storage, inputs);
    if (written !== undefined && sequence - written < min) return;
    const obstacle = this.#store.obstacle();
    if (obstacle !== undefined) {
      this.#log(`No snapshot can be written, since ${obstacle}: ${this.#what}`);
      return;
    }
    yield* this.#store.replace(piecesOf(this.#headerOf(storage, inputs, sequence), index));
    this.#isUnusable = false;
  }

  /**
   * Returns the last entry of the change log that the stored snapshot has; undefined if there is no
   * snapshot that can be used.
   */
  #written(storage: Storage, inputs: BuildInputs): number | undefined {
    const pieces = this.#store.pieces();
    try {
      const { value } = pieces.next();
      if (value === undefined) return undefined;
      const { header } = readHeader(value);
      const why = misfit(storage, header, this.#headerOf(storage, inputs, header.sequence));
      return why === undefined ? header.sequence : undefined;
    } catch {
      return undefined;
    } finally {
      pieces.return(undefined);
    }
  }

  #headerOf(
    storage: Storage,
    { configuration, dimensions, now }: BuildInputs,
    sequence: number,
  ): SnapshotHeader {
    const epoch = storage.meta("epoch") ?? "";
    const opening = storage.openings.last() ?? "";
    const sum = sha256(JSON.stringify(configuration));
    return {
      format: FORMAT,
      what: this.#what,
      epoch,
      opening,
      sequence,
      dimensions,
      now,
      configuration: sum,
    };
  }

  /**
   * Reads the snapshot, once. Returns the index, which `restore` makes of the pieces, and the last
   * entry of the change log that it has. Returns undefined if there is no snapshot, or none
   * that fits this database and its change log; a file that does not fit is removed.
   */
  *read<Index>(
    storage: Storage,
    inputs: BuildInputs,
    restore: (pieces: Iterable<Uint8Array>) => Steps<Index>,
  ): Steps<{ index: Index; sequence: number } | undefined> {
    if (!this.#isFresh) return undefined;
    this.#isFresh = false;
    const pieces = this.#store.pieces();
    try {
      const { value } = pieces.next();
      if (value === undefined) return undefined;
      const { header, rest } = readHeader(value);
      const why = misfit(storage, header, this.#headerOf(storage, inputs, header.sequence));
      if (why !== undefined) throw new Error(why);
      return { index: yield* restore(following(rest, pieces)), sequence: header.sequence };
    } catch (error) {
      // What PostgreSQL could not answer says nothing about the snapshot.
      if (error instanceof StorageError || error instanceof RemoteError) throw error;
      const why = (error as Error).message;
      this.#log(`The snapshot cannot be used, and is rebuilt: ${this.#what}`, { why });
      this.#isUnusable = true;
      // A transaction that reads cannot remove rows.
      if (!this.#store.isInDatabase) this.#store.remove();
      return undefined;
    } finally {
      pieces.return(undefined);
    }
  }

  /** Deletes the snapshot. */
  remove(): void {
    this.#store.remove();
  }
}

/** Returns why a snapshot cannot be used; undefined if it can. */
function misfit(
  storage: Storage,
  found: SnapshotHeader,
  fitting: SnapshotHeader,
): string | undefined {
  if (found.format !== fitting.format || found.what !== fitting.what)
    return "it is of another version";
  if (found.epoch !== fitting.epoch) return "it is of another database, or older than a restore";
  if (!storage.openings.reaches(found.opening, found.sequence))
    return "it is of another branch of the database";
  if (found.configuration !== fitting.configuration)
    return "it was made with another configuration";
  if (found.dimensions !== fitting.dimensions) return "its vectors have another length";
  if (found.now > fitting.now + MAX_AHEAD) return "it was written by a clock that was ahead";
  if (found.now < fitting.now - MAX_JUMP) return "it was written by a clock that was far behind";
  const { first, last } = storage.changeLog.range();
  // If the log is empty, `first` is 0, and all entries up to `last` were trimmed.
  const isReached =
    found.sequence === last ||
    (first !== 0 && first <= found.sequence + 1 && found.sequence < last);
  return isReached ? undefined : "the change log does not continue from it";
}

const sha256 = (text: string): string => createHash("sha256").update(text).digest("hex");

/**
 * Yields the header as a line (its SHA-256, a blank, JSON), then the parts of the engine, each of
 * which has its own checksum.
 */
function* piecesOf(header: SnapshotHeader, index: Snapshotted): Iterable<Uint8Array> {
  const json = JSON.stringify(header);
  yield Buffer.from(`${sha256(json)} ${json}\n`);
  yield* index.snapshotParts();
}

function readHeader(piece: Uint8Array): { header: SnapshotHeader; rest: Uint8Array } {
  const end = piece.indexOf(LINE_END);
  const line = Buffer.from(piece.subarray(0, Math.max(end, 0))).toString();
  const [sum, json] = line.split(/ (.*)/s);
  if (json === undefined || sum !== sha256(json)) throw new Error("its header is damaged");
  return { header: JSON.parse(json) as SnapshotHeader, rest: piece.subarray(end + 1) };
}

function* following(first: Uint8Array, others: Iterable<Uint8Array>): Iterable<Uint8Array> {
  yield first;
  yield* others;
}
