// `MinilmError`, the error class of the package.

/** Code of an error. Codes are stable, so programs can compare them. */
export type MinilmErrorCode =
  /** An argument is wrong. `details` name it. */
  | "invalid_argument"
  /** The model file or the adapter file is damaged, cut off, or not the one of this package. */
  | "invalid_model"
  /**
   * A file cannot be read, or WebAssembly cannot run here: the `cause` says why. Or pairs were to
   * be read before `loadReplacing`.
   */
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

/** Returns the error for a wrong argument; `part` of an entry, such as `.older`. @internal */
export function invalid(field: string, problem: string, index?: number, part = ""): MinilmError {
  const place = index === undefined ? field : `${field}[${index}]${part}`;
  const details = index === undefined ? { field } : { field, index };
  return new MinilmError("invalid_argument", `${place} ${problem}`, details);
}

/** Returns the error for a file that is wrong. @internal */
export function wrongFile(problem: string): MinilmError {
  const message = `${problem}; take the file of this package's version`;
  return new MinilmError("invalid_model", message, { field: "file" });
}

/** A file of the package. @internal */
export type FileName = "minilm-l6.bin" | "replacing.bin" | "asking.bin";

/** Returns the error for a file that cannot be read, with the way out. @internal */
export function unreadable(name: FileName, url: URL, cause: unknown): MinilmError {
  const file = name === "minilm-l6.bin" ? "model" : "adapter";
  const way = `pass the bytes of its file, such as nous-minilm/model/${name}, as the option file`;
  const message = `The ${file} file could not be read from ${url.href}: ${way}.`;
  return new MinilmError("unsupported", message, {}, { cause });
}

/** Throws if options are no object, or if one has none of these names. @internal */
export function requireOptions(options: unknown, ...names: string[]): void {
  if (typeof options !== "object" || options === null || Array.isArray(options))
    throw invalid("options", "must be an object");
  const unknown = Object.keys(options).find((key) => !names.includes(key));
  if (unknown === undefined) return;
  const known = names.join(", ").replace(/, (\w+)$/, " and $1");
  const [noun, verb] = names.length > 1 ? ["options", "are"] : ["option", "is"];
  throw invalid(unknown, `is not an option: the ${noun} ${verb} ${known}`);
}

/** Throws if a file is given, and is no bytes. @internal */
export function requireBytes(file: unknown): void {
  // An array of another realm is none of this one's class.
  if (file !== undefined && Object.prototype.toString.call(file) !== "[object Uint8Array]")
    throw invalid("file", "must be a Uint8Array");
}
