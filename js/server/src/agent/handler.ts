// The types of handlers: functions that carry out operations on an agent.

import type { AnswerOf, GivenTo, OperationShape } from "../api/operation.ts";
import type { Agent } from "./agent.ts";

/** A handler of any operation. */
export type Handler = (agent: Agent, given: never) => unknown;

/**
 * A handler for each of these operations. A handler that waits returns a promise; the agent starts
 * no other operation until the promise settles.
 */
export type HandlersOf<Operations extends Readonly<Record<string, OperationShape>>> = {
  [Name in keyof Operations]: (
    agent: Agent,
    given: GivenTo<Operations[Name]>,
  ) => AnswerOf<Operations[Name]> | Promise<AnswerOf<Operations[Name]>>;
};
