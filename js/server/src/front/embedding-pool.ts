// The pool of a server with a provider of embeddings. A question gets its embedding before an agent
// receives it, and a memory gets its embedding after it was stored.

import { LRUCache } from "lru-cache";
import { embeddingText } from "nous-memory";
import type { Engine } from "nous-wasm";
import { isPlainLookup } from "../agent/rules/plain-lookup.ts";
import type { EmbeddingModel, GivenTo, QuestionVector } from "../api/operation.ts";
import type { AGENT_OPERATIONS, AgentOperation } from "../api/operations.ts";
import type { Embedder } from "../embeddings/embedder.ts";
import { OtherModel } from "../embeddings/other-model.ts";
import { Backlog, type EmbeddingQueue } from "../embeddings/queue.ts";
import type { Logger } from "../log.ts";
import type { RankedBy } from "../settings/choices.ts";
import type { IfAbsent } from "../workers/open-agents.ts";
import type { Pool } from "../workers/pool.ts";

type Given<Name extends AgentOperation> = GivenTo<(typeof AGENT_OPERATIONS)[Name]>;

/**
 * Returns the text of a question that may need an embedding; undefined if it needs none or brings
 * its own. `usual` is how the server ranks if the request does not say.
 */
const QUESTIONS: {
  readonly [Name in AgentOperation]?: (
    given: Given<Name>,
    byDefault: RankedBy,
  ) => string | undefined;
} = {
  search: ({ body }, byDefault) => queryOf(body, byDefault),
  retrieve: ({ body }, byDefault) => queryOf(body, byDefault),
  contextLines: ({ body }, byDefault) => queryOf(body, byDefault),
  buildContext: ({ body: { input, ...body } }, byDefault) =>
    queryOf({ ...body, query: input }, byDefault),
  checkSimilar: ({ body: { embedding, title = null, subtype = null, content } }) =>
    embedding == null
      ? embeddingText({
          type: TYPE_OF_NEW,
          subtype,
          content_title: title,
          content_summary: null,
          content_body: content,
        })
      : undefined,
};

/** The fields of a question that decide whether it needs an embedding. */
interface Asked {
  query: string;
  embedding?: unknown;
  ranking?: RankedBy | null | undefined;
}

/** Evidence compares no embeddings of questions. */
const queryOf = ({ query, embedding, ranking }: Asked, byDefault: RankedBy) =>
  embedding == null && (ranking ?? byDefault) === "signals" ? query : undefined;

/** The type that a new text would most likely get. */
const TYPE_OF_NEW = "concept";

/** Agents whose model is cached. */
const MAX_AGENTS = 10_000;
/** How many models a question is embedded with before it is searched by its words alone. */
const MAX_MODELS = 2;

export interface EmbeddingPoolOptions {
  embedder: Embedder;
  /** The engine of the usual preset: it says which searches are plain lookups. */
  engine: Pick<Engine, "understand">;
  /** The characters that form the terms of a search. */
  terms: "ascii" | "unicode";
  /** How searches rank unless a request says. */
  ranking: RankedBy;
  log: Logger;
}

export class EmbeddingPool implements Pick<Pool, "call"> {
  readonly #pool: Pick<Pool, "call" | "do">;
  readonly #embedder: Embedder;
  readonly #engine: Pick<Engine, "understand">;
  readonly #terms: "ascii" | "unicode";
  readonly #ranking: RankedBy;
  readonly #backlog: Backlog;
  /**
   * The model of each agent's embeddings. Another process may change it: the agent compares the
   * model of each question with its own.
   */
  readonly #models = new LRUCache<string, EmbeddingModel>({ max: MAX_AGENTS });

  constructor(
    pool: Pick<Pool, "call" | "do">,
    { embedder, engine, terms, ranking, log }: EmbeddingPoolOptions,
  ) {
    this.#pool = pool;
    this.#embedder = embedder;
    this.#engine = engine;
    this.#terms = terms;
    this.#ranking = ranking;
    this.#backlog = new Backlog((agent) => this.#queueOf(agent), embedder, log);
  }

  readonly call: Pool["call"] = async (agent, operation, given, ifAbsent, gone) => {
    if (operation === "backfillEmbeddings") return JSON.stringify(await this.#backlog.drain(agent));
    const answer = await this.#ask(agent, operation, given, ifAbsent, gone);
    this.#backlog.wake(agent);
    return answer;
  };

  /** Returns whether a search is a plain lookup, which its words alone answer. */
  #isPlainLookup = (query: string): boolean =>
    isPlainLookup(this.#engine.understand(query, { terms: this.#terms }));

  /**
   * Sends a request with the embedding of its question; once more if the embedding is of another
   * model.
   */
  async #ask<Name extends AgentOperation>(
    agent: string,
    operation: Name,
    given: Given<Name>,
    ifAbsent: IfAbsent,
    gone: AbortSignal | undefined,
  ): Promise<string> {
    const asked = QUESTIONS[operation]?.(given, this.#ranking);
    const needsNone = asked !== undefined && operation === "search" && this.#isPlainLookup(asked);
    const text = needsNone ? undefined : asked;
    for (let models = 0; text !== undefined && models < MAX_MODELS; models++) {
      const question = await this.#questionOf(agent, text);
      if (question === undefined) break;
      try {
        return await this.#pool.call(agent, operation, { ...given, question }, ifAbsent, gone);
      } catch (error) {
        if (!(error instanceof OtherModel)) throw error;
        this.#models.set(agent, error.inUse);
      }
    }
    return this.#pool.call(agent, operation, given, ifAbsent, gone);
  }

  /** Returns undefined if the agent has no embeddings, or if the provider makes none now. */
  async #questionOf(agent: string, text: string): Promise<QuestionVector | undefined> {
    const model =
      this.#models.get(agent) ??
      (await this.#pool.do(agent, "questionModel", this.#embedder.model));
    if (model === null) return undefined;
    const start = performance.now();
    const vector = await this.#embedder.question(agent, text, model);
    if (vector === undefined) {
      // The provider may refuse a model that is not in use any more.
      this.#models.delete(agent);
      return undefined;
    }
    this.#models.set(agent, model);
    return { vector, model, ms: performance.now() - start };
  }

  /** Starts making embeddings for memories of an agent that wait for one. */
  wake(agent: string): void {
    this.#backlog.wake(agent);
  }

  #queueOf(agent: string): EmbeddingQueue {
    const { model } = this.#embedder;
    return {
      take: (max) => this.#pool.do(agent, "takeWork", { configured: model, max }),
      store: (made) => this.#pool.do(agent, "storeVectors", made),
      putOff: async (failed) => void (await this.#pool.do(agent, "putOff", failed)),
      release: () => this.#pool.do(agent, "releaseWork", undefined),
    };
  }

  /** Stops making embeddings; memories without one stay in the queues. */
  close(): Promise<void> {
    return this.#backlog.close();
  }
}
