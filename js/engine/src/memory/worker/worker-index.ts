/// <reference lib="esnext.disposable" preserve="true" />
// A memory index in a worker: the same methods as `MemoryIndex`, which return promises.

import { optionsOf } from "../../arguments.ts";
import { type EvidenceConfig, withModuleConfig, withModuleEvidence } from "../../config.ts";
import { invalid, show } from "../../errors.ts";
import { compiledModule } from "../../runtime.ts";
import type { Instant } from "../../types.ts";
import { FEEDBACK_KEYS, LEARNED_KEYS, TRAIT_KEYS } from "../learn.ts";
import type { MemoryIndex } from "../memory-index.ts";
import { Ranking, type RankingData } from "../ranking.ts";
import {
  ASK_KEYS,
  CANDIDATE_KEYS,
  QUERY_KEYS,
  RERANK_KEYS,
  SIMILAR_KEYS,
  WHY_KEYS,
} from "../read.ts";
import type {
  AskOptions,
  DecayChanges,
  Feedback,
  Learned,
  MemoryEdge,
  MemoryIndexOptions,
  MemoryNode,
  MemoryUse,
  ResidentCandidates,
  ResidentRerankOptions,
  SearchQuery,
  SearchResult,
  SimilarOptions,
  WhyOptions,
} from "../types.ts";
import {
  type Cargo,
  packEdges,
  packFields,
  packFiltered,
  packNodes,
  packNumbers,
  packParts,
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
  "stemming",
  "config",
  "maxBytes",
  "maxPending",
  "snapshot",
]);
const RESTORE_KEYS = new Set(["config", "maxBytes", "maxPending", "snapshot", "stemming"]);
const UPSERT_KEYS = new Set(["now", "transfer"]);
const CHANGE_KEYS = new Set(["ids", "retrievability", "lifecycle"]);

/**
 * Options of `createIndexWorker`.
 *
 * @example
 * ```ts
 * const index = await createIndexWorker({ dimensions: 384, maxPending: 100 });
 * const restored = await createIndexWorker({ snapshot: await readFile("index.snapshot") });
 * ```
 */
export interface IndexWorkerOptions extends Omit<MemoryIndexOptions, "embedder"> {
  /**
   * The most requests that wait for an answer: a whole number of at least 1, or `Infinity`. Default
   * 1,000.
   */
  maxPending?: number | undefined;
  /**
   * Bytes of `snapshot()` to restore. Beside it only `config`, `maxBytes`, `maxPending` and
   * `stemming` are allowed. The bytes are transferred to the worker: the caller's buffer is empty
   * afterwards, also after an error. A view of a part of a buffer is copied.
   */
  snapshot?: Uint8Array | ArrayBuffer | undefined;
}

/** Options of `upsert` of an index in a worker. */
export interface WorkerUpsertOptions {
  /**
   * The present, for the defaults of new nodes. Default: the worker's clock when it handles the
   * request.
   */
  now?: Instant | undefined;
  /**
   * Whether embeddings in typed arrays are transferred to the worker instead of copied. The whole
   * buffer of each is detached, so that all its views are empty afterwards, also if the index
   * refuses the batch. Arrays of numbers and shared memory are copied in any case. Default false.
   */
  transfer?: boolean | undefined;
}

/** Members of `MemoryIndex` that differ here, or are missing. */
type Differing =
  | "upsert"
  | "ids"
  | "size"
  | "edgeCount"
  | "textCount"
  | "embeddingId"
  | "bytes"
  | "snapshotParts"
  | "free"
  | symbol;

/** The methods of `MemoryIndex`, returning promises of the same results. */
export type AsynchronousIndex = {
  [Name in keyof MemoryIndex as Name extends Differing ? never : Name]: MemoryIndex[Name] extends (
    ...args: infer Args
  ) => infer Answer
    ? (...args: Args) => Promise<Answer>
    : never;
};

/**
 * A `MemoryIndex` in a worker: the same methods with the same results and errors, as promises.
 * Requests are handled in order, so a search after an `upsert` finds the new nodes without waiting
 * for it.
 *
 * Beside the index's own errors a promise is rejected with `queue_full` while `maxPending` requests
 * wait (at once; nothing is sent), with `terminated` after `terminate`, with `instance_lost` if the
 * thread ended otherwise, and with `invalid_argument` for values that cannot be sent to another
 * thread, such as functions and proxies.
 *
 * In Node a worker keeps the process alive only while it has requests to handle. It is not
 * garbage-collected: call `terminate`.
 *
 * @example
 * ```ts
 * const index = await createIndexWorker({ dimensions: 384 });
 * const added = index.upsert(nodes);
 * const { ranking } = await index.search({ embedding, limit: 10 }); // finds the new nodes
 * await added;
 * await index.terminate();
 * ```
 */
export interface IndexWorker extends AsynchronousIndex {
  /** Name of the model that made the embeddings, from the options or the snapshot. */
  readonly embeddingId: string;
  /**
   * Inserts and updates nodes, as {@link MemoryIndex.upsert} does. Embeddings are copied into one
   * buffer, which is transferred to the worker. With `transfer` they are not copied.
   */
  upsert(nodes: readonly MemoryNode[], options?: WorkerUpsertOptions): Promise<number>;
  /** Removes nodes and their edges, as {@link MemoryIndex.remove} does. */
  remove: AsynchronousIndex["remove"];
  /** Inserts and updates edges, as {@link MemoryIndex.link} does. */
  link: AsynchronousIndex["link"];
  /** Removes edges, as {@link MemoryIndex.unlink} does. */
  unlink: AsynchronousIndex["unlink"];
  /** Returns whether a node is in the index, as {@link MemoryIndex.has} does. */
  has: AsynchronousIndex["has"];
  /** Returns a node, as {@link MemoryIndex.get} does. */
  get: AsynchronousIndex["get"];
  /** Returns an edge, as {@link MemoryIndex.getEdge} does. */
  getEdge: AsynchronousIndex["getEdge"];
  /** Returns the handles of nodes, as {@link MemoryIndex.handles} does. */
  handles: AsynchronousIndex["handles"];
  /** Records accesses, as {@link MemoryIndex.touch} does. */
  touch: AsynchronousIndex["touch"];
  /** Records recalls, as {@link MemoryIndex.recall} does. */
  recall: AsynchronousIndex["recall"];
  /** Strengthens the edges between nodes of a group, as {@link MemoryIndex.strengthen} does. */
  strengthen: AsynchronousIndex["strengthen"];
  /** Ranks candidates, as {@link MemoryIndex.rerank} does. */
  rerank: AsynchronousIndex["rerank"];
  /** Searches, as {@link MemoryIndex.search} does. */
  search: AsynchronousIndex["search"];
  /** Answers a question in words, as {@link MemoryIndex.ask} does. */
  ask: AsynchronousIndex["ask"];
  /** Explains the place of a memory among answers, as {@link MemoryIndex.why} does. */
  why: AsynchronousIndex["why"];
  /** Returns the evidence for a question, as {@link MemoryIndex.evidence} does. */
  evidence: AsynchronousIndex["evidence"];
  /** Replaces the weights of evidence, as {@link MemoryIndex.weigh} does. */
  weigh: AsynchronousIndex["weigh"];
  /** Learns from the use of memories, as {@link MemoryIndex.learn} does. */
  learn: AsynchronousIndex["learn"];
  /** Returns what use has taught, as {@link MemoryIndex.learned} does. */
  learned: AsynchronousIndex["learned"];
  /** Replaces what use has taught, as {@link MemoryIndex.setLearned} does. */
  setLearned: AsynchronousIndex["setLearned"];
  /** Forgets what use has taught, as {@link MemoryIndex.forgetLearned} does. */
  forgetLearned: AsynchronousIndex["forgetLearned"];
  /** Returns the nodes nearest to an embedding, as {@link MemoryIndex.similar} does. */
  similar: AsynchronousIndex["similar"];
  /** Computes a sweep without storing it, as {@link MemoryIndex.decay} does. */
  decay: AsynchronousIndex["decay"];
  /** Stores the changes of a sweep, as {@link MemoryIndex.applyDecay} does. */
  applyDecay: AsynchronousIndex["applyDecay"];
  /** Returns the changes of lifecycle state, as {@link MemoryIndex.transitions} does. */
  transitions: AsynchronousIndex["transitions"];
  /** Explains the score of a node in a search, as {@link MemoryIndex.explain} does. */
  explain: AsynchronousIndex["explain"];
  /** Returns the index as bytes, as {@link MemoryIndex.snapshot} does. */
  snapshot: AsynchronousIndex["snapshot"];
  /** Returns the ids of all nodes, in no particular order. */
  ids(): Promise<string[]>;
  /** Returns the number of nodes. */
  size(): Promise<number>;
  /** Returns the number of edges. */
  edgeCount(): Promise<number>;
  /** Returns the number of nodes with a title or a text. */
  textCount(): Promise<number>;
  /** Returns the memory of the index, in bytes. */
  bytes(): Promise<MemoryUse>;
  /**
   * Ends the thread and its index at once, also during a request. Open and later requests are
   * rejected with `terminated`. Resolves when the thread has ended. Further calls do nothing.
   */
  terminate(): Promise<void>;
  /** Does the same as `terminate`. */
  free(): Promise<void>;
  /** Does the same as `terminate`. Missing in environments without the symbol. */
  [Symbol.asyncDispose](): Promise<void>;
}

/**
 * Creates an index on a thread of its own: a thread of `worker_threads` in Node, a `Worker` in a
 * browser. The module is not compiled again.
 *
 * @example
 * ```ts
 * const index = await createIndexWorker({ dimensions: 384 });
 * await index.upsert(nodes);
 * const { ranking } = await index.search({ embedding, limit: 10 });
 * await index.terminate();
 * ```
 *
 * @throws {NousError} As a rejection: the errors of the constructor or of `restore` of
 *   `MemoryIndex`; `unsupported` in environments without workers (Cloudflare's runtime), with an
 *   entry without workers (`/slim`), or if the script cannot be loaded; `not_initialized` before
 *   the module is loaded.
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
    stemming,
    config,
    maxBytes,
  } = given;
  const all = isRestored
    ? { config, maxBytes, stemming }
    : { dimensions, embeddings, embeddingId, config, maxBytes, stemming };
  // Undefined options are not sent.
  const making = Object.fromEntries(Object.entries(all).filter(([, value]) => value !== undefined));
  if (!(maxPending === Infinity || (Number.isInteger(maxPending) && maxPending >= 1))) {
    throw invalid("maxPending", `must be a whole number of at least 1, found ${show(maxPending)}`);
  }
  // A configuration that is not plain data is refused here, because it would change on the way.
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
  // Defined below, if this environment has the symbol.
  declare [Symbol.asyncDispose]: () => Promise<void>;

  constructor(queue: Queue, embeddingId: string) {
    this.#queue = queue;
    this.embeddingId = embeddingId;
  }

  /**
   * Sends a request. The arguments are named as in the method. The type of the result is that of
   * the interface.
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

  ask(question: string, options?: AskOptions) {
    return this.#ask("ask", (cargo) => ({
      question,
      options: packFiltered(options, ASK_KEYS, "filters", cargo),
    }));
  }

  why(id: string, question: string, options?: WhyOptions) {
    return this.#ask("why", (cargo) => ({
      id,
      question,
      options: packFiltered(options, WHY_KEYS, "filters", cargo),
    }));
  }

  evidence(question: string, options?: AskOptions) {
    return this.#ask("evidence", (cargo) => ({
      question,
      options: packFiltered(options, ASK_KEYS, "filters", cargo),
    }));
  }

  weigh(evidence: EvidenceConfig) {
    return this.#ask("weigh", () => {
      // What is not plain data is refused here, because it would change on the way.
      withModuleEvidence(evidence, () => undefined);
      return { evidence };
    });
  }

  learn(feedback: Feedback) {
    return this.#ask("learn", (cargo) => ({
      feedback: packFields(feedback, FEEDBACK_KEYS, cargo),
    }));
  }

  learned() {
    return this.#ask("learned", () => ({}));
  }

  setLearned(learned: Learned) {
    return this.#ask("setLearned", (cargo) => {
      const shallow = packFields(learned, LEARNED_KEYS, cargo);
      return { learned: packParts(shallow, ["shifts", "means"], TRAIT_KEYS, cargo) };
    });
  }

  forgetLearned() {
    return this.#ask("forgetLearned", () => ({}));
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

  textCount() {
    return this.#ask("textCount", () => ({}));
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

/** Converts an answer into the index's result: rankings arrive as data. */
function answerOf(asked: Asked, value: unknown): unknown {
  if (asked === "rerank") return new Ranking(value as RankingData);
  if (asked !== "search") return value;
  const { ranking, ...rest } = value as SearchResult<RankingData>;
  return { ranking: new Ranking(ranking), ...rest };
}
