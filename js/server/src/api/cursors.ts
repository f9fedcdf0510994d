// Cursors: positions in lists, at which the next page begins whatever was added meanwhile. Clients
// must not interpret them.

import { z } from "@hono/zod-openapi";
import { MAX_ANSWER } from "./limits.ts";

/** The most characters of a cursor. The server's own are far shorter. */
const MAX_CURSOR = 1_000;
/** The most rows of a page of a list without a default limit. */
const MAX_ROWS = 1_000;

/** Returns the schema of a list's cursor. A cursor of another list is refused. */
export const cursorOf = <Position extends z.ZodType>(list: string, position: Position) => {
  const written = z.tuple([z.literal(list), position]);
  return z
    .string()
    .max(MAX_CURSOR)
    .optional()
    .transform((text, context): z.output<Position> | undefined => {
      if (text === undefined) return undefined;
      const { data } = written.safeParse(decoded(text));
      if (data !== undefined) return data[1] as z.output<Position>;
      context.addIssue({
        code: "custom",
        message: "must be the next_cursor of a page of this list",
      });
      return z.NEVER;
    })
    .openapi({ type: "string", description: "The `next_cursor` of the page before." });
};

function decoded(text: string): unknown {
  try {
    return JSON.parse(Buffer.from(text, "base64url").toString());
  } catch {
    return undefined;
  }
}

/** The schema of a cursor that holds the number of a row. */
export const sequenceCursorOf = (list: string) => cursorOf(list, z.int());

/** The schema of a page's limit. Without a limit the size of the answer ends the page. */
export const pageLimit = z
  .string()
  .regex(/^[1-9]\d{0,14}$/, "must be a whole number of at least 1")
  .optional()
  .transform((limit) => (limit === undefined ? undefined : Math.min(Number(limit), MAX_ROWS)))
  .openapi({
    type: "integer",
    minimum: 1,
    description:
      `How many rows at most. Default: as many as ${MAX_ANSWER} bytes of JSON hold. ` +
      `Above ${MAX_ROWS} it is ${MAX_ROWS}.`,
  });

export const nextCursor = z
  .string()
  .nullable()
  .openapi({
    description:
      "Gives the next page as `cursor`; null on the last one. A page may have fewer rows than its limit and still " +
      `not be the last: its rows take ${MAX_ANSWER} bytes of JSON at most, or it has one row.`,
  });
