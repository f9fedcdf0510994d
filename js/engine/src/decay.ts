// Fading and growth: single values cross as numbers, whole memories as columns.

import { requireObject } from "./arguments.ts";
import { LIFECYCLE_STATES, TYPE_CODES } from "./constants.ts";
import type { EngineContext } from "./engine-context.ts";
import { invalid, NousError, problemWith, show } from "./errors.ts";
import { toMilliseconds } from "./instant.ts";
import { takeRefusal } from "./refusal.ts";
import { numeric } from "./runtime.ts";
import type {
  AlgorithmNodeType,
  DecayLifecycleState,
  Instant,
  SectionDecayConfig,
} from "./types.ts";

/** A column of numbers. Typed arrays cross fastest. */
export type Column = Float64Array | Float32Array | Int32Array | Uint32Array | readonly number[];

/** Nodes as columns of one length, one entry a node in each. */
export interface DecayColumns {
  /** Last accesses, in milliseconds since 1970. */
  lastAccessed: Column;
  /** Stabilities in days; 0 or less means forgotten. */
  stability: Column;
  /** Section codes: places in MEMORY_SECTIONS. */
  section: Uint8Array | readonly number[];
}

/** What `decayColumns` answers: an entry a node. */
export interface DecayedColumns {
  /** Chance in [0, 1] that the memory is at hand. */
  retrievability: Float64Array;
  /** Codes: places in LIFECYCLE_STATES. */
  lifecycle: Uint8Array;
}

/** @internal */
export function decayColumns(
  context: EngineContext,
  columns: DecayColumns,
  instant: Instant,
): DecayedColumns {
  if (columns == null) throw invalid("columns", `must be an object, found ${show(columns)}`);
  const { lastAccessed, stability, section } = columns;
  const nodes = lengthOf("lastAccessed", lastAccessed);
  for (const [field, column] of [
    ["stability", stability],
    ["section", section],
  ] as const) {
    if (lengthOf(field, column) !== nodes) {
      throw invalid(
        field,
        `must have as many entries as lastAccessed, ${nodes}, found ${column.length}`,
      );
    }
  }
  const now = toMilliseconds(instant);
  const lease = context.pool.acquire();
  try {
    lease.reserve(nodes * 3, 0, nodes * 2);
    const { numbers, bytes, numbersAt, bytesAt, engine } = lease;
    copyNumbers(lastAccessed, nodes, numbers, numbersAt);
    copyNumbers(stability, nodes, numbers, numbersAt + nodes);
    copyCodes(section, nodes, bytes, bytesAt);
    if (!engine.decay_columns(nodes, now)) {
      const { field, index, problem } = takeRefusal(lease.instance.glue);
      if (index === null) throw invalid(field, problemWith(problem, instant));
      const name = field === "last_accessed" ? "lastAccessed" : (field as keyof DecayColumns);
      throw new NousError(
        "invalid_argument",
        `${name}[${index}] ${problemWith(problem, columns[name][index])}`,
        {
          field: name,
          index,
        },
      );
    }
    lease.revalidateViews();
    const [r, state] = [lease.numbersAt + 2 * nodes, lease.bytesAt + nodes];
    return {
      retrievability: lease.numbers.slice(r, r + nodes),
      lifecycle: lease.bytes.slice(state, state + nodes),
    };
  } finally {
    context.pool.release(lease);
  }
}

function lengthOf(field: string, column: unknown): number {
  const good =
    Array.isArray(column) || (ArrayBuffer.isView(column) && !(column instanceof DataView));
  if (!good) throw invalid(field, `must be an array or a typed array, found ${show(column)}`);
  return (column as ArrayLike<unknown>).length;
}

// Entries that are no numbers become what the module refuses by name. There is room for `count` of
// them, whatever a getter does to a column meanwhile.
function copyNumbers(column: Column, count: number, into: Float64Array, at: number): void {
  if (column instanceof Float64Array && column.length === count) {
    into.set(column, at);
    return;
  }
  for (let index = 0; index < count; index++) {
    const value = column[index]!;
    into[at + index] = typeof value === "number" ? value : Number.NaN;
  }
}

/** No section has this code. */
const NO_CODE = 255;

function copyCodes(column: ArrayLike<number>, count: number, into: Uint8Array, at: number): void {
  if (column instanceof Uint8Array && column.length === count) {
    into.set(column, at);
    return;
  }
  for (let index = 0; index < count; index++) {
    const code = column[index]!;
    into[at + index] = Number.isInteger(code) && code >= 0 && code < NO_CODE ? code : NO_CODE;
  }
}

/** A salience that nobody knows, or that does not count: growth takes it as neutral. @internal */
export const NO_SALIENCE = Number.NaN;

/** The growth of a section on FSRS-6, which goes by its cap alone. @internal */
export function growOnFsrsForSection(
  stability: number,
  difficulty: number,
  salience: number,
  retrievability: number | undefined,
  decay: SectionDecayConfig,
): number {
  requireObject("decay", decay);
  return growOnFsrs(stability, difficulty, salience, retrievability, decay.max_stability_days);
}

/** @internal */
export function growOnFsrs(
  stability: number,
  difficulty: number,
  salience: number,
  retrievability: number = Number.NaN,
  most: number,
): number {
  return numeric().fsrs_stability_on_access(stability, difficulty, salience, retrievability, most);
}

/** @internal */
export function growOnAccess(stability: number, difficulty: number, salience: number): number {
  return numeric().stability_on_access(stability, difficulty, salience);
}

/**
 * Stability in days after a recall without a section: min(S · 2.5 · (1 − difficulty · 0.5), 365).
 */
export function updateStabilityOnAccess(stability: number, difficulty: number): number {
  return growOnAccess(stability, difficulty, NO_SALIENCE);
}

/**
 * Stability in days after a recall, by a section's rate and cap: `decay` is that of a profile, or
 * alike.
 */
export function updateStabilityOnAccessForSection(
  stability: number,
  difficulty: number,
  decay: SectionDecayConfig,
): number {
  return growOnAccessForSection(stability, difficulty, NO_SALIENCE, decay);
}

/** @internal */
export function growOnAccessForSection(
  stability: number,
  difficulty: number,
  salience: number,
  decay: SectionDecayConfig,
): number {
  requireObject("decay", decay);
  return numeric().stability_on_access_for_section(
    stability,
    difficulty,
    salience,
    decay.initial_stability_days,
    decay.growth_rate,
    decay.active_threshold,
    decay.weak_threshold,
    decay.max_stability_days,
  );
}

/**
 * The state without a section: thresholds 0.5 and 0.1; below, DORMANT until 120 days dormant,
 * COMPRESS until 240.
 */
export function getDecayLifecycleState(
  retrievability: number,
  daysDormant: number,
): DecayLifecycleState {
  return LIFECYCLE_STATES[numeric().lifecycle(retrievability, daysDormant)]!;
}

/**
 * The state by a section's thresholds; below the weak one, DORMANT until 60 days dormant, COMPRESS
 * until 120.
 */
export function getDecayLifecycleStateForSection(
  retrievability: number,
  daysDormant: number,
  decay: SectionDecayConfig,
): DecayLifecycleState {
  requireObject("decay", decay);
  const code = numeric().lifecycle_for_section(
    retrievability,
    daysDormant,
    decay.initial_stability_days,
    decay.growth_rate,
    decay.active_threshold,
    decay.weak_threshold,
    decay.max_stability_days,
  );
  return LIFECYCLE_STATES[code]!;
}

/** Weight of an edge of a fading node: as it was while R ≥ 0.1, else max(weight · 0.8, 0.1). */
export function applyCascadeDecay(edgeWeight: number, retrievability: number): number {
  return numeric().cascade(edgeWeight, retrievability);
}

/**
 * Difficulty in [0, 1] of a new node: initial + min(length / 5000, 1) · 0.15 + (0.1 for a concept)
 * − min(edges / 40, 1) · 0.15, clamped. `contentLength` counts the body's UTF-16 units.
 */
export function calculateDifficulty(
  type: AlgorithmNodeType,
  contentLength: number,
  edgeCount: number,
): number {
  return numeric().difficulty(TYPE_CODES.get(type) ?? TYPE_CODES.size, contentLength, edgeCount);
}

/**
 * The FSRS stability (the days after which R = 0.9) of a memory that fades as exp(−t / S), where R
 * is 0.368 after S days: S / 9.4912.
 */
export function fsrsStabilityFromExponential(stability: number): number {
  return numeric().fsrs_stability_from_exponential(stability);
}

/** The S of exp(−t / S) for a memory of which FSRS knows the stability: S · 9.4912. */
export function exponentialStabilityFromFsrs(stability: number): number {
  return numeric().exponential_stability_from_fsrs(stability);
}
