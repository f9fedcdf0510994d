// What readers of other programs' files return: memories, links between them, and what is not taken.

import { isJsonObject as isObject, type JsonObject as Json } from "../json-objects.ts";
import { parseInstant } from "../time.ts";

export { isObject, type Json };

/** A file as a reader gets it. */
export interface SourceFile {
  /** Its name, or its path below the folder that was named. The names of files read together differ. */
  name: string;
  /** When it was last changed, in milliseconds since 1970. */
  modified: number;
  /** Returns its text in pieces, from the start at each call. */
  chunks(): Iterable<string>;
}

/** A place in a file: the number of a line, a conversation or an entry, from 1. */
export interface Place {
  file: string;
  of?: "line" | "conversation" | "entry" | undefined;
  number?: number | undefined;
}

/** The run that a memory belongs to: a conversation, a document, what is told of one entity. */
export interface Run {
  id: string;
  name: string;
}

/** A memory of another program. */
export interface MovedMemory {
  kind: "memory";
  place: Place;
  /** The same at each reading, so that a second import stores nothing twice. */
  id: string;
  text: string;
  title?: string | undefined;
  /** Its type as the other program names it. Only a type of the preset counts. */
  type?: string | undefined;
  /** Its type and subtype as this memory stores them; they count as they are. */
  stored?: { type: string; subtype?: string | null | undefined } | undefined;
  summary?: string | null | undefined;
  /** Who said it, of a message: `user`, `assistant`, … */
  role?: string | undefined;
  /** When it was made and changed, in milliseconds since 1970. Default: when its file was changed. */
  created?: number | undefined;
  updated?: number | undefined;
  /** When it happened, and when it ends, as ISO 8601. */
  event?: string | undefined;
  expires?: string | undefined;
  tags?: readonly string[] | undefined;
  metadata?: Json | undefined;
  user?: string | undefined;
  session?: string | undefined;
  /** Where it comes from: `chatgpt:user`, `mem0`, … */
  source: string;
  run?: Run | undefined;
  /** Whether it stays one memory, however long it is. */
  isWhole?: boolean | undefined;
}

/** A link between two memories, by their ids. */
export interface MovedLink {
  kind: "link";
  place: Place;
  from: string;
  to: string;
  type: string;
}

/** A part of a file that is not taken. */
export interface LeftOut {
  kind: "left";
  place: Place;
  why: string;
  /** Whether it is damaged or unknown. Other parts are left out by rule. */
  isWrong: boolean;
}

/** What a reader returns, in order. */
export type Moved = MovedMemory | MovedLink | LeftOut;

/**
 * Thrown for a file that holds nothing a reader knows. The message is a sentence for the person who
 * named the file.
 */
export class FileError extends Error {
  override readonly name = "FileError";
}

/** Returns a text without blanks at its ends; undefined if that is empty, or for anything else. */
export const someText = (value: unknown): string | undefined =>
  typeof value === "string" && value.trim() !== "" ? value.trim() : undefined;

/** Returns the first of the values that is a text with words. */
export const firstText = (...values: readonly unknown[]): string | undefined =>
  values.map(someText).find((value) => value !== undefined);

/** Returns the list that a value is; an empty one for anything else. */
export const listIn = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);

/** Returns the names in a list, or in a text between commas. */
export const namesIn = (value: unknown): string[] =>
  (typeof value === "string" ? value.split(",") : listIn(value)).flatMap(
    (name) => someText(isObject(name) ? name.name : name) ?? [],
  );

/** From here on a number is in milliseconds: as seconds it would be in the year 5138. */
const MIN_MILLISECONDS = 1e11;
const LAST = Date.parse("9999-12-31T23:59:59.999Z");

/**
 * Returns a time in milliseconds since 1970; undefined if it is none. A number is in seconds, or in
 * milliseconds from 100,000,000,000 on; a text is ISO 8601, or as JavaScript writes times.
 */
export function timeOf(value: unknown): number | undefined {
  if (typeof value === "string") {
    if (/^\d{9,13}(?:\.\d+)?$/.test(value.trim())) return timeOf(Number(value));
    const time = parseInstant(value.trim()) ?? Date.parse(value);
    return Number.isNaN(time) || time < 0 || time > LAST ? undefined : time;
  }
  if (typeof value !== "number" || !Number.isFinite(value) || value <= 0) return undefined;
  const time = value < MIN_MILLISECONDS ? Math.round(value * 1000) : Math.round(value);
  return time <= LAST ? time : undefined;
}

/** Returns a part that a rule leaves out. */
export const leftOut = (place: Place, why: string): LeftOut => ({
  ...{ kind: "left", place, why },
  isWrong: false,
});

/** Returns a part that is damaged or unknown. */
export const wrongPart = (place: Place, why: string): LeftOut => ({
  ...{ kind: "left", place, why },
  isWrong: true,
});
