// Records times in generated texts. Look at each change of the file before you keep it:
// node tests/parity/inputs/times-oracle.mjs [how many] [seed] > tests/golden/generated_times.json

import { print } from "./oracle.mjs";

await print({
  module: "times.ts",
  inputs: "asked",
  // Text of the native crate cannot contain lone surrogates.
  isRight: ({ text }) => text.isWellFormed(),
  count: 6000,
  seed: 7,
});
