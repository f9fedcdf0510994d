// `npm run bench -- --peers`: measures the memory of one agent in nous-server and in nous-wasm
// beside libraries and databases for words or vectors: the same memories and questions, one after
// the other, each in a process of its own. Prints the table, and writes it to benches/results/ and
// docs/benchmarks.md. It does not compare answers: `npm run quality` does. Libraries of Python are
// installed into .cache/peers. `--small` runs everything on small memories as a test, and writes
// nothing.

import { spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, rmSync, statSync } from "node:fs";
import { loadavg, tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { Command } from "commander";
import { table, writeFigures } from "../results.ts";
import { WORDS } from "./evidence-inputs.ts";
import { Data, DIMENSIONS, LATE, LIMIT, PATIENCE } from "./peers/data.ts";
import { writeData } from "./peers/make-data.ts";
import { type Measured, measure, recallOf } from "./peers/measure.ts";
import { pythonOf, sqliteVecOf } from "./peers/python.ts";
import { SERVERS } from "./peers/servers.ts";
import { duration, quantile, whole } from "./units.ts";

/** Where a contestant runs: its own process in any case. */
type Over = "HTTP" | "Node" | "Python";

/** A contestant. */
interface Contestant {
  /** Its name in the table. */
  label: string;
  over: Over;
  /** What stays of a memory that was written: a word behind the time. */
  write: "synced" | "not synced" | "whole file";
  /** What it searches by. Recall is told of vectors alone. */
  by: "all" | "words" | "vectors";
}

const CONTESTANTS: Readonly<Record<string, Contestant>> = {
  "nous-server": { label: "nous-server", over: "HTTP", write: "synced", by: "all" },
  "nous-wasm": { label: "nous-wasm", over: "Node", write: "whole file", by: "all" },
  plain: { label: "plain server, by signals", over: "HTTP", write: "synced", by: "all" },
  fts5: { label: "SQLite FTS5", over: "Node", write: "synced", by: "words" },
  minisearch: { label: "MiniSearch", over: "Node", write: "whole file", by: "words" },
  orama: { label: "Orama", over: "Node", write: "whole file", by: "words" },
  tantivy: { label: "tantivy", over: "Python", write: "synced", by: "words" },
  "sqlite-vec": { label: "sqlite-vec", over: "Node", write: "synced", by: "vectors" },
  lancedb: { label: "LanceDB, no index", over: "Python", write: "not synced", by: "vectors" },
  "lancedb-index": {
    ...{ label: "LanceDB, IVF_HNSW_SQ", over: "Python" as const },
    ...{ write: "not synced" as const, by: "vectors" as const },
  },
  hnswlib: { label: "hnswlib", over: "Python", write: "whole file", by: "vectors" },
};
/** Whose libraries are in the environment of Python. */
const OF_PYTHON = ["tantivy", "sqlite-vec", "lancedb", "lancedb-index", "hnswlib"];

const options = new Command("bench --peers")
  .option("--small", "small memories and few turns, to see that everything works")
  .option("--no-write", "leave benches/results/ and docs/ alone")
  .option("--sizes <numbers>", "the numbers of memories", "10000,100000,1000000")
  .option("--only <names>", `some contestants of ${Object.keys(CONTESTANTS).join(",")}`)
  .option("--folder <folder>", "where files are made; the disk that is measured", tmpdir())
  .parse()
  .opts<{ small?: boolean; write: boolean; sizes: string; only?: string; folder: string }>();

/** The extent of a run: of a list of questions or writes, `least` are run however long they take. */
const { sizes, questions, writes, ...extent } = options.small
  ? { sizes: [300], questions: 20, writes: 5, rounds: 1, seconds: 10, least: 5 }
  : {
      ...{ sizes: options.sizes.split(",").map(Number), questions: 300, writes: 200 },
      ...{ rounds: 3, seconds: 30, least: 10 },
    };
if (!sizes.every((size) => Number.isSafeInteger(size) && size > 0))
  throw new RangeError(`--sizes ${options.sizes}: must be numbers above 0, with commas between`);
const names = options.only?.split(",") ?? Object.keys(CONTESTANTS);
const unknown = names.find((name) => !Object.hasOwn(CONTESTANTS, name));
if (unknown !== undefined)
  throw new RangeError(`--only ${unknown}: name any of ${Object.keys(CONTESTANTS).join(",")}`);

/** The questions whose recall is told. */
const JUDGED = 100;
/** The heap of Node, in MB: an index of a library may need more than Node's default. */
const HEAP = 12_000;
/** The program of the libraries in JavaScript, as `npm run bench` bundles it, and in Python. */
const LIBRARY = {
  Node: resolve(".cache/programs/benches-js-peers-library.mjs"),
  Python: resolve("benches/js/peers/library.py"),
};
const MARK = "figures beside libraries and databases";

const HOW = `\`npm run bench -- --peers\`: contestants run one after the other, each in a process of its own, all on the same memories and
questions. Memories have ${WORDS.memory} English words by Zipf's law, in runs of twenty; questions have ${WORDS.question} words, about half of them stop
words. Vectors are those of the table \`english-${DIMENSIONS}\`, with ${DIMENSIONS} components. Contestants by vectors are given that of each question, and so is the
plain server; *nous-server* (\`--embeddings-model english-${DIMENSIONS}\`) and *nous-wasm* are given words and make it within the measured time. Each library has
its default settings, by which Orama also finds all words that begin with one of the question; hnswlib has M = 16 and ef_construction = 200, the index of LanceDB has one partition, and both search with ef = 200. All fill their files in batches of
their own kind: *filled in* is the time of a process of its own that reads the memories, fills and saves. A *search* finds the first ${LIMIT}: up to ${questions} questions are asked once before, and then ${extent.rounds} times, as far as ${extent.seconds} s
allow (at least ${extent.least}). *Over*: HTTP is a server, whose client is another process, so that a time has the way there and back and whole
memories as JSON; Node and Python are libraries within the measuring process, which has no such way. A *durable write* stores one memory: *synced* waits for the
disk; *whole file* means that the library has no write of one memory, and its whole index is saved and synced; *not synced* leaves the file to
the system. *Opening* is from the call that opens the files to the first answer, in the system's cache; of a server, from the start of its process. *RSS* is
the process with its runtime, after the searches. *Recall* is the share of the ${LIMIT} nearest memories by the exact cosine among the answers, of the first ${JUDGED}
questions. Texts are random words: with real ones it may be higher. The machine's load over the last minute was`;

const HEAD = [
  ...["memories", "", "over", "search, 50 %", "95 %", "durable write, 50 %"],
  ...["filled in", "opening", "RSS", "files", `recall@${LIMIT}`],
];

const folder = mkdtempSync(join(options.folder, "nous-peers-"));
try {
  const load = loadavg()[0]!.toFixed(1);
  const python = environment();
  const rows: string[][] = [];
  for (const row of [HEAD, HEAD.map(() => "---")]) console.log(`| ${row.join(" | ")} |`);
  for (const memories of sizes) {
    const nearest = makeData(memories);
    for (const name of names) {
      const row = await rowOf(name, memories, nearest, python);
      console.log(`| ${row.join(" | ")} |`);
      rows.push(row);
    }
    rmSync(join(folder, "data"), { recursive: true });
  }
  if (options.write && !options.small) {
    const text = table(HEAD, rows);
    writeFigures({
      name: "peers",
      title: "Beside libraries and databases",
      how: HOW,
      load,
      text,
      mark: MARK,
    });
  }
} finally {
  rmSync(folder, { recursive: true, force: true });
}

/** Returns the path of Python, or why there is none. */
function environment(): { python: string; extension: string } | Error | undefined {
  if (!names.some((name) => OF_PYTHON.includes(name))) return undefined;
  try {
    const python = pythonOf();
    return { python, extension: sqliteVecOf(python) };
  } catch (error) {
    return error as Error;
  }
}

function makeData(memories: number): number[][] {
  mkdirSync(join(folder, "data"));
  const judged = Math.min(JUDGED, questions);
  return writeData(join(folder, "data"), { memories, ...extent }, { questions, writes, judged });
}

/** Fills and measures a contestant. Returns its row, or one that names what failed. */
async function rowOf(
  name: string,
  memories: number,
  nearest: readonly number[][],
  python: ReturnType<typeof environment>,
): Promise<string[]> {
  const { label, over, by, write } = CONTESTANTS[name]!;
  const own = join(folder, "own");
  mkdirSync(own);
  const start = [whole(memories), label, over];
  try {
    if (OF_PYTHON.includes(name) && python instanceof Error) throw python;
    const set = python instanceof Error ? undefined : python;
    const began = performance.now();
    await run(name, "fill", own, set);
    const filling = (performance.now() - began) * 1e6;
    const files = bytesIn(own);
    const measured = (await run(name, "measure", own, set))!;
    const { opening, searches, writes: written, resident, found } = measured;
    return [
      ...start,
      ...[0.5, 0.95].map((share) => duration(quantile(searches, share))),
      `${duration(quantile(written, 0.5))}, ${write}`,
      ...[filling, opening].map(duration),
      ...[resident, files].map(megabytes),
      found === undefined
        ? `by ${by === "all" ? "more than vectors" : by}`
        : recallOf(found, nearest).toFixed(3),
    ];
  } catch (error) {
    return [...start, `failed: ${(error as Error).message}`, ...HEAD.slice(4).map(() => "–")];
  } finally {
    rmSync(own, { recursive: true });
  }
}

/** Runs a phase of a contestant. Returns what was measured. */
async function run(
  name: string,
  phase: "fill" | "measure",
  own: string,
  set: { python: string; extension: string } | undefined,
): Promise<Measured | undefined> {
  const { over } = CONTESTANTS[name]!;
  const from = join(folder, "data");
  if (over === "HTTP") {
    const data = new Data(from);
    const server = SERVERS[name]!;
    if (phase === "measure") return measure(data, () => server.open(data, own));
    await server.fill(data, own);
    return undefined;
  }
  const args = [LIBRARY[over], name, phase, from, own];
  if (over === "Python") return spawned(set!.python, args);
  const node = ["--expose-gc", `--max-old-space-size=${HEAP}`];
  return spawned(process.execPath, [...node, ...args, set?.extension ?? ""]);
}

/**
 * Runs a program. Returns what it prints, as JSON.
 *
 * @throws {Error} If it fails or takes too long: why.
 */
function spawned(command: string, args: readonly string[]): Promise<Measured | undefined> {
  const child = spawn(command, args, { stdio: ["ignore", "pipe", "pipe"] });
  let [stdout, stderr] = ["", ""];
  child.stdout.on("data", (text) => {
    stdout += text;
  });
  child.stderr.on("data", (text) => {
    stderr += text;
  });
  let isLate = false;
  const late = setTimeout(() => {
    isLate = true;
    child.kill("SIGKILL");
  }, PATIENCE * 60_000);
  return new Promise((resolve, reject) => {
    child.once("error", reject);
    child.once("close", (code, signal) => {
      clearTimeout(late);
      if (code === 0) resolve(stdout === "" ? undefined : JSON.parse(stdout));
      else if (isLate) reject(new Error(LATE));
      else reject(new Error(reasonIn(stderr) ?? `ended with ${code ?? signal}`));
    });
  });
}

/** Returns the line of an output that names an error. */
function reasonIn(stderr: string): string | undefined {
  const lines = stderr.split("\n").filter((line) => /^\S*(Error|FATAL ERROR)\b/.test(line));
  return lines.at(-1)?.replaceAll("|", "/");
}

function bytesIn(place: string): number {
  const files = readdirSync(place, { recursive: true, encoding: "utf8" });
  return files.reduce((sum, name) => {
    const status = statSync(join(place, name));
    return sum + (status.isFile() ? status.size : 0);
  }, 0);
}

function megabytes(bytes: number): string {
  return `${bytes < 1e7 ? (bytes / 1e6).toFixed(1) : whole(bytes / 1e6)} MB`;
}
