// Handlers of operations that need no agent. They run in the HTTP thread.

import type { Presets } from "nous-memory";
import { type Engine, memoryGuidance } from "nous-wasm";
import type { AnswerOf, GivenTo } from "../api/operation.ts";
import type { AGENTLESS_OPERATIONS } from "../api/operations.ts";
import { AGENTS, oneMore, pageOf, toCursor } from "../api/pages.ts";
import type { Caller } from "../keys/access.ts";
import { notFound } from "../refusal.ts";
import { knownPreset } from "../settings/preset.ts";
import type { Pool } from "../workers/pool.ts";

type AgentlessOperations = typeof AGENTLESS_OPERATIONS;

export type AgentlessHandlers = {
  [Name in keyof AgentlessOperations]: (
    given: GivenTo<AgentlessOperations[Name]>,
    caller: Caller,
  ) => AnswerOf<AgentlessOperations[Name]> | Promise<AnswerOf<AgentlessOperations[Name]>>;
};

export const agentlessHandlers = (
  engine: Engine,
  pool: Pick<Pool, "list" | "delete">,
  presets: Presets,
  defaultPreset: string,
): AgentlessHandlers => ({
  classifyQuery: ({ body: { query } }) => engine.classifyQuery(query),
  memoryGuidance: ({ query: { preset = defaultPreset } }) => ({
    text: knownPreset(presets, preset).guidance || memoryGuidance(),
  }),

  listAgents: async ({ query: { limit, cursor } }, caller) => {
    const among = caller.agents === "all" ? undefined : caller.agents;
    const { rows, last } = pageOf(
      await pool.list({ among, after: cursor, limit: oneMore(limit) }),
      limit,
    );
    return { data: [...rows], count: rows.length, next_cursor: toCursor(AGENTS, last?.agent) };
  },

  deleteAgent: async ({ params: { agent } }) => {
    if (!(await pool.delete(agent))) throw notFound();
    return { ok: true };
  },
});
