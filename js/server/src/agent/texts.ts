// The full-text index of an agent: a `TextIndex` that is loaded from the database and takes in what
// changes there.

import { TextIndex } from "nous-wasm";
import type { Steps } from "../steps.ts";
import type { TextRow } from "../storage/rows.ts";
import type { Storage } from "../storage/storage.ts";
import type { Consumer, Removed, Taken } from "./follower.ts";
import { isId, textOf } from "./index-rows.ts";
import type { Making, SnapshotFile } from "./snapshot-file.ts";

/** Nothing decides what it becomes but the rows. */
const MAKING: Making = { configuration: null, dimensions: 0, now: 0 };

export class Texts implements Consumer {
  readonly name = "full text";
  #index: TextIndex | undefined;
  /** Where it is kept from one start to the next, if anywhere. */
  readonly #file: SnapshotFile | undefined;
  /** Whether a text that the file may hold is not that of its memory any more. */
  #isOutdated = false;

  constructor(file?: SnapshotFile) {
    this.#file = file;
  }

  /** The index, which a follower has loaded. */
  get index(): TextIndex {
    if (this.#index === undefined) throw new Error("full text is asked before it is loaded");
    return this.#index;
  }

  /** Bytes of its instance's memory; 0 where it is not loaded. */
  get bytes(): number {
    return this.#index?.bytes.module ?? 0;
  }

  *load(storage: Storage): Steps<Record<string, unknown>> {
    this.forget();
    this.#index = new TextIndex();
    this.#isOutdated = true;
    for (const rows of storage.texts()) {
      this.#upsert(rows);
      yield;
    }
    return { nodes: this.index.size };
  }

  resume(storage: Storage): number | undefined {
    const kept = this.#file?.read(storage, MAKING, (pieces) => TextIndex.restore(pieces));
    this.#index = kept?.index;
    return kept?.sequence;
  }

  *keep(storage: Storage, applied: number): Steps<void> {
    if (this.#file === undefined) return;
    yield* this.#file.keep(storage, this.index, MAKING, applied, { isAnew: this.#isOutdated });
    this.#isOutdated = false;
  }

  take({ nodes }: Taken): boolean {
    // Equal scores are in the order in which texts were added, and that is the rows'.
    this.#upsert([...nodes].sort((a, b) => a.sequence - b.sequence));
    return true;
  }

  remove({ nodes }: Removed): void {
    const removed = this.index.remove(nodes.filter(isId));
    this.#isOutdated ||= removed > 0;
  }

  forget(): void {
    this.#index?.free();
    this.#index = undefined;
  }

  #upsert(rows: readonly TextRow[]): void {
    const documents = rows
      .filter(({ id }) => isId(id))
      .map(({ id, content_title, content_summary, content_body }) => ({
        id,
        title: textOf(content_title),
        summary: textOf(content_summary),
        body: textOf(content_body),
      }));
    const added = this.index.upsert(documents);
    this.#isOutdated ||= added < documents.length;
  }
}
