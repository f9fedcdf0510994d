// Whether a database's log is as long as it was. SQLite reads a log up to where it makes no sense
// and takes the rest for a commit that never ended, so that one which was cut off or damaged would
// quietly be a memory of less, or of nothing. What it had in the log stands in the log's index,
// which outlives a crash; the formats of both are SQLite's (https://sqlite.org/walformat.html).

import { closeSync, existsSync, openSync, readFileSync, readSync } from "node:fs";
import { endianness } from "node:os";
import { StorageError, Unavailable } from "./errors.ts";
import { logIndexOf, logOf, refuseFolders } from "./files.ts";
import { databasesIn } from "./place.ts";

const HEADER_BYTES = 32;
const FRAME_HEADER_BYTES = 24;
/** Bytes of a log that are read at once: a log may be longer than a buffer can be. */
const PIECE = 4 * 2 ** 20;
/** What is summed of a frame's header: its page, and the size of the database that it commits. */
const SUMMED_OF_FRAME = 8;
const MAGIC = 0x377f0682;
/** The version of both formats. */
const VERSION = 3_007_000;
/**
 * The index begins with its header, twice; after that stands what has been moved into the database.
 */
const INDEX_HEADER_BYTES = 48;

/**
 * What the log's index says there is: frames in the log, those of them that are in the database,
 * too, and which log it is.
 */
interface Indexed {
  frames: number;
  moved: number;
  salts: Buffer;
  header: Buffer;
}

/**
 * Looks whether all of a database's log is there that was. To be asked before anything in this
 * process has the database open: closing a file of it ends the locks that the process holds.
 *
 * @throws {StorageError} where some of it is missing or cannot be read, with what can be done about
 * it.
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
  if (indexed === undefined || indexed.frames === 0) return;
  const frames = soundFrames(logOf(file), indexed.salts);
  // All of it is in the database, and none of it is read.
  const isMoved = frames === 0 && indexed.moved >= indexed.frames;
  if (frames === undefined || frames >= indexed.frames || isMoved) return;
  // Another process that goes on with it changes both, one after the other.
  if (!indexed.header.equals(readIndex(logIndexOf(file))?.header ?? Buffer.alloc(0))) return;
  throw new StorageError(
    `The log of the database ${file} was cut off or damaged: of the ${indexed.frames} pages that were in it ${frames} can be read, and what was written last is missing. Restore a backup, or remove ${logIndexOf(file)} to go on with what is left.`,
  );
}

/**
 * Databases whose logs are not what they were, by their files, and why; see `checkLog`, which says
 * when it may be asked.
 */
export function cutLogsIn(dataDir: string): Map<string, string> {
  const cut = new Map<string, string>();
  for (const file of databasesIn(dataDir)) {
    try {
      checkLog(file);
    } catch (error) {
      // Opening refuses a folder in the place of a file, for as long as it is there.
      if (error instanceof Unavailable) continue;
      if (!(error instanceof StorageError)) throw error;
      cut.set(file, error.message);
    }
  }
  return cut;
}

/**
 * Why a database must not be opened, where its log was found cut and nobody has done anything about
 * it since.
 */
export function whyCut(file: string, cut: ReadonlyMap<string, string>): string | undefined {
  return existsSync(logIndexOf(file)) ? cut.get(file) : undefined;
}

/** Nothing where the index tells nothing. */
function readIndex(file: string): Indexed | undefined {
  if (!existsSync(file)) return undefined;
  const bytes = readFileSync(file);
  const [one, other] = [0, INDEX_HEADER_BYTES].map((at) =>
    bytes.subarray(at, at + INDEX_HEADER_BYTES),
  );
  const moved = 2 * INDEX_HEADER_BYTES;
  // The two differ while somebody writes.
  if (bytes.length < moved + 4 || !one!.equals(other!)) return undefined;
  const number = (at: number) =>
    endianness() === "LE" ? bytes.readUInt32LE(at) : bytes.readUInt32BE(at);
  if (number(0) !== VERSION) return undefined;
  return { frames: number(16), moved: number(moved), salts: bytes.subarray(32, 40), header: one! };
}

/**
 * Frames from the first to the last that ends a commit, all of them sound; nothing where the log is
 * another one by now.
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

/** The whole frames that follow in an open log; each is good until the next. */
function* framesIn(handle: number, frameBytes: number): Iterable<Buffer> {
  const piece = Buffer.alloc(Math.ceil(PIECE / frameBytes) * frameBytes);
  for (;;) {
    const length = readSync(handle, piece);
    for (let at = 0; at + frameBytes <= length; at += frameBytes)
      yield piece.subarray(at, at + frameBytes);
    if (length < piece.length) return;
  }
}

/** The running sum of a log, in the order of bytes that its first number tells. */
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

  /** Whether a sum that was written, always with the greatest byte first, is this one. */
  is(bytes: Buffer, at: number): boolean {
    return bytes.readUInt32BE(at) === this.#a && bytes.readUInt32BE(at + 4) === this.#b;
  }
}
