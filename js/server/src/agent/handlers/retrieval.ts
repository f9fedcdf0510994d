// Retrieval in several passes: runs the engine's orchestrator over the agent's search.

import {
  createOrchestrator,
  type FoundRow,
  inSnakeCase,
  type Orchestrator,
  type Retrieved,
} from "nous-wasm";
import type { QuestionVector } from "../../api/operation.ts";
import type { RetrievalRequest, retrievalOperations } from "../../api/retrieval.ts";
import type { FoundNode } from "../../api/search.ts";
import type { RankedBy } from "../../settings/choices.ts";
import type { Agent } from "../agent.ts";
import { AnswerRoom } from "../answer-room.ts";
import type { HandlersOf } from "../handler.ts";
import { outwardly } from "../outwardly.ts";
import { vectorOf } from "../question.ts";
import { recallTogether } from "../rules/recall.ts";
import { causeOf, linesOf } from "../rules/retrieved.ts";
import { rankingOf, search } from "../search/search.ts";

/** The filters that all searches of a retrieval share. */
type SharedFilters = Omit<RetrievalRequest, "recall" | "ranking"> & {
  ranking: RankedBy;
  question?: QuestionVector | undefined;
  /** Collects the ids of found memories that did not fit into the answer. */
  omitted: Set<string>;
};
type RetrievedNode = FoundNode & FoundRow;

type Passes = Orchestrator<RetrievedNode, SharedFilters>;

/** By agent and ranking. Cached, because creating one reads the configuration. */
const orchestrators = new WeakMap<Agent, Map<RankedBy, Passes>>();

export const retrievalHandlers: HandlersOf<typeof retrievalOperations> = {
  retrieve: async (agent, { body: { recall, ...asked }, question }) => {
    const omitted = new Set<string>();
    const { nodes, groups, trace } = await retrieve(agent, { ...asked, omitted }, question);
    const room = new AnswerRoom();
    const full = nodes.findIndex((node) => !room.take(node));
    const data = full < 0 ? nodes : nodes.slice(0, full);
    const rest = new Set([...nodes.slice(data.length).map(({ id }) => id), ...omitted]);
    for (const { id } of data) rest.delete(id);
    const omitted_ids = [...rest];
    const given = groups.map((group) => group.filter((id) => !rest.has(id)));
    recallTogether(agent, given, recall);
    return {
      data,
      count: data.length,
      ...(omitted_ids.length === 0 ? {} : { omitted_ids }),
      groups,
      trace,
    };
  },

  contextLines: async (agent, { body: { recall, max_tokens, ...asked }, question }) => {
    const { nodes, groups } = await retrieve(agent, { ...asked, omitted: new Set() }, question);
    recallTogether(agent, groups, recall);
    return linesOf(agent.engine, nodes, max_tokens);
  },
};

/** @throws {Refusal} If the embedding does not fit those of the memories, or the ranking. */
async function retrieve(
  agent: Agent,
  asked: Omit<SharedFilters, "ranking"> & Pick<RetrievalRequest, "ranking">,
  question: QuestionVector | undefined,
): Promise<Retrieved<RetrievedNode>> {
  const ranking = rankingOf(agent, asked);
  await agent.prepare(ranking);
  if (ranking === "signals") agent.read(() => vectorOf(agent, asked, question));
  try {
    return await orchestratorOf(agent, ranking).retrieve(asked.query, {
      filters: { ...asked, ranking, question },
      now: agent.now(),
    });
  } catch (error) {
    throw causeOf(error);
  }
}

function orchestratorOf(agent: Agent, ranking: RankedBy): Passes {
  let known = orchestrators.get(agent);
  if (known === undefined) {
    known = new Map();
    orchestrators.set(agent, known);
  }
  let orchestrator = known.get(ranking);
  if (orchestrator === undefined) {
    orchestrator = createOrchestrator<RetrievedNode, SharedFilters>({
      ranking,
      config: inSnakeCase(agent.config),
      search: (query, { limit, filters, now }) => {
        const { question, omitted, ...asked } = filters!;
        // The embedding belongs to the whole question, and says little about its parts.
        const isWhole = query === asked.query;
        const sought = { ...asked, query, embedding: isWhole ? asked.embedding : null, limit };
        const { data, omitted_ids = [] } = outwardly(() =>
          agent.read(() => search(agent, sought, isWhole ? question : undefined, now)),
        );
        for (const id of omitted_ids) omitted.add(id);
        return data;
      },
    });
    known.set(ranking, orchestrator);
  }
  return orchestrator;
}
