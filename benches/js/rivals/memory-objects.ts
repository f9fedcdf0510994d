// The obvious sweep: one loop over an array of objects, an exp for each, an object for each change.
// After one look at a profile it rounds with `Math.round`, and looks sections up in a Map.

import {
  DECAY_CONFIG,
  type DecayLifecycleState,
  roundRetrievability,
} from "../../../js/reference/decay.ts";
import {
  SECTION_PROFILES,
  type SectionDecayConfig,
  SUBTYPE_TO_SECTION,
} from "../../../js/reference/sections.ts";
import type { StoredLifecycleState } from "../../../js/reference/sweep.ts";

const MS_PER_DAY = 86_400_000;

const DECAY_BY_SUBTYPE = new Map<string | null, SectionDecayConfig>(
  Object.entries(SUBTYPE_TO_SECTION).map(([subtype, section]) => [
    subtype,
    SECTION_PROFILES[section].decay,
  ]),
);

/** The fields of a node that a sweep reads. */
export interface FadingNode {
  id: string;
  subtype: string | null;
  created_at: number;
  last_accessed: number | null;
  stability: number;
  /** The stored retrievability, in [0, 1]. */
  retrievability: number;
  lifecycle: StoredLifecycleState;
}

export interface Transition {
  id: string;
  from: StoredLifecycleState;
  to: DecayLifecycleState;
  subtype: string | null;
}

export interface ObjectSweep {
  processed: number;
  changes: { id: string; retrievability: number; lifecycle: DecayLifecycleState }[];
  transitions: Transition[];
}

/**
 * Rounds to 4 decimals, half to even. The product may only look like a half, so that apparent
 * halves are checked exactly.
 */
export function rounded(retrievability: number): number {
  const scaled = retrievability * 10_000;
  const near = Math.round(scaled);
  return near - scaled === 0.5 ? roundRetrievability(retrievability) : near / 10_000;
}

export function sweep(nodes: readonly FadingNode[], now: number): ObjectSweep {
  const changes: ObjectSweep["changes"] = [];
  const transitions: Transition[] = [];
  let processed = 0;
  for (const node of nodes) {
    const from = node.lifecycle;
    if (from === "ARCHIVE" || from === "DELETED") continue;
    processed++;
    const decay = DECAY_BY_SUBTYPE.get(node.subtype) ?? SECTION_PROFILES.KNOWLEDGE.decay;
    const t = Math.max(0, (now - (node.last_accessed ?? node.created_at)) / MS_PER_DAY);
    const r = node.stability <= 0 ? 0 : Math.exp(-t / node.stability);
    const dormant = r < decay.weak_threshold ? t : 0;

    let to: DecayLifecycleState;
    if (r > decay.active_threshold) to = from === "DORMANT" ? "DORMANT" : "ACTIVE";
    else if (r > decay.weak_threshold) to = from === "DORMANT" ? "DORMANT" : "WEAK";
    else if (dormant < DECAY_CONFIG.dormant_days) to = "DORMANT";
    else if (dormant < DECAY_CONFIG.compress_days) to = "COMPRESS";
    else to = "ARCHIVE";

    if (to !== from) transitions.push({ id: node.id, from, to, subtype: node.subtype });
    else if (!(Math.abs(r - node.retrievability) > 0.001)) continue;
    changes.push({ id: node.id, retrievability: rounded(r), lifecycle: to });
  }
  return { processed, changes, transitions };
}
