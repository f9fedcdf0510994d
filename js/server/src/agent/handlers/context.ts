// Prompts: builds prompts from memories, and records which memories an answer used.

import { randomUUID } from "node:crypto";
import { toIso } from "nous-memory";
import { UsageTracker } from "nous-wasm";
import type { contextOperations, FeedbackAnswer } from "../../api/context.ts";
import type { UsageRow } from "../../storage/rows.ts";
import type { Agent } from "../agent.ts";
import type { HandlersOf } from "../handler.ts";
import { promptByEvidence } from "../prompts/by-evidence.ts";
import { promptBySignals } from "../prompts/by-signals.ts";
import { asOfNow, recalled } from "../reads.ts";
import { learnFrom, prepareToLearn } from "../rules/learning.ts";
import { recallTogether } from "../rules/recall.ts";
import { rankingOf } from "../search/search.ts";

const DAY = 86_400_000;
/** The age in days at which usage records are dropped. */
const RECORDED_DAYS = 21;
/** The most usage records of all memories; the oldest are dropped first. */
const MAX_RECORDS = new UsageTracker().save().max_records;

export const contextHandlers: HandlersOf<typeof contextOperations> = {
  buildContext: async (agent, { body: { messages: given, ...body }, question }) => {
    const turn = { ...body, messages: given?.turns };
    const left = given?.not_taken ?? [];
    const named = { context_id: randomUUID(), ...(left.length === 0 ? {} : { not_taken: left }) };
    if (rankingOf(agent, turn) === "evidence") {
      const answer = await promptByEvidence(agent, turn, question);
      recallTogether(agent, [Object.values(answer.recalled_ids).flat()], turn.recall);
      return { ...named, ...answer };
    }
    const { built, groups } = await promptBySignals(agent, turn, question);
    recallTogether(agent, groups, turn.recall);
    return { ...named, ...built };
  },

  giveFeedback: async (agent, { body, question }) => {
    const { context_id, recalled_content, response, input } = body;
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
      const { counted } = learnFrom(agent, { question: input, shown, used }, question);
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
