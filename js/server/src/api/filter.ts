// The filter of memories that requests share. All its conditions have to hold.

import { z } from "@hono/zod-openapi";
import { MEMORY_SECTIONS } from "nous-wasm";
import { instant, name, state } from "./parts.ts";

/** The most values that a condition lists. */
const MAX_VALUES = 1_000;
/** The most paths into the metadata that a filter names. */
const MAX_PATHS = 20;
/** The most levels of a path, such as `project.name`. */
const MAX_STEPS = 10;

/**
 * Refuses a condition without content: it would hold for every memory, and a deletion by it would
 * delete them all.
 */
const NO_CONDITION = "must name a condition";
const saysSomething = (given: object): boolean =>
  Object.values(given).some((value) => value !== undefined);

/** One value, or several of which the memory has one. */
const oneOf = <Value extends z.ZodType>(value: Value) =>
  z
    .union([value, z.array(value).min(1).max(MAX_VALUES)])
    .transform((given) => (Array.isArray(given) ? given : [given]) as z.output<Value>[]);

/** Like `oneOf`, and null for memories without a value. */
const oneOfOrNone = oneOf(name.nullable());

const bounds = z
  .object({
    gte: instant.optional().describe("At this time or later, in ISO 8601."),
    gt: instant.optional().describe("Later than this time."),
    lte: instant.optional().describe("At this time or earlier."),
    lt: instant.optional().describe("Earlier than this time."),
  })
  .refine(saysSomething, NO_CONDITION)
  .openapi("TimeBounds", { description: "Bounds of a time." });

const scalar = z.union([z.string().max(1_000), z.number(), z.boolean(), z.null()]);
const comparable = z.union([z.string().max(1_000), z.number()]);

const metadataCondition = z.union([
  scalar,
  z
    .object({
      eq: scalar.optional().describe("Equal to this value."),
      ne: scalar.optional().describe("There, and not equal to this value, nor a list with it."),
      gt: comparable
        .optional()
        .describe("Greater than this number, or later in the order of texts."),
      gte: comparable.optional().describe("Greater or equal."),
      lt: comparable.optional().describe("Less."),
      lte: comparable.optional().describe("Less or equal."),
      in: z
        .array(scalar)
        .min(1)
        .max(MAX_VALUES)
        .optional()
        .describe("Equal to one of these values."),
      exists: z.boolean().optional().describe("Whether the path leads to a value."),
    })
    .refine(saysSomething, NO_CONDITION),
]);

/** A path into the metadata: keys, with points between them. */
const path = z
  .string()
  .min(1)
  .max(200)
  .refine(
    (keys) => keys.split(".").every((key) => key !== "" && !/["\0]/.test(key)),
    'must be keys with points between them, without "',
  )
  .refine((keys) => keys.split(".").length <= MAX_STEPS, `must have at most ${MAX_STEPS} keys`);

export const filter = z
  .object({
    ids: z.array(name).min(1).max(MAX_VALUES).optional().describe("Only memories with these ids."),
    user: oneOfOrNone
      .optional()
      .describe("Only memories of this user, or of one of these; null: of no user."),
    session: oneOfOrNone
      .optional()
      .describe("Only memories of this session, or of one of these; null: of no session."),
    source: oneOfOrNone.optional().describe("Only memories from this source, or one of these."),
    type: oneOf(name).optional().describe("Only memories of this type, or of one of these."),
    subtype: oneOfOrNone
      .optional()
      .describe("Only memories of this subtype, or of one of these; null: of no subtype."),
    section: oneOf(z.enum(MEMORY_SECTIONS))
      .optional()
      .describe("Only memories of this section, or of one of these."),
    lifecycle: oneOf(state)
      .optional()
      .describe("Only memories in this lifecycle state, or in one of these."),
    tags: z
      .object({
        any: z
          .array(name)
          .min(1)
          .max(MAX_VALUES)
          .optional()
          .describe("At least one of these tags."),
        all: z.array(name).min(1).max(MAX_VALUES).optional().describe("All of these tags."),
        none: z.array(name).min(1).max(MAX_VALUES).optional().describe("None of these tags."),
      })
      .refine(saysSomething, NO_CONDITION)
      .optional()
      .describe("Only memories with these tags, whatever their case."),
    metadata: z
      .record(path, metadataCondition)
      .refine(saysSomething, NO_CONDITION)
      .refine((paths) => Object.keys(paths).length <= MAX_PATHS, `at most ${MAX_PATHS} paths`)
      .optional()
      .describe(
        'Conditions on metadata by path: `{"project.name": "skerry", "pages": {"gte": 10}}`. A ' +
          "condition on a list holds if it holds for one of its entries.",
      ),
    created: bounds.optional().describe("Only memories that were created in this time."),
    event_time: bounds.optional().describe("Only memories of an event in this time."),
  })
  .openapi("Filter", { description: "Which memories count. All conditions have to hold." });

export type Filter = z.output<typeof filter>;
export type TimeBounds = z.output<typeof bounds>;
export type MetadataCondition = z.output<typeof metadataCondition>;
