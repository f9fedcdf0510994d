// Rule: the sections of a text in Markdown. A section has the path of the headings above it, such as
// "Production › Database", and the lines up to the next heading. A text without headings is one section.
//
// # Invariant
//
// Every word of the text is in the path or in the lines of a section, in order.
//
// # Cost
//
// Linear in the text: each line is looked at once, by expressions that do not look back.

import { parseInstant } from "../time.ts";

/** A part of a text below one heading. */
export interface Section {
  /** The headings that lead to it, joined by `›`; empty above the first heading. */
  path: string;
  /** The lines below the heading, as they are. */
  text: string;
}

/** What stands between two lines `---` at the start of a text. */
export interface FrontMatter {
  /** Its lines, without the marks. */
  text: string;
  /** What it gives as `tags` or `keywords`. */
  tags: string[];
  /** What it gives as `date` or `created`, as it is; undefined if that is no instant. */
  date: string | undefined;
}

/** A text in Markdown, read. */
export interface Markdown {
  /** Undefined if the text does not begin with it. */
  front: FrontMatter | undefined;
  sections: Section[];
}

/** A longer line is no heading. */
const MAX_HEADING = 200;
/** Lines that are searched for the end of front matter. */
const MAX_FRONT = 200;
const BETWEEN = " › ";

const HEADING = /^ {0,3}(#{1,6})[ \t]+(\S.*)$/;
/** A link or a picture: its text, and where it leads. */
const LINK = /!?\[([^[\]]*)\]\([^)]*\)/g;
/** Code, or a text with marks of emphasis around it. The marks within `MAX_SIZE` are part of a name. */
const MARKED = /`+([^`]+)`+|(?<![\p{L}\p{N}])([*_]{1,3})(\S(?:.*?\S)?)\2(?![\p{L}\p{N}])/gu;
/** A line below a text that makes it a heading. */
const UNDERLINE = /^ {0,3}(=+|-{2,})[ \t]*$/;
/** A line that parts a text, and says nothing. */
export const RULE = /^ {0,3}([-*_])(?:[ \t]*\1){2,}[ \t]*$/;
const FENCE = /^[ \t]*(`{3,}|~{3,})(.*)$/;
const FRONT = /^---[ \t]*$/;
const END_OF_FRONT = /^(?:---|\.\.\.)[ \t]*$/;
const KEY = /^([A-Za-z_][\w .-]*):(?:[ \t]+(.*))?$/;
/** Lines of front matter that are no keys: of a list, of a longer value, and comments. */
const BELOW_KEY = /^(?:[ \t]*-[ \t]|[ \t]+\S|#|[ \t]*$)/;
/** A heading of level one is written like this; a comment of a script like a sentence. */
const LIKE_A_COMMENT = /^\p{Ll}|[.;:,]$/u;

/** Reads the headings and the front matter of a text. */
export function readMarkdown(given: string): Markdown {
  const text = given.includes("\r") ? given.replaceAll(/\r\n?/g, "\n") : given;
  const lines = text.split("\n");
  const front = frontOf(lines);
  const rest = front === undefined ? lines : lines.slice(front.lines);
  return { front: front?.front, sections: sectionsOf(rest) };
}

/** Opens and closes blocks of code, line by line. */
export class Fences {
  #open: string | undefined;

  /** Reads the next line. Returns whether it belongs to a block of code. */
  reads(line: string): boolean {
    const [, mark, info = ""] = FENCE.exec(line) ?? [];
    if (this.#open === undefined) {
      // One line may hold code between two marks.
      if (mark === undefined || (mark.startsWith("`") && info.includes("`"))) return false;
      this.#open = mark;
      return true;
    }
    // A fence ends with a line of the same characters, at least as many.
    if (mark?.startsWith(this.#open) && info.trim() === "") this.#open = undefined;
    return true;
  }
}

interface OpenSection {
  level: number;
  path: string;
  lines: string[];
}

function sectionsOf(lines: readonly string[]): Section[] {
  const above: { level: number; title: string }[] = [];
  const sections: OpenSection[] = [{ level: 0, path: "", lines: [] }];
  const fences = new Fences();
  const isScript = lines[0]?.startsWith("#!") ?? false;
  let isBelowHeading = true;
  for (const [place, line] of lines.entries()) {
    const { lines: own } = sections.at(-1)!;
    const isCode = fences.reads(line);
    const found = isCode
      ? undefined
      : (headingAt(lines, place, isBelowHeading, isScript) ?? underlinedIn(own, line));
    if (found === undefined) {
      own.push(line);
      isBelowHeading = !isCode && line.trim() === "";
      continue;
    }
    if (found.isUnderlined) own.pop();
    while ((above.at(-1)?.level ?? 0) >= found.level) above.pop();
    above.push({ level: found.level, title: plain(found.title) });
    const path = above.map(({ title }) => title).join(BETWEEN);
    // A path is a name. A heading with links stands in the text, too, for the sake of their addresses.
    const isPlain = withoutLinks(found.title) === found.title;
    sections.push({ level: found.level, path, lines: isPlain ? [] : [found.title] });
    isBelowHeading = true;
  }
  const read = sections.map(({ level, path, lines: own }) => ({
    ...{ level, path },
    text: own.every((line) => line.trim() === "" || RULE.test(line)) ? "" : own.join("\n"),
  }));
  // A text of headings alone is a text: "# 1 priority is the roof".
  if (read.every(({ text }) => text === "")) {
    const whole = lines.join("\n");
    return whole.trim() === "" ? [] : [{ path: "", text: whole }];
  }
  // The heading of a section without a text stands in the paths below it, if there are some.
  return read
    .filter(
      ({ level, text }, place) =>
        text !== "" || (level > 0 && (read[place + 1]?.level ?? 0) <= level),
    )
    .map(({ path, text }) => ({ path, text }));
}

interface FoundHeading {
  level: number;
  title: string;
  isUnderlined: boolean;
}

/**
 * Returns the heading in a line. A line `# …` between lines of a text may be a comment of a script: it is
 * a heading unless it reads like one.
 */
function headingAt(
  lines: readonly string[],
  place: number,
  isBelowHeading: boolean,
  isScript: boolean,
): FoundHeading | undefined {
  const heading = headingIn(lines[place]!);
  if (heading === undefined || heading.level > 1) return heading;
  if (isScript) return undefined;
  const next = lines[place + 1] ?? "";
  const isAlone = isBelowHeading && (next.trim() === "" || (headingIn(next)?.level ?? 0) > 1);
  return isAlone || !LIKE_A_COMMENT.test(heading.title) ? heading : undefined;
}

function headingIn(line: string): FoundHeading | undefined {
  const [, marks = "", rest = ""] = HEADING.exec(line) ?? [];
  if (marks === "") return undefined;
  let title = rest.trimEnd();
  let end = title.length;
  while (title[end - 1] === "#") end -= 1;
  // Marks at the end close a heading if a blank stands before them: "C#" is a word.
  if (end < title.length && /[ \t]/.test(title[end - 1] ?? ""))
    title = title.slice(0, end).trimEnd();
  return title === "" || title.length > MAX_HEADING
    ? undefined
    : { level: marks.length, title, isUnderlined: false };
}

function underlinedIn(own: readonly string[], line: string): FoundHeading | undefined {
  const mark = UNDERLINE.exec(line)?.[1];
  if (mark === undefined) return undefined;
  const title = own.at(-1)?.trim() ?? "";
  // The line above has to be a paragraph of its own.
  const isHeading =
    title.length <= MAX_HEADING &&
    /^[\p{L}\p{N}*_[]/u.test(title) &&
    (own.at(-2) ?? "").trim() === "";
  return isHeading ? { level: mark.startsWith("=") ? 1 : 2, title, isUnderlined: true } : undefined;
}

/** Returns a heading without the marks of emphasis, code and links. */
const plain = (heading: string): string =>
  withoutLinks(heading)
    .replace(MARKED, (_, code?: string, _mark?: string, text?: string) => code ?? text ?? "")
    .trim();

/** Returns a heading with the texts of its links and pictures alone. A link may hold a picture. */
const withoutLinks = (heading: string): string => heading.replace(LINK, "$1").replace(LINK, "$1");

/**
 * Returns front matter and the number of its lines. Two rules with a text between them are none: each of
 * its lines has to be a key, or to belong to one.
 */
function frontOf(lines: readonly string[]): { front: FrontMatter; lines: number } | undefined {
  if (!FRONT.test(lines[0] ?? "")) return undefined;
  const end = lines
    .slice(0, MAX_FRONT)
    .findIndex((line, place) => place > 0 && END_OF_FRONT.test(line));
  const own = lines.slice(1, Math.max(end, 1));
  const isFront =
    KEY.test(own[0] ?? "") && own.every((line) => KEY.test(line) || BELOW_KEY.test(line));
  if (!isFront) return undefined;
  const values = new Map<string, string[]>();
  let key = "";
  for (const line of own) {
    const [, name, value = ""] = KEY.exec(line) ?? [];
    if (name !== undefined) {
      key = name.trim().toLowerCase();
      values.set(key, namesOf(value));
    } else values.get(key)?.push(...namesOf(line.replace(/^[ \t]*-[ \t]+/, "")));
  }
  const [date] = values.get("date") ?? values.get("created") ?? [];
  return {
    front: {
      text: own.join("\n").trim(),
      tags: [...new Set([...(values.get("tags") ?? []), ...(values.get("keywords") ?? [])])],
      date: date !== undefined && parseInstant(date) !== undefined ? date : undefined,
    },
    lines: end + 1,
  };
}

/** Returns the names of a value: `[a, b]`, `a, b`, `"a"`, `#a`. */
const namesOf = (value: string): string[] =>
  value
    .trim()
    .replace(/^\[|\]$/g, "")
    .split(",")
    .map((name) => name.trim().replace(/^["'#]+|["']+$/g, ""))
    .filter((name) => name !== "" && name.length <= MAX_HEADING);
