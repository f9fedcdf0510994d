// Snapshots: the parts that the module writes, and between them parts with the ids.

import { invalid, NousError, show } from "../errors.ts";
import { PART_HEADER } from "../generated/layout.ts";
import type { Instance } from "../instance.ts";
import { refusal } from "../refusal.ts";
import type { ScratchView, Shrinkable } from "../scratch-view.ts";

/** A snapshot: its bytes, in one piece or in several of any length. */
export type SnapshotSource = Uint8Array | ArrayBuffer | Iterable<Uint8Array>;

/**
 * A part of ids ends at this count of ids, or at the id that reaches this count of UTF-16 units.
 */
const IDS_A_PART = 1 << 16;
const UNITS_A_PART = 1 << 21;
/** Encodings of the text of ids. */
const UTF8 = 0;
const UTF16 = 1;

/** A class of the module that writes snapshots. @internal */
export interface SnapshotWriter extends Shrinkable {
  begin_snapshot(): Uint32Array | undefined;
  next_part(): number;
  part_at(): number;
  reserve_part(length: number): boolean;
  own_part(kind: number): number;
}

/** The state of an index that snapshots need. @internal */
export interface Snapshotted<M extends SnapshotWriter> {
  resident: ScratchView<M>;
  /** Count of the snapshots that were begun. */
  snapshots: number;
  /** Ends snapshots that are still being written. */
  isFreed: boolean;
}

/** The rows or slots of a snapshot in its order, and ids by row or slot. @internal */
export type IdList = readonly [places: Uint32Array, ids: readonly (string | undefined)[]];

/**
 * Yields the parts of a snapshot, each a piece of its own. `listsOf` returns the lists of ids for
 * the rows of the snapshot, by the kinds of their parts. @internal
 */
export function* snapshotParts<M extends SnapshotWriter>(
  state: Snapshotted<M>,
  listsOf: (rows: Uint32Array) => readonly IdList[],
): Generator<Uint8Array<ArrayBuffer>, void, undefined> {
  const { resident } = state;
  const check = () => {
    if (state.isFreed) throw freed();
  };
  check();
  const rows = resident.module.begin_snapshot();
  if (rows === undefined) throw resident.refusal();
  state.snapshots += 1;
  const own = state.snapshots;
  // The module writes one snapshot at a time.
  const goOn = () => {
    check();
    if (own !== state.snapshots) throw damaged("cannot be finished: another was begun");
  };
  const lists = listsOf(rows);
  yield* take(resident, resident.module.next_part());
  for (const [kind, list] of lists.entries()) yield* idParts(resident, kind, list, goOn);
  for (;;) {
    goOn();
    const length = resident.module.next_part();
    if (length === 0) break;
    yield* take(resident, length);
  }
}

/** The error of a call of an index that has been freed. @internal */
export const freed = () => new NousError("freed", "This index has been freed.");

/** Joins the parts of a snapshot. @internal */
export function inOnePiece(parts: Iterable<Uint8Array>): Uint8Array<ArrayBuffer> {
  const pieces = [...parts];
  const bytes = new Uint8Array(pieces.reduce((length, piece) => length + piece.length, 0));
  let at = 0;
  for (const piece of pieces) {
    bytes.set(piece, at);
    at += piece.length;
  }
  return bytes;
}

/** Returns the ids of a part that starts at a place of the list. */
function idsOfPart(
  places: Uint32Array,
  names: readonly (string | undefined)[],
  from: number,
): string[] {
  const ids: string[] = [];
  for (
    let units = 0;
    units < UNITS_A_PART && ids.length < IDS_A_PART && from + ids.length < places.length;
  ) {
    const id = names[places[from + ids.length]!] ?? "";
    ids.push(id);
    units += id.length;
  }
  return ids;
}

/** The parts that hold the ids of a list. `goOn` throws if the snapshot cannot be finished. */
function* idParts(
  resident: ScratchView<SnapshotWriter>,
  kind: number,
  [places, ids]: IdList,
  goOn: () => void,
): Generator<Uint8Array<ArrayBuffer>, void, undefined> {
  for (let from = 0; from < places.length; ) {
    const some = idsOfPart(places, ids, from);
    from += some.length;
    const content = encodeIds(some);
    goOn();
    if (!resident.module.reserve_part(content.length)) throw resident.refusal();
    resident.revalidateViews();
    resident.bytes.set(content, resident.module.part_at());
    yield* take(resident, resident.module.own_part(kind));
  }
}

/** Yields a part that the module has written. */
function* take(
  resident: ScratchView<SnapshotWriter>,
  length: number,
): Generator<Uint8Array<ArrayBuffer>, void, undefined> {
  if (length < 0) throw resident.refusal();
  resident.revalidateViews();
  const at = resident.module.part_at();
  yield resident.bytes.slice(at, at + length) as Uint8Array<ArrayBuffer>;
}

/**
 * Encoding, count, lengths in UTF-16 units, text. Text with lone surrogates, which UTF-8 cannot
 * hold, is in UTF-16.
 */
function encodeIds(ids: readonly string[]): Uint8Array {
  const text = ids.join("");
  const utf8 = new TextEncoder().encode(text);
  const isWhole = new TextDecoder("utf-8", { ignoreBOM: true }).decode(utf8) === text;
  const bytes = isWhole ? utf8 : new Uint8Array(text.length * 2);
  const content = new Uint8Array(8 + 4 * ids.length + bytes.length);
  const view = new DataView(content.buffer);
  view.setUint32(0, isWhole ? UTF8 : UTF16, true);
  view.setUint32(4, ids.length, true);
  ids.forEach((id, place) => {
    view.setUint32(8 + 4 * place, id.length, true);
  });
  content.set(bytes, 8 + 4 * ids.length);
  if (!isWhole) {
    const from = 8 + 4 * ids.length;
    for (let unit = 0; unit < text.length; unit++)
      view.setUint16(from + 2 * unit, text.charCodeAt(unit), true);
  }
  return content;
}

function decodeIds(content: Uint8Array): string[] {
  if (content.length < 8) throw damaged("has too few ids");
  const view = new DataView(content.buffer, content.byteOffset, content.byteLength);
  const encoding = view.getUint32(0, true);
  const count = view.getUint32(4, true);
  const from = 8 + 4 * count;
  if (from > content.length) throw damaged("has too few ids");
  let text: string;
  if (encoding === UTF8) text = textOf(content.subarray(from));
  else {
    if (encoding !== UTF16 || (content.length - from) % 2 !== 0)
      throw damaged("has ids in an unknown encoding");
    const units = Array.from({ length: (content.length - from) >> 1 }, (_, unit) =>
      view.getUint16(from + 2 * unit, true),
    );
    text = units.map((unit) => String.fromCharCode(unit)).join("");
  }
  let at = 0;
  const ids = Array.from({ length: count }, (_, place) => {
    const length = view.getUint32(8 + 4 * place, true);
    at += length;
    return text.slice(at - length, at);
  });
  if (at !== text.length || ids.includes(""))
    throw damaged("has an empty id, or wrong lengths of ids");
  return ids;
}

function textOf(utf8: Uint8Array): string {
  try {
    return new TextDecoder("utf-8", { ignoreBOM: true, fatal: true }).decode(utf8);
  } catch {
    throw damaged("has an id that is not UTF-8");
  }
}

/** Ids as parts of a snapshot have them, and the place of each. @internal */
export class RestoredIds {
  readonly ids: string[] = [];
  readonly places = new Map<string, number>();

  add(ids: readonly string[]): void {
    for (const id of ids) {
      this.places.set(id, this.ids.length);
      this.ids.push(id);
    }
    if (this.places.size !== this.ids.length) throw damaged("has an id twice");
  }
}

/** A class of the module that reads snapshots. @internal */
export interface SnapshotReader {
  reserve(bytes: number): number;
  part_length(): number;
  read(length: number): number;
}

/** Work that pauses wherever it yields. @internal */
export type InSteps<T> = Generator<undefined, T, void>;

/** Does all steps without a pause. @internal */
export function atOnce<T>(steps: InSteps<T>): T {
  for (;;) {
    const step = steps.next();
    if (step.done) return step.value;
  }
}

/**
 * Reads all parts of a snapshot, and pauses after each; the lists receive the ids, by the kinds of
 * their parts. @internal
 */
export function* readParts(
  source: SnapshotSource,
  { glue, memory }: Instance,
  restorer: SnapshotReader,
  lists: readonly RestoredIds[],
): InSteps<void> {
  const feed = new Feed(source);
  const room = (bytes: number) => {
    const at = restorer.reserve(bytes);
    if (at === 0)
      throw new NousError("out_of_memory", `A part of the snapshot needs ${bytes} bytes at once.`);
    return new Uint8Array(memory.buffer, at, bytes);
  };
  while (!feed.isEmpty()) {
    feed.read(room(PART_HEADER));
    const length = restorer.part_length();
    if (length < 0) throw refusal(glue);
    if (!feed.has(length - PART_HEADER)) throw damaged("is cut off");
    feed.read(room(length).subarray(PART_HEADER));
    const kind = restorer.read(length);
    if (kind < 0) throw refusal(glue);
    if (kind > 0) {
      const list = lists[kind - 1];
      if (list === undefined) throw damaged("has a part of an unknown kind");
      list.add(decodeIds(room(length).slice(PART_HEADER)));
    }
    yield;
  }
}

/** @internal */
export const damaged = (problem: string) =>
  new NousError("invalid_snapshot", `snapshot ${problem}`, { field: "snapshot" });

/** Reads bytes that arrive in pieces. */
class Feed {
  /**
   * The fetched bytes are between `#from` and `#to`. Pieces are gathered in one buffer, because
   * pieces may share a buffer. A buffer per piece would make the garbage collector run for each.
   */
  #bytes: Uint8Array;
  #from = 0;
  #to: number;
  readonly #more: Iterator<Uint8Array>;

  constructor(source: SnapshotSource) {
    const isWhole = source instanceof ArrayBuffer || ArrayBuffer.isView(source);
    const pieces: Iterable<Uint8Array> = isWhole ? [] : source;
    if (
      pieces === null ||
      typeof pieces !== "object" ||
      typeof pieces[Symbol.iterator] !== "function"
    ) {
      throw new NousError(
        "invalid_argument",
        `bytes must be a Uint8Array or several, found ${show(source)}`,
        {
          field: "bytes",
        },
      );
    }
    this.#bytes = isWhole ? bytesOf(source) : new Uint8Array(0);
    this.#to = this.#bytes.length;
    this.#more = pieces[Symbol.iterator]();
  }

  isEmpty(): boolean {
    return !this.has(1);
  }

  /** Whether the source has `bytes` more bytes. */
  has(bytes: number): boolean {
    while (this.#to - this.#from < bytes) {
      const { done, value } = this.#more.next();
      if (done) return false;
      this.#append(bytesOf(value));
    }
    return true;
  }

  #append(piece: Uint8Array): void {
    const there = this.#bytes.subarray(this.#from, this.#to);
    if (there.length + piece.length > this.#bytes.length) {
      this.#bytes = new Uint8Array(2 * (there.length + piece.length));
      this.#bytes.set(there);
    } else if (this.#to + piece.length > this.#bytes.length) {
      this.#bytes.copyWithin(0, this.#from, this.#to);
    } else {
      this.#bytes.set(piece, this.#to);
      this.#to += piece.length;
      return;
    }
    this.#bytes.set(piece, there.length);
    [this.#from, this.#to] = [0, there.length + piece.length];
  }

  /** Fills `into`. */
  read(into: Uint8Array): void {
    if (!this.has(into.length)) throw damaged("is cut off");
    into.set(this.#bytes.subarray(this.#from, this.#from + into.length));
    this.#from += into.length;
  }
}

function bytesOf(piece: ArrayBuffer | ArrayBufferView): Uint8Array {
  try {
    if (piece instanceof ArrayBuffer) return new Uint8Array(piece);
    if (ArrayBuffer.isView(piece))
      return new Uint8Array(piece.buffer, piece.byteOffset, piece.byteLength);
  } catch {
    throw invalid("bytes", "must not be detached: its buffer was transferred");
  }
  throw invalid("bytes", `must be a Uint8Array or several, found ${show(piece)}`);
}
