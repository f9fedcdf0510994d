// Reads Markdown: each heading begins a memory. Its title is the path of headings that lead to it.

import { readMarkdown as sectionsOf } from "nous-memory";
import { documentRows, type Reading, type Text } from "./reading.ts";
import { pieces } from "./text.ts";

/** Returns whether a text has headings or front matter, as Markdown does. */
export function isMarkdown(text: string): boolean {
  const { front, sections } = sectionsOf(text);
  return front !== undefined || sections.some(({ path }) => path !== "");
}

/** Returns the rows of a document: a memory for each section, several for a long one. */
export function readMarkdown(file: Text): Reading {
  const parts = sectionsOf(file.text).sections.flatMap(({ path, text }) =>
    pieces(text).map((text) => ({ title: path, text })),
  );
  return { rows: documentRows(file, parts), wrong: [] };
}
