// Where the databases of agents are: files in a folder, one for each; or one elsewhere, which is that of the usual agent.

import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import type { Settings } from "../settings/options.ts";
import { agentFile, agentsDir } from "../settings/paths.ts";
import { StorageError } from "./errors.ts";
import { type Durability, LibsqlStorage } from "./libsql.ts";
import { RemoteStorage } from "./remote.ts";
import type { Remote } from "./remote-connection.ts";
import type { Storage } from "./storage.ts";
import { checkLog } from "./wal.ts";

/** The agent of requests that name none. */
export const USUAL_AGENT = "default";
/** UTF-16 units of an agent's name. */
export const MOST_AGENT_NAME = 200;

/** Whether an agent can be called that. */
export const isAgentName = (name: string): boolean =>
  name !== "" && name.length <= MOST_AGENT_NAME && !name.includes("\u{fffd}");

export interface Place {
  dataDir: string;
  durability: Durability;
  remote: Remote | undefined;
}

export interface OpenOptions {
  /** Told of what opening did, in a sentence. */
  tell?: (what: string) => void;
  /** Whether an older schema is brought up to date. Default true. */
  migrates?: boolean;
}

/** The place that the settings name. */
export function placeOf(
  settings: Pick<Settings, "data_dir" | "durability" | "database_url" | "database_token" | "database_timeout">,
): Place {
  const {
    data_dir: dataDir,
    durability,
    database_url: url,
    database_token: token,
    database_timeout: timeout,
  } = settings;
  return { dataDir, durability, remote: url === "" ? undefined : { url, token, timeout } };
}

/**
 * Opens the database of an agent, which comes to be by it unless it is only looked at.
 *
 * @throws {StorageError} where that cannot be done.
 */
export function openStorage({ dataDir, durability, remote }: Place, agent: string, options: OpenOptions = {}): Storage {
  if (remote === undefined) return new LibsqlStorage(agentFile(dataDir, agent), { durability, ...options });
  if (agent !== USUAL_AGENT) {
    throw new StorageError(`There is no agent ${agent}: a remote database is that of one agent, ${USUAL_AGENT}.`);
  }
  return openRemote(remote, options);
}

/**
 * Opens the database of an agent as `openStorage` does, in a process that has none open yet.
 *
 * @throws {StorageError} where some of what was written is missing, too.
 */
export function openWhole(place: Place, agent: string, options?: OpenOptions): Storage {
  if (place.remote === undefined) checkLog(agentFile(place.dataDir, agent));
  return openStorage(place, agent, options);
}

/** Opens the database of the usual agent elsewhere. */
export function openRemote(remote: Remote, options: OpenOptions = {}): RemoteStorage {
  return new RemoteStorage(remote, { thread: new URL("./remote-thread.mjs", import.meta.url), ...options });
}

/** A database as it is found, and how it is opened. */
export interface Found {
  /** Its file or URL. */
  where: string;
  open(options?: OpenOptions): Storage;
}

/** The databases that there are, for a process that has none of them open. */
export function databasesOf({ dataDir, durability, remote }: Place): Found[] {
  if (remote !== undefined) return [{ where: remote.url, open: (options) => openRemote(remote, options) }];
  return databasesIn(dataDir).map((where) => ({
    where,
    open: (options) => {
      checkLog(where);
      return new LibsqlStorage(where, { durability, ...options });
    },
  }));
}

/** The databases in a folder, as files. */
export function databasesIn(dataDir: string): string[] {
  const folder = agentsDir(dataDir);
  if (!existsSync(folder)) return [];
  const names = readdirSync(folder).filter((name) => name.endsWith(".db"));
  return names.sort().map((name) => join(folder, name));
}

/** @throws {StorageError} where the databases are no files, saying what cannot be done then. */
export function checkIsFiles({ remote }: Place, what: string): void {
  if (remote === undefined) return;
  throw new StorageError(`${what} works on a database file, and database_url is set: that database is kept elsewhere.`);
}
