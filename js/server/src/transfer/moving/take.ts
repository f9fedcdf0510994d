// Imports files of other programs: their memories become lines of an export, which are imported all or
// none. Their ids come from their programs, so that a second import stores nothing twice.

import type { JsonSource, Preset } from "nous-memory";
import { FileError, type LeftOut, type MovedRow, readSource, rowsOf } from "nous-memory/moving";
import type { Engine } from "nous-wasm";
import { SettingsError } from "../../refusal.ts";
import type { Storage } from "../../storage/storage.ts";
import type { PortableKind, PortableRow } from "../../storage/tables/portable.ts";
import type { ConflictPolicy } from "../conflict-policy.ts";
import { type Imported, importMemory } from "../import.ts";
import type { FoundFile } from "./files.ts";
import { placeInWords, type Report } from "./report.ts";

/** How files of another program are imported. */
export interface TakeOptions {
  source: JsonSource;
  preset: Preset;
  engine: Pick<Engine, "classifyTurn">;
  now: number;
  /** Whether damaged and unknown parts are left out. Otherwise they stop the import. */
  skipsWrong: boolean;
  report: Report;
}

/** Yields the rows of files. Notes what is not taken. */
export function* rowsIn(
  files: readonly FoundFile[],
  { source, preset, engine, now, skipsWrong, report }: TakeOptions,
): Iterable<MovedRow> {
  for (const file of files) {
    try {
      const { modified } = file;
      for (const part of rowsOf(readSource(source, file), { preset, engine, now, modified })) {
        if (part.kind === "row") yield part;
        else if (part.isWrong && !skipsWrong) throw new SettingsError(wrongInWords(part));
        else report.leave(part);
      }
    } catch (error) {
      if (!(error instanceof FileError)) throw error;
      // One file of several need not be of this program.
      if (files.length === 1 || !skipsWrong)
        throw new SettingsError(`${file.path || file.name}: ${error.message}`);
      report.leave({ kind: "left", place: { file: file.name }, why: error.message, isWrong: true });
    }
  }
}

const wrongInWords = ({ place, why }: LeftOut): string =>
  `${placeInWords(place)}: ${why}. Nothing is stored. --skip-wrong imports the rest.`;

/** Imports files of another program in one transaction. Counts memories alone. */
export function takeInto(
  storage: Storage,
  files: readonly FoundFile[],
  { conflicts, ...options }: TakeOptions & { conflicts: ConflictPolicy },
): Imported {
  let place = { file: "" };
  const lines = function* (): Iterable<string> {
    for (const { row, place: at } of rowsIn(files, options)) {
      place = at;
      yield JSON.stringify(row);
    }
  };
  const { now } = options;
  return importMemory(storage, lines(), {
    ...{ conflicts, now, placeOf: () => placeInWords(place) },
    counts: (kind) => kind === "node",
  });
}

/** What an import would do. */
export interface Foreseen {
  memories: number;
  runs: number;
  links: number;
  /** Memories that are stored already. */
  there: number;
}

/** Counts what an import would store, and stores nothing. `storage` is missing if the agent is. */
export function foresee(
  storage: Storage | undefined,
  files: readonly FoundFile[],
  options: TakeOptions,
): Foreseen {
  const counts = { node: 0, cluster: 0, edge: 0, membership: 0 };
  let there = 0;
  const seen = new Set<unknown>();
  for (const { row } of rowsIn(files, { ...options, skipsWrong: true })) {
    const kind = row.kind as keyof typeof counts & PortableKind;
    if (kind === "membership") continue;
    const id = `${kind} ${row.id}`;
    if (seen.has(id) || storage?.portable.changedAt(kind, row as PortableRow) !== undefined) {
      if (kind === "node") there += 1;
      continue;
    }
    seen.add(id);
    counts[kind] += 1;
    if (kind === "node") options.report.took(row);
  }
  return { memories: counts.node, runs: counts.cluster, links: counts.edge, there };
}
