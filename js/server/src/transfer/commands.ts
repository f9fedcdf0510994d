// What commands do with files of lines.

import { existsSync } from "node:fs";
import { agentFile } from "../settings/paths.ts";
import { StorageError } from "../storage/errors.ts";
import { openWhole } from "../storage/open.ts";
import { checkAgentName, type Place } from "../storage/place.ts";
import type { Storage } from "../storage/storage.ts";
import { Target, type TargetOptions } from "../storage/target.ts";
import type { ConflictPolicy } from "./conflict-policy.ts";
import { exportMemory } from "./export.ts";
import { withLines, withWriting } from "./files.ts";
import { type Imported, importMemory } from "./import.ts";
import { sampleLines } from "./sample.ts";

/** Does something with the database of an agent, which comes to be by it. */
function withStorage<T>(place: Place, agent: string, work: (storage: Storage) => T): T {
  checkAgentName(agent);
  const storage = openWhole(place, agent);
  try {
    if (storage.meta("agent") === undefined) storage.setMeta("agent", agent);
    return work(storage);
  } finally {
    storage.close();
  }
}

/** Fills an agent that has no memories with the sample; whether it was filled. */
export function fillWithSample(place: Place, agent: string): boolean {
  const now = Date.now();
  return withStorage(place, agent, (storage) => {
    if (storage.portable.count() > 0) return false;
    importMemory(storage, sampleLines(now), { conflicts: "skip", now });
    return true;
  });
}

/** Takes in the lines of a file, or of the standard input without one. */
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

/**
 * Writes an agent's memory to a file, or to the standard output without one; how many lines it has.
 *
 * @throws {StorageError} where there is no such agent, or the file is not to be written; see
 * `Target`.
 */
export function exportFile(
  place: Place,
  agent: string,
  file: string | undefined,
  options?: TargetOptions,
): number {
  const { dataDir, remote } = place;
  if (remote === undefined && !existsSync(agentFile(dataDir, agent))) {
    throw new StorageError(`There is no agent ${agent} in ${dataDir}.`);
  }
  const target = file === undefined ? undefined : new Target(dataDir, file, options);
  const storage = openWhole(place, agent, { migrates: false });
  try {
    return withWriting(target, storage.portable.count(), (write, done) =>
      exportMemory(storage, write, done),
    );
  } finally {
    storage.close();
  }
}
