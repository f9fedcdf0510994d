// The full-text index of an agent: a `TextIndex` that is loaded from the database and takes in what changes there.

import { TextIndex } from "nous-wasm";
import type { TextRow } from "../storage/rows.ts";
import type { Storage } from "../storage/storage.ts";
import type { Consumer, Removed, Taken } from "./follower.ts";
import { isId, textOf } from "./index-rows.ts";

export class Texts implements Consumer {
  readonly name = "full text";
  #index: TextIndex | undefined;

  /** The index, which a follower has loaded. */
  get index(): TextIndex {
    if (this.#index === undefined) throw new Error("full text is asked before it is loaded");
    return this.#index;
  }

  /** Bytes of its instance's memory; 0 where it is not loaded. */
  get bytes(): number {
    return this.#index?.bytes.module ?? 0;
  }

  load(storage: Storage): Record<string, unknown> {
    this.forget();
    this.#index = new TextIndex();
    for (const rows of storage.texts()) this.#upsert(rows);
    return { nodes: this.index.size };
  }

  take({ nodes }: Taken): boolean {
    // Equal scores are in the order in which texts were added, and that is the rows'.
    this.#upsert([...nodes].sort((a, b) => a.sequence - b.sequence));
    return true;
  }

  remove({ nodes }: Removed): void {
    this.index.remove(nodes.filter(isId));
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
    this.index.upsert(documents);
  }
}
