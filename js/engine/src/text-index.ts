/// <reference lib="esnext.disposable" preserve="true" />
// The resident full-text index of one agent. JavaScript maps ids to rows; the words and postings
// lie in the memory of an instance of its own.

import { idsOf, limitOf, listOf, optionsOf } from "./arguments.ts";
import { invalid, invalidEntry, invalidShape, show } from "./errors.ts";
import {
  DOCUMENT,
  DOCUMENT_BODY,
  DOCUMENT_ROW,
  DOCUMENT_SUMMARY,
  DOCUMENT_TITLE,
  NOBODY,
} from "./generated/layout.ts";
import type { Glue } from "./instance.ts";
import { refusal } from "./refusal.ts";
import {
  checkRoom,
  DEFAULT_LIMIT,
  freeOnDispose,
  type IndexState,
  maxBytesOf,
  ResidentIndex,
} from "./resident/resident-index.ts";
import {
  atOnce,
  damaged,
  inOnePiece,
  RestoredIds,
  readParts,
  type SnapshotSource,
  snapshotParts,
} from "./resident/snapshot.ts";
import { ownInstance } from "./runtime.ts";
import { ScratchView } from "./scratch-view.ts";
import { maxBytes, writeText } from "./text.ts";

/**
 * The texts of a memory to search. A missing text is empty.
 *
 * @example
 * ```ts
 * texts.upsert([{ id: "m1", title: "Gold", body: "Breakouts fail on Fridays." }]);
 * ```
 */
export interface TextDocument {
  /** Id of the memory. Not empty. */
  id: string;
  /** Title. Default "". */
  title?: string | null | undefined;
  /** Summary. Default "". */
  summary?: string | null | undefined;
  /** Body. Default "". */
  body?: string | null | undefined;
}

/** A search result. */
export interface TextHit {
  /** Id of the document. */
  id: string;
  /** BM25 score, above 0. Higher is better. */
  score: number;
}

/** Options of `new TextIndex()`. */
export interface TextIndexOptions {
  /**
   * The most bytes that the index may take, scratch included. Snapshots do not count, so that a
   * full index can be saved. Default 3 GiB.
   */
  maxBytes?: number | undefined;
}

/** Options of `TextIndex.search`. */
export interface TextSearchOptions {
  /** The most hits, at least 0. Default 20; `Infinity` for all. */
  limit?: number | undefined;
  /**
   * Ids of the documents to search. Unknown ids are skipped. Scores are those of a search over all
   * documents. Default: all.
   */
  among?: readonly string[] | undefined;
}

/** Memory of a full-text index, in bytes. */
export interface TextUse {
  /** Bytes of words, postings and texts. */
  index: number;
  /** The memory of the index's instance, which never shrinks. */
  module: number;
}

const OPTION_KEYS = new Set(["maxBytes"]);
const SEARCH_KEYS = new Set(["limit", "among"]);
/** The texts of a document, each with the place of its length in the transferred record. */
const TEXTS = [
  ["title", DOCUMENT_TITLE],
  ["summary", DOCUMENT_SUMMARY],
  ["body", DOCUMENT_BODY],
] as const;

type Module = ReturnType<Glue["ResidentText"]["create"]>;

/** The state of an index. */
type TextState = IndexState<Module>;

/**
 * A full-text index over titles, summaries and bodies. It lives in the module's memory. Words match
 * by prefix and are ranked by BM25. Words and scores are those of SQLite's FTS5 with its defaults;
 * in addition, text of scripts without spaces between words is searchable.
 *
 * Errors are those of `MemoryIndex`: `invalid_argument`, `out_of_memory`, `freed`, `instance_lost`.
 * A call that throws changes nothing.
 *
 * @example
 * ```ts
 * const texts = new TextIndex();
 * texts.upsert([{ id: "n_1", title: "Gold", body: "Breakouts fail on Fridays." }]);
 * // Hits are the `bm25` of `MemoryIndex.search`.
 * const hits = texts.search(["breakout", "friday"], { limit: 45 });
 * texts.free();
 * ```
 */
export class TextIndex {
  readonly #index: ResidentIndex<TextState>;
  /** Frees the index, as `free` does. Missing in environments without the symbol. */
  declare [Symbol.dispose]: () => void;

  /**
   * Creates an empty index.
   *
   * @throws {NousError} `invalid_argument` for an unknown option or one out of its range;
   *   `not_initialized` before the module is loaded.
   */
  constructor(options: TextIndexOptions = {}) {
    if ((options as unknown) instanceof ResidentIndex) {
      this.#index = options as unknown as ResidentIndex<TextState>;
      return;
    }
    const maxBytes = maxBytesOf(
      optionsOf<TextIndexOptions>("options", options, OPTION_KEYS).maxBytes,
    );
    const instance = ownInstance();
    const module = instance.glue.ResidentText.create(maxBytes, instance.memory.buffer.byteLength);
    this.#index = new ResidentIndex(newState(new ScratchView(instance, module)));
  }

  /**
   * Restores the index of a snapshot.
   *
   * @param bytes The snapshot, in one piece or in several of any length.
   * @throws {NousError} `invalid_snapshot` for a snapshot that is damaged, cut off, of another
   *   version, or of a `MemoryIndex`; else as the constructor.
   */
  static restore(bytes: SnapshotSource, options: TextIndexOptions = {}): TextIndex {
    const maxBytes = maxBytesOf(
      optionsOf<TextIndexOptions>("options", options, OPTION_KEYS).maxBytes,
    );
    const instance = ownInstance();
    const { glue, memory } = instance;
    const restorer = glue.TextRestorer.create(maxBytes, memory.buffer.byteLength);
    const restored = new RestoredIds();
    atOnce(readParts(bytes, instance, restorer, [restored]));
    const count = restorer.texts();
    const module = restorer.finish();
    restorer.free();
    if (module === undefined) throw refusal(glue);
    if (restored.ids.length !== count) throw damaged("has too few or too many ids");
    const state = newState(new ScratchView(instance, module), restored);
    return new TextIndex(new ResidentIndex(state) as object);
  }

  /** The number of documents. */
  get size(): number {
    return this.#index.live().rows.size;
  }

  /** The memory of the index, in bytes. */
  get bytes(): TextUse {
    const { resident } = this.#index.live();
    return {
      index: resident.module.bytes_used(),
      module: resident.instance.memory.buffer.byteLength,
    };
  }

  /** Returns whether a document with this id is in the index. */
  has(id: string): boolean {
    return this.#index.live().rows.has(id);
  }

  /** Returns the ids of all documents, in no particular order. */
  ids(): IterableIterator<string> {
    return this.#index.live().rows.keys();
  }

  /**
   * Adds documents. A document with a known id replaces the old one and keeps its place in the
   * order. Of several with one id the last counts. Returns the number of new documents.
   *
   * @example
   * ```ts
   * texts.upsert([{ id: "m1", title: "Gold", body: "Breakouts fail on Fridays." }]); // 1
   * ```
   */
  upsert(documents: readonly TextDocument[]): number {
    const state = this.#index.live();
    const batch = readDocuments(documents);
    this.#index.requireSame(state);
    const { resident, rows, ids } = state;
    const entries = [...batch];
    const added = entries.filter(([id]) => !rows.has(id));
    checkRoom("documents", rows.size + added.length);
    const units = entries.reduce(
      (sum, [, texts]) => texts.reduce((all, text) => all + text.length, sum),
      0,
    );
    resident.reserve(0, entries.length * DOCUMENT, maxBytes(units));
    let at = resident.rowsAt;
    let to = resident.bytesAt;
    for (const [id, texts] of entries) {
      resident.rows[at + DOCUMENT_ROW] = rows.get(id) ?? NOBODY;
      for (let place = 0; place < TEXTS.length; place++) {
        const length = writeText(texts[place]!, resident.bytes, to);
        resident.rows[at + TEXTS[place]![1]] = length;
        to += length;
      }
      at += DOCUMENT;
    }
    if (!resident.module.upsert(entries.length)) throw resident.refusal();
    resident.relocate();
    entries.forEach(([id], place) => {
      const row = resident.rows[resident.rowsAt + place]!;
      rows.set(id, row);
      ids[row] = id;
    });
    sweep(state);
    resident.shrinkIfLarge();
    return added.length;
  }

  /**
   * Removes documents. Unknown ids are skipped. Returns the number of removed documents.
   *
   * @example
   * ```ts
   * texts.remove(["m1"]); // 1
   * ```
   */
  remove(ids: readonly string[]): number {
    const state = this.#index.live();
    const known = idsOf("ids", ids);
    this.#index.requireSame(state);
    const rows = rowsOf(state, known);
    const { resident } = state;
    resident.reserve(0, rows.length, 0);
    resident.rows.set(rows, resident.rowsAt);
    resident.module.remove(rows.length);
    for (const row of rows) {
      state.rows.delete(state.ids[row]!);
      state.ids[row] = undefined;
    }
    sweep(state);
    resident.shrinkIfLarge();
    return rows.length;
  }

  /**
   * Returns the documents that contain at least one of the terms, best first; equal scores are in
   * the order in which the documents were added. A term matches words that start with it; a term of
   * several words matches where they follow each other. The first 32 terms count. Words like "the"
   * and "what", and terms that half of the documents contain, count only if no other term matches.
   *
   * @example
   * ```ts
   * const hits = texts.search(["breakout", "friday"], { limit: 10 });
   * ```
   */
  search(terms: readonly string[], options: TextSearchOptions = {}): TextHit[] {
    const state = this.#index.live();
    const { limit, among } = optionsOf<TextSearchOptions>("options", options, SEARCH_KEYS);
    const max = limitOf(limit, DEFAULT_LIMIT);
    const { resident } = state;
    const read = readTerms(terms, resident.instance.glue.ResidentText.terms_read());
    const known = among === undefined ? undefined : idsOf("among", among);
    this.#index.requireSame(state);
    const rows = known === undefined ? undefined : rowsOf(state, known);
    const units = read.reduce((sum, term) => sum + term.length, 0);
    resident.reserve(0, read.length + (rows?.length ?? 0), maxBytes(units));
    let to = resident.bytesAt;
    read.forEach((term, place) => {
      const length = writeText(term, resident.bytes, to);
      resident.rows[resident.rowsAt + place] = length;
      to += length;
    });
    if (rows !== undefined) resident.rows.set(rows, resident.rowsAt + read.length);
    const count = resident.module.search(read.length, rows?.length, max);
    if (count < 0) throw resident.refusal();
    resident.relocate();
    const hits = Array.from({ length: count }, (_, place) => ({
      id: state.ids[resident.rows[resident.rowsAt + place]!]!,
      score: resident.numbers[resident.numbersAt + place]!,
    }));
    resident.shrinkAfterAnswer();
    return hits;
  }

  /** Returns the index as bytes, with version and checksums. */
  snapshot(): Uint8Array<ArrayBuffer> {
    return inOnePiece(this.snapshotParts());
  }

  /**
   * Returns the snapshot in pieces of some megabytes, each made on demand, for writing to a stream.
   * Do not change the index before the last piece.
   */
  snapshotParts(): IterableIterator<Uint8Array<ArrayBuffer>> {
    const state = this.#index.live();
    return snapshotParts(state, (rows) => [[rows, state.ids]]);
  }

  /**
   * Frees the index and its memory. Later calls throw with code `freed`, except `free`, which does
   * nothing. An index without references is garbage-collected like other objects.
   */
  free(): void {
    this.#index.free();
  }
}

freeOnDispose(TextIndex);

function newState(
  resident: ScratchView<Module>,
  { ids, places }: RestoredIds = new RestoredIds(),
): TextState {
  return { resident, rows: places, ids, snapshots: 0, isFreed: false };
}

/** Reads the texts of documents by id, each text once. */
function readDocuments(documents: readonly TextDocument[]): Map<string, string[]> {
  const count = listOf("documents", documents).length;
  const batch = new Map<string, string[]>();
  for (let index = 0; index < count; index++) {
    const document = documents[index]!;
    if (typeof document !== "object" || document === null)
      throw invalidShape("documents", index, document);
    const { id } = document;
    if (typeof id !== "string" || id === "") {
      const problem = `must be a string that is not empty, found ${show(id)}`;
      throw invalidEntry("documents", index, document, "id", problem);
    }
    const texts = TEXTS.map(([column]) => {
      const text = document[column] ?? "";
      if (typeof text === "string") return text;
      throw invalidEntry(
        "documents",
        index,
        document,
        column,
        `must be a string, found ${show(text)}`,
      );
    });
    batch.set(id, texts);
  }
  return batch;
}

function readTerms(terms: readonly string[], max: number): string[] {
  const count = Math.min(listOf("terms", terms).length, max);
  return Array.from({ length: count }, (_, index) => {
    const term: unknown = terms[index];
    if (typeof term === "string") return term;
    throw invalid("terms", `must hold strings, found ${show(term)} at ${index}`);
  });
}

/** Returns the rows of the known ids, each once. */
function rowsOf({ rows }: TextState, ids: readonly string[]): number[] {
  return [...new Set(ids)].flatMap((id) => rows.get(id) ?? []);
}

/** Lets the module remove deleted documents. The rows of the others move up in their order. */
function sweep(state: TextState): void {
  if (!state.resident.module.sweep()) return;
  state.ids = state.ids.filter((id) => id !== undefined);
  state.ids.forEach((id, row) => {
    state.rows.set(id!, row);
  });
}
