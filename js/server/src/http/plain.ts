// What is answered without an agent, in the thread of HTTP.

import type { Engine } from "nous-wasm";
import { notFound } from "../agent/errors.ts";
import type { AnswerOf, GivenTo } from "../api/operation.ts";
import type { PLAIN_OPERATIONS } from "../api/operations.ts";
import type { Pool } from "../workers/pool.ts";

type PlainOperations = typeof PLAIN_OPERATIONS;

export type PlainHandlers = {
  [Name in keyof PlainOperations]: (
    given: GivenTo<PlainOperations[Name]>,
  ) => AnswerOf<PlainOperations[Name]> | Promise<AnswerOf<PlainOperations[Name]>>;
};

export const plainHandlers = (engine: Engine, pool: Pick<Pool, "list" | "delete">): PlainHandlers => ({
  classifyQuery: ({ body: { query } }) => engine.classifyQuery(query),

  listAgents: async () => {
    const data = await pool.list();
    return { data, count: data.length };
  },

  deleteAgent: async ({ params: { agent } }) => {
    if (!(await pool.delete(agent))) throw notFound();
    return { ok: true };
  },
});
