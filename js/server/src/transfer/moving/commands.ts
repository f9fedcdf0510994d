// The work of the commands that import files of other programs, export for them, and follow folders.

import { realpathSync, statSync } from "node:fs";
import { basename, resolve } from "node:path";
import { type JsonSource, NOTE_FORMATS, type NoteFormat } from "nous-memory";
import { FileError, filesOfSource } from "nous-memory/moving";
import { createEngine } from "nous-wasm";
import { SettingsError } from "../../refusal.ts";
import { DEFAULT_PRESET, presetOf } from "../../settings/preset.ts";
import type { Place } from "../../storage/place.ts";
import type { Storage } from "../../storage/storage.ts";
import { Target, type TargetOptions } from "../../storage/target.ts";
import type { RankingSettings } from "../agent-facts.ts";
import { isThere, readStorage, withStorage } from "../commands.ts";
import type { ConflictPolicy } from "../conflict-policy.ts";
import { withBar, withWriting } from "../files.ts";
import { exportMem0, exportNotes } from "./export-notes.ts";
import { type Found, type FoundFile, filesAt, nameOfFolder } from "./files.ts";
import type { Source } from "./names.ts";
import { NoteSync, type Synced } from "./notes.ts";
import { Report } from "./report.ts";
import { foresee, takeInto } from "./take.ts";
import { Watching } from "./watch.ts";

/** How files of another program are imported. */
export interface ImportOptions {
  place: Place;
  agent: string;
  ranking: RankingSettings;
  conflicts: ConflictPolicy | undefined;
  isDryRun: boolean;
  skipsWrong: boolean;
}

const NOTES = /\.(?:md|markdown|txt)$/i;
/** Bytes of a note. */
const MAX_NOTE = 64 * 2 ** 20;

const isNotes = (source: Source): source is NoteFormat =>
  (NOTE_FORMATS as readonly string[]).includes(source);

/** Returns the preset of an agent: that of the settings, else that of its database. */
function presetFor(
  storage: Storage | undefined,
  agent: string,
  { preset, engine, presets }: RankingSettings,
) {
  const name = presetOf(preset, engine, agent) ?? storage?.meta("preset") ?? DEFAULT_PRESET;
  return presets.get(name) ?? presets.get(DEFAULT_PRESET)!;
}

/** Imports files of another program. Returns what was done, in lines. */
export async function importFrom(
  source: Source,
  given: string,
  options: ImportOptions,
): Promise<string[]> {
  let read = 0;
  let update: (bytes: number) => void = () => {};
  const wanted = isNotes(source) ? NOTES : filesOfSource(source);
  const found = await filesAt(given, wanted, (bytes) => {
    read += bytes;
    update(read);
  });
  const total = found.files.reduce((sum, { bytes }) => sum + bytes, 0);
  return withBar(total, (show) => {
    update = show;
    return isNotes(source)
      ? importNotes(source, found, options)
      : importJson(source, found.files, options);
  });
}

function importJson(
  source: JsonSource,
  files: readonly FoundFile[],
  { place, agent, ranking, conflicts = "skip", isDryRun, skipsWrong }: ImportOptions,
): string[] {
  const report = new Report();
  const shared = { source, now: Date.now(), skipsWrong, report, engine: createEngine({}) };
  if (isDryRun) {
    const work = (storage: Storage | undefined) =>
      foresee(storage, files, { ...shared, preset: presetFor(storage, agent, ranking) });
    const { memories, runs, links, there } = isThere(place, agent)
      ? readStorage(place, agent, work)
      : work(undefined);
    const kinds = memories === 0 ? "" : ` (${report.types()})`;
    return [
      `Would store memories: ${memories}${kinds}, conversations or other runs: ${runs}, links: ${links}. ` +
        `Memories that are there already: ${there}.`,
      ...report.examples(),
      ...report.leftOut(),
    ];
  }
  const { added, replaced, skipped } = withStorage(place, agent, (storage) => {
    const preset = presetFor(storage, agent, ranking);
    return takeInto(storage, files, { ...shared, preset, conflicts });
  });
  return [
    `Memories: ${added} added, ${replaced} replaced, ${skipped} as before.`,
    ...report.leftOut(),
  ];
}

function importNotes(
  format: NoteFormat,
  { files, folder }: Found,
  { place, agent, ranking, conflicts = "newer", isDryRun, skipsWrong }: ImportOptions,
): string[] {
  const report = new Report();
  const notes = files.flatMap((file) => {
    try {
      if (file.bytes > MAX_NOTE) throw new FileError("This is larger than 64 MB.");
      const text = [...file.chunks()].join("");
      return { path: file.name, text, modified: file.modified };
    } catch (error) {
      if (!(error instanceof FileError)) throw error;
      if (!skipsWrong)
        throw new SettingsError(
          `${file.path || file.name}: ${error.message} --skip-wrong imports the rest.`,
        );
      report.leave({ kind: "left", place: { file: file.name }, why: error.message, isWrong: true });
      return [];
    }
  });
  const work = (storage: Storage): Synced => {
    const preset = presetFor(storage, agent, ranking);
    const shared = { folder, format, preset };
    const sync = new NoteSync(storage, { ...shared, followsIds: false, keepsRest: true });
    return sync.sync(notes, [], { now: Date.now(), policy: conflicts, writes: !isDryRun });
  };
  // An agent that is not there yet: a dry run makes none.
  if (isDryRun && !isThere(place, agent)) {
    const count = `Would read ${notes.length} files into the new agent ${agent}.`;
    return [count, ...report.leftOut()];
  }
  const synced = withStorage(place, agent, work);
  for (const left of synced.left) report.leave(left);
  const { added, changed, gone, same, kept, links } = synced;
  const would = isDryRun ? "Would be: " : "";
  return [
    `${would}${added} added, ${changed} changed, ${gone} gone, ${same} as before, ${links} links.`,
    ...(kept === 0 ? [] : [`${kept} memories that differ from their files stay as they are.`]),
    ...report.leftOut(),
  ];
}

/** Exports an agent as Markdown files into a folder. */
export function exportMarkdown(
  place: Place,
  agent: string,
  folder: string,
  options: TargetOptions & { ranking: RankingSettings },
): string[] {
  return readStorage(place, agent, (storage) => {
    const { ranking, ...rest } = options;
    const preset = presetFor(storage, agent, ranking);
    const { files, others } = exportNotes(storage, folder, {
      ...rest,
      preset,
      dataDir: place.dataDir,
    });
    return [
      `${files} memories are in ${folder}.`,
      ...(others === 0 ? [] : [`${others} notes there have an id that no memory has: they stay.`]),
    ];
  });
}

/** Exports an agent as mem0's JSON, to a file or to the standard output without one. */
export function exportToMem0(
  place: Place,
  agent: string,
  file: string | undefined,
  options: TargetOptions,
): number {
  return readStorage(place, agent, (storage) => {
    const target = file === undefined ? undefined : new Target(place.dataDir, file, options);
    return withWriting(target, storage.portable.count(), (write, done) =>
      exportMem0(storage, write, done),
    );
  });
}

/** How a folder is followed. */
export interface FollowOptions {
  place: Place;
  agent: string;
  ranking: RankingSettings;
  format: NoteFormat;
  /** The name under which the agent knows the folder. */
  name: string | undefined;
  /** Whether it looks once, and ends. */
  once: boolean;
  tell: (line: string) => void;
  warn: (line: string) => void;
}

/**
 * Lets the memories of an agent follow the Markdown files of a folder, until a signal ends it. Returns
 * whether the last look succeeded.
 */
export async function followFolder(given: string, options: FollowOptions): Promise<boolean> {
  const { place, agent, ranking, format, name, once, tell, warn } = options;
  const folder = resolve(given);
  if (!statSync(folder, { throwIfNoEntry: false })?.isDirectory())
    throw new SettingsError(`There is no folder ${folder}.`);
  const root = realpathSync(folder);
  return withStorage(place, agent, async (storage) => {
    const preset = presetFor(storage, agent, ranking);
    const shared = { format, preset, followsIds: true };
    const isKnown = (folder: string) =>
      new NoteSync(storage, { ...shared, folder }).paths().length > 0;
    // The memories of an import of this folder follow it from now on.
    const imported = nameOfFolder(root);
    const named = name ?? (isKnown(imported) ? imported : basename(root));
    const watching = new Watching({
      folder: root,
      open: () => new NoteSync(storage, { ...shared, folder: named }),
      told: ({ added, changed, gone, moved, kept, links }, files) => {
        const parts = [
          `${files} files: ${added} added, ${changed} changed, ${gone} gone`,
          ...(moved === 0 ? [] : [`${moved} moved`]),
          ...(kept === 0 ? [] : [`${kept} kept: they were changed after their files`]),
          ...(links === 0 ? [] : [`${links} links`]),
        ];
        tell(parts.join(", "));
      },
      warn,
    });
    if (once) return watching.look();
    // Watching begins before the first look, so that nothing is missed between.
    watching.start();
    try {
      watching.look();
    } catch (error) {
      watching.stop();
      throw error;
    }
    tell(`Following ${root} for the agent ${agent}. Stop with Ctrl+C.`);
    await new Promise<void>((end) => {
      for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => end());
    });
    watching.stop();
    return true;
  });
}
