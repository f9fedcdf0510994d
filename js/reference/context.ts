// Recalled memories as lines for an agent, and the passage that explains their tags. The context
// rules, in full. Plain on purpose: this is the yardstick of the parity tests.

import { readFileSync } from "node:fs";
import { getSectionForSubtype } from "./sections.ts";

export interface MemoryRow {
  subtype?: string | null | undefined;
  type?: string | null | undefined;
  memory_section?: string | null | undefined;
  content_title?: string | null | undefined;
  content_body?: string | null | undefined;
  content_summary?: string | null | undefined;
  /** ISO 8601. */
  provenance_created_at?: string | null | undefined;
}

const CHARACTERS_PER_TOKEN = 4;
const DATE_CHARACTERS = 10;

/** The `text` of a JSON object body if it is a nonempty string, else undefined. */
function textInJson(body: string): string | undefined {
  if (!body.startsWith("{")) return undefined;
  try {
    const { text } = JSON.parse(body);
    return typeof text === "string" && text !== "" ? text : undefined;
  } catch {
    return undefined;
  }
}

/** `- [label · SECTION] title (date): text`. An empty subtype or title stays empty. */
function contextLine(row: MemoryRow): string {
  const subtype = row.subtype ?? row.type ?? "";
  const label = subtype.replace(/^custom:/, "");
  const section = row.memory_section || getSectionForSubtype(subtype);
  const title = row.content_title ?? "Untitled";
  const date = [...(row.provenance_created_at ?? "")].slice(0, DATE_CHARACTERS).join("");
  const body = row.content_body ?? "";
  const text = textInJson(body) ?? (body || (row.content_summary ?? ""));
  return `- [${label} · ${section}] ${title} (${date}): ${text}`;
}

/**
 * One line for each result, in order, up to 4 code points a token; the first line that would pass
 * the budget ends the list, and line breaks between lines do not count. No line: null. Well-formed
 * text: a lone surrogate comes out as U+FFFD.
 */
export function formatContext(
  results: readonly MemoryRow[],
  maxTokens = 4000,
  { emptyAsMissing = false }: { emptyAsMissing?: boolean | undefined } = {},
): string | null {
  const budget = maxTokens * CHARACTERS_PER_TOKEN;
  const lines: string[] = [];
  let used = 0;
  for (const row of results) {
    const line = contextLine(emptyAsMissing ? withoutEmpty(row) : row);
    const characters = [...line].length;
    if (used + characters > budget) break;
    lines.push(line);
    used += characters;
  }
  return lines.length === 0 ? null : wellFormed(lines.join("\n"));
}

const withoutEmpty = (row: MemoryRow): MemoryRow =>
  Object.fromEntries(Object.entries(row).filter(([, value]) => value !== ""));

/** Lone surrogates → U+FFFD, as String.prototype.toWellFormed does. */
export function wellFormed(text: string): string {
  return text.replace(/\p{Surrogate}/gu, "\uFFFD");
}

/** The passage for an agent's system prompt that explains the four sections and their tags. */
export function memoryGuidance(): string {
  return readFileSync(new URL("../../tests/golden/memory_guidance.txt", import.meta.url), "utf8");
}
