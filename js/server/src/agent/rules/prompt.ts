// Rules: which memories a prompt by signals is made of.

import type { Engine, MemoryType } from "nous-wasm";
import { MAX_FOUND } from "../../api/limits.ts";

/**
 * How many times the wanted number of memories is searched for, since some repeat others or the
 * conversation.
 */
const OVERFETCH = 3;
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
