// Prints the reference's answers to generated turns, for the native tests:
// node tests/parity/inputs/turn-oracle.mjs [how many] [seed] > tests/golden/generated_turns.json
// The fields of the objects are those of `answersTo` in turns.ts.

import { print } from "./oracle.mjs";

await print({
  module: "turns.ts",
  inputs: "turn",
  // Text of the native crate cannot contain lone surrogates.
  isRight: (text) => text.isWellFormed(),
  count: 1000,
  seed: 7,
});
