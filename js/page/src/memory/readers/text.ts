// Reads plain text: paragraphs become memories of a sensible size.

import { documentRows, type Reading, type Text } from "./reading.ts";

/** Paragraphs are joined until a memory has as many characters: a single line says too little. */
const MIN = 240;
/** A longer paragraph is split where a sentence ends: one passage answers, not a page. */
const MAX = 1_400;

/** The separator between the paragraphs of a memory. */
const BLANK = "\n\n";

/** Returns the rows of a text: a memory for each stretch of paragraphs. */
export function readText(file: Text): Reading {
  const parts = pieces(file.text).map((text) => ({ title: "", text }));
  return { rows: documentRows(file, parts), wrong: [] };
}

/** Splits a text at blank lines into pieces of a sensible size. */
export function pieces(text: string): string[] {
  const found: string[] = [];
  let open = "";
  for (const paragraph of text.split(/\n[ \t]*(?:\n[ \t]*)+/)) {
    for (const part of withinSize(paragraph.trim())) {
      if (open !== "" && open.length + BLANK.length + part.length > MAX) {
        found.push(open);
        open = "";
      }
      open = open === "" ? part : `${open}${BLANK}${part}`;
      if (open.length < MIN) continue;
      found.push(open);
      open = "";
    }
  }
  if (open !== "") found.push(open);
  return found;
}

/** Splits a paragraph that is too long: where a sentence ends, else at a blank, else anywhere. */
function withinSize(paragraph: string): string[] {
  const parts: string[] = [];
  let rest = paragraph;
  while (rest.length > MAX) {
    const head = rest.slice(0, MAX);
    const ends = [...head.matchAll(/[.!?…。！？]["”’)\]]?\s|\n/g)];
    const sentence = ends.at(-1);
    const after = sentence === undefined ? -1 : sentence.index + sentence[0].length;
    const blank = head.lastIndexOf(" ");
    const end = after > MIN ? after : blank > MIN ? blank : wholeCharacters(head);
    parts.push(rest.slice(0, end).trim());
    rest = rest.slice(end).trim();
  }
  if (rest !== "") parts.push(rest);
  return parts;
}

/** Returns the length of a text without half of a pair of surrogates at its end. */
const wholeCharacters = (text: string): number =>
  /[\uD800-\uDBFF]$/.test(text) ? text.length - 1 : text.length;
