// `npm run long -- NAME`: a check that takes longer than `npm test` may.

import { build } from "./build.mjs";
import { fail, output, run, say } from "./lib.mjs";

const CHECKS = {
  fuzz: { about: "ten million generated calls of the package (some twenty minutes)", run: fuzz },
  miri: { about: "native tests under Miri, which sees undefined behaviour (some minutes)", run: miri },
};

/** Tests that Miri, which takes thousands of times as long, gets through in seconds: indexes filled, searched, saved and restored. */
const UNDER_MIRI = {
  full_text: [
    "words_are_those_of_unicode61",
    "what_says_nothing_counts_where_nothing_else_is_found",
    "a_changed_index_ends_its_snapshot",
  ],
  memory: ["a_memory_is_filled_searched_read_and_saved", "a_callers_own_parts_come_back_in_their_places"],
  vectors: [
    "an_embedding_without_a_direction_is_refused",
    "the_smallest_embeddings_there_are_have_length_1",
    "what_was_stored_is_restored_to_the_bit",
  ],
};

const [name, ...rest] = process.argv.slice(2);
if (!Object.hasOwn(CHECKS, name ?? "") || rest.length > 0) {
  const names = Object.entries(CHECKS).map(([name, { about }]) => `  ${name}: ${about}`);
  fail(`npm run long -- NAME, where NAME is one of\n${names.join("\n")}`);
}
say(`${name}: ${CHECKS[name].about}`);
await CHECKS[name].run();

async function fuzz() {
  await build();
  // Other calls than those of every `npm test`, and the same again where they fail.
  const { NOUS_FUZZ_SEED = String(Math.floor(Date.now() / 1000) % 2 ** 31) } = process.env;
  const env = { NOUS_FUZZ_CALLS: "10000000", NOUS_FUZZ_SEED };
  say(`the first seed is ${NOUS_FUZZ_SEED}`);
  if (!run("vitest", ["run", "--project", "package", "tests/package/fuzz.test.ts"], { env })) {
    fail("A generated call failed; what stands above repeats it.");
  }
}

/** The crate has no `unsafe`; what it depends on has, and is run with it here. */
function miri() {
  const cargo = (...args) => ["cargo", ["+nightly", "miri", ...args]];
  if (output(...cargo("--version")) === undefined) {
    fail("Miri is missing: `rustup toolchain install nightly --component miri,rust-src`, then run this again.");
  }
  const env = { MIRIFLAGS: "-Zmiri-disable-isolation -Zmiri-strict-provenance" };
  const suites = Object.keys(UNDER_MIRI).flatMap((suite) => ["--test", suite]);
  const [command, args] = cargo("test", "--locked", "--target-dir", "target/miri", ...suites);
  args.push("--", "--exact", ...Object.values(UNDER_MIRI).flat());
  if (!run(command, args, { env })) fail("Miri found undefined behaviour, or a test failed; see above.");
}
