// An index as it was, in a file beside the database: a start that finds it reads no rows, but only
// what changed since. It may hold words of memories, so it is its owner's alone. Without it nothing
// is lost.

import { createHash } from "node:crypto";
import { closeSync, openSync, readSync } from "node:fs";
import type { Steps } from "../../steps.ts";
import { isFolder, removeWhole, writeWholeInSteps } from "../../storage/files.ts";
import type { Storage } from "../../storage/storage.ts";
import { MOST_AHEAD, MOST_JUMP } from "../../time.ts";
import type { Tell } from "./follower.ts";

/** Another one once rows are read into an index in another way. */
const FORMAT = 4;
/** Bytes that are read at once; the first piece holds the header. */
const PIECE = 4 * 2 ** 20;
const LINE_END = 0x0a;

/** An index of fewer memories is made of the database as soon as it is read from a file. */
const LEAST_KEPT = 1_000;
/** A file that is so many entries of the change log behind is as good as a new one. */
const LEAST_CHANGES = 50;

/** An index that can be kept. */
export interface Snapshotted {
  readonly size: number;
  snapshotParts(): Iterable<Uint8Array>;
}

/** What decides what an index becomes, beside the rows. */
export interface BuildInputs {
  /** Of the engine, as far as it counts here. */
  configuration: unknown;
  /** Components of a vector; 0 where none is in it. */
  dimensions: number;
  /** The clock, in milliseconds since 1970: no instant in it is later. */
  now: number;
}

/** Of what database at which moment an index is, and how it was made. */
interface SnapshotHeader {
  format: number;
  /** What it is an index of. */
  what: string;
  epoch: string;
  /** The opening of the database in which it was kept. */
  opening: string;
  /** The last entry of the change log that is in it. */
  sequence: number;
  dimensions: number;
  /** The clock when it was written. */
  now: number;
  /** A sum of it. */
  configuration: string;
}

export class SnapshotFile {
  readonly #file: string;
  readonly #what: string;
  readonly #tell: Tell;
  /** Whether it may still be read: an index that was lost may have been so at its start. */
  #isFresh = true;
  /** The last entry of the change log that is in the file. */
  #written: number | undefined;

  /** `what` it is an index of. */
  constructor(file: string, what: string, tell: Tell) {
    this.#file = file;
    this.#what = what;
    this.#tell = tell;
  }

  /**
   * Writes an index that knows the change log up to an entry, and nothing that the database does
   * not, where that is of use; the index must not change in its pauses. One `isAnew` where what was in it before is not to be in the file
   * any longer.
   */
  *keep(
    storage: Storage,
    index: Snapshotted,
    making: BuildInputs,
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
      this.#tell(`There is a folder where a file is to be kept: ${this.#what}`);
      return;
    }
    yield* writeWholeInSteps(
      this.#file,
      piecesOf(this.#headerOf(storage, making, sequence), index),
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
   * The index that is kept, as `restore` makes it of the pieces, and the last entry of the change
   * log that it knows; nothing where there is none of this database from which the change log leads
   * on. A file that is of no use is removed. It is read once.
   */
  read<Index>(
    storage: Storage,
    making: BuildInputs,
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
      const why = misfit(storage, header, this.#headerOf(storage, making, header.sequence));
      if (why !== undefined) throw new Error(why);
      const index = restore(following(rest, pieces));
      this.#written = header.sequence;
      return { index, sequence: header.sequence };
    } catch (error) {
      const why = (error as Error).message;
      this.#tell(`What was kept is of no use, and is made anew: ${this.#what}`, { why });
      this.remove();
      return undefined;
    } finally {
      closeSync(handle);
    }
  }

  /** Forgets what is kept, for good. */
  remove(): void {
    removeWhole(this.#file);
    this.#written = undefined;
  }
}

/** Why a file cannot serve; nothing where it can. */
function misfit(
  storage: Storage,
  found: SnapshotHeader,
  fitting: SnapshotHeader,
): string | undefined {
  if (found.format !== fitting.format || found.what !== fitting.what)
    return "it is of another version";
  if (found.epoch !== fitting.epoch) return "it is of another database, or of before a restore";
  if (!storage.openings.reaches(found.opening, found.sequence))
    return "it is of another branch of the database";
  if (found.configuration !== fitting.configuration)
    return "it was made with another configuration";
  if (found.dimensions !== fitting.dimensions) return "its vectors have another length";
  if (found.now > fitting.now + MOST_AHEAD) return "it was written by a clock that was ahead";
  if (found.now < fitting.now - MOST_JUMP) return "it was written by a clock that was far behind";
  const { first, last } = storage.changeLog.range();
  // Where the log is empty, `first` is 0, and everything up to `last` was cut off.
  const isReached =
    found.sequence === last ||
    (first !== 0 && first <= found.sequence + 1 && found.sequence < last);
  return isReached ? undefined : "the change log does not lead on from it";
}

const sha256 = (text: string): string => createHash("sha256").update(text).digest("hex");

/**
 * The header as a line: its sum, a blank, JSON. The engine's own parts follow, each with a sum of
 * its own.
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

/** What is in a file, in pieces; each is good until the next. */
function* piecesIn(handle: number): Generator<Uint8Array, undefined> {
  const piece = new Uint8Array(PIECE);
  for (;;) {
    const length = readSync(handle, piece);
    if (length === 0) return;
    yield piece.subarray(0, length);
  }
}
