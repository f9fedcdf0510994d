// Writes to the queue of conflicts: pairs of memories of which one may correct the other.

import { toIso } from "nous-memory";
import { newId } from "../../ids.ts";
import type { ConflictRow } from "../../storage/rows.ts";
import type { Agent } from "../agent.ts";
import type { Contradiction } from "../behaviour.ts";

const DAY = 86_400_000;
/** How long a conflict can be resolved, in milliseconds. */
const WAITS = 14 * DAY;
/** The method that finds a marker of a correction in a text. */
export const BY_MARKER = "PATTERN";

/** Within a `write`: queues the conflicts of a new memory. */
export function queueContradiction(
  agent: Agent,
  id: string,
  { correction, alike }: Contradiction,
): void {
  const row = agent.storage.nodes.find(id)!;
  const stored = agent.behaviour.conflictOf(row, correction);
  // What two users say does not contradict.
  const user = row.user_id ?? null;
  for (const old of alike.filter(({ user_id }) => (user_id ?? null) === user)) {
    queue(agent, {
      old_node_id: old.id,
      new_node_id: id,
      ...stored,
      detection_tier: BY_MARKER,
      detection_confidence: correction.confidence,
      entity_name: null,
      topic: null,
    });
  }
}

export type Queued = Omit<
  ConflictRow,
  "sequence" | "id" | "status" | "created_at" | "expires_at" | "resolution" | "resolved_at"
>;

/** Returns until when a conflict waits that is queued at an instant, in ISO 8601. */
export const waitsUntil = (now: number): string => toIso(now + WAITS);

/** Within a `write`: adds a conflict to the queue. */
export function queue(agent: Agent, conflict: Queued & { expires_at?: string }): ConflictRow {
  if (agent.behaviour.dropsExpiredConflicts)
    agent.storage.conflicts.removeExpired(toIso(agent.heldNow()));
  const now = agent.now();
  return agent.storage.conflicts.insert({
    id: newId("q"),
    status: "pending",
    created_at: toIso(now),
    expires_at: waitsUntil(now),
    resolution: null,
    resolved_at: null,
    ...conflict,
  });
}
