// The format of an export: a line of JSON for each row, and the rules for valid lines.

import {
  FITTED_WEIGHTS,
  isJsonObject,
  type JsonObject,
  jsonObjectIn,
  STEMMINGS,
  toIso,
  vectorOf,
} from "nous-memory";
import { type Learned, MAX_LEARNED, MEMORY_SECTIONS } from "nous-wasm";
import { z } from "zod";
import { MAX_NAME } from "../api/limits.ts";
import { isFlat, MAX_LEVELS, signals } from "../api/parts.ts";
import { PRESET_NAME } from "../settings/preset.ts";
import type { NodeColumn } from "../storage/node-columns.ts";
import { PORTABLE_KINDS, type PortableKind, type PortableRow } from "../storage/tables/portable.ts";
import { hasControls, wellFormed } from "../text.ts";
import { byTrait, MAX_STEPS } from "./learned.ts";

/** Thrown for an invalid line. The message says what is wrong. */
export class LineError extends Error {
  override readonly name = "LineError";
}

/**
 * An id that a request can name. SQLite would end it at U+0000, and would merge different unpaired
 * surrogates into one replacement character. A URL path ends at `.` and `..`.
 */
const id = z
  .string()
  .min(1)
  .max(MAX_NAME)
  .refine((value) => !hasControls(value), "must not contain control characters")
  .refine((value) => value === wellFormed(value), "must not contain half of a pair of surrogates")
  .refine(
    (value) => value !== "." && value !== "..",
    "must not be . or .., which no path can name",
  );
// U+0000 ends a text in SQLite.
const text = z
  .string()
  .refine((value) => !value.includes("\0"), "must not contain U+0000")
  .nullable();
const number = z.number().nullable();
/** Names, either as an array, as in answers, or as the stored JSON text. */
const names = z.union([text, z.array(z.string()).transform((list) => JSON.stringify(list))]);
/** An object, either as such, or as the stored JSON text. */
const objectText = z
  // A record would drop a key `__proto__`.
  .union([text, z.custom<JsonObject>(isJsonObject)])
  .refine(
    (value) => isFlat(typeof value === "string" ? jsonObjectIn(value) : value, MAX_LEVELS),
    `must not be nested deeper than ${MAX_LEVELS} levels`,
  )
  .transform((value) =>
    value === null || typeof value === "string" ? value : JSON.stringify(value),
  );
const optional = <Shape extends Record<string, z.ZodType>>(shape: Shape) =>
  Object.fromEntries(
    Object.entries(shape).map(([name, schema]) => [name, schema.default(null)]),
  ) as {
    [Name in keyof Shape]: z.ZodDefault<Shape[Name]>;
  };

/** Columns by kind. A column that a line does not name is null, except times of creation. */
const ROWS = {
  node: z.object({
    id,
    type: text,
    content_title: text,
    created_at: text.optional(),
    provenance_created_at: text.optional(),
    embedding: z
      .union([z.base64(), z.array(z.number())])
      .nullable()
      .default(null),
    signals: signals.nullable().default(null),
    ...optional({
      subtype: text,
      content_summary: text,
      content_body: text,
      neural_stability: z.number().min(0, "must be at least 0").nullable(),
      neural_retrievability: number,
      neural_difficulty: number,
      neural_access_count: number,
      neural_last_accessed: text,
      state_lifecycle: text,
      provenance_source: text,
      layer: text,
      version: z.int().min(0).nullable(),
      last_modified: text,
      embedding_model: text,
      temporal_event_time: text,
      temporal_event_confidence: number,
      temporal_event_source: text,
      frame: text,
      censors: names,
      tags: names,
      metadata: objectText,
      user_id: text,
      session_id: text,
      expires_at: text,
    }),
  } satisfies Record<NodeColumn | "embedding" | "signals", z.ZodType>),
  outcome: z.object({
    playbook_id: id,
    entry_id: id,
    profitable: z.literal([0, 1]),
    applied_at: text.unwrap(),
    client_counted: z.literal([0, 1]).default(0),
  }),
  cluster: z.object({
    id,
    name: text,
    created_at: text.optional(),
    ...optional({
      description: text,
      icon: text,
      pinned: number,
      source: text,
      auto_subtypes: text,
    }),
  }),
  membership: z.object({
    cluster_id: id,
    node_id: id,
    ...optional({ weight: number, pinned: number, updated_at: text }),
  }),
  conflict: z.object({
    id,
    old_node_id: id,
    created_at: text.optional(),
    ...optional({
      new_node_id: text,
      new_content: text,
      conflict_type: text,
      detection_tier: text,
      detection_confidence: number,
      context: text,
      entity_name: text,
      topic: text,
      status: text,
      expires_at: text,
      resolution: text,
      resolved_at: text,
    }),
  }),
  edge: z.object({
    id,
    source_id: id,
    target_id: id,
    type: text,
    created_at: text.optional(),
    ...optional({ subtype: text, neural_weight: number, strength: number, confidence: number }),
  }),
} satisfies Record<PortableKind, z.ZodObject>;

/** The kind of the line that tells of the agent itself. */
const AGENT = "agent";
const ofAgent = z.object({
  preset: z.string().regex(PRESET_NAME, "must be the name of a preset"),
  /**
   * What differs from the preset that ships under this name: the fitted weights, the stemming, and
   * the sections of subtypes. Readers of the file rank by them. An import leaves them out: a server ranks by its own
   * settings.
   */
  weights: z.enum(FITTED_WEIGHTS).optional(),
  stemming: z.enum(STEMMINGS).optional(),
  sections: z.record(z.string(), z.enum(MEMORY_SECTIONS)).optional(),
});
/** What a line tells of the agent itself. */
export type AgentFacts = z.output<typeof ofAgent>;

/** The kind of the line with what use has taught. */
const LEARNED = "learned";
const learnedNumber = z.number().min(-MAX_LEARNED).max(MAX_LEARNED);
const numbersByTrait = z.object(byTrait(() => learnedNumber));
const learned = z.object({
  steps: z.int().min(1).max(MAX_STEPS),
  shifts: numbersByTrait,
  means: numbersByTrait,
});

/** A line of an export: a row, facts about the agent, or what use has taught it. */
export type Line =
  | { kind: PortableKind; row: PortableRow }
  | { kind: typeof AGENT; facts: AgentFacts }
  | { kind: typeof LEARNED; learned: Learned };

const kindOf = z.object({ kind: z.enum([AGENT, LEARNED, ...PORTABLE_KINDS]) });

/**
 * Returns a row as a line, without its line end. A value of the wrong type, stored by another
 * program, counts as missing, and so does an embedding without `dimensions` components. An id stays
 * as it is: an import refuses an invalid id, and names it.
 */
export function writeLine(
  kind: PortableKind,
  { embedding_vector: bytes, signals: figures, ...row }: PortableRow,
  dimensions: number,
): string {
  const known = ROWS[kind].shape as Record<string, z.ZodType>;
  const sound = Object.entries(row).map(([name, value]) => [
    name,
    known[name] === id || known[name]?.safeParse(value).success ? value : null,
  ]);
  const isVector = bytes instanceof Object && vectorOf(bytes, dimensions) !== null;
  const embedding = isVector ? base64Of(bytes) : null;
  const beside = kind === "node" ? { embedding, signals: figuresIn(figures) } : {};
  return JSON.stringify({ kind, ...Object.fromEntries(sound), ...beside });
}

/** Returns facts about the agent as a line, without its line end. */
export const agentLine = (facts: AgentFacts): string => JSON.stringify({ kind: AGENT, ...facts });

/** Returns what use has taught as a line, without its line end. */
export const learnedLine = (learned: Learned): string =>
  JSON.stringify({ kind: LEARNED, ...learned });

function figuresIn(json: PortableRow[string] | undefined): object | null {
  try {
    return signals.parse(JSON.parse(String(json)));
  } catch {
    return null;
  }
}

const base64Of = (bytes: Uint8Array): string => Buffer.from(bytes).toString("base64");

/**
 * Parses a line. `now` is the creation time of rows without one.
 *
 * @throws {LineError} If the line is not one of an export.
 */
export function readLine(line: string, now: number): Line {
  let json: unknown;
  try {
    json = JSON.parse(line);
  } catch {
    throw new LineError("is not JSON");
  }
  const { kind } = checked(kindOf, json);
  if (kind === AGENT) return { kind, facts: checked(ofAgent, json) };
  if (kind === LEARNED) return { kind, learned: checked(learned, json) };
  if (kind === "membership" || kind === "outcome") return { kind, row: checked(ROWS[kind], json) };
  if (kind !== "node") {
    const { created_at = toIso(now), ...row } = checked(ROWS[kind], json);
    return { kind, row: { ...row, created_at } };
  }
  const { embedding, signals, created_at, provenance_created_at, ...row } = checked(
    ROWS.node,
    json,
  );
  const made = created_at ?? provenance_created_at ?? toIso(now);
  const times = {
    created_at: created_at === undefined ? made : created_at,
    provenance_created_at: provenance_created_at === undefined ? made : provenance_created_at,
  };
  const beside = {
    embedding_vector: embedding === null ? null : bytesOf(embedding),
    signals: signals === null ? null : JSON.stringify(signals),
  };
  return { kind, row: { ...row, ...times, ...beside } };
}

function checked<Schema extends z.ZodType>(schema: Schema, json: unknown): z.output<Schema> {
  const { data, error } = schema.safeParse(json);
  if (error === undefined) return data;
  const { path, message } = error.issues[0]!;
  throw new LineError(path.length === 0 ? message : `${path.join(".")}: ${message}`);
}

function bytesOf(embedding: string | readonly number[]): Uint8Array {
  const bytes =
    typeof embedding === "string"
      ? Buffer.from(embedding, "base64")
      : Buffer.from(Float32Array.from(embedding).buffer);
  const dimensions = bytes.length / Float32Array.BYTES_PER_ELEMENT;
  if (Number.isInteger(dimensions) && vectorOf(bytes, dimensions) !== null) return bytes;
  throw new LineError("embedding: must be numbers in f32, and not all of them 0");
}
