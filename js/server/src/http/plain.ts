// What is answered without an agent, in the thread of HTTP.

import { type Engine, memoryGuidance } from "nous-wasm";
import type { AnswerOf, GivenTo } from "../api/operation.ts";
import type { PLAIN_OPERATIONS } from "../api/operations.ts";

type PlainOperations = typeof PLAIN_OPERATIONS;

export type PlainHandlers = {
  [Name in keyof PlainOperations]: (given: GivenTo<PlainOperations[Name]>) => AnswerOf<PlainOperations[Name]>;
};

export const plainHandlers = (engine: Engine): PlainHandlers => ({
  classifyQuery: ({ body: { query } }) => engine.classifyQuery(query),
  memoryGuidance: () => ({ text: memoryGuidance() }),
});
