// Headers by which a caller makes sure that something is done once, or not on what it does not
// know.

import { z } from "@hono/zod-openapi";

/** A key of the caller's own; the same request with the same key is done once. */
export const retryHeaders = z.object({
  "Idempotency-Key": z
    .string()
    .regex(/^[\x21-\x7e]{1,200}$/, "must be 1 to 200 printable characters of ASCII")
    .optional()
    .openapi({
      description:
        "A request that is sent again with its key within a day makes nothing a second time.",
    }),
});

/** `*`, or versions as ETags have them. */
const ETAGS = /^(?:\*|(?:W\/)?"\d{1,15}"(?:[ \t]*,[ \t]*(?:W\/)?"\d{1,15}")*)$/;

/** Versions that the caller knows. */
export const matchHeaders = z.object({
  "If-Match": z
    .string()
    .regex(ETAGS, 'must be * or versions as ETags give them, such as "3"')
    .optional()
    .transform((given) =>
      given === undefined || given === "*"
        ? given
        : (given.match(/\d+/g) ?? []).map((version) => Number(version)),
    )
    .openapi({
      type: "string",
      pattern: ETAGS.source,
      description: "The ETag of the memory that is to be changed or deleted, or several of them.",
    }),
});

export type RetryHeaders = z.output<typeof retryHeaders>;
export type MatchedVersions = z.output<typeof matchHeaders>["If-Match"];
