// Reads Markdown files: notes with an id, which are one memory each, and documents.

import { type ReadNote, readBasicMemory } from "./basic-memory.ts";
import { readDocument } from "./document.ts";
import { frontIn } from "./front-matter.ts";
import {
  firstText,
  type LeftOut,
  leftOut,
  type Moved,
  type MovedMemory,
  type SourceFile,
  timeOf,
} from "./moved.ts";
import { foldedName, linksOf, titleOfFile } from "./names.ts";
import { readNote } from "./note.ts";
import type { NoteFormat } from "./source-names.ts";

/** Reads a Markdown file: its memories, its links, and the names by which others link to it. */
export function readMarkdownFile(
  file: Pick<SourceFile, "name" | "modified">,
  given: string,
  format: NoteFormat = "markdown",
): ReadNote {
  const text = given.includes("\r") ? given.replace(/\r\n?/g, "\n") : given;
  const note = readNote(given);
  if (note !== undefined) {
    const { id, title, body, type, subtype, created, modified, event, expires, metadata } = note;
    const memory: MovedMemory = {
      ...{ kind: "memory", place: { file: file.name }, id, title, text: body ?? title },
      ...{ stored: { type, subtype }, isWhole: true, summary: note.summary, tags: note.tags },
      ...{ created: timeOf(created) ?? file.modified, updated: timeOf(modified) ?? file.modified },
      ...{ event: event ?? undefined, expires: expires ?? undefined, metadata },
      ...{ user: note.user ?? undefined, session: note.session ?? undefined },
      source: note.source ?? "file",
    };
    const names = [file.name.replace(/\.[^./]+$/, ""), titleOfFile(file.name), title];
    return { memories: [memory], links: note.links.map((link) => ({ ...link, at: 0 })), names };
  }
  if (format === "basic-memory") return readBasicMemory(file, text);
  const type = firstText(frontIn(text)?.values.get("type"));
  const memories = Array.from(readDocument(file, text), (memory) => ({ ...memory, type }));
  const links = memories.flatMap((memory, at) =>
    linksOf(memory.text).map((name) => ({ at, type: "links_to", name })),
  );
  const names = [file.name.replace(/\.[^./]+$/, ""), titleOfFile(file.name)];
  return { memories, links, names };
}

/** A link whose ends are found: from a memory of a note to the first one of another. */
export interface FoundLink {
  from: MovedMemory;
  to: MovedMemory;
  type: string;
}

/** A link to a note that is not among those that were read. */
export interface OpenLink extends LeftOut {
  from: MovedMemory;
  type: string;
}

/** Finds the notes that links name, by name without case. The first note of a name counts. */
export function* linksAmong(notes: Iterable<ReadNote>): Iterable<FoundLink | OpenLink> {
  const all = [...notes];
  const named = new Map<string, MovedMemory>();
  for (const { names, memories } of all)
    for (const name of names.map(foldedName))
      if (memories[0] !== undefined && !named.has(name)) named.set(name, memories[0]);
  for (const { memories, links } of all) {
    for (const { at, type, name } of links) {
      const from = memories[at];
      const to = named.get(foldedName(name));
      if (from === undefined || from === to) continue;
      if (to === undefined)
        yield { ...leftOut(from.place, "a link to a note that is not there"), from, type };
      else yield { from, to, type };
    }
  }
}

/** Yields the memories of notes, and then their links. */
export function* movedNotes(notes: readonly ReadNote[]): Iterable<Moved> {
  for (const { memories } of notes) yield* memories;
  for (const link of linksAmong(notes)) {
    if ("kind" in link) yield leftOut(link.place, link.why);
    else {
      const { from, to, type } = link;
      yield { kind: "link", place: from.place, from: from.id, to: to.id, type };
    }
  }
}
