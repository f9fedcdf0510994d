// Expiry: memories whose time has come are deleted before the agent does anything else.
//
// The held time decides: after the clock was set forward, it goes on from the time before for an hour,
// because a deletion cannot be undone.

import { toIso } from "nous-memory";
import type { Agent } from "./agent.ts";
import { deleteMemory } from "./writes/nodes.ts";

/** The most memories that are deleted in one transaction. */
const BATCH = 1_000;

/** Deletes the memories that have expired. Returns how many. */
export function dropExpired(agent: Agent): number {
  const now = agent.heldNow();
  let dropped = 0;
  while (agent.nextExpiry <= now) {
    const ids = agent.write(() => {
      const expired = agent.storage.nodes.expired(toIso(now), BATCH);
      for (const id of expired) {
        agent.storage.purges.begin(id);
        agent.storage.conflicts.removeOf(id);
        deleteMemory(agent, id);
      }
      return expired;
    });
    dropped += ids.length;
    agent.readNextExpiry();
    if (ids.length < BATCH) break;
  }
  return dropped;
}

/**
 * Deletes the memories that have expired, and removes the remains of their texts from the files.
 * Returns how many were deleted now.
 */
export async function purgeExpired(agent: Agent): Promise<number> {
  const dropped = dropExpired(agent);
  await agent.finishPurges();
  return dropped;
}
