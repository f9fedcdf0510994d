// Opens the databases of agents, wherever they are. This file loads the database library only when
// it opens one.

import { DEFAULT_AGENT } from "../settings/agent-names.ts";
import { agentFile } from "../settings/paths.ts";
import { StorageError } from "./errors.ts";
import { LibsqlStorage } from "./libsql.ts";
import { MovedError } from "./open-files.ts";
import { areFiles, databasesIn, type Place } from "./place.ts";
import { agentsAt, openPostgres } from "./postgres/open.ts";
import { RemoteStorage } from "./remote.ts";
import type { Remote } from "./remote-connection.ts";
import type { Storage } from "./storage.ts";
import { checkLog } from "./wal.ts";

/** How the database of an agent is opened. */
export interface OpenOptions {
  /** Called with a sentence about each thing that opening did. */
  tell?: (what: string) => void;
  /** Whether an older schema is migrated. Default true. */
  migrates?: boolean;
  /**
   * Whether texts that are not UTF-8 are replaced. Default true; false refuses a database with such
   * texts.
   */
  replacesTexts?: boolean;
}

/**
 * Opens the database of an agent. Creates it, unless the options say that it is only read.
 *
 * @throws {StorageError} If it cannot be opened or created, or if the file is the database of
 * another agent.
 */
export function openStorage(
  { dataDir, durability, remote, postgres }: Place,
  agent: string,
  options: OpenOptions = {},
): Storage {
  if (postgres !== undefined) return openPostgres(postgres, agent, options);
  if (remote === undefined) {
    const storage = new LibsqlStorage(agentFile(dataDir, agent), { durability, ...options });
    const named = storage.meta("agent");
    if (named === undefined || named === agent) return storage;
    storage.close();
    throw new MovedError("The database in the place of this memory is that of another agent");
  }
  if (agent !== DEFAULT_AGENT) {
    throw new StorageError(
      `There is no agent ${agent}: a remote database is that of one agent, ${DEFAULT_AGENT}.`,
    );
  }
  return openRemote(remote, options);
}

/**
 * Opens the database of an agent as `openStorage` does, in a process that has it not open yet.
 *
 * @throws {StorageError} Also if a part of the write-ahead log is missing.
 */
export function openWhole(place: Place, agent: string, options?: OpenOptions): Storage {
  if (areFiles(place)) checkLog(agentFile(place.dataDir, agent));
  return openStorage(place, agent, options);
}

/** Opens the remote database, which is that of the default agent. */
export function openRemote(remote: Remote, options: OpenOptions = {}): RemoteStorage {
  return new RemoteStorage(remote, {
    thread: new URL("./remote-thread.mjs", import.meta.url),
    ...options,
  });
}

/** A database that is not open, and how to open it. */
export interface ClosedDatabase {
  /** The file or URL of the database. */
  where: string;
  open(options?: OpenOptions): Storage;
}

/** Returns all databases of a place, for a process that has none of them open. */
export function databasesOf({ dataDir, durability, remote, postgres }: Place): ClosedDatabase[] {
  if (postgres !== undefined)
    return agentsAt(postgres).map((agent) => ({
      where: postgres.url,
      open: (options) => openPostgres(postgres, agent, options),
    }));
  if (remote !== undefined)
    return [{ where: remote.url, open: (options) => openRemote(remote, options) }];
  return databasesIn(dataDir).map((where) => ({
    where,
    open: (options) => {
      checkLog(where);
      return new LibsqlStorage(where, { durability, ...options });
    },
  }));
}
