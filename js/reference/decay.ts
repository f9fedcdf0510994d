// Fading and growth of a memory: retrievability, lifecycle, stability, difficulty.
// The decay rules, in full. Plain on purpose: this is the yardstick of the parity tests.

import type { AlgorithmNodeType, DecayLifecycleState } from "nous-wasm";
import { MEMORY_SECTIONS, SECTION_PROFILES, type SectionDecayConfig } from "./sections.ts";
import { type Instant, toMs } from "./signals.ts";

export type { DecayLifecycleState } from "nous-wasm";

/** The states from fresh to buried; the index is the state's code in columns. */
export const DECAY_LIFECYCLE_STATES: readonly DecayLifecycleState[] = Object.freeze([
  "ACTIVE",
  "WEAK",
  "DORMANT",
  "COMPRESS",
  "ARCHIVE",
] as const);

const MS_PER_DAY = 86_400_000;

/** The global numbers, for systems without sections. Days, except rates, factors and thresholds. */
export const DECAY_CONFIG = Object.freeze({
  growth_rate: 2.5,
  max_stability_days: 365,
  active_threshold: 0.5,
  weak_threshold: 0.1,
  dormant_days: 60,
  compress_days: 120,
  archive_days: 240,
  cascade_factor: 0.8,
  edge_floor: 0.1,
});

/** Initial stability in days by algorithm type. */
export const INITIAL_STABILITY: Readonly<Record<AlgorithmNodeType, number>> = Object.freeze({
  person: 14,
  fact: 7,
  concept: 21,
  event: 10,
  note: 30,
  document: 7,
  preference: 45,
});
const UNKNOWN_STABILITY = 14;

/** Initial difficulty in [0, 1] by algorithm type. */
export const INITIAL_DIFFICULTY: Readonly<Record<AlgorithmNodeType, number>> = Object.freeze({
  person: 0.2,
  fact: 0.3,
  concept: 0.4,
  event: 0.3,
  note: 0.2,
  document: 0.5,
  preference: 0.1,
});
const UNKNOWN_DIFFICULTY = 0.3;

const LENGTH_SCALE = 5000;
const LENGTH_DIFFICULTY = 0.15;
const CONCEPT_DIFFICULTY = 0.1;
const EDGE_SCALE = 40;
const EDGE_RELIEF = 0.15;
const DIFFICULTY_DAMPING = 0.5;
const NEUTRAL_SALIENCE = 0.5;
const SALIENCE_WEIGHT = 0.5;

const ALGORITHM_TYPE_BY_SUBTYPE: Readonly<Record<string, AlgorithmNodeType>> = Object.freeze({
  watchpoint: "concept",
  curiosity: "concept",
  thesis: "concept",
  trade_entry: "concept",
  trade_close: "concept",
  trade_modify: "concept",
  lesson: "fact",
  trade: "fact",
  signal: "fact",
  market_event: "event",
  turn_summary: "event",
  preference: "preference",
  session_summary: "note",
} as const);

const ALGORITHM_TYPE_BY_NODE_TYPE: Readonly<Record<string, AlgorithmNodeType>> = Object.freeze({
  concept: "concept",
  episode: "event",
  person: "person",
  document: "document",
  note: "note",
} as const);

/** Own property of a table, or the fallback. */
function lookUp<T>(table: Readonly<Record<string, T>>, key: string, fallback: T): T {
  return Object.hasOwn(table, key) ? table[key]! : fallback;
}

/** R = exp(−t / S): t days without access at a stability of S days; 0 when S ≤ 0. */
export function calculateRetrievability(daysSinceAccess: number, stability: number): number {
  if (stability <= 0) return 0;
  return Math.exp(-daysSinceAccess / stability);
}

/**
 * Days, with their fraction, from the last access to now; an access in the future counts as now.
 */
export function daysWithoutAccess(lastAccessed: Instant, now: Instant): number {
  return Math.max(0, (toMs(now) - toMs(lastAccessed)) / MS_PER_DAY);
}

/**
 * The older, global lifecycle: thresholds 0.5 and 0.1, DORMANT below 120 days, COMPRESS below 240.
 */
export function getDecayLifecycleState(
  retrievability: number,
  daysDormant: number,
): DecayLifecycleState {
  if (retrievability > DECAY_CONFIG.active_threshold) return "ACTIVE";
  if (retrievability > DECAY_CONFIG.weak_threshold) return "WEAK";
  if (daysDormant < DECAY_CONFIG.compress_days) return "DORMANT";
  if (daysDormant < DECAY_CONFIG.archive_days) return "COMPRESS";
  return "ARCHIVE";
}

/** A section's lifecycle: its own thresholds, DORMANT below 60 days, COMPRESS below 120. */
export function getDecayLifecycleStateForSection(
  retrievability: number,
  daysDormant: number,
  decay: SectionDecayConfig,
): DecayLifecycleState {
  if (retrievability > decay.active_threshold) return "ACTIVE";
  if (retrievability > decay.weak_threshold) return "WEAK";
  if (daysDormant < DECAY_CONFIG.dormant_days) return "DORMANT";
  if (daysDormant < DECAY_CONFIG.compress_days) return "COMPRESS";
  return "ARCHIVE";
}

/** The factor of growth from the salience, if salience counts for growth. */
const emphasis = (salience: number): number => 1 + (salience - NEUTRAL_SALIENCE) * SALIENCE_WEIGHT;

function grow(
  stability: number,
  difficulty: number,
  salience: number,
  rate: number,
  cap: number,
): number {
  return Math.min(
    stability * rate * (1 - difficulty * DIFFICULTY_DAMPING) * emphasis(salience),
    cap,
  );
}

/**
 * Stability in days after a recall: min(S · 2.5 · (1 − difficulty · 0.5) · (1 + (salience − 0.5) ·
 * 0.5), 365).
 */
export function updateStabilityOnAccess(
  stability: number,
  difficulty: number,
  salience = NEUTRAL_SALIENCE,
): number {
  return grow(
    stability,
    difficulty,
    salience,
    DECAY_CONFIG.growth_rate,
    DECAY_CONFIG.max_stability_days,
  );
}

/** Stability in days after a recall, with the section's rate and cap. */
export function updateStabilityOnAccessForSection(
  stability: number,
  difficulty: number,
  decay: SectionDecayConfig,
  salience = NEUTRAL_SALIENCE,
): number {
  return grow(stability, difficulty, salience, decay.growth_rate, decay.max_stability_days);
}

/** Weight of an edge of a fading node: unchanged while R ≥ 0.1, else max(weight · 0.8, 0.1). */
export function applyCascadeDecay(edgeWeight: number, retrievability: number): number {
  if (retrievability >= DECAY_CONFIG.weak_threshold) return edgeWeight;
  return Math.max(edgeWeight * DECAY_CONFIG.cascade_factor, DECAY_CONFIG.edge_floor);
}

/** Initial stability in days of an algorithm type, 14 for an unknown one. */
export function getInitialStability(type: AlgorithmNodeType): number {
  return lookUp(INITIAL_STABILITY, type, UNKNOWN_STABILITY);
}

/** Initial difficulty of an algorithm type, 0.3 for an unknown one. */
export function getInitialDifficulty(type: AlgorithmNodeType): number {
  return lookUp(INITIAL_DIFFICULTY, type, UNKNOWN_DIFFICULTY);
}

/**
 * Algorithm type of a node: by subtype, with or without `custom:`, else by node type, else concept.
 */
export function algorithmTypeFor(
  subtype: string | null | undefined,
  nodeType?: string | null | undefined,
): AlgorithmNodeType {
  const name = (subtype ?? "").replace(/^custom:/, "");
  const byNodeType = lookUp(ALGORITHM_TYPE_BY_NODE_TYPE, nodeType ?? "", "concept");
  return lookUp(ALGORITHM_TYPE_BY_SUBTYPE, name, byNodeType);
}

/**
 * Difficulty in [0, 1] of a new node: initial + min(length / 5000, 1) · 0.15 + (0.1 for a concept)
 * − min(edges / 40, 1) · 0.15, clamped. `contentLength` is that of the body in UTF-16 units.
 */
export function calculateDifficulty(
  type: AlgorithmNodeType,
  contentLength: number,
  edgeCount: number,
): number {
  const difficulty =
    getInitialDifficulty(type) +
    Math.min(contentLength / LENGTH_SCALE, 1) * LENGTH_DIFFICULTY +
    (type === "concept" ? CONCEPT_DIFFICULTY : 0) -
    Math.min(edgeCount / EDGE_SCALE, 1) * EDGE_RELIEF;
  return Math.max(0, Math.min(1, difficulty));
}

/** Nodes as columns, one entry a node. */
export interface DecayInput {
  /** Milliseconds since 1970. */
  lastAccessed: ArrayLike<number>;
  /** Days. */
  stability: ArrayLike<number>;
  /** Index into MEMORY_SECTIONS. */
  section: ArrayLike<number>;
}

export interface DecayOutput {
  retrievability: Float64Array;
  /** Index into DECAY_LIFECYCLE_STATES. */
  lifecycle: Uint8Array;
}

/**
 * Retrievability and lifecycle of every node at `now`; days dormant = t when R is below the
 * section's weak threshold, else 0.
 */
export function decayColumns(
  { lastAccessed, stability, section }: DecayInput,
  now: Instant,
): DecayOutput {
  const count = lastAccessed.length;
  const output = { retrievability: new Float64Array(count), lifecycle: new Uint8Array(count) };
  for (let i = 0; i < count; i++) {
    const { decay } = SECTION_PROFILES[MEMORY_SECTIONS[section[i]!]!];
    const t = daysWithoutAccess(lastAccessed[i]!, now);
    const retrievability = calculateRetrievability(t, stability[i]!);
    const daysDormant = retrievability < decay.weak_threshold ? t : 0;
    const state = getDecayLifecycleStateForSection(retrievability, daysDormant, decay);
    output.retrievability[i] = retrievability;
    output.lifecycle[i] = DECAY_LIFECYCLE_STATES.indexOf(state);
  }
  return output;
}

/** R as it is stored: 4 decimals, half to even on the exact binary value. */
export function roundRetrievability(retrievability: number): number {
  // A double is exactly half-way between two 4-decimal numbers only when it is an odd multiple of
  // 1/32.
  const thirtySeconds = retrievability * 32;
  if (Number.isInteger(thirtySeconds) && thirtySeconds % 2 !== 0) {
    const below = Math.floor(retrievability * 10_000);
    return (below % 2 === 0 ? below : below + 1) / 10_000;
  }
  return Number(retrievability.toFixed(4));
}
