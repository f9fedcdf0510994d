// Writing a prompt from the entries of its sections.

import { reasonOf } from "../errors.ts";
import { moduleConstants } from "../generated/constants.ts";
import {
  WRITTEN,
  WRITTEN_END,
  WRITTEN_SECTION,
  WRITTEN_START,
  WRITTEN_TOKENS,
} from "../generated/layout.ts";
import type { EngineLease, EnginePool } from "../runtime.ts";
import { withText } from "../text.ts";
import { Batch } from "./batch.ts";
import { dayOf, type FoundMemory } from "./memory.ts";
import type { BudgetName, MemoryType } from "./turn.ts";
import type {
  Censor,
  ContextBudget,
  ContextSection,
  LeftOut,
  ProfileFact,
  RecentConversation,
  SectionName,
  TurnFrame,
  WorkingMemory,
} from "./types.ts";

const SECTIONS = moduleConstants.context.sections;
const CODES = new Map(SECTIONS.map(([name], code) => [name, code]));
/** In place of a missing number, and of one without a meaning in its section. */
const NONE = Number.NaN;

/** An entry of a section. The section defines the meaning of numbers and texts. */
interface Entry {
  section: SectionName;
  id: string | null;
  numbers: readonly [number, number];
  texts: readonly [text: string, label: string, detail: string];
  memory?: FoundMemory;
}

/** A prompt, and the entries that it contains. @internal */
export interface WrittenPrompt {
  prompt: string;
  tokens: number;
  sections: ContextSection[];
  /** The memories in the prompt, in its order. */
  recalled: FoundMemory[];
  leftOut: LeftOut[];
}

/** The caller's token counter. After its first failure it returns NaN. @internal */
export class TokenCounter {
  failure: string | undefined;

  constructor(readonly countTokens: (text: string) => number) {}

  /** Never throws, because the module calls it. */
  readonly count = (text: string): number => {
    if (this.failure !== undefined) return Number.NaN;
    try {
      const tokens = this.countTokens(text);
      if (Number.isFinite(tokens) && tokens >= 0) return tokens;
      this.failure = `must give a finite number of at least 0, found ${tokens}`;
    } catch (error) {
      this.failure = reasonOf(error);
    }
    return Number.NaN;
  };
}

/** Returns the name of the section of a memory type, which is also that of its budget. @internal */
export const budgetOf = (type: MemoryType): BudgetName =>
  moduleConstants.memory_types.budgets[moduleConstants.memory_types.names.indexOf(type)]!;

/** The entries of all sections except the identity. @internal */
export class Entries {
  readonly #all: Entry[] = [];

  profile(facts: readonly ProfileFact[]): void {
    for (const { id, text } of facts) this.#add("user_profile", id, [text]);
  }

  censors(censors: readonly Censor[]): void {
    for (const { id, text, action } of censors) this.#add("censors", id, [text, action]);
  }

  frame({ frame_id, frame_name = frame_id, description, questions_to_ask = [] }: TurnFrame): void {
    this.#add("frame", null, description ? [description, frame_name] : [frame_name]);
    for (const question of questions_to_ask) this.#add("frame", null, [question]);
  }

  workingMemory({ current_task, current_frame, open_threads, items }: WorkingMemory): void {
    if (current_task) this.#add("working_memory", null, [current_task, "Task"]);
    if (current_frame) this.#add("working_memory", null, [current_frame, "Frame"]);
    for (const thread of open_threads ?? []) this.#add("working_memory", null, [thread, "Open"]);
    for (const { text, relevance } of items ?? [])
      this.#add("working_memory", null, [text], [relevance, NONE]);
  }

  conversations(recent: readonly RecentConversation[], withSummary: boolean): void {
    for (const { id, title, summary } of recent) {
      this.#add("recent_conversations", id, [title, "", (withSummary && summary) || ""]);
    }
  }

  memories(memories: readonly FoundMemory[]): void {
    for (const memory of memories) {
      const { id, type, outcome, topic, domain, createdAt, eventTime } = memory;
      const isDated = type === "episode" || type === "signal";
      const event = dayOf(eventTime);
      // The lines of the other types have no place for a day.
      const text = isDated || event === "" ? memory.text : `${event}: ${memory.text}`;
      const label = {
        decision: outcome,
        fact: topic,
        procedure: domain,
        episode: outcome,
        signal: "",
      }[type];
      const numbers =
        type === "procedure"
          ? ([memory.activations, memory.effectiveness] as const)
          : ([memory.confidence, NONE] as const);
      const day = isDated ? event || dayOf(createdAt) : "";
      this.#add(budgetOf(type), id, [text, label, day], numbers, memory);
    }
  }

  /** Writes the prompt. Without a counter tokens are estimated. */
  write(
    pool: EnginePool,
    identity: string,
    budget: ContextBudget,
    isSeed: boolean,
    counter?: TokenCounter,
  ): WrittenPrompt {
    const all = this.#all;
    const limits = SECTIONS.map(([name]) =>
      name === "recent_conversations" ? null : budget[name],
    );
    const batch = new Batch();
    batch.number(budget.total);
    for (const limit of limits) batch.number(limit ?? Number.POSITIVE_INFINITY);
    batch.text(identity);
    for (const { section, numbers, texts } of all) {
      batch.number(CODES.get(section)!);
      batch.numbers(numbers);
      for (const text of texts) batch.text(text);
    }
    const [prompt, tokens, count, ...answer] = batch.ask(pool, 0, ({ engine }) =>
      engine.write_prompt(all.length, isSeed, counter?.count),
    ) as [string, number, number, ...number[]];
    const sections = Array.from({ length: count }, (_, place): ContextSection => {
      const written = answer.slice(place * WRITTEN, (place + 1) * WRITTEN);
      const code = written[WRITTEN_SECTION]!;
      const [name, label, priority] = SECTIONS[code]!;
      return {
        name,
        priority,
        label,
        content: prompt.slice(written[WRITTEN_START], written[WRITTEN_END]),
        token_estimate: written[WRITTEN_TOKENS]!,
        budget: limits[code]!,
      };
    });
    const recalled: FoundMemory[] = [];
    const leftOut: LeftOut[] = [];
    const [ofIdentity, ...fates] = answer.slice(count * WRITTEN);
    const missing = moduleConstants.context.omitted[ofIdentity!];
    if (missing !== undefined && missing !== "empty")
      leftOut.push({ id: null, section: "identity", reason: missing });
    for (const [place, { section, id, memory }] of all.entries()) {
      const reason = moduleConstants.context.omitted[fates[place]!];
      if (reason !== undefined) leftOut.push({ id, section, reason });
      else if (memory !== undefined) recalled.push(memory);
    }
    return { prompt, tokens, sections, recalled, leftOut };
  }

  #add(
    section: SectionName,
    id: string | null,
    [text, label = "", detail = ""]: readonly [string, string?, string?],
    numbers: readonly [number, number] = [NONE, NONE],
    memory?: FoundMemory,
  ): void {
    this.#all.push({
      section,
      id,
      numbers,
      texts: [text, label, detail],
      ...(memory && { memory }),
    });
  }
}

/** Writes a prompt of the identity alone, within `most` tokens. @internal */
export function writeIdentity(
  pool: EnginePool,
  identity: string,
  max: number,
  counter?: TokenCounter,
): Pick<WrittenPrompt, "prompt" | "tokens"> {
  const write = ({ engine }: EngineLease, length: number) =>
    engine.write_identity(length, max, counter?.count);
  const [prompt, tokens] = withText(pool, identity, 0, write) as [string, number];
  return { prompt, tokens };
}
