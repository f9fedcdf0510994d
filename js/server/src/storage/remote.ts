// The store in a database elsewhere, which somebody else keeps: sqld, or a service that speaks as
// it does.

import type { Steps } from "../steps.ts";
import { RemoteError, StorageError } from "./errors.ts";
import { migrateRemote, schemaOf } from "./migrate.ts";
import { type Remote, RemoteConnection } from "./remote-connection.ts";
import { SqlStorage } from "./sql-storage.ts";

/**
 * Rows of a batch while a whole table is read: servers give no answer of more than some ten
 * megabytes.
 */
const BATCH = 250;

export interface RemoteOptions {
  /** The script of the thread that speaks with the server. */
  thread: URL;
  /** Told of what opening did, in a sentence. */
  tell?: (what: string) => void;
  /** Whether an older schema is brought up to date. Default true. */
  migrates?: boolean;
}

export class RemoteStorage extends SqlStorage {
  readonly isRemote = true;

  /** @throws {StorageError} for a database that cannot be reached, or is of a newer version. */
  constructor(remote: Remote, options: RemoteOptions) {
    super(connect(remote, options), BATCH);
  }

  protected override *within<T>(
    begin: "BEGIN" | "BEGIN IMMEDIATE",
    work: () => Steps<T>,
  ): Steps<T> {
    try {
      return yield* super.within(begin, work);
    } catch (error) {
      // Where the answer to a commit is lost nobody knows whether it was done. What it logged, if
      // so, is to be taken in like another's.
      if (error instanceof RemoteError) this.renameWriter();
      throw error;
    }
  }

  /** SQLite's own counter is one of a connection, of which there is another each time. */
  version(): number {
    return this.changeLog.range().last;
  }

  scrub(): void {
    throw new StorageError(
      "The files of a remote database are written anew only where it is kept.",
    );
  }

  /** What it takes where it is kept, in bytes. */
  bytes(): number {
    const size = "SELECT page_count * page_size AS bytes FROM pragma_page_count, pragma_page_size";
    const [row] = this.prepared(size).all() as [{ bytes: number }];
    return row.bytes;
  }
}

function connect(
  remote: Remote,
  { thread, tell = () => {}, migrates = true }: RemoteOptions,
): RemoteConnection {
  const connection = new RemoteConnection(remote, thread);
  try {
    if (migrates) migrateRemote(connection, remote.url, tell);
    else if (schemaOf(connection) === 0)
      throw new StorageError(`The database ${remote.url} has not been migrated yet.`);
    return connection;
  } catch (error) {
    connection.close();
    const what = `The database ${remote.url} cannot be opened`;
    throw error instanceof RemoteError
      ? new RemoteError(`${what}: ${error.message}.`)
      : StorageError.of(error, what);
  }
}
