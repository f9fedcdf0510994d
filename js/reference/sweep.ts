// The effects of time and of a reading on stored nodes: the decay sweep and the recall of a single
// node. The decay rules, in full. Plain on purpose: this is the yardstick of the parity tests.

import {
  calculateRetrievability,
  type DecayLifecycleState,
  daysWithoutAccess,
  getDecayLifecycleStateForSection,
  roundRetrievability,
  updateStabilityOnAccessForSection,
} from "./decay.ts";
import { getSectionForSubtype, SECTION_PROFILES } from "./sections.ts";
import { type Instant, toMs } from "./signals.ts";

/** DELETED occurs only in old databases. */
export type StoredLifecycleState = DecayLifecycleState | "DELETED";

export interface StoredNode {
  id: string;
  subtype?: string | null | undefined;
  state_lifecycle: StoredLifecycleState;
  /** Days. */
  neural_stability: number;
  neural_retrievability: number;
  neural_difficulty: number;
  neural_access_count: number;
  neural_last_accessed?: Instant | null | undefined;
  provenance_created_at: Instant;
}

export interface SweepReport {
  ok: true;
  processed: number;
  transitions_count: number;
  transitions: {
    id: string;
    from: StoredLifecycleState;
    to: StoredLifecycleState;
    subtype: string | null;
  }[];
}

/** The values that a sweep writes for one node. */
export interface SweepChange {
  id: string;
  neural_retrievability: number;
  state_lifecycle: StoredLifecycleState;
}

/** A stored R within this distance stays unchanged. */
const RETRIEVABILITY_TOLERANCE = 0.001;

const decayOf = (node: StoredNode) => SECTION_PROFILES[getSectionForSubtype(node.subtype)].decay;

/**
 * R and state of a stored node at `now`; days dormant = t when R is below the weak threshold, else
 * 0.
 */
export function computeDecay(
  node: StoredNode,
  now: Instant,
): { retrievability: number; state: DecayLifecycleState } {
  const decay = decayOf(node);
  const t = daysWithoutAccess(node.neural_last_accessed ?? node.provenance_created_at, now);
  const retrievability = calculateRetrievability(t, node.neural_stability);
  const daysDormant = retrievability < decay.weak_threshold ? t : 0;
  const state = getDecayLifecycleStateForSection(retrievability, daysDormant, decay);
  return { retrievability, state };
}

/** Only an explicit update wakes a DORMANT node; every other state follows the computed one. */
function nextState(stored: StoredLifecycleState, computed: DecayLifecycleState) {
  const wouldWake = computed === "ACTIVE" || computed === "WEAK";
  return stored === "DORMANT" && wouldWake ? stored : computed;
}

/**
 * The sweep over all nodes that are not ARCHIVE or DELETED. A node is written, with R rounded to 4
 * decimals, if the unrounded R differs from the stored one by more than 0.001 or the state changed.
 */
export function sweep(
  nodes: readonly StoredNode[],
  now: Instant,
): { report: SweepReport; changes: SweepChange[] } {
  const living = nodes.filter(
    (node) => node.state_lifecycle !== "ARCHIVE" && node.state_lifecycle !== "DELETED",
  );
  const transitions: SweepReport["transitions"] = [];
  const changes: SweepChange[] = [];
  for (const node of living) {
    const { id, state_lifecycle: from } = node;
    const { retrievability, state } = computeDecay(node, now);
    const to = nextState(from, state);
    const off = Math.abs(retrievability - node.neural_retrievability);
    if (to !== from) transitions.push({ id, from, to, subtype: node.subtype ?? null });
    if (to === from && !(off > RETRIEVABILITY_TOLERANCE)) continue;
    const rounded = roundRetrievability(retrievability);
    changes.push({ id, neural_retrievability: rounded, state_lifecycle: to });
  }
  const report: SweepReport = {
    ok: true,
    processed: living.length,
    transitions_count: transitions.length,
    transitions,
  };
  return { report, changes };
}

/**
 * A single read is a recall: returns the node as it is stored afterwards. R and state are those
 * before the read; stability grows, except that of a playbook, and by salience if that counts;
 * DORMANT and DELETED stay.
 */
export function recall<T extends StoredNode>(node: T, now: Instant, salience?: number): T {
  const { retrievability, state } = computeDecay(node, now);
  const stability =
    node.subtype === "custom:playbook"
      ? node.neural_stability
      : updateStabilityOnAccessForSection(
          node.neural_stability,
          node.neural_difficulty,
          decayOf(node),
          salience,
        );
  const stays = node.state_lifecycle === "DORMANT" || node.state_lifecycle === "DELETED";
  return {
    ...node,
    neural_access_count: node.neural_access_count + 1,
    // An access before the last one counts, but does not turn time back.
    neural_last_accessed: Math.max(
      toMs(node.neural_last_accessed ?? node.provenance_created_at),
      toMs(now),
    ),
    neural_stability: stability,
    neural_retrievability: retrievability,
    state_lifecycle: stays ? node.state_lifecycle : state,
  };
}
