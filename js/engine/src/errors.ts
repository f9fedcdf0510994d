// The one error of the package.

import { EXAMPLE_INSTANT } from "./instant.ts";

/** What kind of thing went wrong; stable, for programs. */
export type NousErrorCode =
  /** A value passed to a function is wrong; `details` name it. */
  | "invalid_argument"
  /** A configuration is wrong; `details.field` is the path of the key. */
  | "invalid_config"
  /** The module is not loaded yet: `await init()` first. */
  | "not_initialized"
  /** The module cannot be loaded here, for instance without WebAssembly SIMD. */
  | "unsupported"
  /** A call needs more memory than there is, or than it may take. */
  | "out_of_memory"
  /** A snapshot is damaged, cut off, or of another version. */
  | "invalid_snapshot"
  /** An index was used after it had been freed. */
  | "freed"
  /**
   * The module trapped: a defect of the engine. The next call works, on a fresh instance; an index
   * is lost. Or the thread of an index's worker has ended by itself, and the index with it.
   */
  | "instance_lost"
  /**
   * A worker has as many requests to answer as it may have; once it has answered some, it takes
   * more.
   */
  | "queue_full"
  /** Every search of a retrieval failed, or was late; the first failure is the `cause`. */
  | "search_failed"
  /** A worker was terminated before it answered, or before it was asked. */
  | "terminated";

/** Where it went wrong, as far as that is one place. */
export interface NousErrorDetails {
  /** Name of the field, the option or, for a configuration, the path. */
  field?: string;
  /** Place in the batch, counted from 0. */
  index?: number;
  /** Id of the entry at that place, when it has one. */
  id?: string;
}

/** Everything that this package throws. */
export class NousError extends Error {
  // Said outright, since the package is minified.
  static override readonly name = "NousError";
  override readonly name = "NousError";
  readonly code: NousErrorCode;
  readonly details: NousErrorDetails;

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

/** A wrong argument. */
export function invalid(field: string, problem: string): NousError {
  return new NousError("invalid_argument", `${field} ${problem}`, { field });
}

/** An entry of a batch that is no object. */
export function invalidShape(batch: string, index: number, found: unknown): NousError {
  const message = `${batch}[${index}] must be an object, found ${show(found)}`;
  return new NousError("invalid_argument", message, { field: batch, index });
}

/** A wrong field of an entry of a batch, named by its place and, where it has one, its id. */
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
 * A problem and the value that has it. For text that is no instant, the message shows an example of
 * one. @internal
 */
export function problemWith(problem: string, value: unknown): string {
  const isText = typeof value === "string" && problem.startsWith("must be an instant");
  return `${problem}${isText ? `, such as ${EXAMPLE_INSTANT}` : ""}, found ${show(value)}`;
}

/** A value as a message shows it: short, and never failing, whatever getters and proxies throw. */
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

/** Whether a value is a `Date`, of whatever realm, and not only an heir of one. @internal */
export function isDate(value: unknown): value is Date {
  try {
    if (Object.prototype.toString.call(value) !== "[object Date]") return false;
    Date.prototype.getTime.call(value);
    return true;
  } catch {
    return false;
  }
}

/** Why something failed, in words; never throws, although reading an error may. @internal */
export function reasonOf(error: unknown): string {
  try {
    const message: unknown =
      typeof error === "object" && error !== null && "message" in error ? error.message : undefined;
    return typeof message === "string" && message !== "" ? message : show(error);
  } catch {
    return show(error);
  }
}
