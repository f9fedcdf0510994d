// Reads Markdown and text by the rule of the server, so that page and server make the same memories
// of a file: its parts below headings, several for a long one.

import { parseInstant, splitText } from "nous-memory";
import { documentRows, type Reading, type Text } from "./reading.ts";

/**
 * Returns the rows of a document. The title of a memory is the path of headings that lead to it.
 * Front matter may give tags and a date; the first memory has its text.
 */
export function readDocument(file: Text): Reading {
  const { pieces, front } = splitText(file.text);
  const parts = Array.from(pieces, ({ title, isBelowHeading, text }) =>
    isBelowHeading ? { title, text: text === title ? "" : text } : { title: "", text },
  );
  const date = front?.date === undefined ? undefined : parseInstant(front.date);
  const document = { ...file, tags: front?.tags ?? [], modified: date ?? file.modified };
  return { rows: documentRows(document, parts), wrong: [] };
}
