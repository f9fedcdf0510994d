// The paths of the data directory.

import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { homedir } from "node:os";
import { join, resolve } from "node:path";

/** Hexadecimal digits of a database's file name: 128 bits. */
const NAME_LENGTH = 32;

/** Returns `./nous-data` if it exists, else the user's folder for data of programs. */
export function defaultDataDir(): string {
  const here = resolve("nous-data");
  return existsSync(here) ? here : join(userDataDir(), "nous");
}

function userDataDir(): string {
  const { XDG_DATA_HOME, LOCALAPPDATA } = process.env;
  if (process.platform === "win32") return LOCALAPPDATA || join(homedir(), "AppData", "Local");
  if (process.platform === "darwin") return join(homedir(), "Library", "Application Support");
  return XDG_DATA_HOME || join(homedir(), ".local", "share");
}

/** Returns the folder of the agents' databases. */
export const agentsDir = (dataDir: string): string => join(dataDir, "agents");

/** Returns the folder of the API keys. */
export const keysDir = (dataDir: string): string => join(dataDir, "keys");

/**
 * Returns the path of the file that marks that every request needs a key, even if the folder of the
 * keys is lost.
 */
export const keysMarker = (dataDir: string): string => join(dataDir, "keys-needed");

/** Paths of an agent's snapshots, beside its database. */
export interface SnapshotPlaces {
  index: string;
  texts: string;
}

/** Returns the paths of the snapshots of a database. */
export const snapshotsOf = (database: string): SnapshotPlaces => ({
  index: database.replace(/\.db$/, ".index"),
  texts: database.replace(/\.db$/, ".texts"),
});

/**
 * Returns the path of an agent's database. Its name is a hash, so that a name is never a path, and
 * names that differ only in case are two files on every disk.
 */
export function agentFile(dataDir: string, agent: string): string {
  const name = createHash("sha256").update(agent).digest("hex").slice(0, NAME_LENGTH);
  return join(agentsDir(dataDir), `${name}.db`);
}
