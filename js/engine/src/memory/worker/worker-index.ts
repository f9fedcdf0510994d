/// <reference lib="esnext.disposable" preserve="true" />
// A resident memory on a thread of its own: the same methods, answered by promises.

import { optionsOf } from "../../arguments.ts";
import { withModuleConfig } from "../../config.ts";
import { invalid, show } from "../../errors.ts";
import { compiledModule } from "../../runtime.ts";
import type { Instant } from "../../types.ts";
import type { MemoryIndex } from "../memory-index.ts";
import { Ranking, type RankingData } from "../ranking.ts";
import { CANDIDATE_KEYS, QUERY_KEYS, RERANK_KEYS, SIMILAR_KEYS } from "../read.ts";
import type {
  DecayChanges,
  MemoryEdge,
  MemoryIndexOptions,
  MemoryNode,
  MemoryUse,
  ResidentCandidates,
  ResidentRerankOptions,
  SearchQuery,
  SearchResult,
  SimilarOptions,
} from "../types.ts";
import {
  type Cargo,
  packEdges,
  packFields,
  packFiltered,
  packNodes,
  packNumbers,
  packSnapshot,
} from "./cargo.ts";
import type { Asked, Request, Start } from "./protocol.ts";
import { Queue } from "./queue.ts";
import { openThread } from "./threads.ts";

const DEFAULT_MAX_PENDING = 1000;

const OPTION_KEYS = new Set([
  "dimensions",
  "embeddings",
  "embeddingId",
  "config",
  "maxBytes",
  "maxPending",
  "snapshot",
]);
const RESTORE_KEYS = new Set(["config", "maxBytes", "maxPending", "snapshot"]);
const UPSERT_KEYS = new Set(["now", "transfer"]);
const CHANGE_KEYS = new Set(["ids", "retrievability", "lifecycle"]);

/** How an index in a worker is made. */
export interface IndexWorkerOptions extends MemoryIndexOptions {
  /**
   * How many requests may wait for their answer, at least 1; `Infinity` for any number. Default
   * 1,000.
   */
  maxPending?: number | undefined;
  /**
   * Bytes of `snapshot()`, of which the index is made anew; beside it there are `config` and
   * `maxBytes` alone, as with `MemoryIndex.restore`. They move to the worker, so that the caller's
   * buffer is empty afterwards, whatever comes of it; a view of a part of a buffer is copied.
   */
  snapshot?: Uint8Array | ArrayBuffer | undefined;
}

/** What `upsert` of an index in a worker can be told. */
export interface WorkerUpsertOptions {
  /**
   * Serves the defaults of new nodes. Default: the worker's clock, when the request's turn comes.
   */
  now?: Instant | undefined;
  /**
   * Whether embeddings that are typed arrays move to the worker instead of being copied: the whole
   * buffer behind each is detached here, so that it and every other view of it are empty
   * afterwards, whatever the index says of the batch. Arrays of numbers and shared memory are
   * copied all the same. Default false.
   */
  transfer?: boolean | undefined;
}

/** What is asked otherwise than of `MemoryIndex`, or cannot be asked. */
type Differing =
  | "upsert"
  | "ids"
  | "size"
  | "edgeCount"
  | "embeddingId"
  | "bytes"
  | "snapshotParts"
  | "free"
  | symbol;

/** Methods of `MemoryIndex`, with a promise of the same answer. */
export type AsynchronousIndex = {
  [Name in keyof MemoryIndex as Name extends Differing ? never : Name]: MemoryIndex[Name] extends (
    ...args: infer Args
  ) => infer Answer
    ? (...args: Args) => Promise<Answer>
    : never;
};

/**
 * A `MemoryIndex` in a worker: the same methods with the same answers and errors, as promises.
 * Requests are answered in the order in which they were made; so a search made after an `upsert`
 * finds what it added, without waiting for it.
 *
 * Beside the index's own errors a promise is rejected with `queue_full` while `maxPending` requests
 * wait (at once, and nothing is sent), with `terminated` from the end that `terminate` makes, with
 * `instance_lost` when the thread has ended otherwise, and with `invalid_argument` for what cannot
 * be sent to another thread, such as a function or a proxy.
 *
 * In Node a worker keeps the process alive while it has requests to answer, and no longer. It is
 * not collected when it is forgotten: `terminate` it.
 */
export interface IndexWorker extends AsynchronousIndex {
  /** Which model made the embeddings, as the index or its snapshot was told. */
  readonly embeddingId: string;
  /**
   * As that of `MemoryIndex`. Embeddings are copied into one buffer, which moves to the worker;
   * with `transfer` not even that.
   */
  upsert(nodes: readonly MemoryNode[], options?: WorkerUpsertOptions): Promise<number>;
  /** The ids of all nodes, in no order. */
  ids(): Promise<string[]>;
  /** How many nodes there are. */
  size(): Promise<number>;
  /** How many edges there are. */
  edgeCount(): Promise<number>;
  /** The memory it takes, in bytes. */
  bytes(): Promise<MemoryUse>;
  /**
   * Ends the thread, at once, in the midst of whatever it does, and with it the index; whatever
   * waits for an answer and whatever is asked later is rejected with `terminated`. Resolves when
   * the thread is gone. Calling it again does no harm.
   */
  terminate(): Promise<void>;
  /** The same as `terminate`. */
  free(): Promise<void>;
  /** The same as `terminate`; there where the symbol is. */
  [Symbol.asyncDispose](): Promise<void>;
}

/**
 * Makes an index on a thread of its own: of `worker_threads` in Node, a `Worker` in a browser. The
 * module is not compiled again there.
 *
 * ```ts
 * const index = await createIndexWorker({ dimensions: 384 });
 * await index.upsert(nodes);
 * const { ranking } = await index.search({ embedding: ofQuery, limit: 10 });
 * await index.terminate();
 * ```
 *
 * @throws {NousError} as a rejection: what the constructor of `MemoryIndex`, or `restore`, says of
 * the options; `unsupported` where there are no workers (Cloudflare's runtime), where the entry has
 * none (`/slim`), or where the script cannot be loaded; `not_initialized` before the module is
 * loaded.
 */
export async function createIndexWorker(options: IndexWorkerOptions = {}): Promise<IndexWorker> {
  const isRestored = (options as IndexWorkerOptions | null)?.snapshot !== undefined;
  const given = optionsOf<IndexWorkerOptions>(
    "options",
    options,
    isRestored ? RESTORE_KEYS : OPTION_KEYS,
  );
  const {
    maxPending = DEFAULT_MAX_PENDING,
    snapshot,
    dimensions,
    embeddings,
    embeddingId,
    config,
    maxBytes,
  } = given;
  const all = isRestored
    ? { config, maxBytes }
    : { dimensions, embeddings, embeddingId, config, maxBytes };
  // What is not said does not cross.
  const making = Object.fromEntries(Object.entries(all).filter(([, value]) => value !== undefined));
  if (!(maxPending === Infinity || (Number.isInteger(maxPending) && maxPending >= 1))) {
    throw invalid("maxPending", `must be a whole number of at least 1, found ${show(maxPending)}`);
  }
  // What is no plain data is refused before it loses its form on the way.
  if (config !== undefined) withModuleConfig(config, () => undefined);
  const module = compiledModule();
  const queue = new Queue(openThread(), maxPending);
  const start = (cargo: Cargo): Start => ({
    module,
    options: making,
    snapshot: packSnapshot(snapshot, cargo),
  });
  try {
    return new RemoteIndex(queue, await queue.ask(start, String));
  } catch (error) {
    await queue.terminate();
    throw error;
  }
}

class RemoteIndex implements IndexWorker {
  readonly #queue: Queue;
  readonly embeddingId: string;
  // Set below, where the symbol exists.
  declare [Symbol.asyncDispose]: () => Promise<void>;

  constructor(queue: Queue, embeddingId: string) {
    this.#queue = queue;
    this.embeddingId = embeddingId;
  }

  /**
   * Sends a request, whose arguments are named as in the method; what is answered is for the
   * interface to say.
   */
  #ask(asked: Asked, load: (cargo: Cargo) => Record<string, unknown>): Promise<never> {
    return this.#queue.ask(
      (cargo) => ({ asked, args: load(cargo) }) satisfies Request,
      (value) => answerOf(asked, value) as never,
    );
  }

  upsert(nodes: readonly MemoryNode[], options?: WorkerUpsertOptions) {
    return this.#ask("upsert", (cargo) => {
      const { transfer = false, ...rest } = optionsOf(
        "options",
        packFields(options, UPSERT_KEYS, cargo),
        UPSERT_KEYS,
      );
      if (typeof transfer !== "boolean")
        throw invalid("transfer", `must be true or false, found ${show(transfer)}`);
      return { nodes: packNodes(nodes, transfer, cargo), options: rest };
    });
  }

  remove(ids: readonly string[]) {
    return this.#ask("remove", () => ({ ids }));
  }

  link(edges: readonly MemoryEdge[]) {
    return this.#ask("link", () => ({ edges: packEdges(edges) }));
  }

  unlink(edgeIds: readonly string[]) {
    return this.#ask("unlink", () => ({ edgeIds }));
  }

  has(id: string) {
    return this.#ask("has", () => ({ id }));
  }

  get(id: string) {
    return this.#ask("get", () => ({ id }));
  }

  getEdge(id: string) {
    return this.#ask("getEdge", () => ({ id }));
  }

  ids() {
    return this.#ask("ids", () => ({}));
  }

  handles(ids: readonly string[]) {
    return this.#ask("handles", () => ({ ids }));
  }

  touch(ids: readonly string[], now?: Instant) {
    return this.#ask("touch", () => ({ ids, now }));
  }

  recall(ids: readonly string[], now?: Instant) {
    return this.#ask("recall", () => ({ ids, now }));
  }

  strengthen(groups: readonly (readonly string[])[], amount: number) {
    return this.#ask("strengthen", () => ({ groups, amount }));
  }

  rerank(candidates: ResidentCandidates, options?: ResidentRerankOptions) {
    return this.#ask("rerank", (cargo) => ({
      candidates: packFields(candidates, CANDIDATE_KEYS, cargo),
      options: packFields(options, RERANK_KEYS, cargo),
    }));
  }

  search(query: SearchQuery) {
    return this.#ask("search", (cargo) => ({
      query: packFiltered(query, QUERY_KEYS, "filters", cargo),
    }));
  }

  similar(embedding: ArrayLike<number>, options?: SimilarOptions) {
    return this.#ask("similar", (cargo) => ({
      embedding: packNumbers(embedding, cargo),
      options: packFiltered(options, SIMILAR_KEYS, "filter", cargo),
    }));
  }

  decay(now?: Instant) {
    return this.#ask("decay", () => ({ now }));
  }

  applyDecay(changes: DecayChanges) {
    return this.#ask("applyDecay", (cargo) => ({
      changes: packFields(changes, CHANGE_KEYS, cargo),
    }));
  }

  transitions(now?: Instant) {
    return this.#ask("transitions", () => ({ now }));
  }

  explain(id: string, query: SearchQuery) {
    return this.#ask("explain", (cargo) => ({
      id,
      query: packFiltered(query, QUERY_KEYS, "filters", cargo),
    }));
  }

  snapshot() {
    return this.#ask("snapshot", () => ({}));
  }

  size() {
    return this.#ask("size", () => ({}));
  }

  edgeCount() {
    return this.#ask("edgeCount", () => ({}));
  }

  bytes() {
    return this.#ask("bytes", () => ({}));
  }

  terminate() {
    return this.#queue.terminate();
  }

  free() {
    return this.#queue.terminate();
  }

  static {
    if (Symbol.asyncDispose !== undefined) {
      Object.defineProperty(RemoteIndex.prototype, Symbol.asyncDispose, {
        value: RemoteIndex.prototype.terminate,
        writable: true,
        configurable: true,
      });
    }
  }
}

/** An answer as the index gives it: rankings come as data. */
function answerOf(asked: Asked, value: unknown): unknown {
  if (asked === "rerank") return new Ranking(value as RankingData);
  if (asked !== "search") return value;
  const { ranking, ...rest } = value as SearchResult<RankingData>;
  return { ranking: new Ranking(ranking), ...rest };
}
