// The sections that a query asks for, by its words. The intent rules, in full. Plain on purpose:
// this is the yardstick of the parity tests.

import type { MemorySection } from "./sections.ts";

/** The order of matched sections in the answer. */
export const INTENT_ORDER: readonly MemorySection[] = Object.freeze([
  "SIGNALS",
  "EPISODIC",
  "KNOWLEDGE",
  "PROCEDURAL",
] as const);

/** The strings that indicate a section, in table order. */
export const INTENT_STRINGS: Readonly<Record<MemorySection, readonly string[]>> = Object.freeze({
  SIGNALS: Object.freeze([
    "signal",
    "signals",
    "firing",
    "active signal",
    "what's happening",
    "whats happening",
    "right now",
    "current",
    "live",
    "real-time",
    "realtime",
    "alert",
    "anomaly",
    "anomalies",
    "scanner",
    "watchpoint",
    "watchpoints",
    "watching",
  ]),
  EPISODIC: Object.freeze([
    "my trade",
    "my position",
    "my trades",
    "my positions",
    "last time",
    "when did i",
    "when i",
    "trade history",
    "what happened",
    "my short",
    "my long",
    "entry",
    "exit",
    "closed",
    "opened",
    "pnl",
    "profit",
    "loss",
    "drawdown",
    "session",
    "conversation",
    "yesterday",
    "last week",
  ]),
  KNOWLEDGE: Object.freeze([
    "lesson",
    "lessons",
    "learned",
    "learning",
    "principle",
    "principles",
    "what do i know",
    "thesis",
    "theses",
    "theory",
    "pattern",
    "insight",
    "insights",
    "wisdom",
    "rule",
    "why does",
    "why do",
    "how does",
    "how do",
    "understand",
    "explain",
  ]),
  PROCEDURAL: Object.freeze([
    "playbook",
    "playbooks",
    "procedure",
    "process",
    "how do i trade",
    "my setup",
    "my process",
    "steps for",
    "strategy for",
    "approach for",
    "when i see",
    "my plan for",
    "template",
    "missed opportunity",
    "good pass",
  ]),
});

export interface IntentOptions {
  /** `substring` (default) looks inside words too; `words` finds whole words and phrases. */
  matcher?: "substring" | "words" | undefined;
  /** Returns the evidence instead of section names only. */
  explain?: boolean | undefined;
  /** A section's own strings in place of the table's; sections not named keep theirs. */
  strings?: { [section in MemorySection]?: readonly string[] | undefined } | undefined;
}

export interface IntentEvidence {
  section: MemorySection;
  /** Occurrences of all the section's strings together. */
  evidence: number;
  /** The strings found, in table order, with their (also overlapping) occurrences. */
  strings: { string: string; count: number }[];
}

/** UTS #18 \w: a character that may not touch a whole word. */
export const WORD = "[\\p{Alphabetic}\\p{M}\\p{Nd}\\p{Pc}\\p{Join_Control}]";
const WORD_CHARACTER = new RegExp(`^${WORD}$`, "u");
const TYPOGRAPHIC_APOSTROPHES = /[\u2018\u2019\u02BC\uFF07]/g;

export const straighten = (text: string) => text.replace(TYPOGRAPHIC_APOSTROPHES, "'");

/** How many positions of `text` the string starts at. Occurrences may overlap. */
function countSubstring(text: string, string: string): number {
  let count = 0;
  for (let at = text.indexOf(string); at !== -1; at = text.indexOf(string, at + 1)) count++;
  return count;
}

/**
 * How many positions of `text` the phrase starts at as whole words, any white space between them
 * and none around.
 */
function countPhrase(text: string, phrase: string): number {
  const characters = [...straighten(phrase).trim()];
  const body = characters
    .join("")
    .replace(/[\\^$.*+?()[\]{}|]/g, "\\$&")
    .replace(/\s+/g, "\\s+");
  const before = WORD_CHARACTER.test(characters[0]!) ? `(?<!${WORD})` : "";
  const after = WORD_CHARACTER.test(characters.at(-1)!) ? `(?!${WORD})` : "";
  // A look-ahead takes no characters, so that the next match may start inside this one.
  const starts = new RegExp(`(?=${before}${body}${after})`, "gu");
  return [...text.matchAll(starts)].length;
}

/** The sections a query asks for, in INTENT_ORDER; none for an empty query. */
export function classifyIntent(
  query: string,
  options?: IntentOptions & { explain?: false | undefined },
): MemorySection[];
export function classifyIntent(
  query: string,
  options: IntentOptions & { explain: true },
): IntentEvidence[];
export function classifyIntent(
  query: string,
  { matcher = "substring", explain = false, strings = {} }: IntentOptions = {},
): MemorySection[] | IntentEvidence[] {
  const text = matcher === "words" ? straighten(query.toLowerCase()) : query.toLowerCase();
  const count = matcher === "words" ? countPhrase : countSubstring;

  const found: IntentEvidence[] = [];
  for (const section of INTENT_ORDER) {
    const matches = (strings[section] ?? INTENT_STRINGS[section])
      .map((string) => string.toLowerCase())
      .filter((string) => string !== "")
      .map((string) => ({ string, count: count(text, string) }))
      .filter((match) => match.count > 0);
    if (matches.length === 0) continue;
    const evidence = matches.reduce((sum, match) => sum + match.count, 0);
    found.push({ section, evidence, strings: matches });
  }
  return explain ? found : found.map((match) => match.section);
}
