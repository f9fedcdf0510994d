// `npm run long -- WHAT [HOW MUCH]`: a test at length. What `npm test` does for a short while goes
// on for an hour, or many times over, with other random numbers each time.

import { build } from "./build.mjs";
import { fail, output, run, say } from "./lib.mjs";

/**
 * By its name: the file of tests, the variable that tells it how much, how much is usual, and the
 * variable of its seed.
 */
const TESTS = {
  kills: { file: "tests/kills/kills.test.ts", variable: "KILLS", usual: 2000 },
  soak: { file: "tests/server/soak.test.ts", variable: "SOAK_MINUTES", usual: 60 },
  "wrong-requests": {
    file: "tests/server/wrong-requests.test.ts",
    variable: "WRONG_REQUESTS",
    usual: 100_000,
    seed: "SEED",
  },
  fuzz: {
    file: "tests/package/fuzz.test.ts",
    variable: "NOUS_FUZZ_CALLS",
    usual: 10_000_000,
    seed: "NOUS_FUZZ_SEED",
  },
};

/**
 * Tests that Miri, which takes thousands of times as long, gets through in seconds: indexes filled,
 * searched, saved and restored.
 */
const UNDER_MIRI = [
  "full_text::words_are_those_of_unicode61",
  "full_text::what_says_nothing_counts_where_nothing_else_is_found",
  "full_text::a_changed_index_ends_its_snapshot",
  "memory::a_memory_is_filled_searched_read_and_saved",
  "memory::a_callers_own_parts_come_back_in_their_places",
  "vectors::an_embedding_without_a_direction_is_refused",
  "vectors::the_smallest_embeddings_there_are_have_length_1",
  "vectors::what_was_stored_is_restored_to_the_bit",
];

const [what = "", howMuch] = process.argv.slice(2);
if (what === "miri") miri();
else if (Object.hasOwn(TESTS, what)) await testAtLength(TESTS[what]);
else fail(`What is to be done at length is one of ${[...Object.keys(TESTS), "miri"].join(", ")}.`);

async function testAtLength({ file, variable, usual, seed }) {
  const much = Number(howMuch ?? usual);
  if (!(much > 0)) fail(`How much is a number above 0, such as ${usual}.`);
  await build();
  const env = { [variable]: String(much) };
  if (seed !== undefined) {
    env[seed] = process.env[seed] ?? String(Math.floor(Date.now() / 1000) % 2 ** 31);
    say(`${what} begins at ${seed}=${env[seed]}`);
  }
  const [, project] = file.split("/");
  if (!run("vitest", ["run", "--project", project, file], { env }))
    fail(`Not green: ${what}. See above.`);
}

/** The crate has no `unsafe`; what it depends on has, and is run with it here. */
function miri() {
  const cargo = (...args) => ["cargo", ["+nightly", "miri", ...args]];
  if (output(...cargo("--version")) === undefined) {
    fail(
      "Miri is missing: `rustup toolchain install nightly --component miri,rust-src`, then run this again.",
    );
  }
  const env = { MIRIFLAGS: "-Zmiri-disable-isolation -Zmiri-strict-provenance" };
  const test = [
    "test",
    "--locked",
    "--target-dir",
    "target/miri",
    "--test",
    "native",
    "--",
    "--exact",
  ];
  const [command, args] = cargo(...test, ...UNDER_MIRI);
  if (!run(command, args, { env }))
    fail("Miri found undefined behaviour, or a test failed; see above.");
}
