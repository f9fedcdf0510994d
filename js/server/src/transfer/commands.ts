// The work of the commands that import and export files of lines.

import { existsSync } from "node:fs";
import { sampleLines } from "../../../sample/trader/lines.ts";
import { type CopiedKeys, copyKeys } from "../keys/copy.ts";
import { keysAt } from "../keys/open.ts";
import { agentFile } from "../settings/paths.ts";
import { StorageError } from "../storage/errors.ts";
import { agentsIn } from "../storage/hosted-agents.ts";
import { openWhole } from "../storage/open.ts";
import { checkAgentName, type Place } from "../storage/place.ts";
import { databaseAt } from "../storage/postgres/open.ts";
import type { Storage } from "../storage/storage.ts";
import { Target, type TargetOptions } from "../storage/target.ts";
import { factsOf, type RankingSettings } from "./agent-facts.ts";
import type { ConflictPolicy } from "./conflict-policy.ts";
import { exportMemory } from "./export.ts";
import { withLines, withWriting } from "./files.ts";
import { type Imported, importMemory } from "./import.ts";
import { type Moved, moveMemory } from "./move.ts";

/**
 * Runs `work` with the database of an agent, which is created if it is missing. It is closed when the
 * result is there.
 */
export function withStorage<T>(place: Place, agent: string, work: (storage: Storage) => T): T {
  checkAgentName(agent);
  const storage = openWhole(place, agent);
  let isPending = false;
  try {
    if (storage.meta("agent") === undefined) storage.setMeta("agent", agent);
    const result = work(storage);
    if (!(result instanceof Promise)) return result;
    isPending = true;
    return result.finally(() => storage.close()) as T;
  } finally {
    if (!isPending) storage.close();
  }
}

/**
 * Runs `work` with the database of an agent as it is.
 *
 * @throws {StorageError} If there is no such agent.
 */
export function readStorage<T>(place: Place, agent: string, work: (storage: Storage) => T): T {
  checkIsThere(place, agent);
  const storage = openWhole(place, agent, { migrates: false });
  try {
    return work(storage);
  } finally {
    storage.close();
  }
}

/** Fills an agent without memories with the sample. Returns false if it has memories. */
export function fillWithSample(place: Place, agent: string): boolean {
  const now = Date.now();
  return withStorage(place, agent, (storage) => {
    if (storage.portable.count() > 0) return false;
    importMemory(storage, sampleLines(now), { conflicts: "skip", now });
    return true;
  });
}

/** Imports the lines of a file, or of the standard input without a file. */
export function importFile(
  place: Place,
  agent: string,
  file: string | undefined,
  conflicts: ConflictPolicy,
): Imported {
  return withLines(file, (lines) =>
    withStorage(place, agent, (storage) =>
      importMemory(storage, lines, { conflicts, now: Date.now() }),
    ),
  );
}

/** Where an agent's memory is moved from or to: a data folder, or a PostgreSQL database. */
export interface Ends {
  from: Place;
  to: Place;
}

/** Copies all keys to another place, where existing keys stay. */
export async function moveKeys({ from, to }: Ends): Promise<CopiedKeys> {
  const source = await keysAt(from, { migrates: false });
  try {
    const target = await keysAt(to, { migrates: true });
    try {
      return await copyKeys(source, target);
    } finally {
      await target.close();
    }
  } finally {
    await source.close();
  }
}

/**
 * Copies agents to another place, one after the other. Without names it copies all of `from`. The
 * agents stay where they are, too.
 *
 * @throws {StorageError} If an agent is missing, or has memories of its own at the other place.
 */
export async function* moveAgents(
  { from, to }: Ends,
  named: readonly string[] = [],
): AsyncIterable<Moved & { agent: string }> {
  const agents = named.length > 0 ? named : (await agentsIn(from)).map(({ agent }) => agent);
  for (const agent of agents) {
    checkIsThere(from, agent);
    const source = openWhole(from, agent, { migrates: false });
    try {
      yield { agent, ...withStorage(to, agent, (copy) => moveMemory(source, copy)) };
    } finally {
      source.close();
    }
  }
}

/** Returns whether there is such an agent. */
export function isThere(place: Place, agent: string): boolean {
  const { dataDir, postgres } = place;
  return postgres === undefined
    ? existsSync(agentFile(dataDir, agent))
    : databaseAt(postgres, { migrates: false }).has(agent);
}

/** @throws {StorageError} If there is no such agent. */
function checkIsThere(place: Place, agent: string): void {
  if (isThere(place, agent)) return;
  const { dataDir, postgres } = place;
  throw new StorageError(`There is no agent ${agent} in ${postgres?.url ?? dataDir}.`);
}

/** How an export is written. */
export interface ExportOptions extends TargetOptions {
  /** Whether the export carries what use has taught the agent. Default: true. */
  withLearned?: boolean;
  /** The settings by which the agent ranks. Default: those of its preset. */
  ranking?: RankingSettings | undefined;
}

/**
 * Exports an agent's memory to a file, or to the standard output without a file. Returns the number
 * of lines.
 *
 * @throws {StorageError} If there is no such agent, or if the file must not be written; see
 * `Target`.
 */
export function exportFile(
  place: Place,
  agent: string,
  file: string | undefined,
  { withLearned = true, ranking, ...options }: ExportOptions = {},
): number {
  return readStorage(place, agent, (storage) => {
    const target = file === undefined ? undefined : new Target(place.dataDir, file, options);
    return withWriting(target, storage.portable.count(), (write, done) =>
      exportMemory(storage, write, done, {
        withLearned,
        facts: () => factsOf(storage, agent, ranking),
      }),
    );
  });
}
