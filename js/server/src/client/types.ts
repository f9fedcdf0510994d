// The types of the client's methods, derived from the table of operations. Arguments are the
// parameters of the path, then the body, then the query. The build publishes the same types with
// names and comments, generated from the OpenAPI document; a test compares both.

import type { z } from "@hono/zod-openapi";
import type { AnswerOf, OperationShape } from "../api/operation.ts";
import type { AGENT_OPERATIONS, AGENTLESS_OPERATIONS } from "../api/operations.ts";

export type Operations = typeof AGENT_OPERATIONS & typeof AGENTLESS_OPERATIONS;

/** A string for each `{parameter}` of a path. */
type PathArguments<Path extends string> = Path extends `${string}{${string}}${infer Rest}`
  ? [id: string, ...rest: PathArguments<Rest>]
  : [];

type BodyArguments<Shape> = Shape extends { body: infer Schema extends z.ZodType }
  ? Shape extends { isBodyOptional: true }
    ? [body?: z.input<Schema> | undefined]
    : [body: z.input<Schema>]
  : [];

/** Queries are text; the client also accepts numbers and booleans, and writes them. */
type Written<Value> = string extends Value
  ? Value | number
  : "true" extends Value
    ? Value | boolean
    : Value;

type QueryArguments<Shape> = Shape extends { query: infer Schema extends z.ZodType }
  ? { [Key in keyof z.input<Schema>]: Written<z.input<Schema>[Key]> } extends infer Query
    ? object extends Query
      ? [query?: Query | undefined]
      : [query: Query]
    : never
  : [];

/** A method for each operation, named like the operation. */
export type Methods = {
  readonly [Name in keyof Operations]: MethodOf<Operations[Name]>;
};

type MethodOf<Shape extends OperationShape> = (
  ...given: [...PathArguments<Shape["path"]>, ...BodyArguments<Shape>, ...QueryArguments<Shape>]
) => Promise<AnswerOf<Shape>>;
