// Public names and numbers that no configuration changes. The build reads them from the compiled
// module into `generated/constants.ts`, so they are available before the module is loaded.

import { moduleConstants } from "./generated/constants.ts";
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

const { types, unknown_type: unknownType } = moduleConstants;

const byType = (field: "initial_stability" | "initial_difficulty") =>
  Object.freeze(
    Object.fromEntries(types.map((type) => [type.name, type[field]])) as Record<
      AlgorithmNodeType,
      number
    >,
  );

/** The sections in order; a section's place is its code in columns. */
export const MEMORY_SECTIONS: readonly MemorySection[] = Object.freeze(moduleConstants.sections);
/** The lifecycle states in order; a state's place is its code in columns. */
export const LIFECYCLE_STATES: readonly DecayLifecycleState[] = Object.freeze(
  moduleConstants.lifecycles,
);
/** Weights of a ranking without sections. */
export const RERANKING_WEIGHTS: Readonly<RerankingWeights> = Object.freeze(
  moduleConstants.reranking_weights,
);
/** The numbers of decay without sections. */
export const DECAY_CONFIG: Readonly<DecayConstants> = Object.freeze(moduleConstants.decay);
/** Days of stability that a node without a section starts with, by type. */
export const INITIAL_STABILITY: Readonly<Record<AlgorithmNodeType, number>> =
  byType("initial_stability");
/** Difficulty that a node starts from, by type. */
export const INITIAL_DIFFICULTY: Readonly<Record<AlgorithmNodeType, number>> =
  byType("initial_difficulty");

/** The codes of the node types, by name. @internal */
export const TYPE_CODES: ReadonlyMap<string, number> = new Map(
  types.map(({ name }, code) => [name, code]),
);

/** Days of stability that a node without a section starts with; 14 for an unknown type. */
export function getInitialStability(type: AlgorithmNodeType): number {
  return Object.hasOwn(INITIAL_STABILITY, type)
    ? INITIAL_STABILITY[type]
    : unknownType.initial_stability;
}

/** Difficulty in [0, 1] that a node starts from; 0.3 for an unknown type. */
export function getInitialDifficulty(type: AlgorithmNodeType): number {
  return Object.hasOwn(INITIAL_DIFFICULTY, type)
    ? INITIAL_DIFFICULTY[type]
    : unknownType.initial_difficulty;
}

const edgeStrengths = new Map<string, number>(moduleConstants.edge_strengths);

/**
 * Strength in [0, 1] that a store gives a new edge of this type: 0.8 for `causes`, 0.5 for an
 * unknown one.
 */
export function getInitialEdgeStrength(type: string): number {
  return edgeStrengths.get(type) ?? moduleConstants.unknown_edge_strength;
}

/** A profile and all it holds, frozen. @internal */
export function freezeProfile(profile: SectionProfile): SectionProfile {
  Object.freeze(profile.reranking_weights);
  Object.freeze(profile.decay);
  Object.freeze(profile.encoding);
  return Object.freeze(profile);
}
