// The vectors of an agent's memories. A maker makes them beside the writes: the server's sentence
// transformer, or a service. Without one the server makes them by a table of its own, in the
// transaction that writes a text, unless the memories have vectors of clients or of a service. Every
// method but the getters and `roomFor` belongs into a `write`.

import { isReadByTransformer, oneStep, type Steps } from "nous-memory";
import type { QuestionVector } from "../api/operation.ts";
import {
  type BuiltIn,
  dropOwn,
  embedWaiting,
  hasOtherTable,
  isInUse,
  mayUse,
  modelOf,
  ownModelOf,
  tableOf,
  takeIntoUse,
} from "../embeddings/built-in.ts";
import { bytesOf } from "../embeddings/tasks.ts";
import { builtInText, isTransformer, TRANSFORMERS } from "../embeddings/text.ts";
import { wrong } from "../refusal.ts";
import type { VectorMaker } from "../settings/embeddings-model.ts";
import type { EmbeddedTexts } from "../storage/rows.ts";
import type { Storage } from "../storage/storage.ts";
import type { Behaviour } from "./behaviour.ts";

/** A vector of a new memory, and the name of the model that made it. */
interface MadeVector {
  bytes: Uint8Array;
  model: string;
}

/** What an index holds of each memory's vector. */
export interface VectorRoom {
  /** Components of a vector; 0 if memories have none. */
  dimensions: number;
  /** `i8`: a byte for each component, and a scale. */
  embeddings: "f32" | "i8";
}

export class Vectors {
  readonly #storage: Storage;
  readonly #maker: VectorMaker | undefined;
  /** Whether a memory whose text changes has no vector until the maker has made the new one. */
  readonly #dropsOld: boolean;
  /** The server's table of word vectors. */
  readonly words: BuiltIn | undefined;
  /** The table that makes vectors of memories. */
  readonly table: BuiltIn | undefined;

  constructor(
    storage: Storage,
    words: BuiltIn | undefined,
    maker: VectorMaker | undefined,
    { keepsOldVectors }: Pick<Behaviour, "keepsOldVectors">,
  ) {
    this.#storage = storage;
    this.#maker = maker;
    this.#dropsOld = maker !== undefined && !keepsOldVectors;
    this.words = words;
    this.table = maker === undefined ? words : undefined;
  }

  /** Whether vectors of memories are made beside their writes. */
  get hasProvider(): boolean {
    return this.#maker !== undefined;
  }

  /** Whether words of questions and memories are compared by vectors. */
  get areOfWords(): boolean {
    return this.words !== undefined;
  }

  /**
   * Returns what an index needs for vectors with `dimensions` components. For 0, before the first
   * vector, that is what the server's own vectors will need.
   */
  roomFor(dimensions: number): VectorRoom {
    const isOfTransformer =
      dimensions === 0
        ? this.#maker !== undefined && this.#maker !== "service"
        : isTransformer({ name: ownModelOf(this.#storage) ?? "" });
    // All transformers have as many.
    const own = isOfTransformer ? TRANSFORMERS.english : this.table;
    return {
      dimensions: dimensions || (own?.dimensions ?? 0),
      embeddings: isOfTransformer ? "i8" : "f32",
    };
  }

  /** Whether the vectors of the memories are those of the server's table. */
  get areOfTable(): boolean {
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
   * has written since, and may be called again. If a maker is to make them, it drops those of earlier
   * texts.
   */
  begin(): () => Steps<void> {
    const storage = this.#storage;
    const own = this.table;
    if (own === undefined) return this.#beginToDrop();
    // Memories with vectors of another table wait for `embedOlder`, which is not this transaction's
    // work: they get their tickets first.
    if (hasOtherTable(storage, own)) takeIntoUse(storage, own);
    const last = storage.embeddings.lastTicket();
    return function* () {
      if (storage.embeddings.lastTicket() === last || !takeIntoUse(storage, own)) return;
      yield* embedWaiting(storage, own, last, Number.POSITIVE_INFINITY);
    };
  }

  #beginToDrop(): () => Steps<void> {
    const { embeddings } = this.#storage;
    const model = this.#dropsOld ? modelOf(this.#storage) : undefined;
    if (model === undefined) return function* () {};
    const last = embeddings.lastTicket();
    return () =>
      oneStep(() => {
        if (embeddings.lastTicket() !== last) embeddings.dropOld(last, model);
      });
  }

  /**
   * Returns the vector of a new memory, so that it need not wait for one: of those that were made
   * before the write, or else that of the server's table. Undefined if none is of its text, or if the
   * table is not in use, or knows no word of it.
   */
  ofNew(
    texts: Omit<EmbeddedTexts, "type" | "subtype">,
    made: readonly QuestionVector[] = [],
  ): MadeVector | undefined {
    const own = this.table;
    if (made.length > 0) return this.#ofMade(builtInText(texts), made);
    if (own === undefined || !takeIntoUse(this.#storage, own)) return undefined;
    const { vector, coverage } = own.embed(builtInText(texts));
    return coverage === 0 ? undefined : { bytes: bytesOf(vector), model: own.id };
  }

  /** Of a question and of a memory, the English transformer makes the same vector. */
  #ofMade(text: string, made: readonly QuestionVector[]): MadeVector | undefined {
    const its = made.find((one) => one.text === text);
    const isOfMemories =
      its?.model.name === TRANSFORMERS.english.name &&
      ownModelOf(this.#storage) === its.model.name &&
      isReadByTransformer(text);
    return isOfMemories ? { bytes: bytesOf(its.vector), model: its.model.name } : undefined;
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

  /** Drops vectors that a server made by itself. */
  drop(): void {
    dropOwn(this.#storage);
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
    if (model == null || model !== ownModelOf(storage)) dropOwn(storage);
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
