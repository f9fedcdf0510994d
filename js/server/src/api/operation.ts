// The type of an operation: its route, and the schemas of its request and its answer. The routes,
// the OpenAPI document and the types of handlers derive from it.

import type { z } from "@hono/zod-openapi";
import type { EmbeddingScale } from "nous-wasm";

/**
 * The scopes of keys. `memory` covers the daily work of an agent. `admin` covers operations on a
 * whole memory, rare or final ones, and those on agents. Neither contains the other.
 */
export const SCOPES = ["memory", "admin"] as const;
export type Scope = (typeof SCOPES)[number];

/** The parts of an operation. */
export interface OperationShape {
  method: "get" | "post" | "put" | "patch" | "delete";
  /**
   * The path below the base path, with `{id}` for a parameter. The caller's key has to be for the
   * agent that `{agent}` names.
   */
  path: string;
  /** The effect, in one line. */
  summary: string;
  /** More that a caller must know: effects, order, limits. */
  description?: string;
  /** The answer, in one line. */
  returns: string;
  /** The answer as a stream of server-sent events, for a request that accepts one, in one line. */
  streams?: string;
  /** A valid request, for the OpenAPI document and the client's documentation. */
  example?: Example;
  /** The scope that a key needs. */
  scope: Scope;
  params?: z.ZodObject;
  query?: z.ZodObject;
  /** The headers of the request, by name. */
  headers?: z.ZodObject;
  body?: z.ZodType;
  /** Whether the body may be missing. It counts as `{}` then. */
  isBodyOptional?: boolean;
  /** The status of a success. Default: 200. */
  status?: 200 | 201;
  answer: z.ZodType;
  /**
   * When the operation refuses a request, by status, beside the refusals that all operations of its
   * kind have.
   */
  refusals?: Partial<Record<404 | 409 | 412 | 422, string>>;
  /**
   * Whether the operation creates a missing agent. For other operations a missing agent is empty.
   */
  createsAgent?: boolean;
  /** Whether the answer's `version` is its ETag. */
  isVersioned?: boolean;
}

/** The values of a request: of the path, the query and the body. */
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

/** A model, and the size of its embeddings. */
export interface EmbeddingModel {
  name: string;
  /** Components of an embedding; undefined for the model's own number. */
  dimensions: number | undefined;
}

/** The embedding that a provider made for a question. */
export interface QuestionVector {
  /** The question. */
  text: string;
  vector: Float32Array;
  /** The model that made it. */
  model: EmbeddingModel;
  /** The scale of its cosines, for evidence. Missing for the server's own transformer. */
  scale?: EmbeddingScale;
  /** How long it took, in milliseconds. */
  ms: number;
}

/**
 * A language model's answer on a group of episodes, with its embedding if one was made; or the
 * reason why there is no usable answer.
 */
export type Analysis = { text: string; vector?: Float32Array } | { failure: string };
/** Analyses by the text of the prompt. */
export type Analyses = Record<string, Analysis>;

/** A type that a fact may have. */
export interface FactType {
  name: string;
  description: string;
}

/** A fact that a language model took out of a conversation. */
export interface ExtractedFact {
  text: string;
  /** The type that the model gives, which the agent may not know. */
  type?: string | undefined;
  /** The places of its messages in the request, from 1. */
  messages: readonly number[];
  event_time?: string | undefined;
}

/** What a language model took out of the messages of a request. */
export interface Extracted {
  by: "model" | "none";
  facts: readonly ExtractedFact[];
  /** How many facts of the model cannot be used. */
  dropped: number;
  /** How many messages the model did not read, or read without a usable answer. */
  unread: number;
  /** Why there is no usable answer on some messages. */
  error?: string;
}

/** The quota of a key. 0 is no limit. */
export interface Quota {
  max_memories: number;
  max_bytes: number;
  /** What the other agents of the key hold. */
  elsewhere: { memories: number; bytes: number };
}

/** A validated request, with the data that the HTTP thread adds to it. */
export type GivenTo<Shape> = {
  params: OutputOf<Shape, "params">;
  query: OutputOf<Shape, "query">;
  body: OutputOf<Shape, "body">;
  question?: QuestionVector;
  /** The embeddings of new texts, by which they are compared with older memories. */
  questions?: readonly QuestionVector[];
  analyses?: Analyses;
  /** The facts of a conversation, if the server has a language model for them. */
  extracted?: Extracted;
  /** What the caller's key may store, if it has a quota and the operation stores anything. */
  quota?: Quota | undefined;
} & (Shape extends { headers: z.ZodType }
  ? { headers: OutputOf<Shape, "headers"> }
  : { headers?: undefined });

/** The type of an operation's answer. */
export type AnswerOf<Shape extends { answer: z.ZodType }> = z.output<Shape["answer"]>;
