// What a store refuses, in words that may be shown: without SQL, without texts of memories.

/** A database cannot be opened, or cannot do what it is asked for. */
export class StorageError extends Error {
  override readonly name = "StorageError";
  /** SQLite's own name of it, such as SQLITE_BUSY. */
  readonly code: string | undefined;

  constructor(message: string, options: ErrorOptions & { code?: string | undefined } = {}) {
    super(message, options);
    this.code = options.code;
  }

  /** An error of the database with a sentence in front; one of our own as it is. */
  static of(error: unknown, what: string): StorageError {
    if (error instanceof StorageError) return error;
    const { message, code } = error as Error & { code?: string };
    const why = code === "SQLITE_BUSY" ? "another program is using it" : message;
    return new StorageError(`${what}: ${why}.`, { cause: error, code });
  }
}

/** A database elsewhere could not be asked, or gave up: nothing is half done, and it can be tried again. */
export class RemoteError extends StorageError {}
