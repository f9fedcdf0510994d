// Text of playbook matches, for an agent.

import { isFields, isNumber } from "../arguments.ts";
import { invalid, invalidEntry, invalidShape, show } from "../errors.ts";
import { numeric } from "../runtime.ts";
import { isText } from "./read.ts";
import type { PlaybookMatch } from "./types.ts";

const HEADING = "[Matching Playbooks]";
const CLOSING =
  "If following a playbook, mention its ID in your thesis. The system auto-tracks success after trade close.";

/**
 * Returns a block for a wake-up message, with one entry per match; "" without matches.
 *
 * @throws {NousError} `invalid_argument` with index and field of a wrong match.
 *
 * @example
 * ```ts
 * const block = formatPlaybookMatches(matchPlaybooks(playbooks, events));
 * ```
 */
export function formatPlaybookMatches(matches: readonly PlaybookMatch[]): string {
  if (!Array.isArray(matches)) throw invalid("matches", `must be an array, found ${show(matches)}`);
  if (matches.length === 0) return "";
  // `Array.from`, because `map` skips holes.
  return [HEADING, ...Array.from(matches, entryOf), CLOSING].join("\n\n");
}

function entryOf(match: PlaybookMatch, place: number): string {
  if (!isFields(match)) throw invalidShape("matches", place, match);
  const { id, title, action, direction, type, symbol, success_rate, success_count, sample_size } =
    match;
  for (const [field, text] of Object.entries({
    id,
    title,
    action,
    direction,
    type,
    symbol: symbol ?? "",
  })) {
    if (!isText(text))
      throw invalidEntry("matches", place, match, field, `must be a string, found ${show(text)}`);
  }
  for (const [field, number] of Object.entries({ success_rate, success_count, sample_size })) {
    if (!isNumber(number))
      throw invalidEntry(
        "matches",
        place,
        match,
        field,
        `must be a finite number, found ${show(number)}`,
      );
  }
  const percent = numeric().whole_percent(success_rate);
  const record =
    sample_size === 0 ? "new win rate" : `${percent}% win rate (${success_count}/${sample_size})`;
  const lines = [`${place + 1}. **${title}** — ${record}`];
  if (action !== "") lines.push(`Action: ${action}`);
  if (direction !== "either") lines.push(`Direction: ${direction.toUpperCase()}`);
  lines.push(`Triggered by: ${type}${symbol ? ` on ${symbol}` : ""}`, `Playbook ID: ${id}`);
  // Line breaks are removed, so that a playbook's text cannot imitate a line of the block, such as
  // another id.
  return lines.map((line) => line.replace(LINE_BREAKS, " ")).join("\n   ");
}

/** Characters that a reader may take for the end of a line. */
const LINE_BREAKS = /[\n\v\f\r\u0085\u2028\u2029]+/g;
