// The four sections of a memory: subtypes, profiles, initial stability.
// The section rules, in full. Plain on purpose: this is the yardstick of the parity tests.

import type { MemorySection, RerankingWeights, SectionProfile } from "nous-wasm";

export type { MemorySection, RerankingWeights, SectionDecayConfig } from "nous-wasm";

/** Section order, wherever one is needed; the index is the section's code. */
export const MEMORY_SECTIONS: readonly MemorySection[] = Object.freeze([
  "EPISODIC",
  "SIGNALS",
  "KNOWLEDGE",
  "PROCEDURAL",
] as const);

/** The section of memories without a known subtype: KNOWLEDGE. */
const DEFAULT_SECTION: MemorySection = "KNOWLEDGE";

/** The global weights, independent of sections. */
export const RERANKING_WEIGHTS: Readonly<RerankingWeights> = Object.freeze({
  semantic: 0.3,
  keyword: 0.15,
  graph: 0.2,
  recency: 0.15,
  authority: 0.1,
  affinity: 0.1,
});

export const SUBTYPE_TO_SECTION: Readonly<Record<string, MemorySection>> = Object.freeze({
  "custom:trade_entry": "EPISODIC",
  "custom:trade_close": "EPISODIC",
  "custom:trade_modify": "EPISODIC",
  "custom:trade": "EPISODIC",
  "custom:turn_summary": "EPISODIC",
  "custom:session_summary": "EPISODIC",
  "custom:market_event": "EPISODIC",
  "custom:signal": "SIGNALS",
  "custom:watchpoint": "SIGNALS",
  "custom:lesson": "KNOWLEDGE",
  "custom:thesis": "KNOWLEDGE",
  "custom:curiosity": "KNOWLEDGE",
  "custom:playbook": "PROCEDURAL",
  "custom:missed_opportunity": "PROCEDURAL",
  "custom:good_pass": "PROCEDURAL",
} as const);

/** Stability in days that a new node of a subtype starts with. */
export const SUBTYPE_INITIAL_STABILITY: Readonly<Record<string, number>> = Object.freeze({
  "custom:trade_entry": 21,
  "custom:trade_close": 21,
  "custom:trade_modify": 14,
  "custom:trade": 14,
  "custom:turn_summary": 7,
  "custom:session_summary": 14,
  "custom:market_event": 10,
  "custom:signal": 2,
  "custom:watchpoint": 5,
  "custom:lesson": 90,
  "custom:thesis": 30,
  "custom:curiosity": 14,
  "custom:playbook": 180,
  "custom:missed_opportunity": 30,
  "custom:good_pass": 30,
});

function frozenProfile(profile: SectionProfile): Readonly<SectionProfile> {
  Object.freeze(profile.reranking_weights);
  Object.freeze(profile.decay);
  Object.freeze(profile.encoding);
  return Object.freeze(profile);
}

export const SECTION_PROFILES: Readonly<Record<MemorySection, Readonly<SectionProfile>>> =
  Object.freeze({
    EPISODIC: frozenProfile({
      name: "Episodic",
      section: "EPISODIC",
      reranking_weights: {
        semantic: 0.2,
        keyword: 0.15,
        graph: 0.15,
        recency: 0.3,
        authority: 0.1,
        affinity: 0.1,
      },
      decay: {
        initial_stability_days: 14,
        growth_rate: 2.0,
        active_threshold: 0.5,
        weak_threshold: 0.1,
        max_stability_days: 180,
      },
      encoding: { base_difficulty: 0.3, salience_enabled: true, max_salience_multiplier: 2.0 },
      consolidation_role: "source",
      intent_boost: 1.3,
    }),
    SIGNALS: frozenProfile({
      name: "Signals",
      section: "SIGNALS",
      reranking_weights: {
        semantic: 0.15,
        keyword: 0.1,
        graph: 0.1,
        recency: 0.45,
        authority: 0.1,
        affinity: 0.1,
      },
      decay: {
        initial_stability_days: 2,
        growth_rate: 1.5,
        active_threshold: 0.5,
        weak_threshold: 0.15,
        max_stability_days: 30,
      },
      encoding: { base_difficulty: 0.2, salience_enabled: false, max_salience_multiplier: 1.0 },
      consolidation_role: "source",
      intent_boost: 1.3,
    }),
    KNOWLEDGE: frozenProfile({
      name: "Knowledge",
      section: "KNOWLEDGE",
      reranking_weights: {
        semantic: 0.35,
        keyword: 0.15,
        graph: 0.2,
        recency: 0.05,
        authority: 0.2,
        affinity: 0.05,
      },
      decay: {
        initial_stability_days: 60,
        growth_rate: 3.0,
        active_threshold: 0.4,
        weak_threshold: 0.05,
        max_stability_days: 365,
      },
      encoding: { base_difficulty: 0.4, salience_enabled: true, max_salience_multiplier: 2.0 },
      consolidation_role: "target",
      intent_boost: 1.3,
    }),
    PROCEDURAL: frozenProfile({
      name: "Procedural",
      section: "PROCEDURAL",
      reranking_weights: {
        semantic: 0.25,
        keyword: 0.25,
        graph: 0.2,
        recency: 0.05,
        authority: 0.15,
        affinity: 0.1,
      },
      decay: {
        initial_stability_days: 120,
        growth_rate: 3.5,
        active_threshold: 0.3,
        weak_threshold: 0.03,
        max_stability_days: 365,
      },
      encoding: { base_difficulty: 0.5, salience_enabled: true, max_salience_multiplier: 3.0 },
      consolidation_role: "target",
      intent_boost: 1.3,
    }),
  });

/** Section of a subtype. The look-up is exact; null, empty and unknown subtypes are KNOWLEDGE. */
export function getSectionForSubtype(subtype: string | null | undefined): MemorySection {
  if (subtype == null || !Object.hasOwn(SUBTYPE_TO_SECTION, subtype)) return DEFAULT_SECTION;
  return SUBTYPE_TO_SECTION[subtype]!;
}

/** Initial stability in days of a subtype; one without its own takes its section's. */
export function getInitialStabilityForSubtype(subtype: string | null | undefined): number {
  if (subtype != null && Object.hasOwn(SUBTYPE_INITIAL_STABILITY, subtype)) {
    return SUBTYPE_INITIAL_STABILITY[subtype]!;
  }
  return SECTION_PROFILES[getSectionForSubtype(subtype)].decay.initial_stability_days;
}

/** Section of a memory type, the name an agent uses: a subtype without `custom:`, or `episode`. */
export function sectionForMemoryType(type: string | null | undefined): MemorySection {
  if (type === "episode") return "EPISODIC";
  return getSectionForSubtype(`custom:${type}`);
}
