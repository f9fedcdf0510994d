// Retrieval as Hynous' orchestrator does it: each of its searches is a search of the server, which
// has an embedding of its own and counts accesses. It runs in the HTTP thread, where embeddings are
// made; Hynous' runs in its client.

import type { EngineYaml } from "nous-memory";
import { createOrchestrator, inSnakeCase, type Orchestrator } from "nous-wasm";
import { causeOf, linesOf } from "../agent/rules/retrieved.ts";
import type { GivenTo } from "../api/operation.ts";
import type { AGENT_OPERATIONS, AgentOperation } from "../api/operations.ts";
import type { Recall } from "../api/retrieval.ts";
import type { FoundNode, SearchRequest } from "../api/search.ts";
import type { Compat, RankedBy } from "../settings/choices.ts";

type Given = GivenTo<(typeof AGENT_OPERATIONS)["retrieve" | "contextLines"]>;

/** The agents, as the HTTP thread asks them. `IfAbsent` says what to do without the agent. */
interface Agents<IfAbsent> {
  call<Name extends AgentOperation>(
    agent: string,
    operation: Name,
    given: GivenTo<(typeof AGENT_OPERATIONS)[Name]>,
    ifAbsent: IfAbsent,
    gone?: AbortSignal,
  ): Promise<string>;
}

/** The tasks of the server on an agent that a retrieval needs. */
interface Tasks {
  do(
    agent: string,
    task: "strengthen",
    given: { groups: string[][]; how: Exclude<Recall, "none"> },
  ): Promise<unknown>;
}

/** The filters of a retrieval, some of which a second search drops, and how it searches. */
type Asked = Omit<Given["body"], "query" | "recall" | "embedding"> & {
  search(request: Partial<SearchRequest>): Promise<FoundNode[]>;
};

/** Hynous' orchestrator takes the better one of two searches, and replaces no weak result. */
const AS_HYNOUS = { retry: "replace", fallback: "none", replacement_floor: null };

const isRetrieval = (operation: AgentOperation): operation is "retrieve" | "contextLines" =>
  operation === "retrieve" || operation === "contextLines";

/** The rules of retrievals. */
interface Rules {
  config: EngineYaml;
  engine: Parameters<typeof linesOf>[0];
  /** How the server ranks if a request does not say. */
  ranking: RankedBy;
}

/**
 * Returns a pool that retrieves as a compatibility mode says. Operations go to `agents`, tasks of
 * the server to `pool`.
 */
export const retrievingPool = <IfAbsent>(
  compat: Compat,
  agents: Agents<IfAbsent>,
  pool: Tasks,
  rules: Rules,
): Agents<IfAbsent> => (compat === "hynous" ? new RetrievalPool(agents, pool, rules) : agents);

class RetrievalPool<IfAbsent> implements Agents<IfAbsent> {
  readonly #agents: Agents<IfAbsent>;
  readonly #pool: Tasks;
  readonly #rules: Rules;
  readonly #orchestrator: Orchestrator<FoundNode, Asked>;

  constructor(agents: Agents<IfAbsent>, pool: Tasks, rules: Rules) {
    const { config } = rules;
    this.#agents = agents;
    this.#pool = pool;
    this.#rules = rules;
    const orchestrator = { ...AS_HYNOUS, ...(config.orchestrator as object | undefined) };
    this.#orchestrator = createOrchestrator<FoundNode, Asked>({
      ranking: "signals",
      config: inSnakeCase({ ...config, orchestrator }),
      search: (query, { limit, filters }) => {
        const { search, ...asked } = filters!;
        return search({ ...asked, query, limit });
      },
    });
  }

  readonly call: Agents<IfAbsent>["call"] = async (agent, operation, given, ...rest) => {
    const asked = given as Given;
    const ranks = (asked.body as { ranking?: RankedBy | null } | undefined)?.ranking;
    return isRetrieval(operation) && (ranks ?? this.#rules.ranking) === "signals"
      ? JSON.stringify(await this.#retrieve(agent, asked, rest))
      : this.#agents.call(agent, operation, given, ...rest);
  };

  async #retrieve(
    agent: string,
    { body, ...parts }: Given,
    rest: [ifAbsent: IfAbsent, gone?: AbortSignal | undefined],
  ) {
    const { query, recall, embedding, ...filters } = body;
    const search = async (request: Partial<SearchRequest>): Promise<FoundNode[]> => {
      // The embedding belongs to the whole question.
      const vector = request.query === query ? { embedding } : {};
      const given = { ...parts, recall, body: { ...request, ...vector } };
      const answer = await this.#agents.call(agent, "search", given as never, ...rest);
      return (JSON.parse(answer) as { data: FoundNode[] }).data;
    };
    const { nodes, groups, trace } = await this.#orchestrator
      .retrieve(query, { filters: { ...filters, search } })
      .catch((error: unknown) => {
        throw causeOf(error);
      });
    if (recall !== "none") await this.#pool.do(agent, "strengthen", { groups, how: recall });
    return "max_tokens" in body
      ? linesOf(this.#rules.engine, nodes, body.max_tokens)
      : { data: nodes, count: nodes.length, groups, trace };
  }
}
