// The text that the embedding of a memory is made from.

import type { EmbeddedTexts } from "../storage/rows.ts";

/** UTF-16 units of it that are looked at. */
const MOST = 30_000;
/** Subtypes that are called something else than their name says. */
const LABELS: ReadonlyMap<string, string> = new Map([["turn_summary", "conversation summary"]]);

/** Its label in brackets, then title, summary and body, as far as there are any. */
export function embeddingText(memory: EmbeddedTexts): string {
  const { content_title, content_summary, content_body } = memory;
  const parts = [`[${labelOf(memory)}]`, content_title, content_summary, content_body];
  return parts
    .filter((part) => part !== null && part !== "")
    .join(" ")
    .slice(0, MOST);
}

/** What kind of memory it is, in words: `custom:trade_entry` is a trade entry. */
function labelOf({ type, subtype }: EmbeddedTexts): string {
  const name = subtype?.replace(/^custom:/, "");
  return name ? (LABELS.get(name) ?? name.replaceAll("_", " ")) : (type ?? "");
}
