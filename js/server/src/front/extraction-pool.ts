// The pool of a server with a language model that takes facts out of conversations. The model reads
// the messages before the agent stores them; the agent answers other requests meanwhile.

import { toIso } from "nous-memory";
import type { GivenTo } from "../api/operation.ts";
import type { AGENT_OPERATIONS, AgentOperation } from "../api/operations.ts";
import type { Extractor } from "../extraction/extractor.ts";
import type { DoPart } from "../telemetry/telemetry.ts";
import type { IfAbsent } from "../workers/open-agents.ts";
import type { Pool } from "../workers/pool.ts";

type Given<Name extends AgentOperation> = GivenTo<(typeof AGENT_OPERATIONS)[Name]>;

export class ExtractionPool implements Pick<Pool, "call"> {
  readonly #agents: Pick<Pool, "call">;
  readonly #pool: Pick<Pool, "do" | "open">;
  readonly #extractor: Extractor;
  readonly #part: DoPart;

  /** Operations go to `agents`, tasks of the server to `pool`. */
  constructor(
    agents: Pick<Pool, "call">,
    pool: Pick<Pool, "do" | "open">,
    extractor: Extractor,
    part: DoPart,
  ) {
    this.#agents = agents;
    this.#pool = pool;
    this.#extractor = extractor;
    this.#part = part;
  }

  readonly call: Pool["call"] = async (agent, operation, given, ifAbsent, gone) => {
    const asked =
      operation === "remember"
        ? await this.#withFacts(agent, given as Given<"remember">, ifAbsent, gone)
        : given;
    return this.#agents.call(agent, operation, asked as typeof given, ifAbsent, gone);
  };

  async #withFacts(
    agent: string,
    given: Given<"remember">,
    ifAbsent: IfAbsent,
    gone: AbortSignal | undefined,
  ): Promise<Given<"remember">> {
    const { messages, extract, user } = given.body;
    if (messages === undefined || extract === false) return given;
    // An agent that is new has its preset once it is open.
    if (ifAbsent === "create") await this.#pool.open(agent);
    const { headers, body } = given;
    const types = await this.#pool.do(agent, "typesOfFacts", { headers, body });
    if (types === null) return given;
    const now = toIso(Date.now());
    const extracted = await this.#part("extract facts", () =>
      this.#extractor.facts(messages, { types, user, now }, gone),
    );
    return { ...given, extracted };
  }
}
