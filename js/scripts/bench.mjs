// `npm run bench`: builds the package and measures it; see benches/js/main.ts for the options. `npm
// run bench -- --http`: measures the server beside a plain one; see benches/js/http.ts for the
// options. `npm run bench -- --http-evidence`: measures nous-server by evidence; see
// benches/js/http-evidence.ts for the options. `npm run bench -- --http-filters`: measures searches
// and prompts with filters; see benches/js/http-filters.ts. `npm run bench -- --minilm`: measures the
// sentence transformer; see benches/js/minilm.ts. `npm run bench -- --peers`: measures nous-server and
// nous-wasm beside libraries and databases; see benches/js/peers.ts for the options. `npm run bench -- --postgres`: measures servers on
// PostgreSQL; see benches/js/postgres.ts. `npm run bench -- --release`: measures the files of
// a release, and fails if one is too large; see benches/js/release-sizes.ts. `npm run bench --
// --start`: measures how long the server takes to start; see benches/js/start.ts for the options.
// `npm run bench -- --rust`: runs `cargo bench --features benches` and writes its medians to benches/results/.

import { mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { cpus } from "node:os";
import { join } from "node:path";
import { build } from "./build.mjs";
import { bundleProgram, runProgram } from "./bundle.mjs";
import { at, must, output } from "./lib.mjs";

/** Measurements with a program of their own, by option. */
const PROGRAMS = {
  "--http": "benches/js/http.ts",
  "--http-evidence": "benches/js/http-evidence.ts",
  "--http-filters": "benches/js/http-filters.ts",
  "--minilm": "benches/js/minilm.ts",
  "--peers": "benches/js/peers.ts",
  "--postgres": "benches/js/postgres.ts",
  "--release": "benches/js/release-sizes.ts",
  "--start": "benches/js/start.ts",
};
const PLAIN = "benches/js/plain-server/main.ts";
/** Programs that these start, which are bundled for them. */
const STARTED = {
  "--http": [PLAIN],
  "--peers": [PLAIN, "benches/js/peers/library.ts"],
  "--postgres": [PLAIN],
};
const named = Object.keys(PROGRAMS).find((option) => process.argv.includes(option));

if (process.argv.includes("--rust")) {
  benchRust();
} else if (named !== undefined) {
  await build();
  for (const program of STARTED[named] ?? []) await bundleProgram(program);
  await runProgram(
    PROGRAMS[named],
    process.argv.slice(2).filter((option) => option !== named),
  );
} else {
  await build();
  await runProgram("benches/js/main.ts", process.argv.slice(2), ["--expose-gc"]);
}

function benchRust() {
  const results = join(targetFolder(), "criterion");
  rmSync(results, { recursive: true, force: true });
  must("cargo", ["bench", "--locked", "--features", "benches"]);
  const rows = benchmarks(results).sort(
    (a, b) =>
      a.group.localeCompare(b.group) || a.size.localeCompare(b.size, "en", { numeric: true }),
  );
  const lines = rows.map(({ group, size, name, median }) => {
    const baseline = rows.find(
      (row) => row.group === group && row.size === size && row.name.startsWith("baseline"),
    );
    const ratio =
      baseline && !name.startsWith("baseline") ? `${(baseline.median / median).toFixed(2)}×` : "";
    return `| ${group} ${size} | ${name} | ${duration(median)} | ${ratio} |`;
  });
  const date = new Date().toISOString().slice(0, 10);
  const machine = `${cpus()[0]?.model.trim()}, ${cpus().length} cores, ${process.platform} ${process.arch}, ${output("rustc", ["--version"])}`;
  const text = `# Rust benches, ${date}

${machine}

\`cargo bench\` (criterion), natively: medians, and how many times as long the group's baseline of the same run takes.

| | what | time | baseline / this |
|---|---|---|---|
${lines.join("\n")}
`;
  mkdirSync(at("benches", "results"), { recursive: true });
  writeFileSync(at("benches", "results", `${date}-rust.md`), text);
  console.log(text);
}

function targetFolder() {
  const metadata = output("cargo", ["metadata", "--format-version", "1", "--no-deps"]);
  return JSON.parse(metadata).target_directory;
}

/** Returns the benchmarks of criterion's output: each has a folder `new` with its numbers. */
function benchmarks(folder) {
  return readdirSync(folder).flatMap((name) => {
    const path = join(folder, name);
    if (!statSync(path).isDirectory()) return [];
    if (name !== "new") return benchmarks(path);
    const { group_id, function_id, value_str } = JSON.parse(
      readFileSync(join(path, "benchmark.json"), "utf8"),
    );
    const { median } = JSON.parse(readFileSync(join(path, "estimates.json"), "utf8"));
    return [
      {
        group: group_id,
        name: function_id ?? "",
        size: value_str ?? "",
        median: median.point_estimate,
      },
    ];
  });
}

function duration(nanoseconds) {
  if (nanoseconds < 1e3) return `${nanoseconds.toFixed(0)} ns`;
  if (nanoseconds < 1e6) return `${(nanoseconds / 1e3).toPrecision(3)} µs`;
  return `${(nanoseconds / 1e6).toPrecision(3)} ms`;
}
