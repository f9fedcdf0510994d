// The filter of memories that requests share. All its conditions have to hold.

import { z } from "@hono/zod-openapi";
import { MEMORY_SECTIONS } from "nous-wasm";
import {
  FIELDS,
  type Given,
  TAG_OPERATORS,
  TIME_OPERATORS,
  VALUE_OPERATORS,
} from "../storage/filters/operators.ts";
import { instant, lastInstant, name, state } from "./parts.ts";

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

const scalar = z.union([z.string().max(1_000), z.number(), z.boolean(), z.null()]);
const names = z.array(name).min(1).max(MAX_VALUES);

/** The schemas of what conditions are given, without conditions that consist of others. */
const GIVEN = {
  scalar,
  scalars: z.array(scalar).min(1).max(MAX_VALUES),
  comparable: z.union([z.string().max(1_000), z.number()]),
  flag: z.boolean(),
  time: instant,
  lastTime: lastInstant,
  ids: names,
  names: oneOf(name),
  namesOrNone: oneOf(name.nullable()),
  sections: oneOf(z.enum(MEMORY_SECTIONS)),
  states: oneOf(state),
};

type Table<Kind> = Readonly<Record<string, { given: Kind; says: string }>>;

/** Returns the schema of an object whose fields are the rows of a table, all of them optional. */
const objectOf = <Schemas extends Record<string, z.ZodType>, Rows extends Table<keyof Schemas>>(
  schemas: Schemas,
  table: Rows,
) =>
  z.object(
    Object.fromEntries(
      Object.entries(table).map(([field, { given, says }]) => [
        field,
        schemas[given]!.optional().describe(says),
      ]),
    ) as { [Field in keyof Rows]: z.ZodOptional<Schemas[Rows[Field]["given"]]> },
  );

const times = objectOf(GIVEN, TIME_OPERATORS)
  .refine(saysSomething, NO_CONDITION)
  .openapi("TimeBounds", {
    description: "Bounds of a time. A day without a time of day stands for the whole day.",
  });

const metadataCondition = z.union([
  scalar,
  objectOf(GIVEN, VALUE_OPERATORS).refine(saysSomething, NO_CONDITION),
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

export const filter = objectOf(
  {
    ...GIVEN,
    tags: objectOf(GIVEN, TAG_OPERATORS).refine(saysSomething, NO_CONDITION),
    metadata: z
      .record(path, metadataCondition)
      .refine(saysSomething, NO_CONDITION)
      .refine((paths) => Object.keys(paths).length <= MAX_PATHS, `at most ${MAX_PATHS} paths`),
    times,
  } satisfies Record<keyof Given, z.ZodType>,
  FIELDS,
).openapi("Filter", { description: "Which memories count. All conditions have to hold." });

export type Filter = z.output<typeof filter>;
