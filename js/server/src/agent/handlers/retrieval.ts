// Retrieval in several passes, over the agent's own search.

import {
  createOrchestrator,
  type FoundRow,
  inSnakeCase,
  NousError,
  type Orchestrator,
  type Retrieved,
} from "nous-wasm";
import type { QuestionVector } from "../../api/operation.ts";
import type { RetrievalRequest, retrievalOperations } from "../../api/retrieval.ts";
import type { FoundNode } from "../../api/search.ts";
import { Refusal } from "../../refusal.ts";
import type { Agent } from "../agent.ts";
import { AnswerRoom } from "../answer-room.ts";
import type { HandlersOf } from "../handler.ts";
import { vectorOf } from "../question.ts";
import { recallTogether } from "../rules/recall.ts";
import { search } from "./search.ts";

/** What is the same in all searches of a retrieval. */
type SharedFilters = Omit<RetrievalRequest, "recall"> & {
  question?: QuestionVector | undefined;
  /** Takes the ids of what searches found and had no room for. */
  omitted: Set<string>;
};
type RetrievedNode = FoundNode & FoundRow;

/** To be kept: making one reads the configuration. */
const orchestrators = new WeakMap<Agent, Orchestrator<RetrievedNode, SharedFilters>>();

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
    return {
      text: agent.engine.formatContext(nodes, max_tokens, { emptyAsMissing: true }),
      ids: nodes.map(({ id }) => id),
    };
  },
};

/** @throws {Refusal} for a vector that does not fit. */
async function retrieve(
  agent: Agent,
  asked: SharedFilters,
  question: QuestionVector | undefined,
): Promise<Retrieved<RetrievedNode>> {
  agent.read(() => vectorOf(agent, asked, question));
  try {
    return await orchestratorOf(agent).retrieve(asked.query, {
      filters: { ...asked, question },
      now: agent.now(),
    });
  } catch (error) {
    throw causeOf(error);
  }
}

function orchestratorOf(agent: Agent): Orchestrator<RetrievedNode, SharedFilters> {
  let orchestrator = orchestrators.get(agent);
  if (orchestrator === undefined) {
    orchestrator = createOrchestrator<RetrievedNode, SharedFilters>({
      config: inSnakeCase(agent.config),
      search: (query, { limit, filters, now }) => {
        const { question, omitted, ...asked } = filters!;
        // The vector is that of the whole question, and says little of its parts.
        const isWhole = query === asked.query;
        const sought = { ...asked, query, embedding: isWhole ? asked.embedding : null, limit };
        const { data, omitted_ids = [] } = outwardly(() =>
          agent.read(() => search(agent, sought, isWhole ? question : undefined, now)),
        );
        for (const id of omitted_ids) omitted.add(id);
        return data;
      },
    });
    orchestrators.set(agent, orchestrator);
  }
  return orchestrator;
}

/** Does something of which failures are told to clients: no word of the database is in them. */
export function outwardly<T>(work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw outward(error);
  }
}

/** A failure as clients are told of it. */
export const outward = (error: unknown): Error =>
  error instanceof Refusal
    ? error
    : new Error("the memory could not be searched", { cause: error });

/** Why all searches failed. */
function causeOf(error: unknown): unknown {
  if (!(error instanceof NousError) || error.code !== "search_failed") return error;
  const { cause } = error;
  return cause instanceof Refusal ? cause : ((cause as Error).cause ?? cause);
}
