// Lines of memories, as many as a budget of tokens holds.

import { cutTo, lineOf, offsetOf, parseInstant, tokensOf, wordsOfMemory } from "nous-memory";
import type { Node } from "../../api/nodes.ts";
import type { Asked } from "../ask.ts";
import type { ToolSet } from "../tool-sets.ts";

/** The tokens of an answer, if the call does not say. */
export const DEFAULT_TOKENS = 800;
export const MAX_TOKENS = 8_000;
const ADVICE = "ask more narrowly";
/** How a session with a set of tools sees the rest of an answer to a question. */
export const ADVICE_IN: Readonly<Record<ToolSet, string>> = {
  few: ADVICE,
  all: `raise max_tokens, or ${ADVICE}`,
};
/** The tokens of the line that says how many memories do not fit. */
const TOKENS_OF_THE_REST = 16;

/** Returns the time zone of the agent, by which days in lines are told. */
export const zoneOf = async (asked: Asked): Promise<string> =>
  (await asked<{ time_zone: string }>("GET", "/agent")).time_zone;

/**
 * Returns a memory as one line, with its id in brackets. It says which one replaces it, if that is given,
 * or for a question for the past until when it held; and whether it may replace the one before it.
 */
export function lineWithId(
  node: Node,
  zone: string,
  its: { newer?: Node | undefined; isPast?: boolean; isBehind?: boolean } = {},
): string {
  const memory = { ...told(node), ...its, newer: its.newer && told(its.newer) };
  return lineOf(memory, Date.now(), zone).replace(/^- /, `- [${node.id}] `);
}

const told = (node: Node) => ({
  text: wordsOfMemory(node),
  created_at: parseInstant(node.provenance_created_at ?? node.created_at ?? ""),
  event_at: parseInstant(node.temporal_event_time ?? ""),
  event_offset: offsetOf(node.temporal_event_time ?? ""),
});

/**
 * Joins lines as far as a budget of tokens reaches, and says how many do not fit. Returns how many lines
 * are shown, too.
 *
 * @param advice How to see the rest.
 */
export function within(
  head: string,
  lines: readonly string[],
  max = DEFAULT_TOKENS,
  advice = ADVICE_IN.all,
): { text: string; shown: number } {
  const kept = head === "" ? [] : [head];
  let tokens = head === "" ? 0 : tokensOf(head) + 1;
  for (const [place, line] of lines.entries()) {
    const room = max - tokens - (place < lines.length - 1 ? TOKENS_OF_THE_REST : 0);
    if (tokensOf(line) + 1 > room) {
      // A first line that is too long is cut: an answer without a memory would say nothing.
      if (kept.length === 0) return { text: `${cutTo(line, Math.max(room - 1, 1))}…`, shown: 1 };
      kept.push(`… ${lines.length - place} more: ${advice}.`);
      return { text: kept.join("\n"), shown: place };
    }
    kept.push(line);
    tokens += tokensOf(line) + 1;
  }
  return { text: kept.join("\n"), shown: lines.length };
}
