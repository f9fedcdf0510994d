// Answers of a language model about a group of episodes: title, text and trigger.

import { isFields } from "../arguments.ts";
import { invalid, show } from "../errors.ts";
import { parsed } from "./episodes.ts";
import { firstCharacters } from "./text.ts";
import type { ExtractedTrigger, PatternOutput } from "./types.ts";

/** Start of the line with the trigger. @internal */
export const TRIGGER_LINE = "PLAYBOOK_TRIGGER:";
/** Start of the line with the title. @internal */
export const TITLE_LINE = "TITLE:";
/** Start of an answer without a pattern. @internal */
export const NO_PATTERN = "NO_PATTERN";
/** The most characters of a title. @internal */
export const LONGEST_TITLE = 60;
/** A single line of at most this number of characters is no pattern. */
const LONGEST_NOTHING = 30;
const ELLIPSIS = "...";

/** Splits an answer into its text and the first trigger line. A later trigger line is text. */
function withoutTrigger(text: string): { rest: string; trigger: string | undefined } {
  if (typeof text !== "string") throw invalid("text", `must be a string, found ${show(text)}`);
  const lines = text.split("\n");
  const place = lines.findIndex((line) => line.startsWith(TRIGGER_LINE));
  if (place < 0) return { rest: text, trigger: undefined };
  const [line] = lines.splice(place, 1);
  return { rest: lines.join("\n"), trigger: line!.slice(TRIGGER_LINE.length) };
}

/**
 * Returns the trigger in the first `PLAYBOOK_TRIGGER:` line of a language model's answer. Returns
 * null without such a line, and for anything but a JSON object with a list of `anomaly_types`.
 *
 * @throws {NousError} `invalid_argument` for an argument that is no string.
 *
 * @example
 * ```ts
 * extractPlaybookTrigger('PLAYBOOK_TRIGGER: {"anomaly_types": ["funding_extreme"]}');
 * ```
 */
export function extractPlaybookTrigger(text: string): ExtractedTrigger | null {
  const { trigger } = withoutTrigger(text);
  const value = trigger === undefined ? undefined : parsed(trigger);
  if (!isFields(value)) return null;
  const { anomaly_types: kinds } = value;
  const isUseful =
    Array.isArray(kinds) && kinds.length > 0 && kinds.every((kind) => typeof kind === "string");
  return isUseful ? (value as ExtractedTrigger) : null;
}

/**
 * Returns the pattern in a language model's answer, without its trigger. The first line is the
 * title, cut at 60 characters, and the rest is the body. A single line of more than 30 characters
 * is the body, and its beginning the title. Both are null for an answer without a pattern, and for
 * shorter ones.
 *
 * @throws {NousError} `invalid_argument` for an argument that is no string.
 *
 * @example
 * ```ts
 * parsePatternOutput("TITLE: Fade funding extremes\nShorts won 29 of 40 trades.").title;
 * ```
 */
export function parsePatternOutput(text: string): PatternOutput {
  const nothing = { title: null, body: null };
  const answer = withoutTrigger(text).rest.trim();
  if (answer.slice(0, NO_PATTERN.length).toUpperCase() === NO_PATTERN) return nothing;
  const end = answer.indexOf("\n");
  const line = (end < 0 ? answer : answer.slice(0, end)).trim();
  const body = end < 0 ? "" : answer.slice(end).trim();
  const named = line.startsWith(TITLE_LINE) ? line.slice(TITLE_LINE.length).trim() : "";
  if (body !== "") return { title: firstCharacters(named || line, LONGEST_TITLE), body };
  if (named !== "" || firstCharacters(line, LONGEST_NOTHING) === line) return nothing;
  return { title: firstCharacters(line, LONGEST_TITLE - ELLIPSIS.length) + ELLIPSIS, body: line };
}
