// The store in a remote database: sqld, or a service with the same protocol.

import type { Steps } from "nous-memory";
import { RemoteError, StorageError } from "./errors.ts";
import { migrateRemote, schemaOf } from "./migrate.ts";
import { type Remote, RemoteConnection } from "./remote-connection.ts";
import { SqlStorage } from "./sql-storage.ts";

/** Rows of a batch while a whole table is read. Servers limit an answer to some ten megabytes. */
const BATCH = 250;

/** How a remote database is opened. */
export interface RemoteOptions {
  /** The URL of the script of the thread that sends the requests. */
  thread: URL;
  /** Called with a sentence about each thing that opening did. */
  tell?: (what: string) => void;
  /** Whether an older schema is migrated. Default true. */
  migrates?: boolean;
}

/** The store of the default agent in a remote database. */
export class RemoteStorage extends SqlStorage {
  readonly isRemote = true;

  /** @throws {StorageError} If the database cannot be reached, or is of a newer version. */
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
      // If the answer to a commit is lost, it is unknown whether the commit happened. Its log
      // entries, if any, must be read like those of another writer.
      if (error instanceof RemoteError) this.renameWriter();
      throw error;
    }
  }

  /**
   * Counted by the change log: SQLite's own counter belongs to a connection, and each request uses
   * another one.
   */
  version(): number {
    return this.changeLog.range().last;
  }

  scrub(): void {
    throw new StorageError(
      "The files of a remote database are written anew only where it is kept.",
    );
  }

  /** Returns the size of the database on the server, in bytes. */
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
    throw StorageError.of(error, `The database ${remote.url} cannot be opened`);
  }
}
