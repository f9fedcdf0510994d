// Where data lies.

import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { homedir } from "node:os";
import { join, resolve } from "node:path";

/** Hexadecimal digits of a file's name: 128 bits. */
const NAME_LENGTH = 32;

/** `./nous-data` where there is one, else the user's own folder for data of programs. */
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

/** The folder of the agents' databases. */
export const agentsDir = (dataDir: string): string => join(dataDir, "agents");

/** The folder of the keys by which clients are known. */
export const keysDir = (dataDir: string): string => join(dataDir, "keys");

/** The file that says that nobody comes in without a key, whatever becomes of that folder. */
export const keysMarker = (dataDir: string): string => join(dataDir, "keys-needed");

/** Files beside a database in which what is made of it is kept from one start to the next. */
export interface SnapshotPlaces {
  index: string;
  texts: string;
}

export const snapshotsOf = (database: string): SnapshotPlaces => ({
  index: database.replace(/\.db$/, ".index"),
  texts: database.replace(/\.db$/, ".texts"),
});

/**
 * An agent's database, named by a hash: no name is a path, and names that differ in case alone are
 * two on every disk.
 */
export function agentFile(dataDir: string, agent: string): string {
  const name = createHash("sha256").update(agent).digest("hex").slice(0, NAME_LENGTH);
  return join(agentsDir(dataDir), `${name}.db`);
}
