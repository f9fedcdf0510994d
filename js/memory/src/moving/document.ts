// Reads Markdown and text by the rule of remembering, so that page and server make the same memories
// of a file: its parts below headings, several for a long one.

import { parseInstant } from "../time.ts";
import { splitText } from "../write/split.ts";
import type { MovedMemory, SourceFile } from "./moved.ts";

/**
 * Yields the memories of a document, a run of them. The title of a memory is the path of headings that
 * lead to it. Front matter may give tags and a date; the first memory has its text.
 */
export function* readDocument(
  { name: file, modified }: Pick<SourceFile, "name" | "modified">,
  text: string,
): Iterable<MovedMemory> {
  const { pieces, front } = splitText(text);
  const date = front?.date === undefined ? undefined : parseInstant(front.date);
  let number = 0;
  for (const piece of pieces) {
    number += 1;
    yield {
      ...{ kind: "memory", place: { file }, id: `${file}:${number}`, text: piece.text },
      title: piece.isBelowHeading ? piece.title : undefined,
      ...{ created: date ?? modified, updated: modified, tags: front?.tags, source: "file" },
      ...{ run: { id: file, name: file }, isWhole: true },
    };
  }
}
