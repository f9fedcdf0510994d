// The agents of a place: their list, and the deletion of agents and memories.

import { existsSync, statSync } from "node:fs";
import { agentFile, snapshotsOf } from "../settings/paths.ts";
import { StorageError } from "./errors.ts";
import { whileExclusive } from "./exclusive-file.ts";
import { logOf, removeDatabase, removeWhole } from "./files.ts";
import { databasesIn, type Place } from "./place.ts";
import { agentsAt, databaseAt, deleteFrom, openPostgres } from "./postgres/open.ts";
import type { PostgresPlace } from "./postgres/protocol.ts";
import { SqliteStorage } from "./sqlite.ts";
import type { Holding } from "./storage.ts";
import { keepLine } from "./supersession.ts";
import { checkLog, cutLogsIn, whyCut } from "./wal.ts";

/** An agent of the data directory. */
export interface HostedAgent {
  agent: string;
  /** The size of its database, in bytes. */
  bytes: number;
}

/** A part of the list of agents; the whole list if all fields are missing. */
export interface AgentsPage {
  /** The agents that may be listed. Default all. */
  among?: readonly string[] | undefined;
  /** The agent before the page. It may have been deleted. */
  after?: string | undefined;
  limit?: number | undefined;
}

/**
 * Returns the agents whose databases can be read and name them, in the order of their files' names.
 * Databases whose logs were cut off are not opened: that would hide the loss.
 */
export function agentsIn(
  { dataDir, postgres }: Place,
  { among, after, limit = Infinity }: AgentsPage = {},
  cut: ReadonlyMap<string, string> = cutLogsIn(dataDir),
): HostedAgent[] {
  if (postgres !== undefined) return agentsInPostgres(postgres, { among, after, limit });
  const last = after === undefined ? "" : agentFile(dataDir, after);
  const listed = among && new Set(among.map((agent) => agentFile(dataDir, agent)));
  const files = databasesIn(dataDir).filter((file) => file > last && listed?.has(file) !== false);
  const agents: HostedAgent[] = [];
  for (const file of files) {
    if (agents.length >= limit) break;
    if (whyCut(file, cut) !== undefined) continue;
    const agent = nameIn(file);
    // A database that was copied into the place of another agent names its own agent.
    if (agent === undefined || among?.includes(agent) === false) continue;
    const bytes = statSync(file, { throwIfNoEntry: false })?.size;
    if (bytes !== undefined) agents.push({ agent, bytes });
  }
  return agents;
}

function agentsInPostgres(
  place: PostgresPlace,
  { among, after, limit }: AgentsPage,
): HostedAgent[] {
  const listed = among && [...among].sort().filter((agent) => agent > (after ?? ""));
  const names =
    listed?.filter((agent) => databaseAt(place).has(agent)) ?? agentsAt(place, after, limit);
  return names
    .slice(0, limit)
    .map((agent) => ({ agent, bytes: openPostgres(place, agent).size().bytes }));
}

/** Returns what agents hold together. An agent that does not exist, or cannot be read, holds nothing. */
export function holdingOf({ dataDir, postgres }: Place, agents: readonly string[]): Holding {
  const sum = { memories: 0, bytes: 0 };
  for (const agent of agents) {
    const found =
      postgres === undefined
        ? sizeIn(agentFile(dataDir, agent))
        : databaseAt(postgres).has(agent) && openPostgres(postgres, agent).size();
    if (!found) continue;
    sum.memories += found.memories;
    sum.bytes += found.bytes;
  }
  return sum;
}

const sizeIn = (file: string): Holding | undefined => readIn(file, (storage) => storage.size());

/** Returns the agent that a database names; undefined if it names none, or cannot be read. */
export const nameIn = (file: string): string | undefined =>
  readIn(file, (storage) => storage.meta("agent"));

function readIn<T>(file: string, read: (storage: SqliteStorage) => T): T | undefined {
  if (!existsSync(file)) return undefined;
  try {
    const storage = new SqliteStorage(file, { durability: "full", migrates: false });
    try {
      return read(storage);
    } finally {
      storage.close();
    }
  } catch {
    return undefined;
  }
}

/**
 * Deletes an agent: its database, its snapshots, and all copies of the database. Returns whether
 * there was one.
 *
 * @throws {StorageError} if another program is using the database file.
 */
export function deleteAgent({ dataDir, postgres }: Place, agent: string): boolean {
  if (postgres !== undefined) return deleteFrom(postgres, agent);
  const file = agentFile(dataDir, agent);
  if (!existsSync(file) && !existsSync(logOf(file))) return false;
  whileExclusive(file, () => removeDatabase(file));
  return true;
}

/**
 * Deletes a memory, so that no file of its agent holds its text. Returns whether it was there.
 *
 * @throws {StorageError} if there is no such agent, or if another program reads the database, so
 * that the purge has to be repeated.
 */
export function purgeNode(place: Place, agent: string, id: string): boolean {
  const { dataDir, durability, postgres } = place;
  if (postgres !== undefined) {
    if (!databaseAt(postgres).has(agent)) throw new StorageError(`There is no agent ${agent}.`);
    const storage = openPostgres(postgres, agent);
    return storage.transaction(() => {
      storage.conflicts.removeOf(id);
      keepLine(storage, id);
      return storage.nodes.delete(id);
    });
  }
  const file = agentFile(dataDir, agent);
  if (!existsSync(file)) throw new StorageError(`There is no agent ${agent} in ${dataDir}.`);
  checkLog(file);
  const storage = new SqliteStorage(file, { durability });
  try {
    const wasThere = storage.transaction(() => {
      storage.purges.begin(id);
      keepLine(storage, id);
      return storage.nodes.delete(id);
    });
    for (const kept of Object.values(snapshotsOf(file))) removeWhole(kept);
    storage.scrub(id);
    return wasThere;
  } finally {
    storage.close();
  }
}
