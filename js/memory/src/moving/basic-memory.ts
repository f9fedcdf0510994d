// Reads a note of basic-memory: Markdown with observations (`- [category] text #tag (context)`) and
// relations (`- type [[Other note]] (context)`) among other words.

import { Fences } from "../write/markdown.ts";
import { splitText } from "../write/split.ts";
import { type FrontValue, frontIn } from "./front-matter.ts";
import { keyOf } from "./key.ts";
import { firstText, type MovedMemory, type SourceFile, timeOf } from "./moved.ts";
import { linksOf, type NoteLink, titleOfFile } from "./names.ts";

/** The memories of a note in order, and where they lead. The first link is that of the first memory. */
export interface ReadNote {
  memories: MovedMemory[];
  /** Links to notes by their names, each from the memory at a place. */
  links: (NoteLink & { at: number })[];
  /** Names by which other notes link to it. */
  names: string[];
}

const OBSERVATION = /^\s*[-*][ \t]+\[([^\][\n()]{1,100})\][ \t]+(\S.*)$/;
/** A box of a list of tasks is no category. */
const BOX = /^[ xX/>!-]$/;
const TAG = /(?:^|\s)#([\p{L}\p{N}_][\p{L}\p{N}_/-]*)/gu;

/**
 * Reads a note: a memory for each observation and each relation, and those of its other words. A category
 * that is a type of the preset is the type of the observation; any other is a tag.
 */
export function readBasicMemory(
  { name: file, modified }: Pick<SourceFile, "name" | "modified">,
  text: string,
): ReadNote {
  const front = frontIn(text);
  const value = (key: string) => front?.values.get(key);
  const title = firstText(value("title")) ?? titleOfFile(file);
  const tags = namesOf(value("tags"));
  const permalink = firstText(value("permalink"));
  const created = timeOf(value("created") ?? value("created_at") ?? value("date")) ?? modified;
  const type = firstText(value("type"));
  const run = { id: file, name: title };
  const memories: MovedMemory[] = [];
  const links: ReadNote["links"] = [];
  const add = (given: Pick<MovedMemory, "text"> & Partial<MovedMemory>): void => {
    memories.push({
      ...{
        kind: "memory",
        place: { file },
        title,
        created,
        updated: modified,
        source: "basic-memory",
      },
      ...{ id: keyOf("basic-memory", file, String(memories.length)), run, isWhole: true },
      ...given,
      tags: [...new Set([...tags, ...(given.tags ?? [])])],
    });
  };
  const { rest, told, relations } = parted(front?.below ?? text);
  for (const { title: above, text: piece, isBelowHeading } of splitText(rest).pieces) {
    const path = isBelowHeading && above !== title ? `${title} › ${above}` : title;
    add({ text: piece, title: path, type });
  }
  for (const { category, words, own } of told)
    add({ text: words, type: category.toLowerCase(), tags: [category, ...own] });
  if (memories.length === 0 && relations.length === 0) add({ text: title, type });
  for (const { type: verb, name, context } of relations) {
    const why = context === undefined ? "" : ` (${context})`;
    add({ text: `${title} ${verb.replaceAll("_", " ")} ${name}${why}` });
    links.push({ at: 0, type: verb, name });
  }
  const inline = linksOf(rest).map((name) => ({ at: 0, type: "links_to", name }));
  return {
    ...{ memories, links: [...links, ...inline] },
    names: [
      title,
      titleOfFile(file),
      file.replace(/\.[^.]+$/, ""),
      ...(permalink ? [permalink] : []),
    ],
  };
}

const namesOf = (value: FrontValue | undefined): string[] =>
  (typeof value === "string" ? value.split(",") : (value ?? [])).flatMap((name) => {
    const plain = name.trim().replace(/^#/, "");
    return plain === "" ? [] : [plain];
  });

/** Returns the type, the name and the context of a relation in a line. Its time grows with the line. */
function relationIn(line: string) {
  const start = /^\s*[-*][ \t]+/.exec(line)?.[0].length;
  if (start === undefined) return undefined;
  const rest = line.slice(start);
  const quoted = /^"[^"\n]+"(?=[ \t]*\[\[)/.exec(rest)?.[0];
  const end = quoted?.length ?? rest.indexOf("[[");
  if (end < 0 || (quoted === undefined && /[[\]]/.test(rest.slice(0, end)))) return undefined;
  const [, name, after] = /^[ \t]*\[\[([^\]\n]+)\]\](.*)$/.exec(rest.slice(end)) ?? [];
  if (name === undefined) return undefined;
  const told = after!.trim();
  if (told !== "" && !(told.length > 1 && told.startsWith("(") && told.endsWith(")")))
    return undefined;
  const verb = rest.slice(0, end).trim().replace(/^"|"$/g, "").trim();
  return { verb, name, context: told === "" ? undefined : told.slice(1, -1) };
}

/** Returns the lines of a text. Those of code are marked. */
function linesIn(text: string): { line: string; isCode: boolean }[] {
  const fences = new Fences();
  return text.split(/\r?\n/).map((line) => ({ line, isCode: fences.reads(line) }));
}

/**
 * Returns the text of lines without the headings that have no words below them: such a heading says
 * nothing beside the title.
 */
function wordsIn(lines: ReturnType<typeof linesIn>): string {
  const kept: string[] = [];
  /** The level of the heading that comes next, 0 for words. The end is as a heading of level 1. */
  let next = 1;
  for (const { line, isCode } of lines.toReversed()) {
    const level = isCode ? 0 : (/^(#{1,6})\s/.exec(line)?.[1]?.length ?? 0);
    if (level > 0 && next > 0 && next <= level) continue;
    if (line.trim() !== "") next = level;
    kept.push(line);
  }
  return kept.reverse().join("\n");
}

/** Takes observations and relations out of a text. Lines of code stay. */
function parted(text: string) {
  const told: { category: string; words: string; own: string[] }[] = [];
  const relations: { type: string; name: string; context: string | undefined }[] = [];
  const rest = linesIn(text).filter(({ line, isCode }) => {
    if (isCode) return true;
    const [, category, words] = OBSERVATION.exec(line) ?? [];
    if (category !== undefined && !BOX.test(category) && !/^\[/.test(words!)) {
      told.push({
        ...{ category: category.trim(), words: words!.trim() },
        own: Array.from(words!.matchAll(TAG), ([, tag]) => tag!),
      });
      return false;
    }
    const relation = relationIn(line);
    if (relation === undefined) return true;
    const { verb, name, context } = relation;
    relations.push({
      type: verb === "" ? "relates_to" : verb,
      name: name.split("|")[0]!.trim(),
      context,
    });
    return false;
  });
  return { rest: wordsIn(rest), told, relations };
}
