// Rule: a long text becomes several memories, in order.
//
// # Idea
//
// A question finds a memory by its best passage, but a prompt shows the whole memory: a memory of a
// thousand words costs a prompt that could hold twenty answers. A text breaks at headings and blank
// lines, then between sentences, until no piece is longer than a memory should be. Short neighbours
// below one heading join again, so that a piece says something by itself. A block of code, a list or a
// table breaks between its lines, and stays whole if it is not longer than two pieces.
//
// # Invariant
//
// A piece is a stretch of the text as it is, with its line breaks and indentation; so all pieces have
// every word of it, in order. The head of a table that breaks stands above each of its pieces.
//
// # Cost
//
// Linear in the text. Segmenters see one piece at a time.

import { withoutMarksOfLine } from "../line-marks.ts";
import { Fences, type FrontMatter, RULE, readMarkdown, type Section } from "./markdown.ts";

/** The words of a piece at most, and below which neighbours join. */
const MAX_WORDS = 120;
const FEW_WORDS = 60;
/** The characters of a piece at most: a prompt shows little more of one memory. */
const MAX_CHARACTERS = 1_000;
/** Characters of scripts without blanks that count as a word. */
const CHARACTERS_OF_A_WORD = 2;
/** The characters of a title, and those that are read for it. */
const MAX_OF_A_TITLE = 100;
const READ_FOR_A_TITLE = 4 * MAX_OF_A_TITLE;
/** The characters after a break that tell whether it is one. */
const AFTER_A_BREAK = 40;
/** A sentence that ends before this share of a piece does not end the piece. */
const LEAST_SHARE = 1 / 4;

/** A part of a text. */
export interface Piece {
  /** The headings above it, if there are some, else its first sentence. */
  title: string;
  /** Whether the title is that of headings: it is no part of the text. */
  isBelowHeading: boolean;
  text: string;
}

/** The parts of a text, and what its front matter says. */
export interface SplitText {
  pieces: Iterable<Piece>;
  front: FrontMatter | undefined;
}

/** Made when a text is first split: that takes longer than most texts. */
const segmenters = new Map<string, Intl.Segmenter>();

function segmenterOf(granularity: "sentence" | "word" | "grapheme"): Intl.Segmenter {
  let found = segmenters.get(granularity);
  if (found === undefined) {
    found = new Intl.Segmenter(undefined, { granularity });
    segmenters.set(granularity, found);
  }
  return found;
}

const LIST = /^\s*(?:[-*+]|\d{1,9}[.)])\s/;
const CODE = /^\s*(?:```|~~~)/;

/** Returns the sentences of a text. */
export const sentencesOf = (text: string): string[] =>
  Array.from(segmenterOf("sentence").segment(text), ({ segment }) => segment.trim()).filter(
    Boolean,
  );

/** Splits a text as its pieces are read, one at a time, in order. A blank text has none. */
export function splitText(text: string): SplitText {
  const { front, sections } = readMarkdown(text);
  return { front, pieces: piecesOfSections(sections, front?.text) };
}

function* piecesOfSections(
  sections: readonly Section[],
  front: string | undefined,
): Iterable<Piece> {
  let before = front === undefined ? "" : `${front}\n\n`;
  for (const { path, text } of sections) {
    if (text === "") {
      yield { title: path, isBelowHeading: true, text: path };
      continue;
    }
    for (const piece of stretchesOf(text)) {
      const title = path === "" ? titleOf(piece) : path;
      yield { title, isBelowHeading: path !== "", text: before + piece };
      before = "";
    }
  }
  if (before !== "") {
    const text = before.trimEnd();
    yield { title: titleOf(text), isBelowHeading: false, text };
  }
}

/** Returns the title of a text: its first sentence, cut at a word. */
export function titleOf(text: string): string {
  const start = firstLine(text);
  const [first = start] = sentencesOf(withoutMarksOfLine(start).slice(0, READ_FOR_A_TITLE));
  const line = first.replaceAll(/\s+/g, " ").trim();
  if (line.length <= MAX_OF_A_TITLE) return line;
  const cut = line.slice(0, MAX_OF_A_TITLE);
  return `${whole(cut.slice(0, Math.max(cut.lastIndexOf(" "), MAX_OF_A_TITLE / 2))).trimEnd()}…`;
}

/** Returns the first line of a text that has words and does not open a block of code. */
function firstLine(text: string): string {
  let [start, first] = [0, ""];
  while (start < text.length) {
    const end = endOfLine(text, start, text.length);
    // A longer line cannot be read for a title; most of it may be blank.
    const line = text.slice(start, Math.min(end, start + 10_000)).trim();
    if (line !== "") {
      if (first === "") first = line;
      if (!CODE.test(line) && /[\p{L}\p{N}]/u.test(line)) return line;
    }
    start = end;
  }
  return first;
}

/** Returns a text without half of a pair of surrogates at its end. */
const whole = (text: string): string => (/[\uD800-\uDBFF]$/.test(text) ? text.slice(0, -1) : text);

/** Returns the place after a line and its line break. */
function endOfLine(text: string, start: number, end: number): number {
  const at = text.indexOf("\n", start);
  return at < 0 || at >= end ? end : at + 1;
}

/** A stretch of a text between blank lines. */
interface Block {
  start: number;
  end: number;
  /** Whether it breaks between lines: code, a list, a table, lines with indentation. */
  hasLines: boolean;
  /** The end of the head of a table. */
  headEnd: number | undefined;
}

/** Returns the pieces of a section. */
function* stretchesOf(text: string): Iterable<string> {
  let open: { start: number; end: number; size: Size } | undefined;
  const written = (start: number, end: number) => {
    const slice = text.slice(start, end).trimEnd();
    // Blank lines at the start say nothing, and indentation counts at the start of a line.
    let from = 0;
    for (let at = 0; at < slice.length && isBlank(slice.charCodeAt(at)); at += 1)
      if (slice[at] === "\n") from = at + 1;
    const isLine = from > 0 || start === 0 || text[start - 1] === "\n";
    return isLine ? slice.slice(from) : slice.trimStart();
  };
  for (const block of blocksOf(text)) {
    for (const part of partsOf(text, block)) {
      const { size } = part;
      if (part.head !== undefined) {
        if (open !== undefined) yield written(open.start, open.end);
        open = undefined;
        yield `${part.head.trimEnd()}\n${written(part.start, part.end)}`;
        continue;
      }
      if (open !== undefined && !fits(sum(open.size, size))) {
        yield written(open.start, open.end);
        open = undefined;
      }
      open = {
        start: open?.start ?? part.start,
        end: part.end,
        size: open === undefined ? size : sum(open.size, size),
      };
      if (open.size.words >= FEW_WORDS) {
        yield written(open.start, open.end);
        open = undefined;
      }
    }
  }
  if (open !== undefined) yield written(open.start, open.end);
}

/** Returns the blocks between blank lines and rules; a block of code is one, whatever it holds. */
function* blocksOf(text: string): Iterable<Block> {
  const fences = new Fences();
  let open: Block | undefined;
  let lines = 0;
  for (let start = 0; start < text.length; ) {
    const end = endOfLine(text, start, text.length);
    const line = text.slice(start, end).trimEnd();
    const isCode = fences.reads(line);
    if (!isCode && (line === "" || RULE.test(line))) {
      if (open !== undefined) yield open;
      open = undefined;
    } else if (open === undefined) {
      open = { start, end, hasLines: isCode || LIST.test(line), headEnd: undefined };
      lines = 1;
    } else {
      lines += 1;
      if (lines === 2 && isRowOfMarks(line) && text.slice(open.start, start).includes("|"))
        open.headEnd = end;
      open.hasLines ||=
        isCode || open.headEnd !== undefined || /^[ \t]/.test(line) || LIST.test(line);
      open.end = end;
    }
    start = end;
  }
  if (open !== undefined) yield open;
}

/** Whether a line parts the head of a table from its rows: `|---|:-:|`. */
function isRowOfMarks(line: string): boolean {
  if (!line.includes("-") || !line.includes("|")) return false;
  for (const mark of line) if (!" \t:|-".includes(mark)) return false;
  return true;
}

/** How long a text is. */
interface Size {
  words: number;
  characters: number;
}

const sum = (a: Size, b: Size): Size => ({
  words: a.words + b.words,
  characters: a.characters + b.characters,
});

const fits = ({ words, characters }: Size, pieces = 1): boolean =>
  words <= pieces * MAX_WORDS && characters <= MAX_CHARACTERS;

interface Part {
  start: number;
  end: number;
  size: Size;
  /** The head of the table that a part of it needs. */
  head?: string;
}

/** Splits a block that is too long. */
function* partsOf(text: string, { start, end, hasLines, headEnd }: Block): Iterable<Part> {
  const [, size] = measured(text, start, end, { words: Infinity, characters: Infinity });
  if (fits(size, hasLines ? 2 : 1)) {
    yield { start, end, size };
    return;
  }
  const head =
    headEnd !== undefined && headEnd - start <= MAX_CHARACTERS / 2
      ? text.slice(start, headEnd)
      : undefined;
  const least = hasLines ? indentationAt(text, start) : undefined;
  for (let at = start; at < end; ) {
    const isFirst = at === start;
    const room = {
      words: MAX_WORDS,
      characters: MAX_CHARACTERS - (isFirst ? 0 : (head?.length ?? 0)),
    };
    const [reached] = measured(text, at, end, room);
    const next = reached >= end ? end : placeToBreak(text, at, reached, least);
    const [, own] = measured(text, at, next, { words: Infinity, characters: Infinity });
    if (text.slice(at, next).trim() !== "")
      yield {
        ...{ start: at, end: next, size: own },
        ...(head === undefined || isFirst ? {} : { head }),
      };
    at = next;
  }
}

/**
 * Returns how far a stretch goes that has at most so many words and characters, and its size. The
 * stretch has a character at least.
 */
function measured(text: string, start: number, end: number, most: Size): [end: number, size: Size] {
  let [words, characters] = [0, 0];
  let isInWord = false;
  for (let at = start; at < end; at += 1) {
    const code = text.charCodeAt(at);
    let own = 0;
    if (isBlank(code)) isInWord = false;
    else if (isWithoutBlanks(code)) {
      own = 1 / CHARACTERS_OF_A_WORD;
      isInWord = false;
    } else if (!isInWord) {
      own = 1;
      isInWord = true;
    }
    if ((words + own > most.words || characters + 1 > most.characters) && at > start)
      return [at, { words, characters }];
    words += own;
    characters += 1;
  }
  return [end, { words, characters }];
}

const isBlank = (code: number): boolean =>
  code === 0x20 ||
  (code >= 0x09 && code <= 0x0d) ||
  code === 0xa0 ||
  code === 0x3000 ||
  code === 0x2028 ||
  code === 0x2029;

/** Whether a UTF-16 unit is of a script that writes no blanks between words. */
const isWithoutBlanks = (code: number): boolean =>
  code >= 0x0e00 &&
  (code <= 0x0eff ||
    (code >= 0x1000 && code <= 0x109f) ||
    (code >= 0x1780 && code <= 0x17ff) ||
    (code >= 0x3040 && code <= 0x30ff) ||
    (code >= 0x3400 && code <= 0x9fff) ||
    (code >= 0xd840 && code <= 0xd88f) ||
    (code >= 0xf900 && code <= 0xfaff));

/** Returns the blanks before the words of a line. */
function indentationAt(text: string, start: number): number {
  let at = start;
  while (text[at] === " " || text[at] === "\t") at += 1;
  return at - start;
}

/**
 * Returns where a stretch that is too long breaks, after `start` and up to `reached`. In lines with
 * structure: before a line that is indented no more than `least`, else before any line. Elsewhere, or
 * in a line that is too long: after a sentence, else at a blank, else after a word, else at an early
 * blank, else after a character.
 */
function placeToBreak(
  text: string,
  start: number,
  reached: number,
  least: number | undefined,
): number {
  const soon = start + (reached - start) * LEAST_SHARE;
  // What follows tells whether a sentence or a character ends here.
  const window = text.slice(start, reached + AFTER_A_BREAK);
  if (least !== undefined) {
    let [outer, inner] = [-1, -1];
    for (let at = window.indexOf("\n") + 1; at > 0; at = window.indexOf("\n", at) + 1) {
      if (start + at > reached) break;
      inner = start + at;
      if (inner >= soon && indentationAt(window, at) <= least) outer = inner;
    }
    if (inner > start) return outer > start ? outer : inner;
  }
  const lastOf = (segmenter: Intl.Segmenter, from: number): number => {
    let last = -1;
    for (const { index } of segmenter.segment(window)) {
      if (start + index > reached) break;
      if (start + index >= from) last = start + index;
    }
    return last;
  };
  const sentence = lastOf(segmenterOf("sentence"), soon);
  if (sentence > start) return sentence;
  for (let at = reached; at > soon; at -= 1) if (isBlank(text.charCodeAt(at - 1))) return at;
  const word = lastOf(segmenterOf("word"), soon);
  if (word > start) return word;
  // A key or an address stays whole if it fits into a piece, however short the piece before it is.
  for (let at = Math.floor(soon); at > start; at -= 1)
    if (isBlank(text.charCodeAt(at - 1))) return at;
  const character = lastOf(segmenterOf("grapheme"), soon);
  // A character of a thousand marks breaks, too; a pair of surrogates does not.
  const end = start + whole(text.slice(start, reached)).length;
  return character > start ? character : end > start ? end : reached;
}
