// `MinilmError`, the error class of the package.

/** Code of an error. Codes are stable, so programs can compare them. */
export type MinilmErrorCode =
  /** An argument is wrong. `details` name it. */
  | "invalid_argument"
  /** The model file is damaged, cut off, or not the one of this package. */
  | "invalid_model"
  /** The model file cannot be read, or WebAssembly cannot run here. The `cause` says why. */
  | "unsupported"
  /** A call needs more memory than the environment has. */
  | "out_of_memory"
  /** A model was used after `free`. */
  | "freed";

/** Where the error is, if it concerns one argument or entry. */
export interface MinilmErrorDetails {
  /** Name of the argument or option. */
  field?: string;
  /** Index in the list, counted from 0. */
  index?: number;
}

/**
 * The error that this package throws.
 *
 * @example
 * ```ts
 * try {
 *   await loadMinilm();
 * } catch (error) {
 *   if (error instanceof MinilmError && error.code === "unsupported") console.error(error.cause);
 * }
 * ```
 */
export class MinilmError extends Error {
  // Set explicitly, because minification renames the class.
  static override readonly name = "MinilmError";
  /** The name of the class. */
  override readonly name = "MinilmError";
  /** What went wrong, for programs. */
  readonly code: MinilmErrorCode;
  /** Where the error is, if it concerns one argument or entry. */
  readonly details: MinilmErrorDetails;

  /** Creates an error. The package itself throws it; callers need this only in tests. */
  constructor(
    code: MinilmErrorCode,
    message: string,
    details: MinilmErrorDetails = {},
    options?: ErrorOptions,
  ) {
    super(message, options);
    this.code = code;
    this.details = details;
  }
}

/** Returns the error for a wrong argument. @internal */
export function invalid(field: string, problem: string, index?: number): MinilmError {
  const place = index === undefined ? field : `${field}[${index}]`;
  const details = index === undefined ? { field } : { field, index };
  return new MinilmError("invalid_argument", `${place} ${problem}`, details);
}
