// The prompt of a turn by signals: the engine builds it from searches of the agent.

import {
  CONVERSATIONS,
  fadedNow,
  isAtHand,
  MAX_PROFILE,
  PROFILE_CATEGORIES,
  parseInstant,
  toIso,
} from "nous-memory";
import type { ContextMemory, MemoryType, ProfileFact, RecentConversation } from "nous-wasm";
import type { TurnAsked } from "../../api/context.ts";
import type { QuestionVector } from "../../api/operation.ts";
import type { SearchRequest } from "../../api/search.ts";
import type { Agent } from "../agent.ts";
import { AnswerRoom } from "../answer-room.ts";
import { outwardly } from "../outwardly.ts";
import { vectorOf } from "../question.ts";
import { soughtFor, subtypesByType } from "../rules/prompt.ts";
import { search } from "../search/search.ts";
import { wantedOf } from "../search/wanted.ts";
import { usageOf } from "./usage.ts";

type Embedding = SearchRequest["embedding"];

/** Returns the prompt of a turn, and the ids of its memories by question. */
export async function promptBySignals(
  agent: Agent,
  {
    input,
    identity,
    embedding,
    frame,
    messages,
    censors,
    working_memory,
    budgets,
    max_tokens,
    filter,
  }: TurnAsked,
  question: QuestionVector | undefined,
) {
  const now = agent.now();
  await agent.prepare("signals");
  agent.read(() => vectorOf(agent, { embedding }, question));
  const built = await agent.engine.buildContext({
    ...{ input, identity, messages, now, censors, workingMemory: working_memory },
    budgets: max_tokens == null ? budgets : { ...budgets, total: max_tokens },
    frame: typeof frame === "object" && frame !== null ? withoutUndefined(frame) : frame,
    retrieve: retrieverOf(agent, now, { embedding, filter, question }),
    profile: () => outwardly(() => agent.read(() => profileOf(agent, filter, now))),
    recent: ({ since, limit }) =>
      outwardly(() => agent.read(() => conversationsSince(agent, { filter, since, limit }, now))),
    usage: { boost: (ids) => outwardly(() => usageOf(agent, ids, now).boost(ids, now)) },
  });
  // All queries with the same text count as one question.
  const groups = new Map<string, string[]>();
  for (const { query_text, memory_type } of built.plan.queries) {
    groups.set(query_text, [...(groups.get(query_text) ?? []), ...built.recalled_ids[memory_type]]);
  }
  return { built: { ...built, frame: { ...built.frame } }, groups: [...groups.values()] };
}

const withoutUndefined = <T extends object>(fields: T) =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as {
    [Name in keyof T]: Exclude<T[Name], undefined>;
  };

/**
 * Returns the function that finds memories of a type: it searches among the subtypes of that type,
 * by the query's words and the turn's embedding.
 */
function retrieverOf(
  agent: Agent,
  now: number,
  {
    embedding,
    filter,
    question,
  }: {
    embedding: Embedding;
    filter: SearchRequest["filter"];
    question: QuestionVector | undefined;
  },
) {
  let subtypes: ReadonlyMap<MemoryType, (string | null)[]> | undefined;
  return ({
    memory_type,
    query_text,
    limit,
  }: {
    memory_type: MemoryType;
    query_text: string;
    limit: number;
  }) =>
    outwardly(() =>
      agent.read((): ContextMemory[] => {
        subtypes ??= subtypesByType(agent.storage.nodes.subtypes(), agent.engine);
        const those = subtypes.get(memory_type);
        if (those === undefined || query_text.trim() === "") return [];
        const sought = {
          query: query_text,
          limit: soughtFor(limit),
          type: null,
          subtype: null,
          subtypes: those,
          ranking: "signals" as const,
          embedding,
          filter,
        };
        return search(agent, sought, question, now).data.map((row) => {
          const { frame, censors } = row;
          return { ...agent.engine.contextMemory(row), frame, censors };
        });
      }),
    );
}

function profileOf(agent: Agent, filter: SearchRequest["filter"], now: number): ProfileFact[] {
  const { storage, engine, index } = agent;
  const rows = storage.nodes.list(
    { subtypes: Object.keys(PROFILE_CATEGORIES), wanted: wantedOf(agent, filter, now) },
    MAX_PROFILE,
    undefined,
    new AnswerRoom(),
  );
  const ids = rows.map(({ id }) => id);
  const states = fadedNow(ids, index, engine, now);
  const shown = rows.filter((_, place) => isAtHand(states[place]?.lifecycle));
  return shown.map((row) => ({
    id: row.id,
    text: engine.contextMemory(agent.presentNew(row)).text,
    category: PROFILE_CATEGORIES[row.subtype ?? ""]!,
  }));
}

function conversationsSince(
  agent: Agent,
  { filter, since, limit }: { filter: SearchRequest["filter"]; since: number; limit: number },
  now: number,
): RecentConversation[] {
  const wanted = wantedOf(agent, filter, now);
  const sought = { subtypes: CONVERSATIONS, created_after: toIso(since), wanted };
  const rows = agent.storage.nodes.list(sought, limit, undefined, new AnswerRoom());
  return rows.flatMap(
    ({ id, content_title, content_summary, provenance_created_at, created_at }) => {
      const at = parseInstant(provenance_created_at ?? created_at ?? "");
      return at === undefined
        ? []
        : [{ id, title: content_title, summary: content_summary, created_at: at }];
    },
  );
}
