// The agents of a data directory, as files: which there are, and how one of them, or a memory, is gone without a trace.

import { existsSync, readdirSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { agentFile, agentsDir, indexFileOf } from "./settings/paths.ts";
import { whileNobodyUses } from "./storage/alone.ts";
import { StorageError } from "./storage/errors.ts";
import { logIndexOf, logOf, removeDatabase } from "./storage/files.ts";
import { type Durability, LibsqlStorage } from "./storage/libsql.ts";
import { released } from "./storage/released.ts";
import { checkLog } from "./storage/wal.ts";

/** An agent that there is. */
export interface HostedAgent {
  agent: string;
  /** Of its database, in bytes. */
  bytes: number;
}

/** The databases of agents. */
export function databasesIn(dataDir: string): string[] {
  const folder = agentsDir(dataDir);
  if (!existsSync(folder)) return [];
  const names = readdirSync(folder).filter((name) => name.endsWith(".db"));
  return names.sort().map((name) => join(folder, name));
}

/** Databases whose logs are not what they were, by their files, and why; see `checkLog`, which says when it may be asked. */
export function cutLogsIn(dataDir: string): Map<string, string> {
  const cut = new Map<string, string>();
  for (const file of databasesIn(dataDir)) {
    try {
      checkLog(file);
    } catch (error) {
      if (!(error instanceof StorageError)) throw error;
      cut.set(file, error.message);
    }
  }
  return cut;
}

/** Why a database must not be opened, where its log was found cut and nobody has done anything about it since. */
export function whyCut(file: string, cut: ReadonlyMap<string, string>): string | undefined {
  return existsSync(logIndexOf(file)) ? cut.get(file) : undefined;
}

/** Every agent whose database can be read and names it; opening one whose log was cut would make that good. */
export async function agentsIn(
  dataDir: string,
  cut: ReadonlyMap<string, string> = cutLogsIn(dataDir),
): Promise<HostedAgent[]> {
  const agents = databasesIn(dataDir).flatMap((file) => {
    if (whyCut(file, cut) !== undefined) return [];
    const agent = nameIn(file);
    return agent === undefined ? [] : [{ agent, bytes: statSync(file).size }];
  });
  await released();
  return agents;
}

function nameIn(file: string): string | undefined {
  try {
    const storage = new LibsqlStorage(file, { durability: "full", migrates: false, readsRows: false });
    try {
      return storage.meta("agent");
    } finally {
      storage.close();
    }
  } catch {
    return undefined;
  }
}

/**
 * Deletes an agent: its database, its index, and all copies that were put aside. Whether there was one.
 *
 * @throws {StorageError} where another program is using its database.
 */
export function deleteAgent(dataDir: string, agent: string): boolean {
  const file = agentFile(dataDir, agent);
  if (!existsSync(file) && !existsSync(logOf(file))) return false;
  whileNobodyUses(file, () => removeDatabase(file));
  return true;
}

/**
 * Deletes a memory, so that its text is in no file of its agent; whether it was there.
 *
 * @throws {StorageError} where there is no such agent, or another program reads its database, so that it has to be done again.
 */
export function purgeNode(dataDir: string, agent: string, id: string, durability: Durability): boolean {
  const file = agentFile(dataDir, agent);
  if (!existsSync(file)) throw new StorageError(`There is no agent ${agent} in ${dataDir}.`);
  checkLog(file);
  const storage = new LibsqlStorage(file, { durability });
  try {
    const wasThere = storage.transaction(() => storage.deleteNode(id));
    rmSync(indexFileOf(file), { force: true });
    storage.scrub(id);
    return wasThere;
  } finally {
    storage.close();
  }
}
