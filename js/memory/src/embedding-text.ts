// The model that embeds memories by itself, and the texts of a memory from which embeddings are made.

import { shownBody } from "./json-objects.ts";
import { withoutMarksOfLine } from "./line-marks.ts";
import type { EmbeddedTexts } from "./rows.ts";

/** The model of `nous-minilm`: its `id` and its `dimensions`, known before it is loaded. */
export const TRANSFORMER = { name: "minilm-384-53b83bc8", dimensions: 384 } as const;

/** The letters of a text, and those of them that `TRANSFORMER` was trained with. */
const LETTER = /\p{L}/gu;
const READ_LETTER = /\p{Script=Latin}/gu;
/** The share of letters that it must be able to read. */
const MIN_READ = 0.5;

/** The most UTF-16 units of the text. */
const MAX = 30_000;
/** Labels of kinds whose name does not describe them. */
const LABELS: ReadonlyMap<string, string> = new Map([["turn summary", "conversation summary"]]);

/**
 * Returns whether `TRANSFORMER` reads a text. It was trained with English: its vectors of Chinese or
 * Arabic tell nothing, and words alone find more. Texts in Latin letters count as read.
 *
 * @example
 * ```ts
 * isReadByTransformer("Mira prefers tea."); // true
 * isReadByTransformer("她喜欢喝茶。"); // false
 * ```
 */
export function isReadByTransformer(text: string): boolean {
  const letters = text.match(LETTER)?.length ?? 0;
  return (text.match(READ_LETTER)?.length ?? 0) >= MIN_READ * letters;
}

/** The characters of marks and blanks that a title may lack. */
const MAX_MARKS = 100;

/**
 * Returns a text below its title. A title that is the beginning of the text is not repeated; that of
 * a message is its speaker and its beginning, and leaves its speaker.
 *
 * @param between What stands between title and text.
 *
 * @example
 * ```ts
 * titledText("Tea", "Mira prefers it.", ": "); // "Tea: Mira prefers it."
 * titledText("Mira: I like tea…", "I like tea, and plums.", "\n"); // "Mira: I like tea, and plums."
 * ```
 */
export function titledText(
  title: string | null | undefined,
  text: string | null | undefined,
  between: string,
): string {
  const [above, below] = [(title ?? "").trim(), (text ?? "").trim()];
  if (below === "") return above;
  let end = above.length;
  while (end > 0 && "….".includes(above[end - 1]!)) end -= 1;
  const opening = oneLine(above.slice(0, end));
  // The title of a list is its first entry without the mark.
  const start = oneLine(withoutMarksOfLine(below.slice(0, 2 * above.length + MAX_MARKS)));
  // "Ann" is no beginning of "Annual report", but a title that was cut may end within a word.
  const isCut = above.endsWith("…");
  const begins = (words: string) =>
    [start, below].some(
      (one) =>
        one.startsWith(words) && (isCut || !WORD.test(one.slice(words.length, words.length + 2))),
    );
  if (opening === "" || begins(opening)) return below;
  const [, speaker = "", said = ""] = /^([^:]{1,80}): (.+)$/su.exec(opening) ?? [];
  return said !== "" && begins(said) ? `${speaker}: ${below}` : `${above}${between}${below}`;
}

/** A word that goes on. */
const WORD = /^[\p{L}\p{N}]/u;
const oneLine = (text: string): string => text.replaceAll(/\s+/g, " ").trim();

/** A speaker that says nothing about the text. */
const ROLE = /^(?:user|assistant|system|tool): /;

/**
 * Returns title, summary and body as one text, as far as they exist: the text that `TRANSFORMER` and
 * token tables read. A title that repeats the beginning would count twice.
 */
export function builtInText(memory: Omit<EmbeddedTexts, "type" | "subtype">): string {
  const { content_title, content_summary, content_body } = memory;
  // Another program may have stored bytes.
  const [title, ...texts] = [content_title, content_summary, shownBody(content_body)].map((part) =>
    typeof part === "string" ? part : "",
  );
  const text = texts.filter((part) => part !== "").join("\n");
  return titledText(title, text, "\n").replace(ROLE, "").slice(0, MAX);
}

/** Returns the text that models of a service read: the label in brackets, then title, summary and body, as far as they exist. */
export function embeddingText(memory: EmbeddedTexts): string {
  const { content_title, content_summary, content_body } = memory;
  const parts = [`[${labelOf(memory)}]`, content_title, content_summary, content_body];
  return parts
    .filter((part) => part !== null && part !== "")
    .join(" ")
    .slice(0, MAX);
}

/** Returns the kind of a memory in words, by its subtype, or its type if it has no subtype. */
function labelOf({ type, subtype }: EmbeddedTexts): string {
  const kind = kindInWords(subtype ?? "");
  return kind === "" ? (type ?? "") : (LABELS.get(kind) ?? kind);
}

/** Returns a subtype in words: `custom:trade_entry` becomes `trade entry`. */
export const kindInWords = (subtype: string): string =>
  subtype.replace(/^custom:/, "").replaceAll("_", " ");
