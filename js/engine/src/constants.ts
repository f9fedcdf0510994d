// Names and numbers that no configuration changes. They stand in the module; here they are read from it once.
//
// Importers hold on to these objects, so they exist from the beginning, are filled when the module is loaded, and are
// frozen then. Before that (in a browser, until `init()` is done) they are empty.

import { numeric, requireLoaded, whenLoaded } from "./runtime.ts";
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

/** The sections in order; a section's place is its code in columns. */
export const MEMORY_SECTIONS: readonly MemorySection[] = [];
/** The lifecycle states in order; a state's place is its code in columns. */
export const LIFECYCLE_STATES: readonly DecayLifecycleState[] = [];
/** Weights of a ranking without sections. */
export const RERANKING_WEIGHTS: Readonly<RerankingWeights> = {} as RerankingWeights;
/** The numbers of decay without sections. */
export const DECAY_CONFIG: Readonly<DecayConstants> = {} as DecayConstants;
/** Days of stability that a node without a section starts with, by type. */
export const INITIAL_STABILITY: Readonly<Record<AlgorithmNodeType, number>> = {} as Record<AlgorithmNodeType, number>;
/** Difficulty that a node starts from, by type. */
export const INITIAL_DIFFICULTY: Readonly<Record<AlgorithmNodeType, number>> = {} as Record<AlgorithmNodeType, number>;

/** What the module says of itself. */
interface ModuleConstants {
  sections: MemorySection[];
  intent_order: MemorySection[];
  signals: (keyof RerankingWeights)[];
  lifecycles: DecayLifecycleState[];
  types: { name: AlgorithmNodeType; initial_stability: number; initial_difficulty: number }[];
  unknown_type: { initial_stability: number; initial_difficulty: number };
  reranking_weights: RerankingWeights;
  decay: DecayConstants;
}

/** The rest of what the module says, for the package's own use. @internal */
export const own = {
  signals: [] as (keyof RerankingWeights)[],
  intentOrder: [] as MemorySection[],
  typeCodes: new Map<string, number>(),
  unknownStability: Number.NaN,
  unknownDifficulty: Number.NaN,
};

whenLoaded(() => {
  const constants: ModuleConstants = JSON.parse(numeric().constants());
  (MEMORY_SECTIONS as MemorySection[]).push(...constants.sections);
  (LIFECYCLE_STATES as DecayLifecycleState[]).push(...constants.lifecycles);
  Object.assign(RERANKING_WEIGHTS, constants.reranking_weights);
  Object.assign(DECAY_CONFIG, constants.decay);
  for (const [code, type] of constants.types.entries()) {
    (INITIAL_STABILITY as Record<string, number>)[type.name] = type.initial_stability;
    (INITIAL_DIFFICULTY as Record<string, number>)[type.name] = type.initial_difficulty;
    own.typeCodes.set(type.name, code);
  }
  own.signals = constants.signals;
  own.intentOrder = constants.intent_order;
  own.unknownStability = constants.unknown_type.initial_stability;
  own.unknownDifficulty = constants.unknown_type.initial_difficulty;
  for (const filled of [
    MEMORY_SECTIONS,
    LIFECYCLE_STATES,
    RERANKING_WEIGHTS,
    DECAY_CONFIG,
    INITIAL_STABILITY,
    INITIAL_DIFFICULTY,
  ]) {
    Object.freeze(filled);
  }
});

/** Days of stability that a node without a section starts with; 14 for an unknown type. */
export function getInitialStability(type: AlgorithmNodeType): number {
  requireLoaded();
  return Object.hasOwn(INITIAL_STABILITY, type) ? INITIAL_STABILITY[type] : own.unknownStability;
}

/** Difficulty in [0, 1] that a node starts from; 0.3 for an unknown type. */
export function getInitialDifficulty(type: AlgorithmNodeType): number {
  requireLoaded();
  return Object.hasOwn(INITIAL_DIFFICULTY, type) ? INITIAL_DIFFICULTY[type] : own.unknownDifficulty;
}

/** A profile and all it holds, frozen. @internal */
export function freezeProfile(profile: SectionProfile): SectionProfile {
  Object.freeze(profile.reranking_weights);
  Object.freeze(profile.decay);
  Object.freeze(profile.encoding);
  return Object.freeze(profile);
}
