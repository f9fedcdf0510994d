// Detects a write-ahead log that was cut off or damaged. SQLite reads a log up to the first invalid
// frame, and takes the rest for an unfinished commit: such a log would silently lose memories. The
// log's index, which outlives a crash, records how long the log was. The formats of both files are
// SQLite's (https://sqlite.org/walformat.html). If both files are gone, a note tells what was in them.

import { closeSync, existsSync, openSync, readFileSync, readSync } from "node:fs";
import { endianness } from "node:os";
import { StorageError, Unavailable } from "./errors.ts";
import { logIndexOf, logNoteOf, logOf, refuseFolders } from "./files.ts";
import { checkNote } from "./log-note.ts";
import { databasesIn } from "./place.ts";

const HEADER_BYTES = 32;
const FRAME_HEADER_BYTES = 24;
/** Bytes of a log that are read at once. A log may be longer than a buffer can be. */
const PIECE = 4 * 2 ** 20;
/**
 * Bytes of a frame header that its checksum covers: the page number, and the database size of a
 * commit.
 */
const SUMMED_OF_FRAME = 8;
const MAGIC = 0x377f0682;
/** The version number of both formats. */
const VERSION = 3_007_000;
/**
 * Bytes of the index header, which stands twice at the start of the index. The number of frames
 * that were moved into the database follows.
 */
const INDEX_HEADER_BYTES = 48;

/**
 * The contents of the log's index: frames in the log, frames that are also in the database, and the
 * log's salts.
 */
interface Indexed {
  frames: number;
  moved: number;
  salts: Buffer;
  header: Buffer;
}

/**
 * Checks that a database's log is complete. Call it before this process opens the database: closing
 * any file handle of it releases the locks that the process holds.
 *
 * @throws {StorageError} If a part of the log is missing or cannot be read. The message says what
 * to do.
 */
export function checkLog(file: string): void {
  refuseFolders(file);
  try {
    checkWholeness(file);
  } catch (error) {
    throw StorageError.of(error, `The log of the database ${file} cannot be read`);
  }
}

function checkWholeness(file: string): void {
  const indexed = readIndex(logIndexOf(file));
  if (indexed === undefined) checkNote(file);
  if (indexed === undefined || indexed.frames === 0) return;
  const frames = soundFrames(logOf(file), indexed.salts);
  // The database holds all frames, and SQLite reads none of them.
  const isMoved = frames === 0 && indexed.moved >= indexed.frames;
  if (frames === undefined || frames >= indexed.frames || isMoved) return;
  // Another process that writes meanwhile changes both files, one after the other.
  if (!indexed.header.equals(readIndex(logIndexOf(file))?.header ?? Buffer.alloc(0))) return;
  throw new StorageError(
    `The log of the database ${file} was cut off or damaged: of the ${indexed.frames} pages that were in it ${frames} can be read, and what was written last is missing. Restore a backup, or remove ${logIndexOf(file)} to go on with what is left.`,
  );
}

/**
 * Returns the reason for each database file whose log is incomplete. See `checkLog` for when it may
 * be called.
 */
export function cutLogsIn(dataDir: string): Map<string, string> {
  const cut = new Map<string, string>();
  for (const file of databasesIn(dataDir)) {
    try {
      checkLog(file);
    } catch (error) {
      // Opening refuses a folder at the path of a file, as long as it is there.
      if (error instanceof Unavailable) continue;
      if (!(error instanceof StorageError)) throw error;
      cut.set(file, error.message);
    }
  }
  return cut;
}

/**
 * Returns why a database must not be opened: its log was found incomplete. Undefined if it may be
 * opened, also after the user removed the log's index, or the note of its log, to accept the loss.
 */
export function whyCut(file: string, cut: ReadonlyMap<string, string>): string | undefined {
  const isAccepted = !existsSync(logIndexOf(file)) && !existsSync(logNoteOf(file));
  return isAccepted ? undefined : cut.get(file);
}

/** Returns undefined if there is no valid index. */
function readIndex(file: string): Indexed | undefined {
  if (!existsSync(file)) return undefined;
  const bytes = readFileSync(file);
  const [one, other] = [0, INDEX_HEADER_BYTES].map((at) =>
    bytes.subarray(at, at + INDEX_HEADER_BYTES),
  );
  const moved = 2 * INDEX_HEADER_BYTES;
  // The two headers differ while another process writes.
  if (bytes.length < moved + 4 || !one!.equals(other!)) return undefined;
  const number = (at: number) =>
    endianness() === "LE" ? bytes.readUInt32LE(at) : bytes.readUInt32BE(at);
  if (number(0) !== VERSION) return undefined;
  return { frames: number(16), moved: number(moved), salts: bytes.subarray(32, 40), header: one! };
}

/**
 * Returns the number of valid frames up to the last commit; undefined if the log is a newer one by
 * now.
 */
function soundFrames(file: string, salts: Buffer): number | undefined {
  if (!existsSync(file)) return 0;
  const handle = openSync(file, "r");
  try {
    const header = Buffer.alloc(HEADER_BYTES);
    if (readSync(handle, header) < HEADER_BYTES) return 0;
    const magic = header.readUInt32BE(0);
    const sum = new Sum((magic & 1) === 1);
    sum.add(header, 0, HEADER_BYTES - 8);
    if ((magic & ~1) !== MAGIC || !sum.is(header, HEADER_BYTES - 8)) return 0;
    if (!header.subarray(16, 24).equals(salts)) return undefined;
    let [committed, place] = [0, 0];
    for (const frame of framesIn(handle, FRAME_HEADER_BYTES + header.readUInt32BE(8))) {
      place += 1;
      sum.add(frame, 0, SUMMED_OF_FRAME);
      sum.add(frame, FRAME_HEADER_BYTES, frame.length);
      if (!frame.subarray(8, 16).equals(salts) || !sum.is(frame, 16)) break;
      if (frame.readUInt32BE(4) !== 0) committed = place;
    }
    return committed;
  } finally {
    closeSync(handle);
  }
}

/** Yields the complete frames of an open log. Each buffer is valid until the next one. */
function* framesIn(handle: number, frameBytes: number): Iterable<Buffer> {
  const piece = Buffer.alloc(Math.ceil(PIECE / frameBytes) * frameBytes);
  for (;;) {
    const length = readSync(handle, piece);
    for (let at = 0; at + frameBytes <= length; at += frameBytes)
      yield piece.subarray(at, at + frameBytes);
    if (length < piece.length) return;
  }
}

/** The running checksum of a log, in the byte order that the log's first number names. */
class Sum {
  readonly #isBigEndian: boolean;
  #a = 0;
  #b = 0;

  constructor(isBigEndian: boolean) {
    this.#isBigEndian = isBigEndian;
  }

  add(bytes: Buffer, from: number, to: number): void {
    const read = this.#isBigEndian
      ? (at: number) => bytes.readUInt32BE(at)
      : (at: number) => bytes.readUInt32LE(at);
    let [a, b] = [this.#a, this.#b];
    for (let at = from; at < to; at += 8) {
      a = (a + read(at) + b) >>> 0;
      b = (b + read(at + 4) + a) >>> 0;
    }
    [this.#a, this.#b] = [a, b];
  }

  /** Returns whether a stored checksum, always big-endian, equals this one. */
  is(bytes: Buffer, at: number): boolean {
    return bytes.readUInt32BE(at) === this.#a && bytes.readUInt32BE(at + 4) === this.#b;
  }
}
