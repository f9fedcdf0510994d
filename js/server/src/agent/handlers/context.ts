// Prompts: builds prompts from memories, and records which memories an answer used.

import { randomUUID } from "node:crypto";
import {
  type ContextMemory,
  type MemoryType,
  type ProfileFact,
  type RecentConversation,
  UsageTracker,
} from "nous-wasm";
import type { contextOperations, FeedbackAnswer } from "../../api/context.ts";
import type { QuestionVector } from "../../api/operation.ts";
import type { SearchRequest } from "../../api/search.ts";
import type { UsageRow } from "../../storage/rows.ts";
import { parseInstant, toIso } from "../../time.ts";
import type { Agent } from "../agent.ts";
import { AnswerRoom } from "../answer-room.ts";
import type { HandlersOf } from "../handler.ts";
import { fadedNow } from "../present.ts";
import { vectorOf } from "../question.ts";
import { learnFrom, prepareToLearn } from "../rules/learning.ts";
import { PROFILE_CATEGORIES } from "../rules/profile.ts";
import {
  CONVERSATIONS,
  isAtHand,
  MAX_PROFILE,
  soughtFor,
  subtypesByType,
} from "../rules/prompt.ts";
import { recallTogether } from "../rules/recall.ts";
import { asOfNow, recalled } from "./nodes.ts";
import { outwardly } from "./retrieval.ts";
import { rankingOf, search } from "./search.ts";
import { turnPrompt, usageOf } from "./turn-prompt.ts";

type Embedding = SearchRequest["embedding"];

const DAY = 86_400_000;
/** The age in days at which usage records are dropped. */
const RECORDED_DAYS = 21;
/** The most usage records of all memories; the oldest are dropped first. */
const MAX_RECORDS = new UsageTracker().save().max_records;

export const contextHandlers: HandlersOf<typeof contextOperations> = {
  buildContext: async (agent, { body, question }) => {
    const {
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
      recall,
    } = body;
    const ranking = rankingOf(agent, body);
    if (ranking === "evidence") {
      const answer = await turnPrompt(agent, body);
      recallTogether(agent, [Object.values(answer.recalled_ids).flat()], recall);
      return { context_id: randomUUID(), ...answer };
    }
    const now = agent.now();
    await agent.prepare(ranking);
    agent.read(() => vectorOf(agent, { embedding }, question));
    const built = await agent.engine.buildContext({
      ...{ input, identity, messages, now, censors, workingMemory: working_memory },
      budgets: max_tokens == null ? budgets : { ...budgets, total: max_tokens },
      frame: typeof frame === "object" && frame !== null ? withoutUndefined(frame) : frame,
      retrieve: retrieverOf(agent, now, { embedding, filter, question }),
      profile: () => outwardly(() => agent.read(() => profileOf(agent, now))),
      recent: ({ since, limit }) =>
        outwardly(() => agent.read(() => conversationsSince(agent, since, limit))),
      usage: { boost: (ids) => outwardly(() => usageOf(agent, ids, now).boost(ids, now)) },
    });
    // All queries with the same text count as one question.
    const groups = new Map<string, string[]>();
    for (const { query_text, memory_type } of built.plan.queries) {
      groups.set(query_text, [
        ...(groups.get(query_text) ?? []),
        ...built.recalled_ids[memory_type],
      ]);
    }
    recallTogether(agent, [...groups.values()], recall);
    return { context_id: randomUUID(), ...built, frame: { ...built.frame } };
  },

  giveFeedback: async (agent, { body: { context_id, recalled_content, response, input } }) => {
    if (input != null) await prepareToLearn(agent);
    return agent.write(() => {
      const { storage } = agent;
      const before = storage.usage.ofContext(context_id);
      if (before.length > 0) return feedbackOf(before);
      const since = toIso(agent.heldNow() - RECORDED_DAYS * DAY);
      const uses = usesOf(agent, context_id, recalled_content, response);
      storage.usage.add(uses, MAX_RECORDS, since);
      const answer = feedbackOf(storage.usage.ofContext(context_id));
      if (input == null) return answer;
      const shown = uses.map(({ memory_id }) => memory_id);
      const used = uses.flatMap(({ memory_id, was_referenced }) =>
        was_referenced === 0 ? [] : memory_id,
      );
      const { counted } = learnFrom(agent, { question: input, shown, used });
      return { ...answer, counted };
    });
  },

  expandMemory: async (agent, { query: { type, id, recall } }) => {
    const { storage, engine } = agent;
    let found = false;
    const text = await engine.expandMemory(type, id, (_id, type) =>
      agent.read(() => {
        const row = storage.nodes.find(id);
        found = row !== undefined && engine.memoryTypeOf(row.subtype) === type;
        if (!found) return null;
        return recall ? recalled(agent, id) : asOfNow(agent, id);
      }),
    );
    return { type, id, found, text };
  },
};

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

function profileOf(agent: Agent, now: number): ProfileFact[] {
  const { storage, engine, index } = agent;
  const rows = storage.nodes.list(
    { subtypes: Object.keys(PROFILE_CATEGORIES) },
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
  { storage }: Agent,
  since: number,
  limit: number,
): RecentConversation[] {
  const filter = { subtypes: CONVERSATIONS, created_after: toIso(since) };
  const rows = storage.nodes.list(filter, limit, undefined, new AnswerRoom());
  return rows.flatMap(
    ({ id, content_title, content_summary, provenance_created_at, created_at }) => {
      const at = parseInstant(provenance_created_at ?? created_at ?? "");
      return at === undefined
        ? []
        : [{ id, title: content_title, summary: content_summary, created_at: at }];
    },
  );
}

/** Returns which of the existing memories an answer used. */
function usesOf(
  agent: Agent,
  context_id: string,
  recalled: Readonly<Record<string, string>>,
  response: string,
): UsageRow[] {
  const { storage, engine } = agent;
  const now = agent.now();
  const rows = new Map(storage.nodes.of(Object.keys(recalled)).map((row) => [row.id, row]));
  const known = Object.fromEntries(Object.entries(recalled).filter(([id]) => rows.has(id)));
  const feedback = new UsageTracker().feedback(known, response, now);
  return feedback.map(({ memory_id, was_referenced, overlap_score }) => ({
    memory_id,
    memory_type: engine.memoryTypeOf(rows.get(memory_id)!.subtype),
    context_id,
    retrieved_at: toIso(now),
    was_referenced: was_referenced ? 1 : 0,
    overlap_score,
  }));
}

function feedbackOf(uses: readonly UsageRow[]): FeedbackAnswer {
  const recorded = uses.map(({ memory_id, was_referenced, overlap_score }) => ({
    memory_id,
    was_referenced: was_referenced !== 0,
    overlap_score,
  }));
  const referenced = recorded.filter(({ was_referenced }) => was_referenced).length;
  return { ok: true, recorded, count: recorded.length, referenced };
}
