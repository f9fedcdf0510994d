// What a store refuses, in words that may be shown: without SQL, without texts of memories.

/** What can be done about a database that is damaged. */
export const MENDING_DAMAGE = "`nous-server check` tells more, and a backup can be restored";

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
    const damage = isDamage(error) ? `${message}; ${MENDING_DAMAGE}` : undefined;
    const why = code === "SQLITE_BUSY" ? "another program is using it" : (damage ?? message);
    return new StorageError(`${what}: ${why}.`, { cause: error, code });
  }
}

/**
 * Nothing was done, and it passes or is for the user to mend: the message says how, names no path,
 * and may be sent as it is.
 */
export class Unavailable extends StorageError {}

/**
 * A database elsewhere could not be asked, or gave up: nothing is half done, and it can be tried
 * again.
 */
export class RemoteError extends Unavailable {}

/**
 * No room is left for what is to be written, or no more of it is allowed; SQLite tells a quota and
 * a limit as a failing write.
 */
const NO_ROOM: readonly unknown[] = [
  "SQLITE_FULL",
  "SQLITE_IOERR_WRITE",
  "SQLITE_IOERR_SHMSIZE",
  "ENOSPC",
  "EDQUOT",
  "EFBIG",
];

/** Whether there was no room for what was to be written. */
export const isNoRoom = (error: unknown): boolean =>
  NO_ROOM.includes((error as { code?: unknown }).code);

/**
 * SQLite's number of a write to what may only be read, the lowest byte of its extended codes; the
 * binding names not all of those.
 */
const SQLITE_READONLY = 8;
/** A file was moved under an open database: whether it may be written is another matter. */
const MOVED: readonly unknown[] = ["SQLITE_READONLY_DBMOVED", "UNKNOWN_SQLITE_ERROR_1032"];

/** Whether a database, or its folder, may only be read. */
export function isReadOnly(error: unknown): boolean {
  const code = String((error as { code?: unknown }).code);
  const [, number] = /^UNKNOWN_SQLITE_ERROR_(\d+)$/.exec(code) ?? [];
  if (MOVED.includes(code)) return false;
  return (
    /^(SQLITE_READONLY|EROFS$|EACCES$|EPERM$)/.test(code) ||
    (Number(number) & 0xff) === SQLITE_READONLY
  );
}

/**
 * A message without places: of a path below `folder` its last name is left, and of `url` nothing.
 * Clients are told no more, and the log has all of it.
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

/** Whether a file cannot be read as the database that it was. */
export const isDamage = (error: unknown): boolean =>
  /^SQLITE_(CORRUPT|NOTADB)/.test(String((error as { code?: unknown }).code));
