// Reads the activity of Gemini that Google Takeout gives: MyActivity.json, or MyActivity.html. An entry
// is a question with its answer. The export names no conversations: entries that follow each other
// within half an hour are one.

import { textOfHtml, withoutEntities } from "./html-text.ts";
import type { JsonPart } from "./json-parts.ts";
import { keyOf } from "./key.ts";
import {
  isObject,
  type Json,
  leftOut,
  listIn,
  type Moved,
  namesIn,
  type Place,
  type SourceFile,
  someText,
  timeOf,
  wrongPart,
} from "./moved.ts";

/** An entry of the activity. */
interface Entry {
  place: Place;
  time: number | undefined;
  title: string;
  answer: string;
}

/** A conversation ends after so many milliseconds without a word. */
const GAP = 30 * 60_000;

/** What stands before the words of the person. */
const ASKED =
  /^(?:Prompted with:|Asked Gemini:|Asked Bard:|Prompted|Asked|Said|Branched|Answered)[\s:]+/;
/** Titles of what the person did without words. */
const DONE =
  /^(?:Created|Used|Added|Gave|Selected|Shared|Deleted|Viewed|Visited|Searched|Edited|Pinned|Renamed|Exported|Updated)\b/;
const ATTACHED = /Attached \d+ files?\.?$/;

const isEntry = (json: unknown): json is Json =>
  isObject(json) && typeof json.title === "string" && typeof json.time === "string";

/** Returns whether JSON is an entry of the activity of Gemini. */
export const isGemini = (json: unknown): boolean => isEntry(json) && isOfGemini(json);

const isOfGemini = ({ header, products }: Json): boolean =>
  [someText(header) ?? "", ...namesIn(products)].some((name) => /gemini|bard/i.test(name));

/** Yields two memories for each question with an answer, in order of time. */
export function* readGemini(
  { name: file }: Pick<SourceFile, "name">,
  parts: Iterable<JsonPart>,
): Iterable<Moved> {
  const entries: Entry[] = [];
  for (const { json, number } of parts) {
    const place: Place = { file, of: "entry", number };
    if (!isEntry(json)) yield wrongPart(place, "is no activity with a title and a time");
    else if (!isOfGemini(json)) yield leftOut(place, "activity of another product of Google");
    else {
      const { title, time, safeHtmlItem } = json;
      const answers = listIn(safeHtmlItem).flatMap((item) =>
        isObject(item) ? textOfHtml(String(item.html ?? "")) : [],
      );
      const answer = answers.filter((text) => text !== "").join("\n\n");
      entries.push({ place, time: timeOf(time), title: withoutEntities(String(title)), answer });
    }
  }
  yield* conversationsOf(entries);
}

const CELL = /<div class="outer-cell[^"]*"/;
const HEADER = `<p class="mdl-typography--title">`;
const CONTENT = /<div class="(content-cell[^"]*)">/g;
const AFTER_BODY = /<\/div>\s*<div class="content-cell/;

/** Returns what the header of a cell holds. */
function headerOf(cell: string): string {
  const start = cell.indexOf(HEADER);
  const end = start < 0 ? -1 : cell.indexOf("</p>", start);
  return end < 0 ? "" : cell.slice(start + HEADER.length, end);
}

/**
 * Returns what the body of a cell holds. If its first beginning has no end, no later one has: one
 * expression of both would look for an end from each of them.
 */
function bodyOf(cell: string): string {
  for (const { 0: tag, 1: names, index } of cell.matchAll(CONTENT)) {
    if (!names!.includes("body-1")) continue;
    const after = cell.slice(index + tag.length);
    return after.slice(0, Math.max(0, after.search(AFTER_BODY)));
  }
  return "";
}

/** Returns whether a text is the activity of Google as a web page. */
export const isActivityPage = (start: string): boolean =>
  /^\s*<(?:!doctype|html)/i.test(start) && /<title>My Activity|outer-cell/i.test(start);

/** Yields the same from MyActivity.html, with the times of the zone that the page names. */
export function* readGeminiPage(
  { name: file }: Pick<SourceFile, "name">,
  html: string,
): Iterable<Moved> {
  const entries: Entry[] = [];
  for (const [at, cell] of html.split(CELL).slice(1).entries()) {
    const place: Place = { file, of: "entry", number: at + 1 };
    const header = textOfHtml(headerOf(cell));
    if (!/gemini|bard/i.test(header)) {
      yield leftOut(place, "activity of another product of Google");
      continue;
    }
    const parts = bodyOf(cell).split(/<br\s*\/?>/i);
    // The words, the time, and the answer: the words may have line breaks, too.
    const when = parts.findIndex((part) => pageTime(textOfHtml(part)) !== undefined);
    if (when < 0) {
      yield wrongPart(place, "has no time that can be read: export the activity as JSON");
      continue;
    }
    const title = textOfHtml(parts.slice(0, when).join("<br>"));
    const answer = textOfHtml(parts.slice(when + 1).join("<br>"));
    entries.push({ place, time: pageTime(textOfHtml(parts[when]!)), title, answer });
  }
  yield* conversationsOf(entries);
}

/** How far clocks are before UTC whose letters JavaScript does not know, in hours. */
const CLOCKS: Readonly<Record<string, number>> = {
  ...{ CET: 1, CEST: 2, MEZ: 1, MESZ: 2, EET: 2, EEST: 3, WET: 0, WEST: 1, BST: 1, IST: 5.5 },
  ...{ JST: 9, KST: 9, AEST: 10, AEDT: 11, SGT: 8, HKT: 8, BRT: -3, AKST: -9, AKDT: -8, HST: -10 },
};

/** Returns a time as the page writes it: `Jan 15, 2024, 10:00:00 AM CET`, `15.01.2024, 10:00:00 MEZ`. */
function pageTime(text: string): number | undefined {
  const line = text.replace(/[\u202f\u00a0]/g, " ").trim();
  if (line.length > 60 || !/\d{4}.*\d{1,2}:\d{2}/.test(line)) return undefined;
  const [, letters = ""] = /([A-Z]{2,5})$/.exec(line) ?? [];
  const offset = /^(?:AM|PM|UTC|GMT)$/.test(letters) ? undefined : CLOCKS[letters];
  const clock = offset === undefined ? line : `${line.slice(0, -letters.length).trim()} UTC`;
  const ordered = clock.replace(
    /^(\d{1,2})\.(\d{1,2})\.(\d{4}),?/,
    (_, day: string, month: string, year: string) => `${year}-${month}-${day}`,
  );
  const hasZone = /[A-Z]{3,}$|[+-]\d\d:?\d\d$/.test(ordered);
  const time = Date.parse(hasZone ? ordered : `${ordered} UTC`);
  return Number.isNaN(time) ? undefined : time - (offset ?? 0) * 3_600_000;
}

function* conversationsOf(entries: readonly Entry[]): Iterable<Moved> {
  // The newest stands first. Entries without a time come last, each for itself.
  const sorted = entries.toReversed().sort((a, b) => (a.time ?? Infinity) - (b.time ?? Infinity));
  let run = { id: "", name: "" };
  let last = -Infinity;
  for (const { place, time, title, answer } of sorted) {
    const asked = ASKED.test(title) ? title.replace(ASKED, "") : undefined;
    // In other languages another word stands first: an entry with an answer was a question.
    const words = someText((asked ?? (answer === "" ? "" : title)).trimEnd().replace(ATTACHED, ""));
    if (words === undefined || (asked === undefined && DONE.test(title))) {
      yield leftOut(place, "activity without words, such as a shared link");
      continue;
    }
    if (time === undefined || time - last > GAP) {
      const started = time === undefined ? "" : new Date(time).toISOString();
      run = { id: keyOf("gemini", started, words), name: words.slice(0, 100) };
    }
    last = time ?? Infinity;
    for (const [role, text] of [["user", words] as const, ["assistant", answer] as const]) {
      if (text === "") continue;
      yield {
        ...{ kind: "memory", place, id: keyOf("gemini", String(time), role, text), text, role },
        ...{ created: time, source: `gemini:${role}`, session: run.id, run },
      };
    }
  }
}
