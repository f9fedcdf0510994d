// Snapshot files. A file beside the database holds the contents of an index, so that a start reads
// only the rows that changed since. It may hold words of memories, so only its owner can read it.
// Deleting it loses nothing.

import { createHash } from "node:crypto";
import { closeSync, openSync, readSync } from "node:fs";
import type { Steps } from "../../steps.ts";
import { isFolder, removeWhole, writeWholeInSteps } from "../../storage/files.ts";
import type { Storage } from "../../storage/storage.ts";
import { MOST_AHEAD, MOST_JUMP } from "../../time.ts";
import type { Log } from "./follower.ts";

/** The version of the format. Raise it when rows are read into an index in another way. */
const FORMAT = 6;
/** Bytes of one read; the first read must cover the header. */
const PIECE = 4 * 2 ** 20;
/** The byte of a line feed, which ends the header. */
const LINE_END = 0x0a;

/** Indexes with fewer memories get no file: building them from rows is as fast. */
const LEAST_KEPT = 1_000;
/** A new file is written only after this many entries of the change log. */
const LEAST_CHANGES = 50;

/** An index that can be written to a file. */
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

/** The first line of a file: the database and the moment of the index, and the build inputs. */
interface SnapshotHeader {
  format: number;
  /** The kind of index: `index` or `full text`. */
  what: string;
  /** The database's epoch. A restore changes it. */
  epoch: string;
  /** The opening of the database in which the file was written. */
  opening: string;
  /** The last entry of the change log that the index has. */
  sequence: number;
  dimensions: number;
  /** The clock at the time of writing, in milliseconds since 1970. */
  now: number;
  /** The SHA-256 of the configuration. */
  configuration: string;
}

export class SnapshotFile {
  readonly #file: string;
  readonly #what: string;
  readonly #log: Log;
  /**
   * Whether the file was not read yet. A second read is a rebuild of a lost index, whose file may
   * be the cause.
   */
  #isFresh = true;
  /** The last entry of the change log that the file has. */
  #written: number | undefined;

  /** `what` is the kind of index, for the header and the log. */
  constructor(file: string, what: string, log: Log) {
    this.#file = file;
    this.#what = what;
    this.#log = log;
  }

  /**
   * Writes an index that has the change log up to `sequence` and nothing that the database lacks.
   * Does nothing if the file is recent enough. The index must not change during the pauses. With
   * `isAnew` one new entry suffices: the file holds text that must leave it.
   */
  *keep(
    storage: Storage,
    index: Snapshotted,
    inputs: BuildInputs,
    sequence: number,
    { isAnew = false } = {},
  ): Steps<void> {
    if (index.size < LEAST_KEPT) {
      this.remove();
      return;
    }
    const least = isAnew ? 1 : LEAST_CHANGES;
    if (this.#written !== undefined && sequence - this.#written < least) return;
    if (isFolder(this.#file)) {
      this.#log(`A folder is in the place of the snapshot file: ${this.#what}`);
      return;
    }
    yield* writeWholeInSteps(
      this.#file,
      piecesOf(this.#headerOf(storage, inputs, sequence), index),
    );
    this.#written = sequence;
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
   * Reads the file, once. Returns the index, which `restore` builds from the pieces, and the last
   * entry of the change log that it has. Returns undefined if there is no file, or none that fits
   * this database and its change log; removes a file that does not fit.
   */
  read<Index>(
    storage: Storage,
    inputs: BuildInputs,
    restore: (pieces: Iterable<Uint8Array>) => Index,
  ): { index: Index; sequence: number } | undefined {
    if (!this.#isFresh) return undefined;
    this.#isFresh = false;
    if (isFolder(this.#file)) return undefined;
    let handle: number;
    try {
      handle = openSync(this.#file, "r");
    } catch {
      return undefined;
    }
    try {
      const pieces = piecesIn(handle);
      const { header, rest } = readHeader(pieces.next().value ?? new Uint8Array(0));
      const why = misfit(storage, header, this.#headerOf(storage, inputs, header.sequence));
      if (why !== undefined) throw new Error(why);
      const index = restore(following(rest, pieces));
      this.#written = header.sequence;
      return { index, sequence: header.sequence };
    } catch (error) {
      const why = (error as Error).message;
      this.#log(`The snapshot cannot be used, and is rebuilt: ${this.#what}`, { why });
      this.remove();
      return undefined;
    } finally {
      closeSync(handle);
    }
  }

  /** Deletes the file. */
  remove(): void {
    removeWhole(this.#file);
    this.#written = undefined;
  }
}

/** Returns why a file cannot be used; undefined if it can. */
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
  if (found.now > fitting.now + MOST_AHEAD) return "it was written by a clock that was ahead";
  if (found.now < fitting.now - MOST_JUMP) return "it was written by a clock that was far behind";
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

/** Yields a file in pieces. The next piece overwrites the one before. */
function* piecesIn(handle: number): Generator<Uint8Array, undefined> {
  const piece = new Uint8Array(PIECE);
  for (;;) {
    const length = readSync(handle, piece);
    if (length === 0) return;
    yield piece.subarray(0, length);
  }
}
