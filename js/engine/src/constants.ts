// Names and numbers that no configuration changes. They stand in the module; the build reads them
// from it, once, into `generated/constants.js`, so that they are there before the module is loaded,
// and none is written down twice.

import type { BudgetName, MemoryType } from "./context/turn.ts";
import type { ContextBudget, Omitted, SectionName, Unselected } from "./context/types.ts";
import { moduleConstants } from "./generated/constants.js";
import type { ConfidenceFlag, ConfidenceLevel, DisqualifierCategory, QueryType } from "./query.ts";
import type {
  AlgorithmNodeType,
  DecayLifecycleState,
  MemorySection,
  RerankingWeights,
  SectionProfile,
} from "./types.ts";

/** The numbers of decay without sections. Days, except rates, factors and thresholds. */
export interface DecayConstants {
  growth_rate: number;
  max_stability_days: number;
  active_threshold: number;
  weak_threshold: number;
  dormant_days: number;
  compress_days: number;
  archive_days: number;
  cascade_factor: number;
  edge_floor: number;
}

/** What the module says of itself. @internal */
export interface ModuleConstants {
  sections: MemorySection[];
  intent_order: MemorySection[];
  signals: (keyof RerankingWeights)[];
  lifecycles: DecayLifecycleState[];
  types: { name: AlgorithmNodeType; initial_stability: number; initial_difficulty: number }[];
  unknown_type: { initial_stability: number; initial_difficulty: number };
  reranking_weights: RerankingWeights;
  decay: DecayConstants;
  relevance_ratio: number;
  max_results: number;
  disqualifiers: { category: DisqualifierCategory; reason: string; patterns: string[] }[];
  query_types: QueryType[];
  attribute_words: string[];
  confidence_levels: ConfidenceLevel[];
  confidence_flags: ConfidenceFlag[];
  max_parts: number;
  edge_strengthening: number;
  memory_types: {
    names: MemoryType[];
    budgets: BudgetName[];
    of_sections: MemoryType[];
    of_subtypes: [subtype: string, type: MemoryType][];
    most_named: number;
  };
  frames: { id: string; name: string; description: string; category: string; stakes: string }[];
  episode_sources: string[];
  relearned: number;
  /** The bands that make conditions of trades: weekdays, hours, funding. */
  trade_bands: [string[], string[], string[]];
  playbook_rule: { trades: number; rate: number };
  context: {
    min_scores: number[];
    unselected: Unselected[];
    omitted: Omitted[];
    sections: [name: SectionName, label: string, priority: number][];
    /** Of the frames in their order, and of any other. */
    budgets: ContextBudget[];
    limit_without_plan: number;
    most_uses: number;
    use_days: number;
    seed_messages: number;
    recent_conversations: number;
    recent_hours: number;
    profile_categories: string[];
    censor_actions: string[];
  };
  edge_strengths: [type: string, strength: number][];
  unknown_edge_strength: number;
}

const { types, unknown_type, ...said } = moduleConstants;

const byType = (field: "initial_stability" | "initial_difficulty") =>
  Object.freeze(
    Object.fromEntries(types.map((type) => [type.name, type[field]])) as Record<
      AlgorithmNodeType,
      number
    >,
  );

/** The sections in order; a section's place is its code in columns. */
export const MEMORY_SECTIONS: readonly MemorySection[] = Object.freeze(said.sections);
/** The lifecycle states in order; a state's place is its code in columns. */
export const LIFECYCLE_STATES: readonly DecayLifecycleState[] = Object.freeze(said.lifecycles);
/** Weights of a ranking without sections. */
export const RERANKING_WEIGHTS: Readonly<RerankingWeights> = Object.freeze(said.reranking_weights);
/** The numbers of decay without sections. */
export const DECAY_CONFIG: Readonly<DecayConstants> = Object.freeze(said.decay);
/** Days of stability that a node without a section starts with, by type. */
export const INITIAL_STABILITY: Readonly<Record<AlgorithmNodeType, number>> =
  byType("initial_stability");
/** Difficulty that a node starts from, by type. */
export const INITIAL_DIFFICULTY: Readonly<Record<AlgorithmNodeType, number>> =
  byType("initial_difficulty");

/** The rest of what the module says, for the package's own use. @internal */
export const own = {
  signals: said.signals,
  intentOrder: said.intent_order,
  relevanceRatio: said.relevance_ratio,
  maxResults: said.max_results,
  disqualifiers: said.disqualifiers,
  queryTypes: said.query_types,
  attributeWords: said.attribute_words,
  confidenceLevels: said.confidence_levels,
  confidenceFlags: said.confidence_flags,
  maxParts: said.max_parts,
  edgeStrengthening: said.edge_strengthening,
  memoryTypes: said.memory_types,
  frames: said.frames,
  episodeSources: said.episode_sources,
  relearned: said.relearned,
  tradeBands: said.trade_bands,
  playbookRule: said.playbook_rule,
  context: said.context,
  typeCodes: new Map<string, number>(types.map((type, code) => [type.name, code])),
};

/** Days of stability that a node without a section starts with; 14 for an unknown type. */
export function getInitialStability(type: AlgorithmNodeType): number {
  return Object.hasOwn(INITIAL_STABILITY, type)
    ? INITIAL_STABILITY[type]
    : unknown_type.initial_stability;
}

/** Difficulty in [0, 1] that a node starts from; 0.3 for an unknown type. */
export function getInitialDifficulty(type: AlgorithmNodeType): number {
  return Object.hasOwn(INITIAL_DIFFICULTY, type)
    ? INITIAL_DIFFICULTY[type]
    : unknown_type.initial_difficulty;
}

const edgeStrengths = new Map(said.edge_strengths);

/**
 * Strength in [0, 1] that a store gives a new edge of this type: 0.8 for `causes`, 0.5 for an
 * unknown one.
 */
export function getInitialEdgeStrength(type: string): number {
  return edgeStrengths.get(type) ?? said.unknown_edge_strength;
}

/** A profile and all it holds, frozen. @internal */
export function freezeProfile(profile: SectionProfile): SectionProfile {
  Object.freeze(profile.reranking_weights);
  Object.freeze(profile.decay);
  Object.freeze(profile.encoding);
  return Object.freeze(profile);
}
