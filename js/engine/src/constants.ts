// Public names and numbers that no configuration changes. The build reads them from the compiled
// module into `generated/constants.ts`, so they are available before the module is loaded.

import type { EvidenceConfig } from "./config.ts";
import { moduleConstants } from "./generated/constants.ts";
import type {
  AlgorithmNodeType,
  DecayLifecycleState,
  MemorySection,
  RerankingWeights,
  SectionProfile,
  Trait,
} from "./types.ts";

/** Decay parameters without sections. */
export interface DecayConstants {
  /** Factor by which a recall multiplies the stability. */
  growth_rate: number;
  /** The highest stability, in days. */
  max_stability_days: number;
  /** Above this retrievability a memory is ACTIVE. */
  active_threshold: number;
  /** Above this retrievability a memory is WEAK. */
  weak_threshold: number;
  /** With sections: from this number of days dormant on a memory is COMPRESS. */
  dormant_days: number;
  /** From this number of days dormant on a memory is COMPRESS; with sections ARCHIVE. */
  compress_days: number;
  /** Without sections: from this number of days dormant on a memory is ARCHIVE. */
  archive_days: number;
  /** Factor of the weight of an edge of a forgotten node. */
  cascade_factor: number;
  /** The lowest weight that `cascade_factor` leads to. */
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

/** The sections in order. The index of a section is its code in columns. */
export const MEMORY_SECTIONS: readonly MemorySection[] = Object.freeze(moduleConstants.sections);
/** The lifecycle states in order. The index of a state is its code in columns. */
export const LIFECYCLE_STATES: readonly DecayLifecycleState[] = Object.freeze(
  moduleConstants.lifecycles,
);
/** Weights of the six signals for rankings without sections. */
export const RERANKING_WEIGHTS: Readonly<RerankingWeights> = Object.freeze(
  moduleConstants.reranking_weights,
);
/**
 * The score of an answer of `MemoryIndex.ask` from which on it counts as an answer, from 0 to 1. If
 * the best score is lower, the memory does not answer the question.
 *
 * @example
 * ```ts
 * const [best] = index.ask("Where did Mira move?", { limit: 1 });
 * const isAnswered = best !== undefined && best.score >= ANSWERABLE;
 * ```
 */
export const ANSWERABLE: number = moduleConstants.answerable;
/**
 * The kinds of evidence that say what a memory is like, whatever the question: whether it is a
 * question (`qm`) or follows one (`prevq`), how long it is (`len`), whether it holds a number
 * (`num`), the share of its capitalised words (`cap`) and its place in its run (`pos`). They weigh
 * 0 until `MemoryIndex.learn` or the configuration gives them a weight.
 *
 * @example
 * ```ts
 * const { shifts } = index.learned();
 * for (const trait of TRAITS) console.log(trait, shifts[trait]);
 * ```
 */
export const TRAITS: readonly Trait[] = Object.freeze(moduleConstants.traits);
/**
 * The greatest size of a number that `MemoryIndex.learn` arrives at and `MemoryIndex.setLearned`
 * accepts: shifts of weights and mean traits lie between −2 and 2.
 *
 * @example
 * ```ts
 * const { shifts } = index.learned();
 * const isAtItsBound = Math.abs(shifts.len) === MAX_LEARNED;
 * ```
 */
export const MAX_LEARNED: number = moduleConstants.max_learned;
/** Decay parameters without sections. */
export const DECAY_CONFIG: Readonly<DecayConstants> = Object.freeze(moduleConstants.decay);
/** Initial stability in days of nodes without a section, by type. */
export const INITIAL_STABILITY: Readonly<Record<AlgorithmNodeType, number>> =
  byType("initial_stability");
/** Initial difficulty in [0, 1] of nodes, by type. */
export const INITIAL_DIFFICULTY: Readonly<Record<AlgorithmNodeType, number>> =
  byType("initial_difficulty");

/** The codes of the node types, by name. @internal */
export const TYPE_CODES: ReadonlyMap<string, number> = new Map(
  types.map(({ name }, code) => [name, code]),
);

/**
 * Returns the initial stability in days of a node without a section; 14 for an unknown type.
 *
 * @example
 * ```ts
 * const days = getInitialStability("fact");
 * ```
 */
export function getInitialStability(type: AlgorithmNodeType): number {
  return Object.hasOwn(INITIAL_STABILITY, type)
    ? INITIAL_STABILITY[type]
    : unknownType.initial_stability;
}

/**
 * Returns the initial difficulty in [0, 1] of a node; 0.3 for an unknown type.
 *
 * @example
 * ```ts
 * const difficulty = getInitialDifficulty("concept");
 * ```
 */
export function getInitialDifficulty(type: AlgorithmNodeType): number {
  return Object.hasOwn(INITIAL_DIFFICULTY, type)
    ? INITIAL_DIFFICULTY[type]
    : unknownType.initial_difficulty;
}

/** Fitted weights of evidence, and how a sum of them becomes a probability. */
export interface FittedEvidence {
  /** The weight of each kind of evidence, by its name. */
  readonly weights: Readonly<Record<string, number>>;
  /** What a sum adds to the logarithm of the odds, for each unit. */
  readonly scale: number;
  /** What the best sum of the question adds. */
  readonly of_best: number;
  /** What the distance of the best sum from the second adds. */
  readonly of_gap: number;
  /** What the spread of the runs over the memories adds. */
  readonly of_spread: number;
  /** What the share of the question that no memory holds adds. */
  readonly of_unheld: number;
  /** The logarithm of the odds if all of these are 0. */
  readonly offset: number;
}

/** The fitted weights of a preset: for questions without an embedding, and for those with one. */
export interface FittedPreset extends FittedEvidence {
  /** For questions with an embedding. */
  readonly embedded: FittedEvidence;
}

/**
 * The fitted weights of evidence, by the preset of `EngineConfig.evidence`.
 *
 * @example
 * ```ts
 * FITTED_EVIDENCE.general.weights.sbm; // the weight of the BM25 score with neighbours
 * FITTED_EVIDENCE.general.embedded.weights.emb; // that of the cosine of embeddings
 * ```
 */
export const FITTED_EVIDENCE: Readonly<
  Record<NonNullable<EvidenceConfig["preset"]>, FittedPreset>
> = Object.freeze({ general: fittedPreset(0, 1), trading: fittedPreset(2, 3) });

function fittedPreset(plain: 0 | 2, embedded: 1 | 3): FittedPreset {
  return Object.freeze({ ...fittedEvidence(plain), embedded: fittedEvidence(embedded) });
}

function fittedEvidence(place: 0 | 1 | 2 | 3): FittedEvidence {
  const { weights, ...odds } = moduleConstants.fitted[place];
  const byName = moduleConstants.evidence.map((name, kind) => [name, weights[kind]!] as const);
  return Object.freeze({
    weights: Object.freeze(Object.fromEntries(byName)),
    ...odds,
  });
}

const edgeStrengths = new Map<string, number>(moduleConstants.edge_strengths);

/**
 * Returns the initial strength in [0, 1] of an edge of this type: 0.8 for `causes`, 0.5 for an
 * unknown type.
 *
 * @example
 * ```ts
 * getInitialEdgeStrength("causes"); // 0.8
 * ```
 */
export function getInitialEdgeStrength(type: string): number {
  return edgeStrengths.get(type) ?? moduleConstants.unknown_edge_strength;
}

/** Freezes a profile with all its objects. @internal */
export function freezeProfile(profile: SectionProfile): SectionProfile {
  Object.freeze(profile.reranking_weights);
  Object.freeze(profile.decay);
  Object.freeze(profile.encoding);
  return Object.freeze(profile);
}
