// What memories gain by being recalled: an access each, and the edges between those that were
// recalled together.

import type { Recall } from "../api/retrieval.ts";
import { isNoRoom, isReadOnly } from "../storage/errors.ts";
import type { Agent } from "./agent.ts";

/** What an edge gains. */
const GAINS = { automatic: 0.03, explicit: 0.05 };

/**
 * Counts an access of each memory, which is soft state; edges within a group gain once, which is
 * committed when this returns. Groups are what one question found, so that two topics of a turn are
 * not tied together. Where nothing can be stored, edges gain nothing: that must not keep anybody
 * from what was recalled.
 */
export function recallTogether(
  agent: Agent,
  groups: readonly (readonly string[])[],
  how: Recall,
): void {
  if (how === "none") return;
  const ids = [...new Set(groups.flat())];
  agent.read(() => {
    const now = agent.now();
    agent.index.touch(ids, now);
    agent.soft.touched(ids, now);
  });
  // Most recalls tie nothing, and cost no commit.
  const several = groups.filter((group) => group.length > 1);
  if (several.length === 0 || agent.storage.edges.within(several).length === 0) return;
  try {
    agent.write(() =>
      agent.storage.edges.strengthenAll(agent.storage.edges.within(several), GAINS[how]),
    );
  } catch (error) {
    if (!isReadOnly(error) && !isNoRoom(error)) throw error;
  }
}
