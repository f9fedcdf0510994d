// Keeps the memories of an agent like the Markdown files of a folder.
//
// # Idea
//
// A memory of a file names it in its metadata (`note_file`). The parts of a changed file are compared with
// its memories: a part that is there stays as it is, a part like a memory changes it, others are added, and
// memories without a part go. A file that is gone while another with the same words is new was moved. A
// note with an id in its front matter is the memory of that id.
//
// # Invariants
//
// - A call of `sync` is one transaction: all of its files, or nothing.
// - A memory that no file names is never deleted, and an import deletes none unless it overwrites.
// - What stays keeps its id, its counters and its edges.
//
// # Cost
//
// A change costs the parts of its files, and the links of all files that were read.

import {
  type NoteFormat,
  namesIn,
  normaliseEvent,
  normaliseTime,
  type Preset,
  parseInstant,
  SUPERSEDES,
  shareOfWords,
  toIso,
} from "nous-memory";
import {
  type FoundLink,
  type LeftOut,
  LINKED,
  linkId,
  linksAmong,
  type NodeOfMoved,
  nodesOf,
  type ReadNote,
  readMarkdownFile,
} from "nous-memory/moving";
import { dropGuess, dropGuesses } from "../../agent/writes/guesses.ts";
import type { NodeChanges, NodeRow } from "../../storage/rows.ts";
import type { Storage } from "../../storage/storage.ts";
import { keepLine } from "../../storage/supersession.ts";

/** A Markdown file. */
export interface NoteFile {
  /** Its path below the folder, with "/". */
  path: string;
  text: string;
  /** When it was changed, in milliseconds since 1970. */
  modified: number;
}

/** How files become memories. */
export interface NoteOptions {
  /** The name of the folder: memories of another folder are left alone. */
  folder: string;
  format: NoteFormat;
  preset: Preset;
  /**
   * Whether memories with an id of their own name their files, too, so that they go with them. Other
   * memories of files always do.
   */
  followsIds: boolean;
  /**
   * Whether memories without a part stay, unless the policy is `overwrite`: an import is no sign that
   * somebody deleted something.
   */
  keepsRest?: boolean;
}

/** What a file does to a memory that was changed, too: it counts, or the younger one does, or neither. */
export type NotePolicy = "overwrite" | "newer" | "skip";

/** What a call did. */
export interface Synced {
  added: number;
  changed: number;
  /** Memories that were deleted. */
  gone: number;
  /** Files whose memories only got another path. */
  moved: number;
  /** Memories that stay as they are although their file differs. */
  kept: number;
  links: number;
  /** Memories that are as their files say. */
  same: number;
  left: LeftOut[];
}

/** The key of the metadata that names the file. */
const NOTE_FILE = "note_file";
/** Words in common from which a part is the changed form of a memory. */
const MIN_SHARE = 0.4;
/** Pairs of a part and a memory whose words are compared. */
const MAX_COMPARED = 40_000;
/** The columns that the file of a document says, and those of a note with an id. */
const OF_DOCUMENT = ["type", "subtype", "content_title", "content_body", "tags"] as const;
const OF_NOTE = [
  ...OF_DOCUMENT,
  ...["content_summary", "user_id", "session_id", "temporal_event_time", "expires_at"],
  ...["created_at", "provenance_source"],
] as const satisfies readonly (keyof NodeRow)[];
const TEXTS = ["content_title", "content_summary", "content_body"] as const;

/** A file as it was read last. */
interface Known {
  note: Pick<ReadNote, "links" | "names">;
  /** The ids of its memories by their places. A place without a memory has none. */
  ids: (string | undefined)[];
  isNote: boolean;
}

export class NoteSync {
  readonly #storage: Storage;
  readonly #options: NoteOptions;
  /** The name of the folder without "/", so that no name is the start of another one's paths. */
  readonly #name: string;
  readonly #known = new Map<string, Known>();
  /** The ids of stored memories by path. */
  #stored = new Map<string, string[]>();

  /** The paths of files that are gone, by the words of their memories. */
  #goneWords: Map<string, string[]> | undefined;

  constructor(storage: Storage, options: NoteOptions) {
    this.#storage = storage;
    this.#options = options;
    this.#name = options.folder.replaceAll("%", "%25").replaceAll("/", "%2F");
    this.#load();
  }

  /** Returns the paths of files that have memories. */
  paths(): string[] {
    return [...this.#stored.keys()];
  }

  /** Returns how many memories files have. */
  memoriesOf(paths: readonly string[]): number {
    return paths.reduce((sum, path) => sum + (this.#stored.get(path)?.length ?? 0), 0);
  }

  #load(): void {
    const { nodes } = this.#storage;
    const filter = { metadata: { [NOTE_FILE]: { exists: true } } };
    const ids = nodes.matching({ wanted: { filter } }) ?? [];
    const rows = nodes.of(ids).sort((a, b) => a.sequence - b.sequence);
    this.#stored = new Map();
    for (const row of rows) {
      const path = this.#pathIn(row);
      if (path === undefined) continue;
      const there = this.#stored.get(path);
      if (there === undefined) this.#stored.set(path, [row.id]);
      else there.push(row.id);
    }
  }

  /** Returns the path of a memory's file; undefined if it has none in this folder. */
  #pathIn({ metadata }: Pick<NodeRow, "metadata">): string | undefined {
    const named = metadataIn(metadata)[NOTE_FILE];
    const start = `${this.#name}/`;
    return typeof named === "string" && named.startsWith(start)
      ? named.slice(start.length)
      : undefined;
  }

  /**
   * Follows changed files and files that are gone.
   *
   * @param writes Whether anything is stored. Otherwise the answer says what would be.
   */
  sync(
    changed: readonly NoteFile[],
    gone: readonly string[],
    { now, policy, writes = true }: { now: number; policy: NotePolicy; writes?: boolean },
  ): Synced {
    const done: Synced = {
      ...{ added: 0, changed: 0, gone: 0, moved: 0, kept: 0, links: 0, same: 0, left: [] },
    };
    const read = changed.map((file) => {
      const { path, text, modified } = file;
      const note = readMarkdownFile({ name: path, modified }, text, this.#options.format);
      return { file, note };
    });
    try {
      this.#storage.transaction(() => {
        const before = new Set(gone);
        this.#goneWords = undefined;
        for (const { file, note } of read) this.#follow(file, note, before, { now, policy }, done);
        for (const path of before) {
          for (const id of this.#stored.get(path) ?? []) this.#delete(id, done);
          this.#stored.delete(path);
          this.#known.delete(path);
          this.#storage.clusters.delete(this.#runOf(path));
        }
        this.#link(now, done);
        if (!writes) throw new Undone();
      });
    } catch (error) {
      // The maps are those of the state before.
      this.#known.clear();
      this.#load();
      if (!(error instanceof Undone)) throw error;
    }
    return done;
  }

  #follow(
    { path, modified }: NoteFile,
    note: ReadNote,
    gone: Set<string>,
    { now, policy }: { now: number; policy: NotePolicy },
    done: Synced,
  ): void {
    const made = note.memories.map((memory): NodeOfMoved | undefined => {
      const rows: NodeOfMoved[] = [];
      for (const row of nodesOf(memory, { preset: this.#options.preset, now, modified })) {
        if ("kind" in row) done.left.push(row);
        else rows.push(row);
      }
      return rows[0];
    });
    const isNote = note.memories[0]?.stored !== undefined;
    const parts = made.filter((row) => row !== undefined);
    let ids = this.#stored.get(path) ?? [];
    if (ids.length === 0 && !isNote) {
      const from = this.#movedFrom(parts, gone);
      if (from !== undefined) {
        ids = this.#move(from, path);
        gone.delete(from);
        done.moved += 1;
      }
    }
    const { nodes } = this.#storage;
    const stored = nodes.of(ids).sort((a, b) => a.sequence - b.sequence);
    const own = isNote && parts[0] !== undefined ? nodes.find(parts[0].id) : undefined;
    const named = isNote && !this.#options.followsIds ? undefined : path;
    const elsewhere = own === undefined ? undefined : this.#pathIn(own);
    const owner =
      elsewhere !== undefined && elsewhere !== path && !gone.has(elsewhere)
        ? elsewhere
        : isNote && parts[0] !== undefined
          ? this.#ownerOf(parts[0], path, own)
          : undefined;
    if (owner !== undefined) {
      const place = { file: path };
      const why = `has the id of ${owner}: give it another, or delete its line`;
      done.left.push({ kind: "left", place, why, isWrong: true });
      return;
    }
    const pairs = isNote
      ? new Map(own === undefined ? [] : [[parts[0]!, own]])
      : pairsOf(parts, stored);
    // As many parts as memories that were corrected since: each is the corrected form of one.
    const rest = isNote ? [] : parts.filter((part) => !pairs.has(part));
    const paired = new Set([...pairs.values()].map(({ id }) => id));
    const free = isNote ? [] : stored.filter(({ id }) => !paired.has(id));
    if (rest.length === free.length)
      for (const [place, row] of free.entries())
        if (isHeld(row, modified, policy)) pairs.set(rest[place]!, row);
    const kept = new Map<NodeOfMoved, string>();
    for (const part of parts) {
      const there = pairs.get(part);
      if (there === undefined) kept.set(part, this.#add(part, path, named, now, isNote, done));
      else {
        kept.set(part, there.id);
        this.#change(there, part, { path: named, modified, now, policy, isNote }, done);
      }
    }
    if (elsewhere !== undefined && elsewhere !== path) {
      this.#stored.set(
        elsewhere,
        this.#stored.get(elsewhere)!.filter((id) => id !== own!.id),
      );
      done.moved += 1;
    }
    const staying = new Set(kept.values());
    for (const row of stored) {
      if (staying.has(row.id)) continue;
      const isKept = this.#options.keepsRest
        ? policy !== "overwrite"
        : isHeld(row, modified, policy);
      if (isKept) {
        staying.add(row.id);
        done.kept += 1;
      } else this.#delete(row.id, done);
    }
    const inOrder = made.map((part) => (part === undefined ? undefined : kept.get(part)));
    const { links, names } = note;
    this.#known.set(path, { note: { links, names }, ids: inOrder, isNote });
    if (named !== undefined) this.#stored.set(path, [...staying]);
    if (parts.length > 1) this.#join(path, note.memories[0]!.run?.name ?? path, [...staying], now);
  }

  /** Returns what else has the id of a note; undefined if the note may have it. */
  #ownerOf(part: NodeOfMoved, path: string, own: NodeRow | undefined): string | undefined {
    if (own === undefined) return undefined;
    for (const [other, { ids, isNote }] of this.#known)
      if (isNote && other !== path && ids[0] === own.id && !this.#stored.has(other)) return other;
    if (this.#pathIn(own) !== undefined) return undefined;
    const named = metadataIn(own.metadata)[NOTE_FILE];
    if (typeof named === "string") return named;
    // A note that was exported has the time of its memory, however much of it was written anew.
    const isSame =
      formOf("created_at", own.created_at) === formOf("created_at", part.created_at) ||
      own.content_title === part.content_title ||
      shareOfWords(inFull(own), inFull(part)) > 0;
    return isSame ? undefined : "a memory that says something else";
  }

  /** Returns the path of a file that is gone and whose memories say what these parts say. */
  #movedFrom(parts: readonly NodeOfMoved[], gone: ReadonlySet<string>): string | undefined {
    if (parts.length === 0) return undefined;
    const keyOf = (rows: readonly Parameters<typeof wordsOf>[0][]) =>
      JSON.stringify(rows.map(wordsOf).sort());
    // The words of all files that are gone are read once a call.
    if (this.#goneWords === undefined) {
      this.#goneWords = new Map();
      for (const path of gone) {
        const key = keyOf(this.#storage.nodes.of(this.#stored.get(path) ?? []));
        const paths = this.#goneWords.get(key);
        if (paths === undefined) this.#goneWords.set(key, [path]);
        else paths.push(path);
      }
    }
    const paths = this.#goneWords.get(keyOf(parts)) ?? [];
    while (paths.length > 0) {
      const path = paths.shift()!;
      // A note of it may have moved to another file meanwhile.
      if (gone.has(path) && this.#stored.get(path)?.length === parts.length) return path;
    }
    return undefined;
  }

  #move(from: string, to: string): string[] {
    const ids = this.#stored.get(from) ?? [];
    for (const row of this.#storage.nodes.of(ids)) this.#rename(row, to);
    this.#storage.clusters.delete(this.#runOf(from));
    this.#stored.delete(from);
    this.#known.delete(from);
    return ids;
  }

  /** Writes the path of a memory's file. That is no change of the memory. */
  #rename(row: NodeRow, path: string): void {
    const last_modified = row.last_modified ?? row.created_at ?? toIso(0);
    const metadata = this.#metadataWith(row.metadata, path);
    this.#storage.nodes.update(row.id, { metadata, last_modified });
    this.#storage.nodes.seal([row.id]);
  }

  #metadataWith(stored: string | null, path: string | undefined): string | null {
    if (path === undefined) return stored;
    return JSON.stringify({
      ...metadataIn(stored),
      [NOTE_FILE]: `${this.#name}/${path}`,
    });
  }

  /** Adds the memory of a part. A part of a document has no id of its own. */
  #add(
    part: NodeOfMoved,
    path: string,
    named: string | undefined,
    now: number,
    isNote: boolean,
    done: Synced,
  ): string {
    const { nodes } = this.#storage;
    // The id of a part of a document is that of its words, unless another memory has it.
    let id = part.id;
    if (!isNote) {
      const start = `${this.#runOf(path)}:`;
      for (let copy = 1; ; copy += 1) {
        id = `${start}${linkId(part.content_title, part.content_body ?? "", String(copy)).slice(5)}`;
        if (nodes.find(id) === undefined) break;
      }
    }
    const metadata = this.#metadataWith(part.metadata, named);
    const last_modified = part.last_modified ?? toIso(now);
    nodes.insert({ ...part, id, metadata, last_modified, embedding_vector: null });
    nodes.seal([id]);
    done.added += 1;
    return id;
  }

  #change(
    row: NodeRow,
    part: NodeOfMoved,
    {
      path,
      modified,
      now,
      policy,
      isNote,
    }: {
      path: string | undefined;
      modified: number;
      now: number;
      policy: NotePolicy;
      isNote: boolean;
    },
    done: Synced,
  ): void {
    const { nodes } = this.#storage;
    const others = (isNote ? OF_NOTE : OF_DOCUMENT).filter(
      (column) => formOf(column, row[column]) !== formOf(column, part[column]),
    );
    const given = isNote ? withoutFile(part.metadata) : undefined;
    const hasOtherData =
      given !== undefined && JSON.stringify(given) !== JSON.stringify(withoutFile(row.metadata));
    if (others.length === 0 && !hasOtherData) {
      done.same += 1;
      if (path !== undefined && this.#pathIn(row) !== path) this.#rename(row, path);
      return;
    }
    if (isHeld(row, modified, policy)) {
      done.kept += 1;
      if (path !== undefined && this.#pathIn(row) !== path) this.#rename(row, path);
      return;
    }
    const isOtherText = TEXTS.some((column) => others.some((other) => other === column));
    if (isOtherText) dropGuesses({ storage: this.#storage }, row.id);
    const changes: NodeChanges = {
      ...Object.fromEntries(others.map((column) => [column, part[column]])),
      metadata: this.#metadataWith(hasOtherData ? part.metadata : row.metadata, path),
      last_modified: toIso(now),
      ...(isOtherText ? { embedding_vector: null, embedding_model: null } : {}),
    };
    nodes.update(row.id, changes);
    nodes.seal([row.id]);
    done.changed += 1;
  }

  #delete(id: string, done: Synced): void {
    keepLine(this.#storage, id);
    if (this.#storage.nodes.delete(id)) done.gone += 1;
  }

  #runOf(path: string): string {
    return `note:${linkId(this.#options.folder, "", path).slice(5)}`;
  }

  /** Puts the memories of a file into its run. */
  #join(path: string, name: string, ids: readonly string[], now: number): void {
    const { clusters } = this.#storage;
    const id = this.#runOf(path);
    if (clusters.find(id) === undefined) {
      const nothing = { description: null, icon: null, pinned: null, auto_subtypes: null };
      clusters.insert({ id, name, source: "file", created_at: toIso(now), ...nothing });
    }
    for (const node_id of ids) {
      if (clusters.isMember(id, node_id)) continue;
      const membership = { cluster_id: id, node_id, weight: null, pinned: null };
      clusters.putMember({ ...membership, updated_at: toIso(now) });
    }
  }

  /** Adds the links that files say, and removes those that they say no longer. */
  #link(now: number, done: Synced): void {
    const { edges, nodes } = this.#storage;
    const wanted = new Map<string, { source: string; type: string; target: string }>();
    const { links, open, read } = this.#foundLinks(done);
    for (const found of links) {
      const { from, to, type } = found;
      wanted.set(linkId(from.id, type, to.id), { source: from.id, type, target: to.id });
    }
    const sources = [...this.#known.values()].flatMap(({ ids }) => ids.flatMap((id) => id ?? []));
    const there = edges.ofAll([...new Set(sources)]);
    const from = new Set(sources);
    const said = there.filter(({ id, source_id }) => id.startsWith("link:") && from.has(source_id));
    // A link to a note that was not read may be this one.
    for (const { id, source_id, type, target_id } of said) {
      const isOpen = open.has(JSON.stringify([source_id, type])) && !read.has(target_id);
      if (!wanted.has(id) && !isOpen) edges.delete(id);
    }
    const equal = new Set(there.map((edge) => linkId(edge.source_id, edge.type, edge.target_id)));
    for (const [id, { source, type, target }] of wanted) {
      if (equal.has(id)) continue;
      if (nodes.find(source) === undefined || nodes.find(target) === undefined) continue;
      const ends = { source_id: source, target_id: target, type };
      if (type === SUPERSEDES) dropGuess({ storage: this.#storage }, source, target);
      const weights = { neural_weight: LINKED, strength: LINKED, confidence: 1 };
      edges.insert({ id, ...ends, subtype: null, ...weights, created_at: toIso(now) });
      done.links += 1;
    }
  }

  /** Returns the links that are found, sources and types of others, and the memories of all notes. */
  #foundLinks(done: Synced) {
    const notes = [...this.#known].map(([path, { note, ids }]): ReadNote => {
      const memories = ids.map((id) => ({
        ...{ kind: "memory" as const, place: { file: path }, text: "", source: "" },
        id: id ?? "",
      }));
      return { ...note, memories };
    });
    // Files that were read before, and not now.
    for (const [path, ids] of this.#stored) {
      const [id] = ids;
      if (this.#known.has(path) || id === undefined) continue;
      const name = path.replace(/\.[^./]+$/, "");
      const memory = { kind: "memory", place: { file: path }, id, text: "", source: "" } as const;
      notes.push({ memories: [memory], links: [], names: [name, name.replace(/^.*\//, "")] });
    }
    const links: FoundLink[] = [];
    const open = new Set<string>();
    for (const link of linksAmong(notes)) {
      if ("kind" in link) {
        const { kind, place, why, isWrong } = link;
        done.left.push({ kind, place, why, isWrong });
        open.add(JSON.stringify([link.from.id, link.type]));
      } else if (link.from.id !== "" && link.to.id !== "") links.push(link);
    }
    const read = new Set(notes.flatMap(({ memories }) => memories.map(({ id }) => id)));
    return { links, open, read };
  }
}

/** Returns a value in the form in which it is compared: an empty text is none. */
function formOf(column: (typeof OF_NOTE)[number], value: string | null): string | null {
  if (column === "tags") return JSON.stringify(namesIn(value));
  if (column === "temporal_event_time") return normaliseEvent(value);
  if (column === "created_at" || column === "expires_at") return normaliseTime(value);
  return value || null;
}

/** Whether a memory stays as it is although its file, of this time, says something else. */
const isHeld = (row: NodeRow, modified: number, policy: NotePolicy): boolean =>
  policy === "skip" ||
  (policy === "newer" && (parseInstant(row.last_modified ?? "") ?? 0) > modified);

/** Undoes a transaction that only tells what it would do. */
class Undone extends Error {}

function metadataIn(json: string | null): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(json ?? "{}");
    return typeof value === "object" && value !== null ? (value as Record<string, unknown>) : {};
  } catch {
    return {};
  }
}

/** Returns metadata without the file of the memory, which an export leaves out. */
export function withoutFile(json: string | null): Record<string, unknown> {
  const { [NOTE_FILE]: _, ...others } = metadataIn(json);
  return others;
}

const wordsOf = ({ content_title, content_body }: Pick<NodeRow, (typeof TEXTS)[number]>): string =>
  JSON.stringify([content_title, content_body]);

const inFull = ({ content_title, content_body }: Pick<NodeRow, (typeof TEXTS)[number]>) =>
  content_body ?? content_title;

/** Finds for the parts of a file the memories whose changed form they are. */
function pairsOf(
  parts: readonly NodeOfMoved[],
  stored: readonly NodeRow[],
): Map<NodeOfMoved, NodeRow> {
  const pairs = new Map<NodeOfMoved, NodeRow>();
  const free = new Set(stored);
  const pair = (isPair: (part: NodeOfMoved, row: NodeRow) => boolean): void => {
    for (const part of parts) {
      if (pairs.has(part)) continue;
      for (const row of free) {
        if (!isPair(part, row)) continue;
        pairs.set(part, row);
        free.delete(row);
        break;
      }
    }
  };
  const byWords = new Map<string, NodeRow[]>();
  for (const row of stored) byWords.set(wordsOf(row), [...(byWords.get(wordsOf(row)) ?? []), row]);
  for (const part of parts) {
    const row = byWords.get(wordsOf(part))?.shift();
    if (row === undefined) continue;
    pairs.set(part, row);
    free.delete(row);
  }
  if (free.size === 0 || pairs.size === parts.length) return pairs;
  // A file of one part has one memory, however much of it was written anew.
  if (parts.length === 1 && stored.length === 1) return new Map([[parts[0]!, stored[0]!]]);
  let compared = 0;
  pair((part, row) => (part.content_body ?? "") !== "" && part.content_body === row.content_body);
  pair(
    (part, row) =>
      part.content_title === row.content_title &&
      compared++ < MAX_COMPARED &&
      shareOfWords(inFull(part), inFull(row)) > 0,
  );
  if (parts.length * free.size <= MAX_COMPARED)
    pair((part, row) => shareOfWords(inFull(part), inFull(row)) >= MIN_SHARE);
  pair((part, row) => part.content_title === row.content_title);
  return pairs;
}
