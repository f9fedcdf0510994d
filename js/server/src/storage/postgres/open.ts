// The PostgreSQL databases that this thread has open: one pool of connections for each, which all
// agents of the thread share.

import { StorageError } from "../errors.ts";
import { AgentRows } from "./agent-rows.ts";
import { PostgresDatabase } from "./database.ts";
import type { PostgresPlace } from "./protocol.ts";
import { PostgresStorage } from "./storage.ts";

/** By URL. */
const databases = new Map<string, PostgresDatabase>();

/** How a database is opened. */
interface OpenOptions {
  /** Called with a sentence about each thing that opening did. */
  tell?: (what: string) => void;
  /** Whether an older schema is migrated. Default true. */
  migrates?: boolean;
}

/** Returns the database of a place. It stays open until `closeDatabases`. */
export function databaseAt(
  place: PostgresPlace,
  { tell = () => {}, migrates = true }: OpenOptions = {},
): PostgresDatabase {
  const open = databases.get(place.url);
  if (open !== undefined) return open;
  const database = new PostgresDatabase(place, new URL("./postgres-thread.mjs", import.meta.url));
  try {
    if (migrates) database.migrate(tell);
    else database.checkSchema();
  } catch (error) {
    database.close();
    throw StorageError.of(error, `The database ${place.url} cannot be opened`);
  }
  databases.set(place.url, database);
  return database;
}

/** Opens the store of an agent, and creates the agent if it is missing. */
export const openPostgres = (
  place: PostgresPlace,
  agent: string,
  options?: OpenOptions,
): PostgresStorage => new PostgresStorage(databaseAt(place, options), agent);

/** The names that are read at once. */
const NAMES = 1_000;

/** Returns the names of agents in order: those after one, up to a limit. */
export function agentsAt(place: PostgresPlace, after = "", limit = Infinity): string[] {
  const database = databaseAt(place, { migrates: false });
  const names: string[] = [];
  for (;;) {
    const max = Math.min(NAMES, limit - names.length);
    const found = database.agents(names.at(-1) ?? after, max);
    names.push(...found);
    if (found.length < max || names.length >= limit) return names;
  }
}

/** Deletes an agent with all of its rows. Returns whether there was one. */
export function deleteFrom(place: PostgresPlace, agent: string): boolean {
  const database = databaseAt(place);
  if (!database.has(agent)) return false;
  new AgentRows(database, agent).remove();
  return true;
}

/** Closes the connections of this thread. */
export function closeDatabases(): void {
  for (const database of databases.values()) database.close();
  databases.clear();
}
