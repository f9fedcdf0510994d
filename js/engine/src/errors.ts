// `NousError`, the error class of the package, and helpers that make its messages.

/** An instant as text, for messages. @internal */
export const EXAMPLE_INSTANT = "2026-01-15T09:30:00Z";

/** Code of an error. Codes are stable, so programs can compare them. */
export type NousErrorCode =
  /** An argument is wrong. `details` name it. */
  | "invalid_argument"
  /** A configuration is wrong. `details.field` is the path of the key. */
  | "invalid_config"
  /** The module is not loaded. Call `await init()` first. */
  | "not_initialized"
  /** The module cannot be loaded in this environment, for instance without WebAssembly SIMD. */
  | "unsupported"
  /** A call needs more memory than the environment has, or than the index may take. */
  | "out_of_memory"
  /** A snapshot is damaged, cut off, or of another version. */
  | "invalid_snapshot"
  /** An index or an embedder was used after `free`. */
  | "freed"
  /**
   * The module trapped, which is a defect of the engine. The next call works on a new instance; a
   * resident index is lost.
   */
  | "instance_lost"
  /**
   * All searches of a retrieval failed or exceeded the time limit. The `cause` is the first
   * failure.
   */
  | "search_failed";

/** Where the error is, if it concerns one field or entry. */
export interface NousErrorDetails {
  /** Name of the field or option; in a configuration the path of the key. */
  field?: string;
  /** Index in the batch, counted from 0. */
  index?: number;
  /** Id of the entry at that index, if it has one. */
  id?: string;
}

/**
 * The error that this package throws.
 *
 * @example
 * ```ts
 * try {
 *   rerankTop(candidates, metrics);
 * } catch (error) {
 *   if (error instanceof NousError && error.code === "invalid_argument") {
 *     console.error(error.details.field, error.details.index, error.details.id);
 *   }
 * }
 * ```
 */
export class NousError extends Error {
  // Set explicitly, because minification renames the class.
  static override readonly name = "NousError";
  /** The name of the class. */
  override readonly name = "NousError";
  /** What went wrong, for programs. */
  readonly code: NousErrorCode;
  /** Where the error is, if it concerns one field or entry. */
  readonly details: NousErrorDetails;

  /** Creates an error. The package itself throws it; callers need this only in tests. */
  constructor(
    code: NousErrorCode,
    message: string,
    details: NousErrorDetails = {},
    options?: ErrorOptions,
  ) {
    super(message, options);
    this.code = code;
    this.details = details;
  }
}

/** Returns the error for a wrong argument. */
export function invalid(field: string, problem: string): NousError {
  return new NousError("invalid_argument", `${field} ${problem}`, { field });
}

/** Returns the error for an entry of a batch that is no object. */
export function invalidShape(batch: string, index: number, found: unknown): NousError {
  const message = `${batch}[${index}] must be an object, found ${show(found)}`;
  return new NousError("invalid_argument", message, { field: batch, index });
}

/**
 * Returns the error for a wrong field of an entry of a batch, with its index and, if it has one,
 * its id.
 */
export function invalidEntry(
  batch: string,
  index: number,
  entry: unknown,
  field: string,
  problem: string,
): NousError {
  const id = idOf(entry);
  const place = `${batch}[${index}]${id === undefined ? "" : ` (id ${JSON.stringify(id)})`}`;
  const details = { field, index, ...(id === undefined ? {} : { id }) };
  return new NousError("invalid_argument", `${place}: ${field} ${problem}`, details);
}

function idOf(entry: unknown): string | undefined {
  if (typeof entry !== "object" || entry === null) return undefined;
  const { id } = entry as { id?: unknown };
  return typeof id === "string" && id !== "" ? id : undefined;
}

/**
 * A problem, followed by the wrong value. For text that is no instant, the message shows an
 * example. @internal
 */
export function problemWith(problem: string, value: unknown): string {
  const isText = typeof value === "string" && problem.startsWith("must be an instant");
  return `${problem}${isText ? `, such as ${EXAMPLE_INSTANT}` : ""}, found ${show(value)}`;
}

/** Returns a short form of a value for a message. Never throws, whatever getters and proxies do. */
export function show(value: unknown): string {
  try {
    return shown(value);
  } catch {
    return "a value that cannot be read";
  }
}

function shown(value: unknown): string {
  if (typeof value === "string")
    return JSON.stringify(value.length > 40 ? `${value.slice(0, 40)}…` : value);
  if (typeof value === "bigint") return `${value}n`;
  if (isDate(value)) return Number.isNaN(value.getTime()) ? "an invalid Date" : value.toISOString();
  if (typeof value === "object" && value !== null)
    return Array.isArray(value) ? "an array" : "an object";
  if (typeof value === "function") return "a function";
  return String(value);
}

/**
 * Returns whether a value is a `Date`, of any realm. An object that only inherits from one is none.
 * @internal
 */
export function isDate(value: unknown): value is Date {
  try {
    if (Object.prototype.toString.call(value) !== "[object Date]") return false;
    Date.prototype.getTime.call(value);
    return true;
  } catch {
    return false;
  }
}

/**
 * Returns the reason of a failure in words. Never throws, although reading an error may. @internal
 */
export function reasonOf(error: unknown): string {
  try {
    const message: unknown =
      typeof error === "object" && error !== null && "message" in error ? error.message : undefined;
    return typeof message === "string" && message !== "" ? message : show(error);
  } catch {
    return show(error);
  }
}
