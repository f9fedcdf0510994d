// The pool of a server with a language model. Before an agent's episodes are consolidated, the
// model analyses them; the agent answers other requests meanwhile.

import { parsePatternOutput } from "nous-wasm";
import type { TaskFigures, TaskName } from "../agent/tasks.ts";
import type { Analyst, ModelAnswer } from "../analysis/analyst.ts";
import type { ConsolidationAnswer } from "../api/consolidation.ts";
import type { Analyses, Analysis, GivenTo } from "../api/operation.ts";
import type { AGENT_OPERATIONS } from "../api/operations.ts";
import type { Embedder } from "../embeddings/embedder.ts";
import { textFor } from "../embeddings/text.ts";
import type { DoPart } from "../telemetry/telemetry.ts";
import type { Pool } from "../workers/pool.ts";

/** The request of a periodic consolidation. */
const NOTHING: GivenTo<(typeof AGENT_OPERATIONS)["consolidate"]> = {
  params: undefined,
  query: undefined,
  body: {},
};

export class AnalysisPool implements Pick<Pool, "call" | "run" | "list"> {
  readonly #agents: Pick<Pool, "call">;
  readonly #pool: Pool;
  readonly #analyst: Analyst;
  readonly #embedder: Embedder | undefined;
  readonly #part: DoPart;

  /** Operations go to `agents`, periodic work and lists go to `pool`. */
  constructor(
    agents: Pick<Pool, "call">,
    pool: Pool,
    analyst: Analyst,
    embedder: Embedder | undefined,
    part: DoPart,
  ) {
    this.#agents = agents;
    this.#pool = pool;
    this.#analyst = analyst;
    this.#embedder = embedder;
    this.#part = part;
  }

  readonly call: Pool["call"] = async (agent, operation, given, ifAbsent, gone) => {
    const asked =
      operation === "consolidate" ? { ...given, analyses: await this.#analyses(agent) } : given;
    return this.#agents.call(agent, operation, asked, ifAbsent, gone);
  };

  /**
   * Does periodic work. A consolidation takes its turn first, so that only one process asks the
   * language model.
   */
  async run(agent: string, task: TaskName, interval: number): Promise<TaskFigures | null> {
    if (task !== "consolidate") return this.#pool.run(agent, task, interval);
    const takenAt = await this.#pool.do(agent, "takeTurn", { task, interval });
    if (takenAt === null) return null;
    let done: number | null = null;
    try {
      const json = await this.call(agent, "consolidate", NOTHING, "empty");
      const { errors, ...figures } = JSON.parse(json) as ConsolidationAnswer;
      done = takenAt;
      return { ...figures, errors: errors.length };
    } finally {
      await this.#pool.do(agent, "leaveTurn", { task, done });
    }
  }

  list(): ReturnType<Pool["list"]> {
    return this.#pool.list();
  }

  async #analyses(agent: string): Promise<Analyses> {
    const prompts = await this.#pool.do(agent, "prompts", undefined);
    const answers = await this.#part("analyse episodes", () => this.#analyst.answers(prompts));
    const analyses: Analyses = {};
    for (const [place, { user }] of prompts.entries())
      analyses[user] = await this.#withVector(agent, answers[place]!);
    return analyses;
  }

  /** Adds the embedding of the lesson, by which similar lessons are found. */
  async #withVector(agent: string, answer: ModelAnswer): Promise<Analysis> {
    if (this.#embedder === undefined || "failure" in answer) return answer;
    const { title, body } = parsePatternOutput(answer.text);
    const model = await this.#pool.do(agent, "questionModel", this.#embedder.model);
    if (model === null || body === null || !this.#embedder.serves(model)) return answer;
    const text = textFor(model, {
      type: "concept",
      subtype: "custom:lesson",
      content_title: title,
      content_summary: null,
      content_body: body,
    });
    const vector = await this.#embedder.atOnce(agent, text, model, "passage");
    return vector === undefined ? answer : { ...answer, vector };
  }
}
