// The pool of a server with a provider of embeddings. A question gets its embedding before an agent
// receives it, and a memory gets its embedding after it was stored.

import { setTimeout as wait } from "node:timers/promises";
import { LRUCache } from "lru-cache";
import { questionOfTurn } from "nous-memory";
import type { Engine } from "nous-wasm";
import { isPlainLookup } from "../agent/rules/plain-lookup.ts";
import type { EmbeddingModel, GivenTo, QuestionVector } from "../api/operation.ts";
import type { AGENT_OPERATIONS, AgentOperation } from "../api/operations.ts";
import type { Embedder } from "../embeddings/embedder.ts";
import { OtherModel } from "../embeddings/other-model.ts";
import type { Purpose } from "../embeddings/provider.ts";
import { Backlog, type EmbeddingQueue } from "../embeddings/queue.ts";
import { isTransformer, scaleOfTransformer, textFor } from "../embeddings/text.ts";
import type { Logger } from "../log.ts";
import type { RankedBy } from "../settings/choices.ts";
import type { EmbeddedTexts } from "../storage/rows.ts";
import { type DoPart, unfollowed } from "../telemetry/telemetry.ts";
import type { IfAbsent } from "../workers/open-agents.ts";
import type { Pool } from "../workers/pool.ts";

type Given<Name extends AgentOperation> = GivenTo<(typeof AGENT_OPERATIONS)[Name]>;

/** The text of a question that may need an embedding. */
interface Text {
  text: string;
  /** How the memories are ranked by it; undefined if they are only compared with it. */
  ranking?: RankedBy;
}

/** What the question of a request depends on. */
interface Asking {
  /** How the server ranks if the request does not say. */
  byDefault: RankedBy;
  /** Returns the text of a memory that the model reads. */
  textOf(memory: EmbeddedTexts): string;
  engine: PoolEngine;
  /** Whether the server learns from use. */
  learns: boolean;
}

/**
 * Returns the question of a request; undefined if it has none or brings its own embedding.
 */
const QUESTIONS: {
  readonly [Name in AgentOperation]?: (
    given: Given<Name>,
    { byDefault, textOf, engine, learns }: Asking,
  ) => Text | undefined;
} = {
  search: ({ body }, asking) => queryOf(body, asking),
  retrieve: ({ body }, asking) => queryOf(body, asking),
  contextLines: ({ body }, asking) => queryOf(body, asking),
  buildContext: ({ body: { input, messages, ...body } }, asking) => {
    const asked = queryOf({ ...body, query: input }, asking);
    if (asked?.ranking !== "evidence") return asked;
    // Evidence asks the turn together with those before it.
    const { signals } = asking.engine.planTurn(input);
    const opensTopic = asking.engine.nextTopic(input) !== null;
    const text = questionOfTurn(input, messages?.turns ?? [], { signals, opensTopic });
    return text === undefined ? undefined : { ...asked, text };
  },
  explain: ({ body: { query } }) => ({ text: query, ranking: "evidence" }),
  factHistory: ({ body: { query } }) =>
    query === undefined ? undefined : { text: query, ranking: "evidence" },
  isAnswerable: ({ body: { question } }) => ({ text: question, ranking: "evidence" }),
  giveSearchFeedback: ({ body: { question } }, { learns }) => learntFrom(question, learns),
  giveFeedback: ({ body: { input } }, { learns }) => learntFrom(input, learns),
  checkSimilar: ({ body: { embedding, title = null, subtype = null, content } }, { textOf }) => {
    if (embedding != null) return undefined;
    const texts = { content_title: title, content_summary: null, content_body: content };
    return { text: textOf({ type: TYPE_OF_NEW, subtype, ...texts }) };
  },
};

/** The fields of a question that decide whether it needs an embedding. */
interface Asked {
  query: string;
  embedding?: unknown;
  ranking?: RankedBy | null | undefined;
}

const queryOf = ({ query, embedding, ranking }: Asked, { byDefault }: Asking): Text | undefined =>
  embedding == null ? { text: query, ranking: ranking ?? byDefault } : undefined;

/** Use teaches by the evidence that the answer was ranked by. */
const learntFrom = (question: string | null | undefined, learns: boolean): Text | undefined =>
  learns && question != null ? { text: question, ranking: "evidence" } : undefined;

/** The most new texts of a request that are compared by embeddings, and their length. */
const MAX_COMPARED = 16;
const MAX_COMPARED_TEXT = 2_000;
/** How long a write waits for them, in milliseconds. Then words compare. */
const MAX_WAIT = 500;

/** Returns the texts of a request that may become one memory each. */
function textsToCompare({
  text,
  memories = [],
  messages = [],
}: Given<"remember">["body"]): string[] {
  const texts = [
    ...(text === undefined ? [] : [text]),
    ...memories.map((one) => (typeof one === "string" ? one : one.text)),
    ...messages.flatMap(({ role, content }) => (role === "user" ? content : [])),
  ].map((one) => one.trim());
  return texts.length > MAX_COMPARED
    ? []
    : texts.filter((one) => one !== "" && one.length <= MAX_COMPARED_TEXT);
}

/**
 * How long a question waits for the first embedding of an agent, in milliseconds, and between two
 * looks.
 */
const MAX_FIRST_WAIT = 2_000;
const LOOK = 10;

/** The type that a new text would most likely get. */
const TYPE_OF_NEW = "concept";

/** Agents whose model is cached. */
const MAX_AGENTS = 10_000;
/** How many models a question is embedded with before it is searched by its words alone. */
const MAX_MODELS = 2;

type PoolEngine = Pick<Engine, "understand" | "planTurn" | "nextTopic">;

export interface EmbeddingPoolOptions {
  embedder: Embedder;
  /**
   * The engine of the usual preset: it says which searches are plain lookups, and what turns ask.
   */
  engine: PoolEngine;
  /** The characters that form the terms of a search. */
  terms: "ascii" | "unicode";
  /** How searches rank unless a request says. */
  ranking: RankedBy;
  learns: boolean;
  log: Logger;
  part?: DoPart;
}

export class EmbeddingPool implements Pick<Pool, "call"> {
  readonly #pool: Pick<Pool, "call" | "do">;
  readonly #embedder: Embedder;
  readonly #engine: PoolEngine;
  readonly #terms: "ascii" | "unicode";
  readonly #ranking: RankedBy;
  readonly #learns: boolean;
  readonly #part: DoPart;
  readonly #backlog: Backlog;
  /**
   * The model of each agent's embeddings. Another process may change it: the agent compares the
   * model of each question with its own.
   */
  readonly #models = new LRUCache<string, EmbeddingModel>({ max: MAX_AGENTS });
  /** Agents whose first embedding did not come in time: nobody waits for it again. */
  readonly #late = new LRUCache<string, true>({ max: MAX_AGENTS });

  constructor(
    pool: Pick<Pool, "call" | "do">,
    { embedder, engine, terms, ranking, learns, log, part = unfollowed }: EmbeddingPoolOptions,
  ) {
    this.#pool = pool;
    this.#embedder = embedder;
    this.#engine = engine;
    this.#terms = terms;
    this.#ranking = ranking;
    this.#learns = learns;
    this.#part = part;
    this.#backlog = new Backlog((agent) => this.#queueOf(agent), embedder, log);
  }

  readonly call: Pool["call"] = async (agent, operation, given, ifAbsent, gone) => {
    if (operation === "backfillEmbeddings") return JSON.stringify(await this.#backlog.drain(agent));
    const answer = await this.#ask(agent, operation, given, ifAbsent, gone);
    this.#backlog.wake(agent);
    return answer;
  };

  /**
   * Returns whether a question may need an embedding. Signals compare none for a search that is a
   * plain lookup, which its words alone answer.
   */
  #mayNeed(operation: AgentOperation, { text, ranking }: Text): boolean {
    if (ranking === "evidence" || operation !== "search") return true;
    return !isPlainLookup(this.#engine.understand(text, { terms: this.#terms }));
  }

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
    const { model } = this.#embedder;
    const asked = QUESTIONS[operation]?.(given, {
      byDefault: this.#ranking,
      textOf: (memory) => textFor(model, memory),
      engine: this.#engine,
      learns: this.#learns,
    });
    const isAsked = asked !== undefined && this.#mayNeed(operation, asked);
    if (isAsked) await this.#firstEmbedding(agent);
    for (let models = 0; isAsked && models < MAX_MODELS; models++) {
      const question = await this.#questionOf(agent, asked);
      if (question === undefined) break;
      try {
        return await this.#pool.call(agent, operation, { ...given, question }, ifAbsent, gone);
      } catch (error) {
        if (!(error instanceof OtherModel)) throw error;
        this.#models.set(agent, error.inUse);
      }
    }
    const questions =
      operation === "remember"
        ? await this.#textsOf(agent, textsToCompare((given as Given<"remember">).body))
        : [];
    const whole = questions.length === 0 ? given : { ...given, questions };
    return this.#pool.call(agent, operation, whole, ifAbsent, gone);
  }

  /**
   * Waits for the embedding of a first memory, if the server's own transformer is to make it. A
   * question to an agent without any is searched by its words alone: a program that stores its
   * first memory and asks at once would not find it by its meaning.
   */
  async #firstEmbedding(agent: string): Promise<void> {
    if (this.#models.has(agent) || this.#late.has(agent)) return;
    if (!isTransformer(this.#embedder.model)) return;
    const end = performance.now() + MAX_FIRST_WAIT;
    while (await this.#pool.do(agent, "awaitsFirst", undefined)) {
      if (performance.now() > end) {
        this.#late.set(agent, true);
        return;
      }
      this.#backlog.wake(agent, 0);
      await wait(LOOK);
    }
  }

  /**
   * Returns the embeddings of new texts, by which they are compared with older memories, as far as
   * the server's own transformer makes them in time. A write does not wait for a provider.
   */
  async #textsOf(agent: string, texts: readonly string[]): Promise<QuestionVector[]> {
    if (!isTransformer(this.#embedder.model)) return [];
    const made: QuestionVector[] = [];
    const late = wait(MAX_WAIT, undefined, { ref: false });
    const making = texts.map(async (text) => {
      const vector = await this.#questionOf(agent, { text, ranking: "evidence" }, "passage");
      if (vector !== undefined) made.push(vector);
    });
    await Promise.race([Promise.allSettled(making), late]);
    return [...made];
  }

  /**
   * Returns undefined if the agent has no embeddings, or none that count, or if the provider makes
   * none now.
   */
  async #questionOf(
    agent: string,
    { text, ranking }: Text,
    purpose: Purpose = "question",
  ): Promise<QuestionVector | undefined> {
    const model =
      this.#models.get(agent) ??
      (await this.#pool.do(agent, "questionModel", this.#embedder.model));
    if (model === null || !this.#embedder.serves(model)) return undefined;
    const start = performance.now();
    // Weights of evidence are fitted with the transformer's cosines, and other models have other
    // ones.
    const isMeasured = ranking === "evidence" && !isTransformer(model);
    const scale = isMeasured
      ? await this.#embedder.scaleOf(model)
      : ranking === "evidence"
        ? scaleOfTransformer(model)
        : undefined;
    const vector =
      isMeasured && scale === undefined
        ? undefined
        : await this.#part("embed question", () =>
            this.#embedder.atOnce(agent, text, model, purpose),
          );
    if (vector === undefined) {
      // The provider may refuse a model that is not in use any more.
      this.#models.delete(agent);
      return undefined;
    }
    this.#models.set(agent, model);
    const ms = performance.now() - start;
    return { text, vector, model, ms, ...(scale && { scale }) };
  }

  /** How many memories wait for an embedding, of the agents that were asked since the start. */
  get waiting(): number {
    return this.#backlog.waiting;
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
  async close(): Promise<void> {
    await this.#backlog.close();
    await this.#embedder.close();
  }
}
