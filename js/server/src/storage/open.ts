// Opens the databases of agents, wherever they are. This file loads the database library only when
// it opens one.

import { agentFile } from "../settings/paths.ts";
import { MovedError } from "./open-files.ts";
import { areFiles, databasesIn, type Place } from "./place.ts";
import { agentsAt, openPostgres } from "./postgres/open.ts";
import { SqliteStorage } from "./sqlite.ts";
import type { Storage } from "./storage.ts";
import { checkLog } from "./wal.ts";

/** How the database of an agent is opened. */
export interface OpenOptions {
  /** Called with a sentence about each thing that opening did. */
  tell?: (what: string) => void;
  /** Whether an older schema is migrated. Default true. */
  migrates?: boolean;
}

/**
 * Opens the database of an agent. Creates it, unless the options say that it is only read.
 *
 * @throws {StorageError} If it cannot be opened or created, or if the file is the database of
 * another agent.
 */
export function openStorage(
  { dataDir, durability, postgres }: Place,
  agent: string,
  options: OpenOptions = {},
): Storage {
  if (postgres !== undefined) return openPostgres(postgres, agent, options);
  const storage = new SqliteStorage(agentFile(dataDir, agent), { durability, ...options });
  const named = storage.meta("agent");
  if (named === undefined || named === agent) return storage;
  storage.close();
  throw new MovedError("The database in the place of this memory is that of another agent");
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

/** A database that is not open, and how to open it. */
export interface ClosedDatabase {
  /** The file of the database, or the URL of PostgreSQL. */
  where: string;
  open(options?: OpenOptions): Storage;
}

/** Returns all databases of a place, for a process that has none of them open. */
export function databasesOf({ dataDir, durability, postgres }: Place): ClosedDatabase[] {
  if (postgres !== undefined)
    return agentsAt(postgres).map((agent) => ({
      where: postgres.url,
      open: (options) => openPostgres(postgres, agent, options),
    }));
  return databasesIn(dataDir).map((where) => ({
    where,
    open: (options) => {
      checkLog(where);
      return new SqliteStorage(where, { durability, ...options });
    },
  }));
}
