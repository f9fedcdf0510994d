// The vectors of an agent's memories. The server makes them by a table of its own, in the transaction
// that writes a text, unless the memories have vectors of clients or of a provider. Every method but
// the getters belongs into a `write`.

import type { Steps } from "nous-memory";
import {
  type BuiltIn,
  builtInText,
  dropBuiltIn,
  embedWaiting,
  hasOtherTable,
  isInUse,
  mayUse,
  tableOf,
  takeIntoUse,
} from "../embeddings/built-in.ts";
import { bytesOf } from "../embeddings/tasks.ts";
import { wrong } from "../refusal.ts";
import type { EmbeddedTexts } from "../storage/rows.ts";
import type { Storage } from "../storage/storage.ts";

/** A vector of a new memory, and the name of the model that made it. */
interface MadeVector {
  bytes: Uint8Array;
  model: string;
}

export class Vectors {
  readonly #storage: Storage;
  /** Whether the server has a provider of embeddings. */
  readonly hasProvider: boolean;
  /** The server's own source of vectors. */
  readonly table: BuiltIn | undefined;

  constructor(storage: Storage, hasProvider: boolean, table: BuiltIn | undefined) {
    this.#storage = storage;
    this.hasProvider = hasProvider;
    this.table = table;
  }

  /** Whether words of questions and memories are compared by vectors. */
  get areOfWords(): boolean {
    return this.table !== undefined;
  }

  /** Whether the vectors of the memories are those that the server makes by itself. */
  get areOwn(): boolean {
    return isInUse(this.#storage, this.table);
  }

  /** Whether vectors may have to be made or dropped when the agent is opened. */
  get mayNeedMending(): boolean {
    return this.table !== undefined || this.hasProvider;
  }

  /** Whether memories have vectors of a table, though a provider of embeddings is to make others. */
  get mustLeaveTable(): boolean {
    return this.hasProvider && tableOf(this.#storage) !== undefined;
  }

  /** Whether `embedOlder` has something to do. */
  get mayEmbedOlder(): boolean {
    return this.table !== undefined && mayUse(this.#storage);
  }

  /** Whether no memory waits for a vector of the server's table. */
  get areComplete(): boolean {
    return this.#storage.embeddings.waiting() === 0 && !hasOtherTable(this.#storage, this.table!);
  }

  /**
   * Begins a transaction. Returns a function that makes the vectors of texts that the transaction
   * has written since, and may be called again.
   */
  begin(): () => Steps<void> {
    const storage = this.#storage;
    const own = this.table;
    if (own === undefined) return function* () {};
    // Memories with vectors of another table wait for `embedOlder`, which is not this transaction's
    // work: they get their tickets first.
    if (hasOtherTable(storage, own)) takeIntoUse(storage, own);
    const last = storage.embeddings.lastTicket();
    return function* () {
      if (storage.embeddings.lastTicket() === last || !takeIntoUse(storage, own)) return;
      yield* embedWaiting(storage, own, last, Number.POSITIVE_INFINITY);
    };
  }

  /**
   * Returns the vector that the server's table gives to texts, so that a new memory need not wait
   * for it. Undefined if the table is not in use, or knows no word of them.
   */
  ofNew(texts: Omit<EmbeddedTexts, "type" | "subtype">): MadeVector | undefined {
    const own = this.table;
    if (own === undefined || !takeIntoUse(this.#storage, own)) return undefined;
    const { vector, coverage } = own.embed(builtInText(texts));
    return coverage === 0 ? undefined : { bytes: bytesOf(vector), model: own.id };
  }

  /**
   * Makes vectors of memories that wait for one, for example since before the server made them by
   * itself, and of those that have one of another table. Returns how many no longer wait, and how
   * many of them have a vector; undefined if the memories have other vectors by now.
   */
  *embedOlder(max: number): Steps<{ done: number; embedded: number } | undefined> {
    if (!takeIntoUse(this.#storage, this.table!)) return undefined;
    return yield* embedWaiting(this.#storage, this.table!, 0, max);
  }

  /** Drops vectors of a table. */
  drop(): void {
    dropBuiltIn(this.#storage);
  }

  /**
   * Returns the bytes of a client's embedding. The first embedding of an agent sets the number of
   * components, until no embedding is left. It takes the place of all vectors that the server made by
   * itself, unless it is of the same `model`.
   *
   * @throws {Refusal} If the embedding has another number of components.
   */
  bytesOf(embedding: readonly number[] | null, model?: string | null): Uint8Array | null {
    if (embedding === null) return null;
    const storage = this.#storage;
    if (model == null || model !== tableOf(storage)) dropBuiltIn(storage);
    // Read from the database: the index does not have this transaction's rows yet.
    const dimensions = storage.embeddings.dimensions();
    if (embedding.length !== dimensions) {
      if (dimensions !== 0 && storage.embeddings.has(dimensions)) {
        throw wrong(
          "embedding",
          `must have ${dimensions} components, like the stored ones, found ${embedding.length}`,
        );
      }
      storage.setMeta("dimensions", String(embedding.length));
    }
    return Buffer.from(Float32Array.from(embedding).buffer);
  }
}
