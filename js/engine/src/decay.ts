// Decay and growth of memories. Single values are passed as numbers, many memories as columns.

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

/** A column of numbers. Typed arrays are fastest. */
export type Column = Float64Array | Float32Array | Int32Array | Uint32Array | readonly number[];

/**
 * Nodes as columns of one length, with one entry per node.
 *
 * @example
 * ```ts
 * const columns = { lastAccessed: [Date.now()], stability: [30], section: [0] };
 * ```
 */
export interface DecayColumns {
  /** Times of the last access, in milliseconds since 1970. */
  lastAccessed: Column;
  /** Stabilities in days. At 0 or less a memory is forgotten. */
  stability: Column;
  /** Section codes: indices into `MEMORY_SECTIONS`. */
  section: Uint8Array | readonly number[];
}

/** Result of `decayColumns`, with one entry per node. */
export interface DecayedColumns {
  /** Retrievability in [0, 1]. */
  retrievability: Float64Array;
  /** Codes of lifecycle states: indices into `LIFECYCLE_STATES`. */
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

// An entry that is no number becomes NaN, which the module refuses. Copies at most `count` entries,
// because a getter may lengthen a column meanwhile.
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

/** A code that no section has. */
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

/** An unknown salience, or one that does not count. Growth takes it as neutral. @internal */
export const NO_SALIENCE = Number.NaN;

/** Growth on FSRS-6 in a section. Only the section's cap applies. @internal */
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
  max: number,
): number {
  return numeric().fsrs_stability_on_access(stability, difficulty, salience, retrievability, max);
}

/** @internal */
export function growOnAccess(stability: number, difficulty: number, salience: number): number {
  return numeric().stability_on_access(stability, difficulty, salience);
}

/**
 * Returns the stability in days after a recall, without a section: min(S · 2.5 · (1 − difficulty ·
 * 0.5), 365).
 *
 * @example
 * ```ts
 * updateStabilityOnAccess(10, 0.2); // 22.5
 * ```
 */
export function updateStabilityOnAccess(stability: number, difficulty: number): number {
  return growOnAccess(stability, difficulty, NO_SALIENCE);
}

/**
 * Returns the stability in days after a recall, with the rate and cap of a section. `decay` is the
 * `decay` of a profile, or an object like it.
 *
 * @throws {NousError} `invalid_argument` if `decay` is no object.
 *
 * @example
 * ```ts
 * updateStabilityOnAccessForSection(10, 0.2, SECTION_PROFILES.KNOWLEDGE.decay);
 * ```
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
 * Returns the lifecycle state without a section: ACTIVE and WEAK by the thresholds 0.5 and 0.1;
 * below, DORMANT until 120 days dormant, COMPRESS until 240, then ARCHIVE.
 *
 * @example
 * ```ts
 * getDecayLifecycleState(0.05, 150); // "COMPRESS"
 * ```
 */
export function getDecayLifecycleState(
  retrievability: number,
  daysDormant: number,
): DecayLifecycleState {
  return LIFECYCLE_STATES[numeric().lifecycle(retrievability, daysDormant)]!;
}

/**
 * Returns the lifecycle state by the thresholds of a section; below the weak threshold, DORMANT
 * until 60 days dormant, COMPRESS until 120, then ARCHIVE.
 *
 * @throws {NousError} `invalid_argument` if `decay` is no object.
 *
 * @example
 * ```ts
 * getDecayLifecycleStateForSection(0.05, 70, SECTION_PROFILES.KNOWLEDGE.decay);
 * ```
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

/**
 * Returns the weight of an edge of a decaying node: unchanged if R ≥ 0.1, else max(weight · 0.8,
 * 0.1).
 *
 * @example
 * ```ts
 * applyCascadeDecay(0.5, 0.05); // 0.4
 * ```
 */
export function applyCascadeDecay(edgeWeight: number, retrievability: number): number {
  return numeric().cascade(edgeWeight, retrievability);
}

/**
 * Returns the difficulty in [0, 1] of a new node: initial + min(length / 5000, 1) · 0.15 + (0.1 for
 * a concept) − min(edges / 40, 1) · 0.15, clamped. `contentLength` is the length of the body in
 * UTF-16 units.
 *
 * @example
 * ```ts
 * calculateDifficulty("concept", 1200, 4);
 * ```
 */
export function calculateDifficulty(
  type: AlgorithmNodeType,
  contentLength: number,
  edgeCount: number,
): number {
  return numeric().difficulty(TYPE_CODES.get(type) ?? TYPE_CODES.size, contentLength, edgeCount);
}

/**
 * Returns the FSRS stability (the days until R = 0.9) of a memory that decays as exp(−t / S): S /
 * 9.4912. On that curve R is 0.368 after S days.
 *
 * @example
 * ```ts
 * fsrsStabilityFromExponential(94.912); // about 10
 * ```
 */
export function fsrsStabilityFromExponential(stability: number): number {
  return numeric().fsrs_stability_from_exponential(stability);
}

/**
 * Returns the S of exp(−t / S) for a memory with this FSRS stability: S · 9.4912.
 *
 * @example
 * ```ts
 * exponentialStabilityFromFsrs(10); // about 94.912
 * ```
 */
export function exponentialStabilityFromFsrs(stability: number): number {
  return numeric().exponential_stability_from_fsrs(stability);
}
