// Prints the reference's answers to generated questions, for the native tests:
// node tests/parity/inputs/query-oracle.mjs [how many] [seed] > tests/golden/generated_queries.json
// The fields of the objects are those of `answersTo` in questions.ts.

import { print } from "./oracle.mjs";

await print({
  module: "questions.ts",
  inputs: "asked",
  // Text of the native crate cannot contain lone surrogates.
  isRight: ({ query, classified }) =>
    query.isWellFormed() && (classified.entity ?? "").isWellFormed(),
  count: 2000,
  seed: 5,
});
