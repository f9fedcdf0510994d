// Prints the reference's answers about times in generated texts, for the native tests:
// node tests/parity/inputs/times-oracle.mjs [how many] [seed] > tests/golden/generated_times.json

import { print } from "./oracle.mjs";

await print({
  module: "times.ts",
  inputs: "asked",
  // Text of the native crate cannot contain lone surrogates.
  isRight: ({ text }) => text.isWellFormed(),
  count: 2000,
  seed: 7,
});
