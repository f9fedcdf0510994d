// `npm run bench`: measures the package against its rivals, prints the table and writes it to benches/results/.
// `--against TARBALL` measures it against an earlier package instead; `--only TEXT` measures what has TEXT in its name.

import { execFileSync, spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { cpus, tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { gzipSync } from "node:zlib";
import { Command } from "commander";
import * as current from "nous-wasm";
import { compare, median, type Outcome, type Ratio } from "./compare.ts";
import { allContests, type Engine } from "./contests.ts";

const options = new Command("bench")
  .option("--against <tarball>", "an earlier package of nous-wasm to measure this one against")
  .option("--only <text>", "only what has this text in its name")
  .option("--no-write", "leave benches/results/ alone")
  .parse()
  .opts<{ against?: string; only?: string; write: boolean }>();

const wanted = (name: string) => options.only === undefined || name.includes(options.only);
const dist = resolve("js/engine/dist");

if (options.against === undefined) await againstRivals();
else await againstEarlier(options.against);

async function againstRivals(): Promise<void> {
  const lines = ["| | contestant | time a call | ratio to the engine |", "|---|---|---|---|"];
  const show = (outcome: Outcome) => {
    for (const [label, nanoseconds] of Object.entries(outcome.nanoseconds)) {
      const ratio = label === "engine" ? "" : times(outcome.ratio(label, "engine"));
      const line = `| ${outcome.name} | ${label} | ${duration(nanoseconds)} | ${ratio} |`;
      lines.push(line);
      console.log(line);
    }
  };
  console.log(lines.join("\n"));
  for (const contest of allContests(current)) {
    if (wanted(contest.name)) show(await compare(contest));
  }
  if (wanted("ready")) {
    for (const [label, milliseconds] of Object.entries(readiness())) {
      const line = `| loading, in a new process | ${label} | ${duration(milliseconds * 1e6)} | |`;
      lines.push(line);
      console.log(line);
    }
  }
  const wasm = readFileSync(join(dist, "nous_wasm.wasm"));
  const size = `The .wasm is ${kilobytes(wasm.length)}, ${kilobytes(gzipSync(wasm, { level: 9 }).length)} gzipped.`;
  console.log(`\n${size}`);
  if (options.write && options.only === undefined) {
    const text = `# JavaScript benches, ${today()}\n\n${machine()}\n\n${HOW}\n\n${lines.join("\n")}\n\n${size}\n`;
    mkdirSync("benches/results", { recursive: true });
    writeFileSync(`benches/results/${today()}-js.md`, text);
    console.log(`written to benches/results/${today()}-js.md`);
  }
}

const HOW = `\`npm run bench\`: one process, contestants in turn. A time is the median over the rounds; a ratio is the median of the
rounds' own ratios, with its 95 % interval: how many times as long the contestant takes as the engine. *obvious* and *plain* are the
TypeScript that users write, with and without \`Object.entries\`; *tuned* is the best JavaScript without WebAssembly we know to write.`;

/** The same calls to both packages, in turn. */
async function againstEarlier(tarball: string): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), "nous-bench-"));
  execFileSync("tar", ["-xzf", resolve(tarball), "-C", folder]);
  const earlier: Engine = createRequire(import.meta.url)(join(folder, "package/dist/node.cjs"));
  console.log(`earlier: ${earlier.version}, this: ${current.version}\n`);
  console.log("| | earlier | this | earlier / this |\n|---|---|---|---|");
  const [before, after] = [allContests(earlier), allContests(current)];
  for (const [place, contest] of after.entries()) {
    if (!wanted(contest.name)) continue;
    const contestants = { earlier: before[place]!.contestants.engine!, this: contest.contestants.engine! };
    const outcome = await compare({ ...contest, contestants });
    const [old, now] = [outcome.nanoseconds.earlier!, outcome.nanoseconds.this!];
    console.log(
      `| ${contest.name} | ${duration(old)} | ${duration(now)} | ${times(outcome.ratio("earlier", "this"))} |`,
    );
  }
}

/** Milliseconds of the steps of loading, each run in a process of its own that had loaded another module before. */
function readiness(): Record<string, number> {
  const empty = join(mkdtempSync(join(tmpdir(), "nous-bench-")), "empty.cjs");
  writeFileSync(empty, "");
  const quoted = (name: string) => JSON.stringify(join(dist, name));
  const candidate = { id: "a", last_accessed: 0, created_at: 0, access_count: 1, inbound_edge_count: 1 };
  const steps: Record<string, string> = {
    "require of an empty module": `const start = performance.now(); require(${JSON.stringify(`${empty}x`)});`,
    "module ready: compiled, first instance made": `const { initSync } = require(${quoted("core.cjs")});
      const bytes = require("fs").readFileSync(${quoted("nous_wasm.wasm")});
      const start = performance.now(); initSync(bytes);`,
    "package ready: require, module included": `const start = performance.now(); require(${quoted("node.cjs")});`,
    "first batch ranked after that": `const { rerankCandidates } = require(${quoted("node.cjs")});
      const start = performance.now(); rerankCandidates([${JSON.stringify(candidate)}], { avg_inbound_edges: 1 }, undefined, 0);`,
  };
  writeFileSync(`${empty}x`, "");
  const run = (code: string) => {
    const script = `require(${JSON.stringify(empty)}); ${code} console.log(performance.now() - start);`;
    return Number(spawnSync(process.execPath, ["-e", script], { encoding: "utf8" }).stdout);
  };
  const rounds = Array.from({ length: 15 }, () => Object.values(steps).map(run));
  return Object.fromEntries(
    Object.keys(steps).map((label, place) => [label, median(rounds.map((round) => round[place]!))]),
  );
}

function machine(): string {
  const rust = spawnSync("rustc", ["--version"], { encoding: "utf8" }).stdout?.split(" ")[1] ?? "unknown";
  return `${cpus()[0]?.model.trim() ?? "unknown processor"}, ${cpus().length} cores, ${process.platform} ${process.arch}, Node ${process.versions.node}, Rust ${rust}.`;
}

function today(): string {
  return new Date().toISOString().slice(0, 10);
}

function times({ median, low, high }: Ratio): string {
  return `${median.toFixed(2)}× (${low.toFixed(2)}–${high.toFixed(2)})`;
}

function duration(nanoseconds: number): string {
  if (nanoseconds < 1e3) return `${nanoseconds.toFixed(0)} ns`;
  if (nanoseconds < 1e6) return `${(nanoseconds / 1e3).toPrecision(3)} µs`;
  return `${(nanoseconds / 1e6).toPrecision(3)} ms`;
}

function kilobytes(bytes: number): string {
  return `${(bytes / 1024).toFixed(1)} KiB`;
}
