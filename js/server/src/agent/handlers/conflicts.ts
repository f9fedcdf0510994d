// Contradictions: finds memories that a text may correct, and lists, queues and resolves conflicts.

import { correctionIn, textOf, toIso } from "nous-memory";
import type { Conflict, conflictOperations } from "../../api/conflicts.ts";
import { QUEUE, toCursor } from "../../api/pages.ts";
import { Refusal } from "../../refusal.ts";
import type { ConflictRow } from "../../storage/rows.ts";
import type { Agent } from "../agent.ts";
import { AnswerRoom, pageWithin } from "../answer-room.ts";
import type { HandlersOf } from "../handler.ts";
import { presentConflicts } from "../present.ts";
import { MAX_CONFLICTS, resembling } from "../search/resembling.ts";
import { BY_MARKER, queue } from "../writes/conflicts.ts";
import { checkThere } from "../writes/edges.ts";
import { resolve } from "../writes/resolving.ts";

export const conflictHandlers: HandlersOf<typeof conflictOperations> = {
  detectContradiction: (agent, { body: { content, title } }) =>
    agent.read(() => {
      const { detected, confidence, triggers, disqualifiers, hasTime } = correctionIn(content);
      const alike = detected ? resembling(agent, title ?? content, MAX_CONFLICTS) : [];
      return {
        conflict_detected: detected,
        tier: BY_MARKER,
        confidence,
        triggers,
        disqualifiers,
        temporal_signal: hasTime,
        conflicting_nodes: alike.map(({ id, content_title, subtype }) => ({
          id,
          title: textOf(content_title) ?? "",
          subtype: textOf(subtype),
        })),
      };
    }),

  listConflicts: async (agent, { query: { status, limit, cursor } }) => {
    const now = toIso(agent.now());
    const room = new AnswerRoom();
    const { data, last, isLast } = await pageWithin(
      agent,
      room,
      limit,
      (max, after: ConflictRow | undefined) =>
        agent.storage.conflicts.list({
          status,
          now,
          before: after?.sequence ?? cursor,
          limit: max,
          room,
        }),
      (rows) => presentConflicts(agent, rows),
    );
    return {
      data,
      count: data.length,
      next_cursor: toCursor(QUEUE, isLast ? null : last?.sequence),
    };
  },

  queueConflict: (agent, { body }) =>
    presentOne(
      agent,
      agent.write(() => {
        const { old_node_id, new_node_id = null } = body;
        checkThere(agent, { old_node_id, ...(new_node_id === null ? {} : { new_node_id }) });
        return queue(agent, {
          old_node_id,
          new_node_id,
          new_content: body.new_content ?? null,
          conflict_type: body.conflict_type ?? null,
          detection_tier: body.detection_tier ?? null,
          detection_confidence: body.detection_confidence ?? null,
          context: body.context ?? null,
          entity_name: body.entity_name ?? null,
          topic: body.topic ?? null,
          ...(body.expires_at == null ? {} : { expires_at: body.expires_at }),
        });
      }),
    ),

  resolveConflict: (agent, { body }) => resolve(agent, body),

  resolveConflicts: (agent, { body: { items } }) => {
    const results = items.map((item) => {
      try {
        return resolve(agent, item);
      } catch (error) {
        if (!(error instanceof Refusal)) throw error;
        const { conflict_id, resolution } = item;
        const what = conflict_id === undefined ? {} : { conflict_id };
        return { ok: false as const, ...what, resolution, error: error.message };
      }
    });
    const resolved = results.filter(({ ok }) => ok).length;
    return { ok: true, resolved, failed: items.length - resolved, total: items.length, results };
  },
};

const presentOne = (agent: Agent, row: ConflictRow): Conflict => presentConflicts(agent, [row])[0]!;
