// Writes to the queue of conflicts: pairs of memories of which one may correct the other.

import { type Correction, correctionIn, looseCorrectionIn, toIso } from "nous-memory";
import { newId } from "../../ids.ts";
import type { Compat } from "../../settings/compat.ts";
import type { ConflictRow, NodeRow } from "../../storage/rows.ts";
import type { Agent } from "../agent.ts";
import { memoryText } from "../present.ts";
import { resembling } from "../search/resembling.ts";

const DAY = 86_400_000;
/** How long a conflict can be resolved, in milliseconds. */
const WAITS = 14 * DAY;
/** The most memories that a text is in conflict with. */
export const MAX_CONFLICTS = 3;
/** The words of a title that are compared. */
const TITLE_WORDS = 3;
/** The method that finds a marker of a correction in a text. */
export const BY_MARKER = "PATTERN";
/** The type of a conflict that a new memory's text caused. */
export const TYPE: Readonly<Record<Compat, string>> = { none: "correction", hynous: "AMBIGUOUS" };

/** The memories that a new memory may correct, found before the new one was stored. */
export interface Contradiction {
  correction: Correction;
  alike: NodeRow[];
}

/**
 * Returns what a text that will become a memory corrects; undefined if it has no correction marker.
 */
export function contradictionIn(
  agent: Agent,
  { title, summary, body }: { title: string; summary: string | null; body: string | null },
): Contradiction | undefined {
  if (agent.compat === "hynous") return looseContradictionIn(agent, title, body);
  const correction = correctionIn([title, summary, body].filter((it) => it !== null).join("\n"));
  return correction.detected
    ? { correction, alike: resembling(agent, title, MAX_CONFLICTS) }
    : undefined;
}

/**
 * Does the same as Hynous: it reads the body, or the title if there is none, and finds memories
 * with the title's first words in order.
 */
function looseContradictionIn(
  { storage }: Agent,
  title: string,
  body: string | null,
): Contradiction | undefined {
  const correction = looseCorrectionIn(body || title);
  if (!correction.detected) return undefined;
  const words = title.split(" ").slice(0, TITLE_WORDS).join("%");
  return { correction, alike: storage.nodes.like(`%${words}%`, MAX_CONFLICTS) };
}

/** Within a `write`: queues the conflicts of a new memory. */
export function queueContradiction(
  agent: Agent,
  id: string,
  { correction, alike }: Contradiction,
): void {
  // What two users say does not contradict.
  const user = agent.storage.nodes.find(id)?.user_id ?? null;
  for (const old of alike.filter(({ user_id }) => (user_id ?? null) === user)) {
    queue(agent, {
      old_node_id: old.id,
      new_node_id: id,
      // Hynous keeps the text as it was, even if the memory changes.
      new_content: agent.compat === "hynous" ? memoryText(agent.storage.nodes.find(id)!) : null,
      conflict_type: TYPE[agent.compat],
      detection_tier: BY_MARKER,
      detection_confidence: correction.confidence,
      context: agent.compat === "hynous" ? null : correction.triggers.join(", "),
      entity_name: null,
      topic: null,
    });
  }
}

export type Queued = Omit<
  ConflictRow,
  "sequence" | "id" | "status" | "created_at" | "expires_at" | "resolution" | "resolved_at"
>;

/** Within a `write`: adds a conflict to the queue. */
export function queue(agent: Agent, conflict: Queued & { expires_at?: string }): ConflictRow {
  const now = agent.now();
  // Hynous' daemon resolves expired conflicts.
  if (agent.compat !== "hynous") agent.storage.conflicts.removeExpired(toIso(agent.heldNow()));
  return agent.storage.conflicts.insert({
    id: newId("q"),
    status: "pending",
    created_at: toIso(now),
    expires_at: toIso(now + WAITS),
    resolution: null,
    resolved_at: null,
    ...conflict,
  });
}
