// What a language model says of a group of episodes, taken apart.

import { isFields } from "../arguments.ts";
import { invalid, show } from "../errors.ts";
import { parsed } from "./episodes.ts";
import { firstCharacters } from "./text.ts";
import type { ExtractedTrigger, PatternOutput } from "./types.ts";

/** What begins the line of a trigger. @internal */
export const TRIGGER_LINE = "PLAYBOOK_TRIGGER:";
/** What begins the line of a title. @internal */
export const TITLE_LINE = "TITLE:";
/** What begins an answer that there is nothing. @internal */
export const NO_PATTERN = "NO_PATTERN";
/** The most characters of a title. @internal */
export const LONGEST_TITLE = 60;
/** The most characters of a single line that is nothing. */
const LONGEST_NOTHING = 30;
const ELLIPSIS = "...";

/**
 * An answer without its trigger, and what stands on the trigger's line; a later line of the kind is
 * text.
 */
function withoutTrigger(text: string): { rest: string; trigger: string | undefined } {
  if (typeof text !== "string") throw invalid("text", `must be a string, found ${show(text)}`);
  const lines = text.split("\n");
  const place = lines.findIndex((line) => line.startsWith(TRIGGER_LINE));
  if (place < 0) return { rest: text, trigger: undefined };
  const [line] = lines.splice(place, 1);
  return { rest: lines.join("\n"), trigger: line!.slice(TRIGGER_LINE.length) };
}

/**
 * What calls a playbook up, as a language model's answer says in its first `PLAYBOOK_TRIGGER:`
 * line; null where there is none, and for what is no JSON object with a list of kinds of anomalies.
 *
 * @throws {NousError} `invalid_argument` for what is no text.
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
 * The pattern that a language model's answer tells, without its trigger: the first line is the
 * title, cut at 60 characters, and the rest the body; a single line of more than 30 characters is
 * the body, and the title its beginning. Both are null for an answer that there is no pattern, and
 * for one that says too little.
 *
 * @throws {NousError} `invalid_argument` for what is no text.
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
