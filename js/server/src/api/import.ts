// Requests and answers of imports: rows of an export, as files of other programs become.

import { z } from "@hono/zod-openapi";
import { isJsonObject } from "nous-memory";
import { operation } from "./operation.ts";
import { isFlat, MAX_LEVELS } from "./parts.ts";

const MAX_ROWS = 1_000;

const importRequest = z
  .object({
    rows: z
      .array(
        z
          .custom<Record<string, unknown>>(isJsonObject, {
            abort: true,
            error: "must be a row of an export",
          })
          .refine((row) => isFlat(row, 1 + MAX_LEVELS), {
            error: `must not have a field that is nested deeper than ${MAX_LEVELS} levels`,
          })
          .openapi({ type: "object", additionalProperties: true }),
      )
      .min(1)
      .max(MAX_ROWS)
      .describe(
        `1 to ${MAX_ROWS} rows of an export, as objects: of the kinds \`node\`, \`cluster\`, \`membership\` ` +
          "and `edge`. What a row names comes before it, or is stored.",
      ),
  })
  .openapi("ImportedRows", { description: "Rows to import." });

const importAnswer = z
  .object({
    ok: z.literal(true).describe("Always true."),
    added: z.int().describe("How many rows were stored."),
    there: z.int().describe("How many rows were there already, by their ids."),
    wrong: z
      .array(
        z.object({
          index: z.int().describe("The place of the row in the request, from 0."),
          message: z.string().describe("The field, and what is wrong with it."),
        }),
      )
      .describe("The rows that cannot be stored. The others are."),
  })
  .openapi("RowsImported", { description: "What became of rows." });

export const importOperations = {
  importRows: operation({
    method: "post",
    path: "/import",
    summary: "Imports rows of an export, in one transaction",
    description:
      "A row whose id is there already is left as it is, so that a request may be sent again. Memories keep " +
      "their times. `nous-server import` does the same for whole files.",
    returns: "How many rows are new, and which are wrong.",
    example: {
      body: {
        rows: [
          { kind: "node", id: "ferry", type: "fact", content_title: "The ferry leaves at nine" },
        ],
      },
    },
    scope: "memory",
    body: importRequest,
    answer: importAnswer,
    createsAgent: true,
  }),
};
