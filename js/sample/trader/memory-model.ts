// The values that a memory server would have stored with each node: type, first stability,
// difficulty, growth. The sample does not use the engine; a test compares both.

import type { EdgeType, SampleNode, Subtype } from "./types.ts";

interface SubtypeModel {
  section: "EPISODIC" | "SIGNALS" | "KNOWLEDGE" | "PROCEDURAL";
  type: SampleNode["type"];
  /** Stability in days. */
  stability: number;
  /** The initial difficulty of the subtype's algorithm type, in [0, 1]. */
  difficulty: number;
  /** Whether the node is a concept, which adds a tenth to the difficulty. */
  concept: boolean;
}

const concept = { type: "concept", difficulty: 0.4, concept: true } as const;
const fact = { type: "concept", difficulty: 0.3, concept: false } as const;
const event = { type: "episode", difficulty: 0.3, concept: false } as const;
const note = { type: "note", difficulty: 0.2, concept: false } as const;

/** The stored values of each subtype. */
export const SUBTYPE_MODEL: Readonly<Record<Subtype, SubtypeModel>> = {
  "custom:trade_entry": { section: "EPISODIC", stability: 21, ...concept },
  "custom:trade_close": { section: "EPISODIC", stability: 21, ...concept },
  "custom:trade_modify": { section: "EPISODIC", stability: 14, ...concept },
  "custom:trade": { section: "EPISODIC", stability: 14, ...fact },
  "custom:turn_summary": { section: "EPISODIC", stability: 7, ...event },
  "custom:session_summary": { section: "EPISODIC", stability: 14, ...note },
  "custom:market_event": { section: "EPISODIC", stability: 10, ...event },
  "custom:signal": { section: "SIGNALS", stability: 2, ...fact },
  "custom:watchpoint": { section: "SIGNALS", stability: 5, ...concept },
  "custom:lesson": { section: "KNOWLEDGE", stability: 90, ...fact },
  "custom:thesis": { section: "KNOWLEDGE", stability: 30, ...concept },
  "custom:curiosity": { section: "KNOWLEDGE", stability: 14, ...concept },
  "custom:playbook": { section: "PROCEDURAL", stability: 180, ...concept },
  "custom:missed_opportunity": { section: "PROCEDURAL", stability: 30, ...concept },
  "custom:good_pass": { section: "PROCEDURAL", stability: 30, ...concept },
};

/**
 * Growth on recall and its cap in days, and the factor by which salience may change the first
 * stability.
 */
export const SECTION_MODEL = {
  EPISODIC: { growth: 2.0, cap: 180, salience: 2.0 },
  SIGNALS: { growth: 1.5, cap: 30, salience: 1.0 },
  KNOWLEDGE: { growth: 3.0, cap: 365, salience: 2.0 },
  PROCEDURAL: { growth: 3.5, cap: 365, salience: 3.0 },
} as const;

/** The first strength of an edge by type, in [0, 1]. */
export const EDGE_STRENGTH: Readonly<Record<EdgeType, number>> = {
  relates_to: 0.5,
  part_of: 0.85,
  causes: 0.8,
  precedes: 0.4,
  similar_to: 0.45,
  mentioned_in: 0.6,
  derived_from: 0.5,
  contradicts: 0.5,
  supersedes: 0.5,
  generalizes: 0.7,
  applied_to: 0.75,
};

/** The stakes of a memory, which decide its salience. */
export interface Stakes {
  pnl_pct?: number;
  confidence?: number;
  rr_ratio?: number;
}

const clamp = (value: number, low: number, high: number): number =>
  Math.min(Math.max(value, low), high);

function salience(subtype: Subtype, stakes: Stakes): number {
  const size = Math.min(1, Math.abs(stakes.pnl_pct ?? 0) / 10);
  switch (subtype) {
    case "custom:trade_close":
      return clamp(0.3 + size * 0.55 + ((stakes.pnl_pct ?? 0) < 0 ? 0.15 : 0), 0.1, 1);
    case "custom:trade_entry":
      return clamp(
        0.3 + (stakes.confidence ?? 0.5) * 0.5 + Math.min(1, (stakes.rr_ratio ?? 0) / 3) * 0.2,
        0.1,
        1,
      );
    case "custom:trade_modify":
      return stakes.pnl_pct ? clamp(0.3 + size * 0.55, 0.1, 1) : 0.5;
    case "custom:missed_opportunity":
    case "custom:good_pass":
      return clamp(0.3 + size * 0.7, 0.1, 1);
    default:
      return 0.5;
  }
}

/** Returns the first stability of a node in days: its subtype's, scaled by salience. */
export function firstStability(subtype: Subtype, stakes: Stakes): number {
  const { stability, section } = SUBTYPE_MODEL[subtype];
  const max = SECTION_MODEL[section].salience;
  const s = salience(subtype, stakes);
  if (Math.abs(s - 0.5) <= 0.01 || max === 1) return stability;
  const factor = s >= 0.5 ? 1 + ((s - 0.5) / 0.5) * (max - 1) : 0.2 + (s / 0.5) * 0.8;
  return Number((stability * factor).toFixed(2));
}

/** Returns the difficulty of a new node, in [0, 1], from its kind and the length of its body. */
export function firstDifficulty(subtype: Subtype, length: number): number {
  const model = SUBTYPE_MODEL[subtype];
  const sum = model.difficulty + Math.min(length / 5000, 1) * 0.15 + (model.concept ? 0.1 : 0);
  return clamp(sum, 0, 1);
}

/**
 * Returns the stability at an instant in days. A playbook's depends on its successes, any other
 * node's on its reads.
 */
export function stabilityAt(node: SampleNode, at: number): number {
  const { growth, cap } = SECTION_MODEL[SUBTYPE_MODEL[node.subtype].section];
  const ease = 1 - node.difficulty * 0.5;
  let stability = node.initial_stability;
  if (node.subtype === "custom:playbook") {
    const min = SUBTYPE_MODEL["custom:missed_opportunity"].stability;
    for (const result of node.feedback ?? []) {
      if (result.at > at) break;
      stability = result.success
        ? Math.min(stability * growth * ease, cap)
        : Math.max(stability / (growth * ease), min);
    }
    return stability;
  }
  for (const read of node.read_times) {
    if (read > at) break;
    stability = Math.min(stability * growth * ease, cap);
  }
  return stability;
}
