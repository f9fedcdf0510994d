// Schemas of the plain server's requests.

import { z } from "zod";

const MAX_FOUND = 100;
const DEFAULT_FOUND = 10;
const MAX_LISTED = 200;
const DEFAULT_LISTED = 50;

const name = z.string().min(1);
const text = z.string().nullish();
const vector = z.array(z.number()).min(1);

/** Caps a limit. */
const upTo = (max: number) => (limit: number) => Math.min(limit, max);

export const newNode = z.object({
  type: name,
  content_title: name,
  subtype: text,
  content_summary: text,
  content_body: text,
  neural_stability: z.number().positive().optional(),
  embedding: vector.optional(),
});
export const newEdge = z.object({
  source_id: name,
  target_id: name,
  type: name,
  strength: z.number().min(0).max(1).optional(),
});
export const question = z.object({
  query: name,
  limit: z.int().min(0).default(DEFAULT_FOUND).transform(upTo(MAX_FOUND)),
  embedding: vector.optional(),
});
export const listing = z.object({
  type: name.optional(),
  subtype: name.optional(),
  limit: z.coerce.number().int().min(0).default(DEFAULT_LISTED).transform(upTo(MAX_LISTED)),
});
export const edgesOf = z.object({
  node_id: name,
  direction: z.enum(["in", "out", "both"]).default("both"),
});

export type NewNode = z.output<typeof newNode>;
export type NewEdge = z.output<typeof newEdge>;
export type Question = z.output<typeof question>;
