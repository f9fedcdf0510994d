// The types of the client's methods, as they follow from the table of operations: parts of the path
// come first, then the body, then the query. The build publishes the same types with names and
// comments, made from the description of the interface; a test holds both against each other.

import type { z } from "@hono/zod-openapi";
import type { AnswerOf, OperationShape } from "../api/operation.ts";
import type { AGENT_OPERATIONS, PLAIN_OPERATIONS } from "../api/operations.ts";

export type Operations = typeof AGENT_OPERATIONS & typeof PLAIN_OPERATIONS;

/** A text for each part of a path in braces. */
type PathArguments<Path extends string> = Path extends `${string}{${string}}${infer Rest}`
  ? [id: string, ...rest: PathArguments<Rest>]
  : [];

type BodyArguments<Shape> = Shape extends { body: infer Schema extends z.ZodType }
  ? Shape extends { isBodyOptional: true }
    ? [body?: z.input<Schema> | undefined]
    : [body: z.input<Schema>]
  : [];

/** In a query everything is text; a client writes numbers and booleans as what they are. */
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

/** A method for each operation, by the operation's name. */
export type Methods = {
  readonly [Name in keyof Operations]: MethodOf<Operations[Name]>;
};

type MethodOf<Shape extends OperationShape> = (
  ...given: [...PathArguments<Shape["path"]>, ...BodyArguments<Shape>, ...QueryArguments<Shape>]
) => Promise<AnswerOf<Shape>>;
