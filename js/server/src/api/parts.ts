// Parts that the schemas of requests and answers share. A request with a field that its schema does
// not have is refused: see `unknown-fields.ts`.

import { z } from "@hono/zod-openapi";
import {
  isJsonObject,
  KNOWS,
  MIN_PERHAPS,
  parseInstantIn,
  parseLastInstantIn,
  toIso,
  toLocalIso,
} from "nous-memory";
import { LIFECYCLE_STATES, type StoredLifecycleState } from "nous-wasm";
import { wellFormed } from "../text.ts";
import { MAX_ANSWER, MAX_COMPONENTS, MAX_NAME, MAX_TEXT, MAX_TITLE } from "./limits.ts";

/** The most levels of nested data. */
export const MAX_LEVELS = 100;

export const STATES: readonly StoredLifecycleState[] = [...LIFECYCLE_STATES, "DELETED"];

// ---- requests -----------------------------------------------------------------------------------

/** SQLite ends a text at U+0000, and stores an unpaired surrogate as U+FFFD. */
export const text = (max: number) =>
  z
    .string()
    .max(max)
    .refine((value) => !value.includes("\0"), "must not contain U+0000")
    .overwrite(wellFormed);
export const name = text(MAX_NAME).min(1);
/** An id from the caller. It needs no escaping in a path. */
export const ownId = text(MAX_NAME).regex(
  /^\w[\w.:-]*$/,
  "must be letters, digits, _ . : and - only",
);
export const optionalName = text(MAX_NAME)
  .nullish()
  .transform((value) => (value === "" ? null : value));
export const title = text(MAX_TITLE).min(1);
export const longText = text(MAX_TEXT).nullish();
export const state = z.enum(STATES);
export const share = z.number().min(0).max(1);
/** Whether the memory knows an answer. Optional where a ranking by signals does not tell. */
/** A guess that one memory replaces another, as one of the two tells it. */
export const replacement = z
  .object({
    id: z.string().describe("The id of the other memory."),
    probability: share.describe("The probability that the newer one replaces the older one."),
    since: z
      .string()
      .openapi({ format: "date-time" })
      .describe("When the newer one came to hold: the time of its event, or of its creation."),
  })
  .openapi("Replacement", { description: "A guess that one memory replaces another." });
export const replaced_by = replacement
  .optional()
  .describe("The memory that seems to replace it. For what holds, that memory stands before it.");
export const replaces = replacement.optional().describe("The memory that it seems to replace.");

export const knows = z
  .enum(KNOWS)
  .describe(
    "By evidence: whether the memory knows an answer. `yes` where `answerable` is true, `perhaps` " +
      `from a probability of ${MIN_PERHAPS} on, else \`no\`.`,
  );

/** The time zone of the agent whose request is being read. */
let zoneOfRequest = "UTC";

/** Reads a request of an agent: times without a zone, and days, are of the zone. */
export function readInZone<Read>(zone: string, read: () => Read): Read {
  zoneOfRequest = zone;
  try {
    return read();
  } finally {
    zoneOfRequest = "UTC";
  }
}

/** A time that is read in the zone of the agent. `write` returns it as it is stored. */
const timeRead = (write: (zone: string, text: string) => string | undefined) =>
  z
    .string()
    .max(40)
    .refine(
      (value) => write(zoneOfRequest, value) !== undefined,
      "must be a time in ISO 8601, such as 2026-02-01T09:30:00Z",
    )
    .transform((value) => write(zoneOfRequest, value)!)
    .openapi({ format: "date-time" });

const isoOf = (time: number | undefined) => (time === undefined ? undefined : toIso(time));

/** A time. A day without a time of day is its first instant. */
export const instant = timeRead((zone, text) => isoOf(parseInstantIn(zone, text)));
/** A time, with which something ends. A day without a time of day is its last instant. */
export const lastInstant = timeRead((zone, text) => isoOf(parseLastInstantIn(zone, text)));
/** The time of an event, with the clock by which its day is told. */
export const eventTime = timeRead(toLocalIso);

/**
 * Returns whether a value has at most `levels` levels. Recursion over deeper data could exhaust the
 * stack.
 */
export function isFlat(value: unknown, levels: number): boolean {
  if (typeof value !== "object" || value === null) return true;
  return levels > 0 && Object.values(value).every((inner) => isFlat(inner, levels - 1));
}

/** An object with keys of the caller's choice. `z.record` drops a key `__proto__` without a word. */
const data = () =>
  z
    .custom<Record<string, unknown>>(
      isJsonObject,
      "Invalid input: expected an object with keys and values",
    )
    .superRefine((given, context) => {
      for (const key of Object.keys(given))
        if (key === "" || key.length > MAX_NAME)
          context.addIssue({
            ...{ code: "custom", path: [key] },
            message: `must have a key of 1 to ${MAX_NAME} characters`,
          });
    })
    .openapi({ type: "object", additionalProperties: true });

/** The figures of a memory by name: what was at stake, and what was known. */
export const signals = data()
  .refine((given) => isFlat(given, MAX_LEVELS), {
    abort: true,
    error: `must not be nested deeper than ${MAX_LEVELS} levels`,
  })
  .refine(
    (given) => JSON.stringify(given).length <= MAX_TEXT,
    `must not be longer than ${MAX_TEXT} characters as JSON`,
  );

/** The most characters of the metadata of a memory, as JSON, and its levels. */
const MAX_METADATA = 16_384;
const MAX_METADATA_LEVELS = 20;

/** Data of the caller's. */
export const metadata = data()
  .refine((given) => isFlat(given, MAX_METADATA_LEVELS), {
    abort: true,
    error: `must not be nested deeper than ${MAX_METADATA_LEVELS} levels`,
  })
  .refine(
    (given) => JSON.stringify(given).length <= MAX_METADATA,
    `must not be longer than ${MAX_METADATA} characters as JSON`,
  );

/** An embedding: its components are within the range of f32, and not all zeros. */
export const vector = z
  .array(z.number())
  .min(1)
  .max(MAX_COMPONENTS)
  .refine(
    (components) => components.every((it) => Number.isFinite(Math.fround(it))),
    "must be within the range of f32",
  )
  .refine((components) => components.some((it) => Math.fround(it) !== 0), "must not be all zeros");

/** Default and maximum of a limit. */
export interface Limits {
  default: number;
  max: number;
}

/** The schema of a limit in a body. A larger limit counts as the maximum. */
export const limitOf = ({ default: byDefault, max }: Limits) =>
  z
    .int()
    .min(0)
    .nullish()
    .transform((limit) => Math.min(limit ?? byDefault, max))
    .openapi({
      type: ["integer", "null"],
      minimum: 0,
      default: byDefault,
      description: `How many at most. Default ${byDefault}; above ${max} it is ${max}.`,
    });

/** The schema of a limit in a query string. */
export const limitTextOf = (limits: Limits) =>
  z
    .string()
    .regex(/^\d{1,15}$/, "must be a whole number of at least 0")
    .optional()
    .transform((limit) =>
      Math.min(limit === undefined ? limits.default : Number(limit), limits.max),
    )
    .openapi({
      type: "integer",
      minimum: 0,
      default: limits.default,
      description: `How many at most. Default ${limits.default}; above ${limits.max} it is ${limits.max}.`,
    });

/** The parameter `id` of a path; `thing` names what it is the id of. */
export const idOf = (thing: string) =>
  z.object({ id: z.string().describe(`The id of the ${thing}.`) });

/** Descriptions of refusals that several operations have. */
export const NO_MEMORY = "No memory has this id.";
export const NO_EDGE = "No edge has this id.";
export const NO_CLUSTER = "No cluster has this id.";
export const OTHER_VERSION = "The memory has another version than `If-Match` says.";
export const KEY_USED = "The `Idempotency-Key` was used for another request.";
export const MADE_IS_GONE = "The row that this `Idempotency-Key` created was deleted.";

// ---- answers ------------------------------------------------------------------------------------

export const time = z.string().openapi({ format: "date-time" });
export const someText = z.string().nullable();
export const someNumber = z.number().nullable();

/** The ids of memories that did not fit into the answer; missing if there are none. */
export const omittedIds = z
  .array(z.string())
  .optional()
  .openapi({
    description:
      "Memories that were found after these, in order, and for which the answer has no room: its " +
      `rows take ${MAX_ANSWER} bytes of JSON at most. They do not count as accessed. Read them by ` +
      "their ids. Missing if there are none.",
  });

/** The field that marks a success. */
export const ok = z.literal(true).describe("Always true.");
export const doneText = "A confirmation.";
export const done = z.object({ ok }).openapi("Done", { description: doneText });

/** Fields that several answers have. */
export const rows = z.int().describe("The number of rows in this answer.");
export const id = z.string().describe("The id.");

export const problem = z
  .object({
    error: z.string().describe("The reason, in one sentence."),
    issues: z
      .array(
        z.object({
          path: z.string().describe("The field, such as `time_range.start`; empty for the whole."),
          message: z.string().describe("The fault of the field."),
        }),
      )
      .optional()
      .describe("The faults of the request, by field."),
  })
  .openapi("Problem", { description: "Why a request was refused." });

/** How sure the rule of replacing is. */
export const gradeOfGuess = z
  .enum(["likely", "possible"])
  .describe(
    "How sure it is. `likely`: an edge of type `likely_supersedes` leads to the older one.",
  );
