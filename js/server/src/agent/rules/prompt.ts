// Rules: which memories a prompt is made of. The page's Context view follows the same rules.

import type { Engine, MemoryType } from "nous-wasm";
import { MAX_FOUND } from "../../api/limits.ts";

/**
 * How many times the wanted number of memories is searched for, since some repeat others or the
 * conversation.
 */
const OVERFETCH = 3;
/** The most memories that a prompt by evidence is chosen from. */
export const MAX_CANDIDATES = 100;
/** The most facts about the user that are read. */
export const MAX_PROFILE = 50;
/** The subtypes of memories that tell of a conversation. */
export const CONVERSATIONS: readonly string[] = ["custom:turn_summary", "custom:session_summary"];

/** How long a conversation is recent, in milliseconds, and the most that a prompt shows. */
export const RECENT_FOR = 172_800_000;
export const MAX_RECENT = 5;

/** Returns how many memories to search for if a prompt wants `limit`. */
export const soughtFor = (limit: number): number => Math.min(limit * OVERFETCH, MAX_FOUND);

/** Returns subtypes by the type that their memories have in a prompt. */
export function subtypesByType(
  subtypes: Iterable<string | null>,
  engine: Pick<Engine, "memoryTypeOf">,
): Map<MemoryType, (string | null)[]> {
  const types = new Map<MemoryType, (string | null)[]>();
  for (const subtype of subtypes) {
    const type = engine.memoryTypeOf(subtype);
    const known = types.get(type);
    if (known === undefined) types.set(type, [subtype]);
    else known.push(subtype);
  }
  return types;
}

/** Returns whether a fact about the user is shown: a memory that has faded is not. */
export const isAtHand = (lifecycle: string | null | undefined): boolean =>
  lifecycle === "ACTIVE" || lifecycle === "WEAK";
