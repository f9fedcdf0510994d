// Why memories are not in a prompt, and the parts of a prompt, in words.

import { type NotInPromptReason, PROFILE_SHARE, RECENT_SHARE } from "nous-memory";
import type { MemoryType } from "nous-wasm";
import { percent } from "../../app/format.ts";
import type { Prompt } from "../../memory/context.ts";

const LEFT_OUT: Readonly<Record<Exclude<NotInPromptReason, "share">, string>> = {
  not_asked: "The turn does not ask for this kind of memory",
  known: "The profile or the recent conversations say it already",
  threshold: "Too unlikely to have to do with the turn",
  near_duplicate: "A newer decision says the same",
  diversity: "Enough others have the same topic",
  conversation: "The conversation says it already",
  limit: "Better ones of its kind fill the places",
  empty: "It says nothing",
  unwanted: "An abandoned episode, or nothing that a profile shows",
  budget: "It does not fit into the budget of its section",
  superseded: "Another memory supersedes it",
  echo: "It is the turn itself",
  total: "It does not fit into the whole prompt",
  unlikely: "It hardly answers the turn",
  lines: "The prompt has as many memories as it may have",
  question: "It only asks",
};

/** Returns why a memory is not in the prompt. */
export function reasonOf({ reason, block }: Prompt["left"][number]): string {
  if (reason !== "share") return LEFT_OUT[reason];
  return block === "user_profile"
    ? `The profile may take ${percent(PROFILE_SHARE)} of a prompt, before other memories`
    : `Recent conversations may take ${percent(RECENT_SHARE)} of a prompt`;
}

export const TYPES: Readonly<Record<MemoryType, { one: string; many: string }>> = {
  decision: { one: "Decision", many: "decisions" },
  fact: { one: "Fact", many: "facts" },
  procedure: { one: "Procedure", many: "procedures" },
  episode: { one: "Episode", many: "episodes" },
  signal: { one: "Signal", many: "signals" },
};
