// `npm run long -- NAME [AMOUNT]`: runs one test for longer than `npm test` does, with more kills,
// minutes, requests or calls. The seed of what it generates is new each time, and printed.

import { build } from "./build.mjs";
import { fail, output, run } from "./lib.mjs";

/**
 * For each name: the test file, the environment variable that sets the amount, the default amount,
 * its unit, and the vitest project if it is not that of the file's folder.
 */
const TESTS = {
  kills: { file: "tests/kills/kills.test.ts", variable: "KILLS", default: 2000, unit: "kills" },
  "postgres-kills": {
    file: "tests/kills/postgres-kills.test.ts",
    variable: "KILLS",
    default: 200,
    unit: "faults",
  },
  "postgres-pairs": {
    file: "tests/server/postgres.test.ts",
    variable: "PAIRS",
    default: 100_000,
    unit: "pairs of a write on one server and a search on another",
  },
  soak: {
    file: "tests/server/soak.test.ts",
    variable: "SOAK_MINUTES",
    default: 60,
    unit: "minutes",
  },
  "soak-postgres": {
    file: "tests/server/soak.test.ts",
    project: "postgres",
    variable: "SOAK_MINUTES",
    default: 60,
    unit: "minutes with the memories in PostgreSQL",
  },
  writers: {
    file: "tests/server/writers.test.ts",
    variable: "WRITERS_MINUTES",
    default: 10,
    unit: "minutes of eight processes that write to one file",
  },
  "wrong-requests": {
    file: "tests/server/wrong-requests.test.ts",
    variable: "WRONG_REQUESTS",
    default: 100_000,
    unit: "requests",
  },
  fuzz: {
    file: "tests/package/fuzz.test.ts",
    variable: "FUZZ_CALLS",
    default: 10_000_000,
    unit: "calls",
  },
};

/**
 * Native tests that fill, search, save and restore indexes, and that Miri finishes in seconds. Miri
 * is thousands of times slower than a native run.
 */
const UNDER_MIRI = [
  "full_text::words_equal_those_of_unicode61",
  "full_text::stop_words_and_frequent_words_count_only_alone",
  "full_text::a_changed_index_ends_its_snapshot",
  "memory::a_memory_is_filled_searched_read_and_saved",
  "memory::a_callers_own_parts_come_back_in_their_places",
  "vectors::an_embedding_without_a_direction_is_refused",
  "vectors::the_smallest_embeddings_are_scaled_to_length_1",
  "vectors::stored_vectors_are_restored_to_the_bit",
];

const [what = "", howMuch] = process.argv.slice(2);
if (what === "miri") miri();
else if (Object.hasOwn(TESTS, what)) await testAtLength(TESTS[what]);
else {
  const usage = Object.entries(TESTS).map(
    ([name, { default: byDefault, unit }]) => `  ${name} [${unit}, by default ${byDefault}]`,
  );
  const head = what === "" ? "Name a test" : `There is no long test "${what}"`;
  fail(
    `${head}. Usage: npm run long -- NAME [AMOUNT], NAME is one of\n${usage.join("\n")}\n  miri`,
  );
}

async function testAtLength({
  file,
  project = file.split("/")[1],
  variable,
  default: byDefault,
  unit,
}) {
  const much = Number(howMuch ?? byDefault);
  if (!(much > 0)) fail(`The number of ${unit} must be above 0, for example ${byDefault}.`);
  await build();
  const env = { TIER: "full", [variable]: String(much) };
  if (!run("vitest", ["run", "--project", project, file], { env }))
    fail(`The test ${what} failed. The output above says where.`);
}

/** Runs native tests under Miri. The crate has no `unsafe` code, but its dependencies have some. */
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
