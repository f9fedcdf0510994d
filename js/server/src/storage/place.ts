// The place of the agents' databases: a folder with one file for each agent, or a PostgreSQL
// database of all agents.

import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { AGENT_NAME, isAgentName } from "../settings/agent-names.ts";
import type { Durability, Settings } from "../settings/options.ts";
import { agentsDir } from "../settings/paths.ts";
import { StorageError } from "./errors.ts";
import { isFolder } from "./files.ts";
import type { PostgresPlace } from "./postgres/protocol.ts";

/**
 * @throws {StorageError} If the name is invalid. An agent that has such a name from an earlier
 * version can be exported and deleted.
 */
export function checkAgentName(name: string): void {
  if (!isAgentName(name))
    throw new StorageError(
      `${JSON.stringify(name)} is not a valid name of an agent: it ${AGENT_NAME}.`,
    );
}

/** Where the databases of agents are, and how durable their writes are. */
export interface Place {
  dataDir: string;
  durability: Durability;
  /** The PostgreSQL database, if that is the place. */
  postgres: PostgresPlace | undefined;
}

/** Returns whether each agent has a database file in the data directory. */
export const areFiles = ({ postgres }: Place): boolean => postgres === undefined;

/** Returns the place that the settings name. */
export function placeOf(
  settings: Pick<
    Settings,
    | "data_dir"
    | "durability"
    | "database_url"
    | "database_token"
    | "database_timeout"
    | "database_connections"
  >,
): Place {
  const {
    data_dir: dataDir,
    durability,
    database_url: url,
    database_token: token,
    database_timeout: timeout,
    database_connections: connections,
  } = settings;
  const postgres = url === "" ? undefined : { url, password: token, connections, timeout };
  return { dataDir, durability, postgres };
}

/** Returns the paths of the database files in a folder. */
export function databasesIn(dataDir: string): string[] {
  const folder = agentsDir(dataDir);
  if (!existsSync(folder)) return [];
  const names = readdirSync(folder).filter((name) => name.endsWith(".db"));
  return names
    .sort()
    .map((name) => join(folder, name))
    .filter((path) => !isFolder(path));
}

/** @throws {StorageError} If databases are no files. `what` names the refused operation. */
export function checkIsFiles(place: Place, what: string): void {
  if (areFiles(place)) return;
  throw new StorageError(
    `${what} works on a database file, and database_url is set: that database is kept elsewhere.`,
  );
}
