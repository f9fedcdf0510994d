// `npm run bench`: measures the package against its rivals, prints the table and writes it to
// benches/results/. `--against TARBALL` measures it against an earlier package instead. `--only
// TEXT` runs the contests whose name contains TEXT. The contests of evidence are written to
// docs/benchmarks.md, too: `--only "by evidence:"` runs these alone, and writes them.

import { execFileSync, spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { loadavg, tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { gzipSync } from "node:zlib";
import { Command, Option } from "commander";
import * as current from "nous-wasm";
import { table, today, writeInto, writeResults } from "../results.ts";
import { type Contest, compare, type Deferred, median } from "./compare.ts";
import { consolidationContests } from "./consolidation-contests.ts";
import { allContests, type Engine } from "./contests.ts";
import { embedContests } from "./embed-contests.ts";
import { BY_EVIDENCE, evidenceContests } from "./evidence-contests.ts";
import { memoryContests } from "./memory-contests.ts";
import { isResident } from "./memory-inputs.ts";
import { memoryMeasures, WEIGHED, weigh, weighAlone } from "./memory-measures.ts";
import { playbookContests } from "./playbook-contests.ts";
import { promptContests } from "./prompt-contests.ts";
import { queryContests } from "./query-contests.ts";
import { textContests } from "./text-contests.ts";
import { turnContests } from "./turn-contests.ts";
import { duration, kilobytes, times } from "./units.ts";

const options = new Command("bench")
  .option("--against <tarball>", "an earlier package of nous-wasm to measure this one against")
  .option("--only <text>", "only contests whose name contains this text")
  .option("--no-write", "leave benches/results/ alone")
  .addOption(new Option("--alone <name>", "run this memory measurement in this process").hideHelp())
  .parse()
  .opts<{ against?: string; only?: string; write: boolean; alone?: string }>();

const HOW = `\`npm run bench\`: one process, contestants in turn. A time is the median over the rounds; a ratio is the median of the
rounds' own ratios, with its 95 % interval: how many times as long the contestant takes as the engine. *obvious* and *plain* are the
TypeScript that users write, with and without \`Object.entries\`; *objects* and *typed arrays* are its loops over either; *reference*
is the plain TypeScript of the tests; *tuned* and *unrolled* are the best JavaScript without WebAssembly we know to write. A memory's
contestants hold it ready; *full pass* is the engine's own sweep. Bytes are those of a process that does nothing else.`;

const HEAD = ["", "contestant", "time a call", "ratio to the engine"];

const LOADING = "loading, in a new process";

const wanted = (name: string) => options.only === undefined || name.includes(options.only);
const dist = resolve("js/engine/dist");

if (options.alone !== undefined)
  console.log(JSON.stringify(isResident(current) ? weigh(options.alone, current) : {}));
else if (options.against === undefined) await againstRivals();
else await againstEarlier(options.against);

/** Returns the contests that a package supports: earlier packages support fewer. */
function contestsOf(engine: Engine): Deferred[] {
  const has = (name: keyof Engine) => name in engine;
  const small = [
    ...allContests(engine),
    ...(has("understand") ? queryContests(engine) : []),
    ...(has("planTurn") ? turnContests(engine) : []),
  ];
  return [
    ...small.map((contest) => ({ name: contest.name, make: () => contest })),
    ...(has("PlaybookBook") ? playbookContests(engine) : []),
    ...(has("planConsolidation") ? consolidationContests(engine) : []),
    ...(has("buildContext") ? promptContests(engine) : []),
    ...(has("Embedder") ? embedContests(engine) : []),
    ...(has("Embedder") ? evidenceContests(engine) : []),
    ...(has("TextIndex") ? textContests(engine) : []),
    ...(isResident(engine) ? [...memoryContests(engine), ...memoryMeasures(engine)] : []),
  ];
}

async function againstRivals(): Promise<void> {
  const rows: string[][] = [];
  const show = (...cells: string[]) => {
    rows.push(cells);
    console.log(`| ${cells.join(" | ")} |`);
  };
  for (const row of [HEAD, HEAD.map(() => "---")]) console.log(`| ${row.join(" | ")} |`);
  for (const { name, make } of contestsOf(current)) {
    if (!wanted(name)) continue;
    const { outcome, remarks } = await run(make);
    for (const [label, nanoseconds] of Object.entries(outcome.nanoseconds)) {
      show(
        name,
        label,
        duration(nanoseconds),
        label === "engine" ? "" : times(outcome.ratio(label, "engine")),
      );
    }
    for (const [label, remark] of Object.entries(remarks)) show(name, label, remark, "");
  }
  for (const name of isResident(current) ? WEIGHED : []) {
    if (!wanted(name)) continue;
    for (const [label, weight] of Object.entries(weighAlone(name))) show(name, label, weight, "");
  }
  if (wanted(LOADING)) {
    for (const [label, milliseconds] of Object.entries(readiness())) {
      show(LOADING, label, duration(milliseconds * 1e6), "");
    }
  }
  const wasm = readFileSync(join(dist, "nous_wasm.wasm"));
  const size = `The .wasm is ${kilobytes(wasm.length)}, ${kilobytes(gzipSync(wasm, { level: 9 }).length)} gzipped.`;
  console.log(`\n${size}`);
  if (!options.write) return;
  if (options.only === undefined)
    wrote(writeResults("js", "JavaScript benches", `${HOW}\n\n${table(HEAD, rows)}\n\n${size}`));
  if (BY_EVIDENCE.startsWith(options.only ?? BY_EVIDENCE)) writeEvidence(rows);
}

/** Writes the rows of evidence into a file of their own, and into the page of the benchmarks. */
function writeEvidence(rows: readonly string[][]): void {
  const own = rows
    .filter(([name]) => name!.startsWith(BY_EVIDENCE))
    .map(([name, ...rest]) => [name!.slice(BY_EVIDENCE.length), ...rest]);
  const text = table(HEAD, own);
  const load = loadavg()[0]!.toFixed(1);
  const how = `${HOW} The machine's load over the last minute was ${load}.`;
  wrote(writeResults("js-evidence", "Benches of evidence", `${how}\n\n${text}`));
  const measured = `Measured on ${today()}, at a load of ${load}.`;
  writeInto("docs/benchmarks.md", "figures of evidence", `${text}\n\n${measured}`);
}

function wrote(path: string): void {
  console.log(`written to ${path}`);
}

/** Runs a contest. Afterwards nothing references its input. */
async function run(make: Deferred["make"]) {
  const contest = make();
  const outcome = await compare(contest);
  const remarks = contest.remarks?.(outcome) ?? {};
  contest.close?.();
  return { outcome, remarks };
}

/** Compares both packages with the same calls, in turn. */
async function againstEarlier(tarball: string): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), "nous-bench-"));
  execFileSync("tar", ["-xzf", resolve(tarball), "-C", folder]);
  const earlier: Engine = createRequire(import.meta.url)(join(folder, "package/dist/node.cjs"));
  console.log(`earlier: ${earlier.version}, this: ${current.version}\n`);
  console.log("| | earlier | this | earlier / this |\n|---|---|---|---|");
  const before = new Map(contestsOf(earlier).map(({ name, make }) => [name, make]));
  for (const { name, make } of contestsOf(current)) {
    const makeBefore = before.get(name);
    if (!wanted(name) || makeBefore === undefined) continue;
    const { outcome } = await run(() => opposed(makeBefore(), make()));
    const { earlier: then, this: now } = outcome.nanoseconds;
    console.log(
      `| ${name} | ${duration(then!)} | ${duration(now!)} | ${times(outcome.ratio("earlier", "this"))} |`,
    );
  }
}

/** Returns a contest between the engines of two contests. */
function opposed(earlier: Contest, contest: Contest): Contest {
  return {
    ...contest,
    contestants: { earlier: earlier.contestants.engine!, this: contest.contestants.engine! },
    remarks: () => ({}),
    close() {
      earlier.close?.();
      contest.close?.();
    },
  };
}

/**
 * Returns the milliseconds of the steps of loading. Each step runs in a process of its own that had
 * loaded another module before.
 */
function readiness(): Record<string, number> {
  const empty = join(mkdtempSync(join(tmpdir(), "nous-bench-")), "empty.cjs");
  writeFileSync(empty, "");
  const quoted = (name: string) => JSON.stringify(join(dist, name));
  const candidate = {
    id: "a",
    last_accessed: 0,
    created_at: 0,
    access_count: 1,
    inbound_edge_count: 1,
  };
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
