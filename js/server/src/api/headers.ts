// Headers that make a request idempotent or conditional.

import { z } from "@hono/zod-openapi";

/** The idempotency key of a request. */
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

/** `*`, or a list of ETags with versions. */
const ETAGS = /^(?:\*|(?:W\/)?"\d{1,15}"(?:[ \t]*,[ \t]*(?:W\/)?"\d{1,15}")*)$/;

/** The versions that the caller knows. */
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
