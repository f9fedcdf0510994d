// The index as it was, in a file beside the database: a start that finds it reads neither rows nor vectors, but only what changed
// since. No text of a memory is in it, and without it nothing is lost.

import { createHash } from "node:crypto";
import { closeSync, openSync, readSync, rmSync } from "node:fs";
import { type EngineConfig, MemoryIndex } from "nous-wasm";
import { writeWhole } from "../storage/files.ts";
import type { Storage } from "../storage/storage.ts";
import type { Tell } from "./follower.ts";

/** Another one once rows are read into the index in another way. */
const FORMAT = 1;
/** Bytes that are read at once; the first piece holds the header. */
const PIECE = 4 * 2 ** 20;
const LINE_END = 0x0a;

/** Of what database at which moment an index is, and how it was made. */
interface Header {
  format: number;
  epoch: string;
  /** The last entry of the change log that is in it. */
  sequence: number;
  dimensions: number;
  /** Of the engine's configuration. */
  configuration: string;
}

/** An index from a file, and the last entry of the change log that it knows. */
export interface KeptIndex {
  index: MemoryIndex;
  sequence: number;
}

export class IndexFile {
  readonly #file: string;
  readonly #config: EngineConfig;
  readonly #configuration: string;
  readonly #tell: Tell;

  constructor(file: string, config: EngineConfig, tell: Tell) {
    this.#file = file;
    this.#config = config;
    this.#configuration = sha256(JSON.stringify(config));
    this.#tell = tell;
  }

  /** Writes an index that knows the change log up to an entry. */
  write(storage: Storage, index: MemoryIndex, dimensions: number, sequence: number): void {
    const header = this.#headerOf(storage, dimensions, sequence);
    writeWhole(this.#file, piecesOf(header, index));
  }

  #headerOf(storage: Storage, dimensions: number, sequence: number): Header {
    const epoch = storage.meta("epoch") ?? "";
    return { format: FORMAT, epoch, sequence, dimensions, configuration: this.#configuration };
  }

  /** The index, if there is one of this database from which the change log leads on. One that is of no use is removed. */
  read(storage: Storage): KeptIndex | undefined {
    let handle: number;
    try {
      handle = openSync(this.#file, "r");
    } catch {
      return undefined;
    }
    try {
      const pieces = piecesIn(handle);
      const { header, rest } = readHeader(pieces.next().value ?? new Uint8Array(0));
      const why = this.#misfit(storage, header);
      if (why !== undefined) throw new Error(why);
      const index = MemoryIndex.restore(following(rest, pieces), { config: this.#config });
      return { index, sequence: header.sequence };
    } catch (error) {
      this.#tell("The index's file is of no use, and the index is made anew", { why: (error as Error).message });
      this.remove();
      return undefined;
    } finally {
      closeSync(handle);
    }
  }

  /** Why a file cannot serve; nothing where it can. */
  #misfit(storage: Storage, found: Header): string | undefined {
    const { first, last } = storage.changeRange();
    const fitting = this.#headerOf(storage, storage.dimensions(), found.sequence);
    if (found.format !== fitting.format) return "it is of another version";
    if (found.epoch !== fitting.epoch) return "it is of another database, or of before a restore";
    if (found.configuration !== fitting.configuration) return "it was made with another configuration";
    if (found.dimensions !== fitting.dimensions) return "its vectors have another length";
    // Where the log is empty, `first` is 0, and everything up to `last` was cut off.
    const isReached = found.sequence === last || (first !== 0 && first <= found.sequence + 1 && found.sequence < last);
    return isReached ? undefined : "the change log does not lead on from it";
  }

  remove(): void {
    rmSync(this.#file, { force: true });
  }
}

const sha256 = (text: string): string => createHash("sha256").update(text).digest("hex");

/** The header as a line: its sum, a blank, JSON. The engine's own parts follow, each with a sum of its own. */
function* piecesOf(header: Header, index: MemoryIndex): Iterable<Uint8Array> {
  const json = JSON.stringify(header);
  yield Buffer.from(`${sha256(json)} ${json}\n`);
  yield* index.snapshotParts();
}

function readHeader(piece: Uint8Array): { header: Header; rest: Uint8Array } {
  const end = piece.indexOf(LINE_END);
  const line = Buffer.from(piece.subarray(0, Math.max(end, 0))).toString();
  const [sum, json] = line.split(/ (.*)/s);
  if (json === undefined || sum !== sha256(json)) throw new Error("its header is damaged");
  return { header: JSON.parse(json) as Header, rest: piece.subarray(end + 1) };
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
