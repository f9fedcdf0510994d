// Errors of the store. Their messages may be shown: they hold no SQL and no texts of memories.

/** The hint for messages about a damaged database. */
export const MENDING_DAMAGE = "`nous-server check` tells more, and a backup can be restored";

/** Why a database cannot be had, as the end of a sentence. */
export const IN_USE = "another program is using it";

/** Thrown if a database cannot be opened, or refuses an operation. */
export class StorageError extends Error {
  override readonly name = "StorageError";
  /** SQLite's name of the error, such as SQLITE_BUSY. */
  readonly code: string | undefined;

  constructor(message: string, options: ErrorOptions & { code?: string | undefined } = {}) {
    super(message, options);
    this.code = options.code;
  }

  /**
   * Returns an error of the store as it is, and any other error as one of the store. `what` stands in
   * front of the message of any other error, and of a `RemoteError`, which does not say what failed.
   */
  static of(error: unknown, what: string): StorageError {
    if (error instanceof RemoteError) return new RemoteError(`${what}: ${error.message}.`);
    if (error instanceof StorageError) return error;
    const { message, code } = error as Error & { code?: string };
    const damage = isDamage(error) ? `${message}; ${MENDING_DAMAGE}` : undefined;
    const why = code === "SQLITE_BUSY" ? IN_USE : (damage ?? message);
    return new StorageError(`${what}: ${why}.`, { cause: error, code });
  }
}

/**
 * Thrown before anything is written, for a condition that passes or that the user can fix. The
 * message says how to fix it, contains no path, and may be sent to a client.
 */
export class Unavailable extends StorageError {}

/**
 * Thrown if a remote database does not answer, or gives up. Its transaction is undone, and the
 * caller may try again.
 */
export class RemoteError extends Unavailable {}

/** Thrown if another program is writing this memory: the transaction has not begun. */
export class Held extends StorageError {
  constructor() {
    super("another program is writing this memory", { code: "SQLITE_BUSY" });
  }
}

/**
 * Thrown if another server has deleted the agent since it was opened here. Nothing is written. The
 * agent has to be opened anew.
 */
export class AgentDeleted extends Unavailable {
  constructor(agent: string) {
    super(`The agent ${agent} was deleted by another server: send the request again.`);
  }
}

/**
 * SQLite's codes of a write without free space. SQLite reports a quota or a size limit as a failing
 * write.
 */
const NO_ROOM: readonly unknown[] = [
  "SQLITE_FULL",
  "SQLITE_IOERR_WRITE",
  "SQLITE_IOERR_SHMSIZE",
  "ENOSPC",
  "EDQUOT",
  "EFBIG",
];

/** Returns whether an error means that there is no free space for a write. */
export const isNoRoom = (error: unknown): boolean =>
  NO_ROOM.includes((error as { code?: unknown }).code);

/** Returns whether an error means that a database, or its folder, is read-only. */
export function isReadOnly(error: unknown): boolean {
  const code = String((error as { code?: unknown }).code);
  // The code of a database file that was moved while open does not mean that.
  return code !== "SQLITE_READONLY_DBMOVED" && READ_ONLY.test(code);
}

const READ_ONLY = /^(SQLITE_READONLY|EROFS$|EACCES$|EPERM$)/;

/**
 * Returns a message without places, for clients: of a path below `folder` the last name remains,
 * and `url` is removed. The log gets the whole message.
 */
export function withoutPlaces(message: string, folder: string, url = ""): string {
  const escaped = folder.replace(/[\\^$.*+?()[\]{}|]/g, "\\$&");
  const below = new RegExp(
    `${escaped}(?:[/\\\\]+([^\\s'"]*[/\\\\])?([^\\s'"/\\\\]*)|(?![\\w-]))`,
    "g",
  );
  const words = message.replace(below, (_, _folders, name) => name || "the data directory");
  return url === "" ? words : words.replaceAll(url, "elsewhere");
}

/** Returns whether an error means that a file is damaged or not a database. */
export const isDamage = (error: unknown): boolean =>
  /^SQLITE_(CORRUPT|NOTADB)/.test(String((error as { code?: unknown }).code));
