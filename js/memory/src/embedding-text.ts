// The model that embeds memories by itself, and the texts of a memory from which embeddings are made.

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

/**
 * Returns title, summary and body as one text, as far as they exist: the text that `TRANSFORMER` and
 * token tables read.
 */
export const builtInText = ({
  content_title,
  content_summary,
  content_body,
}: Omit<EmbeddedTexts, "type" | "subtype">): string =>
  [content_title, content_summary, content_body]
    .filter((part) => typeof part === "string" && part !== "")
    .join("\n")
    .slice(0, MAX);

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
