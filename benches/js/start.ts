// `npm run bench -- --start`: measures how long nous-server takes from the start of its process
// until it reports that it is ready, with and without snapshots. `--small` uses a small memory and
// few starts as a test, and writes nothing.

import { type ChildProcess, spawn } from "node:child_process";
import { copyFileSync, mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { loadavg, tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { Command } from "commander";
import { table, writeResults } from "../results.ts";
import { databaseIn, snapshotsIn } from "./agent-files.ts";
import { median } from "./compare.ts";
import { listening, NOUS, RunningServer } from "./http-contestants.ts";
import { fillDatabase } from "./http-inputs.ts";
import { duration, quantile, whole } from "./units.ts";

const options = new Command("bench --start")
  .option("--small", "a small memory and few starts, to see that everything works")
  .option("--no-write", "leave benches/results/ alone")
  .option("--folder <folder>", "where the database is made", tmpdir())
  .parse()
  .opts<{ small?: boolean; write: boolean; folder: string }>();

const { memories, rounds, behind } = options.small
  ? { memories: 2_000, rounds: 2, behind: 100 }
  : { memories: 100_000, rounds: 11, behind: 1_000 };
const DIMENSIONS = 384;
const MS = 1e6;

/** The states of a server's files, and the function that prepares each before a start. */
const WAYS: Readonly<Record<string, () => void>> = {
  "with snapshots": () => {},
  [`with snapshots, ${whole(behind)} changes behind`]: () => changeSome(),
  "without snapshots": () => removeSnapshots(),
};

/**
 * The parts of a start, in order. `process` lasts until the first load, and `rest` begins after the
 * last.
 */
const PARTS = ["process", "index", "full text", "playbooks", "rest"] as const;

/** Milliseconds of a start. */
type Start = Record<(typeof PARTS)[number] | "whole", number>;

const folder = mkdtempSync(join(options.folder, "nous-bench-"));
const database = databaseIn(folder);

const HOW = `\`npm run bench -- --start\`: ${whole(memories)} memories with ${DIMENSIONS} dimensions and two edges each, in one database. A time is
from the start of the process to the answer of \`/readyz\`, medians of ${rounds} starts of each kind, which take turns; files are in the
system's cache. *Process* is Node, the program, its threads and the opened database. The parts that are loaded follow in order. *Rest* is the time
from then until the answer. The machine's load over the last minute was`;

try {
  const rows = await measureAll();
  const head = ["", "ready", "95 %", ...PARTS];
  const text = `${HOW} ${loadavg()[0]!.toFixed(1)}.\n\n${table(head, rows)}`;
  console.log(text);
  if (options.write && !options.small)
    console.log(`\nwritten to ${writeResults("start", "Start of the server", text)}`);
} finally {
  rmSync(folder, { recursive: true, force: true });
}

async function measureAll(): Promise<string[][]> {
  makeDatabase();
  // The first start migrates the database, and its end saves the snapshots.
  await startOnce();
  const ways = Object.keys(WAYS);
  const starts = new Map<string, Start[]>(ways.map((way) => [way, []]));
  for (let round = 0; round < rounds; round++) {
    for (const way of round % 2 === 0 ? ways : ways.toReversed()) {
      WAYS[way]!();
      starts.get(way)!.push(await startOnce());
    }
  }
  return [...starts].map(([way, taken]) => {
    const of = (part: keyof Start) => taken.map((start) => start[part] * MS);
    const whole = [median(of("whole")), quantile(of("whole"), 0.95)];
    return [way, ...[...whole, ...PARTS.map((part) => median(of(part)))].map(duration)];
  });
}

/**
 * Makes the database as a copy: no process has the copy open, unlike the file that this process
 * wrote.
 */
function makeDatabase(): void {
  const filled = join(folder, "filled.db");
  fillDatabase(filled, { memories, dimensions: DIMENSIONS }, Date.now());
  mkdirSync(dirname(database), { recursive: true });
  copyFileSync(filled, database);
  rmSync(filled);
}

function removeSnapshots(): void {
  for (const file of snapshotsIn(folder)) rmSync(file);
}

/** Changes memories as another program does, so that the snapshots are out of date. */
function changeSome(): void {
  const db = new DatabaseSync(database);
  db.exec(`UPDATE nodes SET content_title = content_title || ' again', version = version + 1
    WHERE rowid % ${memories / behind} = ${Math.floor(Math.random() * (memories / behind))}`);
  db.close();
}

/** Starts a server, and stops it when it is ready. */
async function startOnce(): Promise<Start> {
  const begun = Date.now();
  const args = [
    "serve",
    "--port",
    "0",
    "--data-dir",
    folder,
    "--log-format",
    "json",
    "--decay-interval",
    "0",
  ];
  const child = spawn(process.execPath, [NOUS, ...args], { stdio: ["ignore", "pipe", "pipe"] });
  const logged = collect(child);
  const server = new RunningServer(child, await listening(child));
  await server.ask("GET //readyz");
  const ready = Date.now();
  await server.stop();
  return partsOf(begun, ready, logged());
}

function collect(child: ChildProcess): () => string {
  let text = "";
  child.stderr!.on("data", (piece) => {
    text += piece;
  });
  return () => text;
}

/** A log line of a server that has loaded a part. */
interface Loaded {
  time: string;
  msg: string;
  ms: number;
}

function partsOf(begun: number, ready: number, log: string): Start {
  const lines = log.split("\n").filter((line) => line !== "");
  const all = lines
    .map((line) => JSON.parse(line) as Loaded)
    .filter(({ msg }) => msg.startsWith("Loaded "));
  const loads = all.map(({ time, msg, ms }) => ({
    what: msg.replace(/.*: /, ""),
    end: Date.parse(time),
    ms,
  }));
  const msOf = (what: string) => loads.find((load) => load.what === what)?.ms ?? 0;
  const first = loads[0]!;
  const rest = ready - loads.at(-1)!.end;
  const loaded = {
    index: msOf("index"),
    "full text": msOf("full text"),
    playbooks: msOf("playbooks"),
  };
  return { process: first.end - first.ms - begun, ...loaded, rest, whole: ready - begun };
}
