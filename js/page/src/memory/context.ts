// Builds the prompt of a turn over the memory that is open, by the rules of the server.

import {
  createdAtOf,
  DEFAULT_TOKENS,
  lineOf,
  type MemoryHeading,
  type NotInPrompt,
  promptOfTurn,
  questionOfTurn,
  type TurnPrompt,
  tokensOf,
} from "nous-memory";
import type { ContextBudget, MemorySection, MemoryType } from "nous-wasm";
import type { Held } from "./held.ts";

/** A turn that needs a prompt. */
export interface ContextRequest {
  input: string;
  identity: string;
  /** Budgets in place of the default ones, in tokens. */
  budgets: Partial<ContextBudget>;
}

/** A memory that was found for a prompt. */
export interface Found {
  id: string;
  title: string;
  section: MemorySection;
  created: number;
  /** The probability that it has to do with the turn; undefined if it was not searched for. */
  score: number | undefined;
}

/** A prompt, and how it came about. */
export interface Prompt extends Pick<TurnPrompt, "prompt" | "tokens" | "sections"> {
  /** The question that memories were searched by; undefined if the turn asks for nothing. */
  asked: string | undefined;
  /**
   * The memories in the prompt: first those that were found, the most probable first. `block` is
   * the section of the prompt, `tokens` the length of the memory's line.
   */
  recalled: (Found & { type: MemoryType; block: MemoryHeading; tokens: number })[];
  /** The memories that are not in the prompt, likewise; `block` is the section of the prompt. */
  left: (Found & Pick<NotInPrompt, "reason"> & { block: NotInPrompt["section"] })[];
  budgets: Partial<ContextBudget>;
  /** The tokens of a prompt that is filled with all that was found, within the same budget. */
  filled: number;
  milliseconds: number;
}

/** The budgets of a turn if none is changed. */
const DEFAULT = { total: DEFAULT_TOKENS };

/** Returns the questions that the prompt of a turn asks. */
export function questionsOf({ engine }: Held, { input }: ContextRequest): string[] {
  const { signals } = engine.planTurn(input);
  const opensTopic = engine.nextTopic(input) !== null;
  const asked = questionOfTurn(input, [], { signals, opensTopic });
  return asked === undefined ? [] : [asked];
}

/** Returns the prompt of a turn. */
export function buildContext(held: Held, { input, identity, budgets }: ContextRequest): Prompt {
  const { now } = held;
  const request = { input, identity, budgets: { ...DEFAULT, ...budgets } };
  const start = performance.now();
  const { prompt, tokens, sections, recalled, left_out, asked, hits } = promptOfTurn(held, request);
  const milliseconds = performance.now() - start;
  const filled = promptOfTurn(held, { ...request, min_score: 0 });
  const scores = new Map(hits.map(({ id, score }) => [id, score]));
  const found = (id: string): Found => {
    const row = held.row(id)!;
    return {
      id,
      title: held.titleOf(id),
      section: held.sectionOf(row),
      created: createdAtOf(row) ?? 0,
      score: scores.get(id),
    };
  };
  return {
    ...{ prompt, tokens, sections, asked, milliseconds },
    filled: filled.tokens,
    recalled: recalled
      .map((memory) => ({
        ...{ ...found(memory.id), type: memory.type, block: memory.heading },
        tokens: tokensOf(lineOf(memory, now)),
      }))
      .sort(byScore),
    left: left_out
      .flatMap(({ id, section, reason }) =>
        id === null || held.row(id) === undefined ? [] : { ...found(id), block: section, reason },
      )
      .sort(byScore),
    budgets: request.budgets,
  };
}

/**
 * The most probable first. Memories that were not searched for keep their order, after the others.
 */
const byScore = (a: Found, b: Found): number => (b.score ?? -1) - (a.score ?? -1);
