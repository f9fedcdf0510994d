// The agents of a server that makes vectors: what is asked gets its vector before an agent sees it,
// and what was written gets its own afterwards.

import { understand } from "nous-wasm";
import type { GivenTo } from "../api/operation.ts";
import type { AGENT_OPERATIONS, AgentOperation } from "../api/operations.ts";
import type { Embedder } from "../embeddings/embedder.ts";
import { Backlog, type Queue } from "../embeddings/queue.ts";
import { embeddingText } from "../embeddings/text.ts";
import type { Logger } from "../log.ts";
import type { IfAbsent } from "../workers/open-agents.ts";
import type { Pool } from "../workers/pool.ts";

type Given<Name extends AgentOperation> = GivenTo<(typeof AGENT_OPERATIONS)[Name]>;

/** The text of what is asked, where its vector is not given, and of use. */
const QUESTIONS: {
  readonly [Name in AgentOperation]?: (given: Given<Name>) => string | undefined;
} = {
  search: ({ body }) => (isPlainLookup(body.query) ? undefined : queryOf(body)),
  retrieve: ({ body }) => queryOf(body),
  contextLines: ({ body }) => queryOf(body),
  buildContext: ({ body: { input, embedding } }) => queryOf({ query: input, embedding }),
  checkSimilar: ({ body: { embedding, title = null, subtype = null, content } }) =>
    embedding == null
      ? embeddingText({
          type: KIND_OF_NEW,
          subtype,
          content_title: title,
          content_summary: null,
          content_body: content,
        })
      : undefined,
};

const queryOf = ({ query, embedding }: { query: string; embedding?: unknown }) =>
  embedding == null ? query : undefined;

/** Which is answered by words. */
function isPlainLookup(query: string): boolean {
  const { query_type, disqualified } = understand(query);
  return query_type === "LOOKUP" && !disqualified;
}

/** What a text that is not a memory yet would most likely become. */
const KIND_OF_NEW = "concept";

export class AskingPool implements Pick<Pool, "call"> {
  readonly #pool: Pool;
  readonly #embedder: Embedder;
  readonly #backlog: Backlog;

  constructor(pool: Pool, embedder: Embedder, log: Logger) {
    this.#pool = pool;
    this.#embedder = embedder;
    this.#backlog = new Backlog((agent) => this.#queueOf(agent), embedder, log);
  }

  async call<Name extends AgentOperation>(
    agent: string,
    operation: Name,
    given: Given<Name>,
    ifAbsent: IfAbsent,
    gone?: AbortSignal,
  ): Promise<string> {
    if (operation === "backfillEmbeddings") return JSON.stringify(await this.#backlog.drain(agent));
    const asked = await this.#withVector(agent, operation, given);
    const answer = await this.#pool.call(agent, operation, asked, ifAbsent, gone);
    this.#backlog.wake(agent);
    return answer;
  }

  async #withVector<Name extends AgentOperation>(
    agent: string,
    operation: Name,
    given: Given<Name>,
  ): Promise<Given<Name>> {
    const text = QUESTIONS[operation]?.(given);
    if (text === undefined) return given;
    const model = await this.#pool.do(agent, "questionModel", this.#embedder.model);
    if (model === null) return given;
    const start = performance.now();
    const vector = await this.#embedder.question(agent, text, model);
    return vector === undefined
      ? given
      : { ...given, question: { vector, ms: performance.now() - start } };
  }

  /** An agent has been opened: those who waited before go on waiting no longer. */
  wake(agent: string): void {
    this.#backlog.wake(agent);
  }

  #queueOf(agent: string): Queue {
    const { model } = this.#embedder;
    return {
      take: (most) => this.#pool.do(agent, "takeWork", { configured: model, most }),
      store: (made) => this.#pool.do(agent, "storeVectors", made),
      putOff: async (failed) => void (await this.#pool.do(agent, "putOff", failed)),
      release: () => this.#pool.do(agent, "releaseWork", undefined),
    };
  }

  /** Nothing is made any more; what was not is still in the queues. */
  close(): Promise<void> {
    return this.#backlog.close();
  }
}
