// The hooks of Claude Code: at the start of a session the memory tells what matters for the project, and at
// the end it keeps what was said. Claude Code runs `nous-server hook EVENT` and gives it a JSON object on
// standard input. What `session-start` prints on standard output becomes a part of the context.

import { readFileSync } from "node:fs";
import { basename } from "node:path";
import { SettingsError } from "../refusal.ts";
import type { Ask } from "./ask.ts";
import { refusing } from "./ask.ts";

/** The events that have a hook, and their names in the settings of Claude Code. */
export const HOOK_EVENTS = {
  "session-start": "SessionStart",
  "session-end": "SessionEnd",
} as const;
export type HookEvent = keyof typeof HOOK_EVENTS;

/** The source of memories that come from sessions. */
const SOURCE = "claude-code";
/** Messages of one request. */
const MAX_MESSAGES = 200;
/** How long the part of the context may be, in tokens. */
const MAX_TOKENS = 800;

/** What Claude Code gives to a hook, as far as it is read. */
interface HookInput {
  session_id: string;
  transcript_path: string;
  cwd: string;
}

/** A line of a transcript, as far as it is read. */
interface TranscriptLine {
  type?: string;
  isMeta?: boolean;
  isSidechain?: boolean;
  timestamp?: string;
  message?: { role?: string; content?: string | { type?: string; text?: string }[] };
}

/** A message to remember. */
interface Said {
  role: string;
  content: string;
  created_at?: string;
}

/**
 * Returns what a hook received.
 *
 * @throws {SettingsError} If it is not what Claude Code gives to a hook.
 */
export function inputOf(text: string): HookInput {
  let given: Partial<HookInput> | null;
  try {
    given = JSON.parse(text.replace(/^\uFEFF/, ""));
  } catch {
    given = null;
  }
  const { session_id, transcript_path, cwd } = given ?? {};
  if ([session_id, transcript_path, cwd].every((field) => typeof field === "string"))
    return given as HookInput;
  throw new SettingsError(
    "A hook reads a JSON object with session_id, transcript_path and cwd from standard input: Claude Code gives it.",
  );
}

/** Returns what the memory has to say at the start of a session; empty if that is nothing. */
export async function atStart({ cwd }: HookInput, ask: Ask): Promise<string> {
  const project = basename(cwd);
  const { prompt } = await refusing(ask)<{ prompt: string }>("POST", "/context", {
    input: `What matters for the work on ${project}?`,
    max_tokens: MAX_TOKENS,
  });
  return prompt === "" ? "" : `The memory of earlier sessions says:\n\n${prompt}\n`;
}

/** Keeps what was said in a session. Returns how many memories are new. */
export async function atEnd(
  { session_id: session, transcript_path }: HookInput,
  ask: Ask,
): Promise<number> {
  const said = messagesIn(readFileSync(transcript_path, "utf8"));
  let made = 0;
  for (let at = 0; at < said.length; at += MAX_MESSAGES) {
    const messages = said.slice(at, at + MAX_MESSAGES);
    const request = { messages, session, source: SOURCE };
    made += (await refusing(ask)<{ created: number }>("POST", "/remember", request)).created;
  }
  return made;
}

/**
 * Returns the words of user and model in a transcript, in their order. Calls of tools and their results,
 * commands, and what agents of the agent said are left out. The last line may be cut off.
 */
export function messagesIn(transcript: string): Said[] {
  return transcript.split("\n").flatMap((line): Said[] => {
    const { type, isMeta, isSidechain, timestamp, message } = lineOf(line);
    if ((type !== "user" && type !== "assistant") || isMeta === true || isSidechain === true)
      return [];
    const { role = type, content = "" } = message ?? {};
    const parts = typeof content === "string" ? [{ type: "text", text: content }] : content;
    const texts = parts.flatMap((part) => (part.type === "text" && part.text ? [part.text] : []));
    const words = texts
      .filter((text) => !isCommand(text))
      .join("\n")
      .trim();
    if (words === "") return [];
    return [
      { role, content: words, ...(timestamp === undefined ? {} : { created_at: timestamp }) },
    ];
  });
}

/** Returns whether a text is a command of the terminal, its output, or a note of the program. */
const isCommand = (text: string): boolean =>
  /^\s*<(command-|local-command-|system-reminder|bash-|user-memory-)/.test(text);

function lineOf(line: string): TranscriptLine {
  try {
    return (JSON.parse(line) ?? {}) as TranscriptLine;
  } catch {
    return {};
  }
}
