// Exports the memories of an agent for people and other programs: as Markdown files, or as mem0's JSON.

import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import {
  GUESSES,
  namesIn,
  normaliseEvent,
  normaliseTime,
  type Preset,
  toIso,
  wordsOfMemory,
} from "nous-memory";
import {
  type Mem0Memory,
  type Note,
  type NoteLink,
  nameOfNote,
  readNote,
  withSubtype,
  writeNote,
} from "nous-memory/moving";
import { StorageError } from "../../storage/errors.ts";
import type { NodeRow } from "../../storage/rows.ts";
import type { Storage } from "../../storage/storage.ts";
import { Target, type TargetOptions } from "../../storage/target.ts";
import { filesIn, textOf } from "./files.ts";
import { withoutFile } from "./notes.ts";

/** Memories of a batch. */
const BATCH = 500;

/** Yields the memories of an agent that have not expired, in batches, in order. */
function* batchesOf({ nodes, portable }: Storage, now: number): Iterable<NodeRow[]> {
  const expired = new Set(nodes.expired(toIso(now), Number.MAX_SAFE_INTEGER));
  for (const rows of portable.rows("node")) {
    const ids = rows.map(({ id }) => id as string).filter((id) => !expired.has(id));
    for (let at = 0; at < ids.length; at += BATCH)
      yield nodes.of(ids.slice(at, at + BATCH)).sort((a, b) => a.sequence - b.sequence);
  }
}

/** What an export to a folder wrote. */
export interface WrittenNotes {
  files: number;
  /** Notes of the folder whose ids no memory has. They stay. */
  others: number;
}

/** What is written of an export to Markdown, and how. */
export interface NotesOptions extends TargetOptions {
  preset: Preset;
  dataDir: string;
  now?: number;
}

/**
 * Writes each memory as a Markdown file, in a folder for each type. With `force` the folder may hold
 * files: a note with the id of a memory is written over, wherever it lies.
 *
 * @throws {StorageError} If the folder must not be written, or holds files.
 */
export function exportNotes(
  storage: Storage,
  folder: string,
  { preset, dataDir, force = false, now = Date.now() }: NotesOptions,
): WrittenNotes {
  mkdirSync(folder, { recursive: true });
  // The folder of the databases is no place for them.
  new Target(dataDir, join(folder, "note.md"), { force: true });
  if (!force && readdirSync(folder).length > 0)
    throw new StorageError(
      `${folder} holds files: name a new folder, or write into it with --force.`,
    );
  const there = notesIn(folder);
  const paths = new Map<string, string>();
  const taken = new Set([...there.values()].map((path) => nameIn(path).toLowerCase()));
  let others = 0;
  storage.snapshot(() => {
    for (const rows of batchesOf(storage, now)) {
      for (const row of rows) {
        const path = there.get(row.id);
        paths.set(row.id, path ?? pathOf(row, taken));
      }
    }
    for (const id of there.keys()) if (!paths.has(id)) others += 1;
    for (const rows of batchesOf(storage, now)) {
      const links = linksFrom(storage, rows, paths);
      for (const row of rows) {
        const path = join(folder, paths.get(row.id)!);
        mkdirSync(dirname(path), { recursive: true });
        const note = noteOf(row, preset, links.get(row.id) ?? []);
        writeFileSync(path, writeNote(note), { flag: force ? "w" : "wx" });
      }
    }
  });
  return { files: paths.size, others };
}

/** Returns the paths of the notes in a folder, by their ids. */
function notesIn(folder: string): Map<string, string> {
  const notes = filesIn(folder, /\.md$/i).flatMap((path) => {
    const note = readNote(textOf(readFileSync(join(folder, path))));
    return note === undefined ? [] : [[note.id, path] as const];
  });
  return new Map(notes);
}

const nameIn = (path: string): string => path.replace(/^.*\//, "").replace(/\.md$/i, "");

/** Returns the path of a new note. Its name is that of no other note, so that links are plain. */
function pathOf(row: NodeRow, taken: Set<string>): string {
  const plain = nameOfNote({ title: row.content_title, body: row.content_body });
  let name = plain;
  for (let more = 2; taken.has(name.toLowerCase()); more += 1) name = `${plain} ${more}`;
  taken.add(name.toLowerCase());
  const type = (row.subtype ?? row.type).replace(/^custom:/, "");
  return `${nameOfNote({ title: type, body: null })}/${name}.md`;
}

function linksFrom(
  { edges }: Storage,
  rows: readonly NodeRow[],
  paths: ReadonlyMap<string, string>,
): Map<string, NoteLink[]> {
  const links = new Map<string, NoteLink[]>();
  const own = new Set(rows.map(({ id }) => id));
  for (const { source_id, target_id, type } of edges.ofAll([...own])) {
    const path = paths.get(target_id);
    // A guess is the server's.
    if (!own.has(source_id) || path === undefined || GUESSES.includes(type ?? "")) continue;
    const there = links.get(source_id) ?? [];
    links.set(source_id, there);
    const link = { type: type ?? "relates_to", name: nameIn(path) };
    if (!there.some((one) => one.type === link.type && one.name === link.name)) there.push(link);
  }
  return links;
}

function noteOf(row: NodeRow, preset: Preset, links: readonly NoteLink[]): Note {
  const { type, subtype } = row;
  const follows = withSubtype({ type }, preset).subtype === subtype;
  const metadata = withoutFile(row.metadata);
  return {
    ...{ id: row.id, title: row.content_title, body: row.content_body || null, type },
    ...(follows ? {} : { subtype }),
    summary: row.content_summary,
    tags: namesIn(row.tags),
    created: normaliseTime(row.created_at),
    modified: normaliseTime(row.last_modified),
    event: normaliseEvent(row.temporal_event_time),
    expires: normaliseTime(row.expires_at),
    ...{ user: row.user_id, session: row.session_id, source: row.provenance_source },
    metadata: Object.keys(metadata).length === 0 ? undefined : metadata,
    links,
  };
}

/** Writes the memories of an agent as mem0's JSON. Returns how many there are. */
export function exportMem0(
  storage: Storage,
  write: (text: string) => void,
  done: (count: number) => void,
  now: number = Date.now(),
): number {
  let count = 0;
  write('{"results": [');
  storage.snapshot(() => {
    for (const rows of batchesOf(storage, now)) {
      const lines = rows.map((row) => JSON.stringify(mem0Of(row)));
      write(`${count === 0 ? "" : ","}\n${lines.join(",\n")}`);
      count += rows.length;
      done(count);
    }
  });
  write("\n]}\n");
  return count;
}

function mem0Of(row: NodeRow): Mem0Memory {
  const metadata = withoutFile(row.metadata);
  const tags = namesIn(row.tags);
  const expires = normaliseTime(row.expires_at);
  return {
    id: row.id,
    memory: wordsOfMemory(row),
    user_id: row.user_id,
    ...(row.session_id === null ? {} : { run_id: row.session_id }),
    metadata: Object.keys(metadata).length === 0 ? null : metadata,
    categories: tags.length === 0 ? null : tags,
    created_at: normaliseTime(row.created_at),
    updated_at: normaliseTime(row.last_modified),
    ...(expires === null ? {} : { expiration_date: expires.slice(0, 10) }),
  };
}
