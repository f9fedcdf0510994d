// Reads JSON part by part: the elements of a list, lines of JSON, or one value.
//
// # Idea
//
// The exports of chats are one list that may be larger than the longest text of JavaScript. Only the
// element at hand is held: a scan finds where it ends, and `JSON.parse` reads it.
//
// # Invariant
//
// A part is the value that `JSON.parse` of the whole would give at its place. Damage in one part is told
// of this part: the next element begins after the next comma outside of all brackets and texts.
//
// # Cost
//
// Linear in the text. An expression jumps from one mark to the next.

import { FileError } from "./moved.ts";

/** A part of JSON, with its place from 1. */
export interface JsonPart {
  of: "line" | "entry";
  number: number;
  /** The value; undefined if the part is damaged. */
  json?: unknown;
  /** Why it cannot be read. */
  wrong?: string;
}

/** Characters of the longest part. */
const MAX_PART = 256 * 1024 * 1024;
const CUT_OFF = "This begins as JSON but is not: it may be cut off. Export it anew.";

/**
 * Yields the parts of JSON: of a list its elements, else those of lines of JSON, else one value.
 *
 * @throws {FileError} If nothing in it can be read.
 */
export function* jsonParts(chunks: Iterable<string>): Iterable<JsonPart> {
  let isSound = false;
  let wrong = false;
  for (const part of partsOf(chunks)) {
    if (part.wrong === undefined) isSound = true;
    else wrong = true;
    yield part;
  }
  if (wrong && !isSound) throw new FileError(CUT_OFF);
}

function* partsOf(chunks: Iterable<string>): Iterable<JsonPart> {
  const pieces = chunks[Symbol.iterator]();
  let text = "";
  const more = (): boolean => {
    const { done, value } = pieces.next();
    if (done === true) return false;
    text += value;
    return true;
  };
  const start = (): string | undefined => {
    for (;;) {
      text = text.replace(/^[\s\ufeff]+/, "");
      if (text !== "") return text[0];
      if (!more()) return undefined;
    }
  };
  const first = start();
  if (first === "[") {
    text = text.slice(1);
    yield* elements();
    return;
  }
  while (!text.includes("\n") && text.length < MAX_PART && more());
  if (isJson(text.slice(0, text.indexOf("\n") + 1 || undefined))) {
    yield* lines();
    return;
  }
  while (text.length < MAX_PART && more());
  const value = parsed(text);
  if (value !== undefined) yield { of: "entry", number: 1, json: value.json };
  else yield* lines();

  function* elements(): Iterable<JsonPart> {
    for (let number = 1; ; number += 1) {
      if (start() === "]") return;
      const { end, mark } = endOfElement();
      const element = text.slice(0, end).trim();
      text = text.slice(end + 1);
      if (element === "" && mark === "]") return;
      const read = element === "" ? undefined : parsed(element);
      if (read !== undefined) yield { of: "entry", number, json: read.json };
      if (mark === undefined) {
        const isRead = read !== undefined;
        yield {
          ...{ of: "entry", number: isRead ? number + 1 : number },
          wrong: isRead ? "is missing: the file is cut off here" : "is cut off",
        };
        return;
      }
      if (read === undefined) yield { of: "entry", number, wrong: "is not JSON" };
      if (mark === "]") return;
    }
  }

  /** Returns where the element ends that the text begins with, reading on as far as it must. */
  function endOfElement(): { end: number; mark: "," | "]" | undefined } {
    const marks = /["[\]{},\\]/g;
    let depth = 0;
    let isInText = false;
    for (;;) {
      const found = marks.exec(text);
      if (found === null) {
        const read = text.length;
        if (read > MAX_PART || !more()) return { end: text.length, mark: undefined };
        marks.lastIndex = read;
        continue;
      }
      const [mark] = found;
      if (isInText) {
        if (mark === '"') isInText = false;
        // The character after it counts for nothing, and may be in the next piece.
        else if (mark === "\\") {
          if (found.index + 1 >= text.length) more();
          marks.lastIndex = found.index + 2;
        }
      } else if (mark === '"') isInText = true;
      else if (mark === "[" || mark === "{") depth += 1;
      else if (depth === 0 && (mark === "," || mark === "]")) return { end: found.index, mark };
      else if (mark === "]" || mark === "}") depth -= 1;
    }
  }

  function* lines(): Iterable<JsonPart> {
    for (let number = 1; ; number += 1) {
      let end = text.indexOf("\n");
      while (end < 0 && more()) end = text.indexOf("\n");
      const line = (end < 0 ? text : text.slice(0, end)).trim();
      if (line !== "") {
        const read = parsed(line);
        yield read === undefined
          ? { of: "line", number, wrong: "is not JSON" }
          : { of: "line", number, json: read.json };
      }
      if (end < 0) return;
      text = text.slice(end + 1);
    }
  }
}

const isJson = (text: string): boolean => text.trim() !== "" && parsed(text) !== undefined;

function parsed(text: string): { json: unknown } | undefined {
  try {
    return { json: JSON.parse(text) };
  } catch {
    return undefined;
  }
}
