// The replica of an agent's texts: a `TextIndex` that is loaded from the database and follows its
// changes.

import { isId, oneStep, type Steps, textOf } from "nous-memory";
import { TextIndex } from "nous-wasm";
import type { TextRow } from "../../storage/rows.ts";
import type { Storage } from "../../storage/storage.ts";
import type { Consumer, Removed, Taken } from "./follower.ts";
import type { BuildInputs, KeptSnapshot } from "./kept-snapshot.ts";

/** The rows alone determine a full-text index. */
const INPUTS: BuildInputs = { configuration: null, dimensions: 0, now: 0 };

export class TextReplica implements Consumer {
  readonly name = "full text";
  /** Whether something asks for full text: searches by evidence do not. */
  isWanted: boolean;
  #index: TextIndex | undefined;
  /** The snapshot; undefined if the agent keeps none. */
  readonly #kept: KeptSnapshot | undefined;
  /** Whether the snapshot may hold a text that its memory no longer has. */
  #isOutdated = false;

  constructor(isWanted: boolean, kept?: KeptSnapshot) {
    this.isWanted = isWanted;
    this.#kept = kept;
  }

  /** The index; a follower has to load it first. */
  get index(): TextIndex {
    if (this.#index === undefined) throw new Error("full text is asked before it is loaded");
    return this.#index;
  }

  /** Bytes of its WebAssembly memory; 0 if it is not loaded. */
  get bytes(): number {
    return this.#index?.bytes.module ?? 0;
  }

  *load(storage: Storage): Steps<Record<string, unknown>> {
    this.forget();
    this.#index = new TextIndex();
    this.#isOutdated = true;
    for (const rows of storage.nodes.texts()) {
      this.#upsert(rows);
      yield;
    }
    return { nodes: this.index.size };
  }

  *resume(storage: Storage): Steps<number | undefined> {
    if (this.#kept === undefined) return undefined;
    const kept = yield* this.#kept.read(storage, INPUTS, (pieces) =>
      oneStep(() => TextIndex.restore(pieces)),
    );
    this.#index = kept?.index;
    return kept?.sequence;
  }

  *keep(storage: Storage, applied: number): Steps<void> {
    if (this.#kept === undefined) return;
    if (this.#index === undefined) {
      // The snapshot may hold texts that were deleted since it was written.
      this.#kept.remove();
      return;
    }
    yield* this.#kept.keep(storage, this.#index, INPUTS, applied, { isAnew: this.#isOutdated });
    this.#isOutdated = false;
  }

  take({ nodes }: Taken): boolean {
    // Equal scores are ranked in the order in which texts were added: the order of the rows.
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
