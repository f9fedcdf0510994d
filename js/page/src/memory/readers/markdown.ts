// Reads Markdown: each heading begins a memory. Its title is the path of headings that lead to it.

import { documentRows, type Reading, type Text } from "./reading.ts";
import { pieces } from "./text.ts";

const HEADING = /^ {0,3}(#{1,6})[ \t]+(.*?)[ \t]*#*[ \t]*$/;
/** A line below a text that makes it a heading. */
const UNDERLINE = /^ {0,3}(=+|-{2,})[ \t]*$/;
const FENCE = /^ {0,3}(`{3,}|~{3,})/;
const FRONT_MATTER = /^---[ \t]*\n[\s\S]*?\n(?:---|\.\.\.)[ \t]*(?:\n|$)/;

/** Returns whether a text has headings or front matter, as Markdown does. */
export const isMarkdown = (text: string): boolean =>
  FRONT_MATTER.test(text) || /^ {0,3}#{1,6}[ \t]+\S/m.test(text);

interface Section {
  title: string;
  lines: string[];
}

/** Returns the rows of a document: a memory for each section, several for a long one. */
export function readMarkdown(file: Text): Reading {
  const parts = sectionsOf(file.text.replace(FRONT_MATTER, "")).flatMap(({ title, lines }) =>
    pieces(lines.join("\n")).map((text) => ({ title, text })),
  );
  return { rows: documentRows(file, parts), wrong: [] };
}

/** Splits a document at its headings. A section has the text up to the next heading. */
function sectionsOf(text: string): Section[] {
  const path: { level: number; title: string }[] = [];
  const sections: Section[] = [{ title: "", lines: [] }];
  let fence: string | undefined;
  const begin = (level: number, title: string) => {
    while ((path.at(-1)?.level ?? 0) >= level) path.pop();
    path.push({ level, title: plain(title) });
    sections.push({ title: path.map(({ title }) => title).join(" › "), lines: [] });
  };
  for (const line of text.split("\n")) {
    const { lines } = sections.at(-1)!;
    const mark = FENCE.exec(line)?.[1];
    if (fence !== undefined || mark !== undefined) {
      // A fence ends with a line of the same characters, at least as many.
      if (fence === undefined) fence = mark;
      else if (mark?.startsWith(fence)) fence = undefined;
      lines.push(line);
      continue;
    }
    const heading = HEADING.exec(line);
    const underline = UNDERLINE.exec(line);
    const above = lines.at(-1)?.trim() ?? "";
    if (heading !== null) {
      begin(heading[1]!.length, heading[2]!);
    } else if (underline !== null && /^[\p{L}\p{N}*_[]/u.test(above) && isAlone(lines)) {
      lines.pop();
      begin(underline[1]!.startsWith("=") ? 1 : 2, above);
    } else {
      lines.push(line);
    }
  }
  return sections;
}

/** Whether the last line is a separate paragraph. */
const isAlone = (lines: readonly string[]): boolean => (lines.at(-2) ?? "").trim() === "";

/** Returns a heading without the marks of emphasis, code and links. */
const plain = (heading: string): string =>
  heading
    .replace(/!?\[([^\]]*)\]\([^)]*\)/g, "$1")
    .replace(/[*_`]{1,3}(\S(?:.*?\S)?)[*_`]{1,3}/g, "$1")
    .trim();
