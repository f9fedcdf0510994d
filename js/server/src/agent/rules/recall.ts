// Rule: the effects of a recall. It counts an access of each memory, and strengthens edges between
// memories that were recalled together.

import type { Recall } from "../../api/retrieval.ts";
import { isNoRoom, isReadOnly } from "../../storage/errors.ts";
import type { Agent } from "../agent.ts";

/** The strength that an edge gains. */
const GAINS = { automatic: 0.03, explicit: 0.05 };

/**
 * Counts an access of each memory, as soft state. Strengthens each edge within a group once, and
 * commits that. A group is what one question found, so that two topics of a turn are not tied
 * together. If the database cannot be written, edges stay as they are: the recall still succeeds.
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
  strengthenTogether(agent, groups, how);
}

/** Strengthens the edges of a recall, as `recallTogether` does. */
export function strengthenTogether(
  agent: Agent,
  groups: readonly (readonly string[])[],
  how: Exclude<Recall, "none">,
): void {
  // Most recalls strengthen no edge, and need no commit.
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

export const RECALL_TASKS = {
  /** Strengthens the edges between memories whose accesses are counted already. */
  strengthen: (
    agent: Agent,
    { groups, how }: { groups: string[][]; how: Exclude<Recall, "none"> },
  ): null => {
    strengthenTogether(agent, groups, how);
    return null;
  },
};
