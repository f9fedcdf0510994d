// What an operation is: its place in the interface, and the schemas of what comes in and goes out.
// Routes, the description of the interface, and the types of what answers it follow from it.

import type { z } from "@hono/zod-openapi";
import type { Understanding } from "nous-wasm";
import type { EmbeddingModel } from "../embeddings/provider.ts";

/**
 * What keys are given for: `memory` is an agent's daily work, `admin` what is done to a memory as a
 * whole, rarely or for good, and to agents as such. Neither contains the other.
 */
export const SCOPES = ["memory", "admin"] as const;
export type Scope = (typeof SCOPES)[number];

/** An operation's parts; what is not there is not looked at. */
export interface OperationShape {
  method: "get" | "post" | "patch" | "delete";
  /**
   * Under the base path, with `{id}` for a part that changes. `{agent}` is an agent that the
   * caller's key has to be for.
   */
  path: string;
  /** What it does, in one line. */
  summary: string;
  /** What a caller must know beyond that: effects, order, limits. */
  description?: string;
  /** What the answer is. */
  returns: string;
  /** A request that the server takes, for the description and the client's documentation. */
  example?: Example;
  /** What a key has to be given for. */
  scope: Scope;
  params?: z.ZodObject;
  query?: z.ZodObject;
  /** Headers that it looks at, by their names. */
  headers?: z.ZodObject;
  body?: z.ZodType;
  /** Whether the body may be missing, and counts as `{}` then. */
  isBodyOptional?: boolean;
  /** Of success; 200 unless it is said. */
  status?: 200 | 201;
  answer: z.ZodType;
  /** Refusals beside those that every operation of its form has: when each is given. */
  refusals?: Partial<Record<404 | 409 | 412 | 422, string>>;
  /** Whether an agent comes to be by it. To others one that is not there is empty. */
  createsAgent?: boolean;
  /** Whether the answer's `version` is its ETag. */
  isVersioned?: boolean;
}

/** What is sent: values of the path, the query and the body. */
export interface Example {
  params?: Readonly<Record<string, string>>;
  query?: Readonly<Record<string, string | number | boolean>>;
  body?: unknown;
}

export const operation = <const Shape extends OperationShape>(shape: Shape): Shape => shape;

type OutputOf<Shape, Part extends string> =
  Shape extends Readonly<Record<Part, infer Schema extends z.ZodType>>
    ? z.output<Schema>
    : undefined;

/** The embedding that a provider made for a question. */
export interface QuestionVector {
  vector: Float32Array;
  /** The model that made it. */
  model: EmbeddingModel;
  /** How long it took, in milliseconds. */
  ms: number;
}

/**
 * What a language model said of a group of episodes, with the vector of it where one was made; or
 * why it said nothing of use.
 */
export type Analysis = { text: string; vector?: Float32Array } | { failure: string };
/** By what the model was told of the episodes. */
export type Analyses = Record<string, Analysis>;

/** A request whose parts were checked, and what the HTTP thread adds to it. */
export type GivenTo<Shape> = {
  params: OutputOf<Shape, "params">;
  query: OutputOf<Shape, "query">;
  body: OutputOf<Shape, "body">;
  question?: QuestionVector;
  /** How the query of a search was understood, if the HTTP thread needed that, too. */
  understood?: Understanding;
  analyses?: Analyses;
} & (Shape extends { headers: z.ZodType }
  ? { headers: OutputOf<Shape, "headers"> }
  : { headers?: undefined });

/** What goes out. */
export type AnswerOf<Shape extends { answer: z.ZodType }> = z.output<Shape["answer"]>;
