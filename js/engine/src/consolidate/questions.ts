// Calls of the caller's functions by a plan: each with a time limit and a signal of its own, and
// with a check of the answer.

import { isFields } from "../arguments.ts";
import { CallerCalls, type SeamOptions } from "../caller-calls.ts";
import { invalid, show } from "../errors.ts";
import type { CancelSignal } from "../types.ts";
import type { ConsolidationError } from "./types.ts";

/** A call that failed or exceeded its time limit. @internal */
export class QuestionFailure extends Error {
  constructor(
    readonly stage: ConsolidationError["stage"],
    message: string,
  ) {
    super(message);
  }
}

/** Calls one function after the other, each within the time limit. @internal */
export class Questions {
  constructor(
    readonly timeoutSeconds: number,
    readonly signal: CancelSignal | undefined,
  ) {}

  /**
   * Calls a function and reads its answer. Throws a `QuestionFailure` if it fails or exceeds the
   * time limit, and the caller's reason if the signal is aborted.
   */
  async ask<Answer>(
    stage: ConsolidationError["stage"],
    call: (options: SeamOptions) => unknown,
    read: (answer: unknown) => Answer,
  ): Promise<Answer> {
    const calls = new CallerCalls(this.timeoutSeconds, this.signal);
    try {
      const asked = await calls.ask(call, read);
      calls.requireWanted();
      if (asked.failure !== undefined) throw new QuestionFailure(stage, asked.failure);
      return asked.answer;
    } finally {
      calls.close();
    }
  }

  /** Throws the caller's reason if the signal is aborted. */
  requireWanted(): void {
    if (this.signal?.aborted) throw this.signal.reason;
  }
}

/** Returns the text of a language model. @internal */
export function readAnalysis(answer: unknown): string {
  if (typeof answer === "string") return answer;
  throw invalid("analyze", `must give a text, found ${show(answer)}`);
}

/** Nodes that say the same as a draft, and nodes that are only similar, best first. @internal */
export interface Similar {
  duplicates: string[];
  connected: string[];
}

/** @internal */
export function readSimilar(answer: unknown): Similar {
  if (!isFields(answer)) throw invalid("findSimilar", `must give an object, found ${show(answer)}`);
  const { recommendation, matches } = answer;
  const similar: Similar = { duplicates: [], connected: [] };
  if (recommendation === "unique") return similar;
  if (recommendation !== "duplicate_found" && recommendation !== "similar_found") {
    const wanted = "duplicate_found, similar_found or unique";
    throw invalid("recommendation", `must be ${wanted}, found ${show(recommendation)}`);
  }
  const otherwise = recommendation === "duplicate_found" ? "duplicate" : "connect";
  for (const match of Array.isArray(matches) ? (matches as unknown[]) : []) {
    const { node_id, action } = isFields(match) ? match : {};
    if (typeof node_id !== "string" || node_id === "") {
      throw invalid(
        "matches",
        `must have a node_id each, found ${show(isFields(match) ? node_id : match)}`,
      );
    }
    const kind = action ?? otherwise;
    if (kind === "duplicate" && otherwise === "duplicate") similar.duplicates.push(node_id);
    else if (kind === "duplicate" || kind === "connect") similar.connected.push(node_id);
  }
  if (similar.duplicates.length + similar.connected.length > 0) return similar;
  throw invalid("matches", `must name similar memories if the recommendation is ${recommendation}`);
}
