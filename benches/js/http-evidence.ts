// `npm run bench -- --http-evidence`: measures searches and durable writes of nous-server over HTTP
// by evidence and with vectors of the built-in table, beside the same server that ranks by signals
// and makes no vectors. The transformer is left out: it would embed 100,000 memories first. Prints the table, and writes it to benches/results/
// and docs/benchmarks.md. `--small` runs everything on small memories as a test, and writes
// nothing.

import { spawn } from "node:child_process";
import { copyFileSync, mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { loadavg, tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { Command } from "commander";
import { table, writeFigures } from "../results.ts";
import { databaseIn } from "./agent-files.ts";
import { BareDisk } from "./bare-disk.ts";
import {
  makeNewQuestions,
  makeTextMemories,
  makeTextQuestions,
  vocabularyOf,
  WORDS,
} from "./evidence-inputs.ts";
import { listening, NOUS, RunningServer } from "./http-contestants.ts";
import { fillDatabase, textRowOf } from "./http-inputs.ts";
import { tableOf } from "./token-tables.ts";
import { duration, quantile, whole } from "./units.ts";

const options = new Command("bench --http-evidence")
  .option("--small", "small memories and few turns, to see that everything works")
  .option("--no-write", "leave benches/results/ and docs/ alone")
  .option("--sizes <numbers>", "the numbers of memories, such as 10000,1000000", "10000,100000")
  .option("--profile <folder>", "write processor profiles of the servers into this folder")
  .option(
    "--folder <folder>",
    "where databases are made; the disk that writes are measured on",
    tmpdir(),
  )
  .parse()
  .opts<{ small?: boolean; write: boolean; sizes: string; profile?: string; folder: string }>();

/** The extent of a run: numbers of memories, questions, rounds of all questions, and writes. */
const { sizes, questions, rounds, writes } = options.small
  ? { sizes: [300], questions: 40, rounds: 1, writes: 20 }
  : { sizes: options.sizes.split(",").map(Number), questions: 300, rounds: 3, writes: 300 };

if (!sizes.every((size) => Number.isSafeInteger(size) && size > 0))
  throw new RangeError(`--sizes ${options.sizes}: must be numbers above 0, with commas between`);

const WAYS = ["evidence", "signals"] as const;
type Way = (typeof WAYS)[number];
const ARGUMENTS: Readonly<Record<Way, readonly string[]>> = {
  evidence: ["--embeddings-model", "english-128"],
  signals: ["--ranking", "signals", "--embeddings-provider", "none"],
};
/** Requests in a row for one server before the other's turn. */
const IN_A_ROW = 20;
const PAGE_NAME = "a page and fsync, for comparison";
const MARK = "figures of the server by evidence";

const HOW = `\`npm run bench -- --http-evidence\`: the client and the servers are processes of one machine, which talk over loopback on a connection
that stays open. *evidence* is nous-server with \`--embeddings-model english-128\`: it ranks by evidence and makes a vector of each text within the write.
*signals* is the same server with \`--ranking signals --embeddings-provider none\`. Memories have ${WORDS.memory} English words by Zipf's law, in sessions
of twenty, and two edges each; questions have ${WORDS.question} words, about half of them stop words. All ${questions} questions are asked once before anything is
measured, and then ${rounds} times, ${IN_A_ROW} in a row to one server and the same ${IN_A_ROW} to the other. *New words*: no question before held one of the words, which
are no stop words. A time is from the first byte sent to the last that came; *in the server* is the median of what the server says of itself. The machine's
load over the last minute was`;

const HEAD = ["", "nous-server by", "50 %", "95 %", "99 %", "in the server"];

const folder = mkdtempSync(join(options.folder, "nous-bench-"));
const vocabulary = vocabularyOf(tableOf(128));
try {
  const rows: string[][] = [];
  const load = loadavg()[0]!.toFixed(1);
  for (const row of [HEAD, HEAD.map(() => "---")]) console.log(`| ${row.join(" | ")} |`);
  for (const memories of sizes) {
    for await (const row of measure(memories)) {
      console.log(`| ${row.join(" | ")} |`);
      rows.push(row);
    }
  }
  if (options.write && !options.small) {
    const text = table(HEAD, rows);
    writeFigures({
      name: "http-evidence",
      title: "HTTP bench by evidence",
      how: HOW,
      load,
      text,
      mark: MARK,
    });
  }
} finally {
  rmSync(folder, { recursive: true, force: true });
}

async function* measure(count: number): AsyncIterable<string[]> {
  const servers = await startBoth(count);
  try {
    const asked = makeTextQuestions(vocabulary, questions);
    const again = Array.from({ length: rounds }, () => asked).flat();
    for (const way of WAYS)
      for (const query of asked) await servers[way].ask("POST /search", { query });
    const of = `${whole(count)} memories`;
    yield* await searches(servers, `search, ${of}`, again);
    const unasked = makeNewQuestions(vocabulary).slice(0, questions);
    yield* await searches(servers, `search for new words, ${of}`, unasked);
    yield* await durableWrites(servers, `durable write, ${of}`, count);
  } finally {
    for (const way of WAYS) {
      await servers[way].stop();
      rmSync(join(folder, way), { recursive: true });
    }
  }
}

/** Starts both servers, each on a copy of one database, and waits until vectors are made. */
async function startBoth(count: number): Promise<Record<Way, RunningServer>> {
  const filled = join(folder, "filled.db");
  const now = Date.now();
  const memories = makeTextMemories(vocabulary, count);
  fillDatabase(filled, { memories: count, dimensions: 0 }, now, (place) =>
    textRowOf(memories[place]!, now),
  );
  const start = async (way: Way) => {
    const file = databaseIn(join(folder, way));
    mkdirSync(dirname(file), { recursive: true });
    copyFileSync(filled, file);
    const quiet = ["--port", "0", "--data-dir", join(folder, way), "--log-level", "error"];
    const { profile } = options;
    const profiled =
      profile === undefined
        ? []
        : ["--cpu-prof", "--cpu-prof-dir", join(profile, `${way}-${count}`)];
    const args = [...profiled, NOUS, "serve", ...quiet, ...ARGUMENTS[way]];
    const child = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "inherit"] });
    const server = new RunningServer(child, await listening(child));
    await server.ask("POST /nodes/backfill-embeddings", {});
    return server;
  };
  const servers = { evidence: await start("evidence"), signals: await start("signals") };
  rmSync(filled);
  return servers;
}

/** Sends questions to both servers in turns. Returns a row for each. */
async function searches(
  servers: Record<Way, RunningServer>,
  name: string,
  asked: readonly string[],
): Promise<string[][]> {
  const taken: Record<Way, number[]> = { evidence: [], signals: [] };
  const inServer: Record<Way, number[]> = { evidence: [], signals: [] };
  for (let first = 0; first < asked.length; first += IN_A_ROW) {
    for (const way of inTurn(first / IN_A_ROW)) {
      for (const query of asked.slice(first, first + IN_A_ROW)) {
        const { nanoseconds, body } = await servers[way].ask("POST /search", { query });
        taken[way].push(nanoseconds);
        inServer[way].push(body.metrics.total_ms * 1e6);
      }
    }
  }
  return WAYS.map((way) => lineOf(name, way, taken[way], inServer[way]));
}

/** Writes new memories to both servers in turns, and pages between them. */
async function durableWrites(
  servers: Record<Way, RunningServer>,
  name: string,
  count: number,
): Promise<string[][]> {
  const disk = new BareDisk(folder);
  const taken: Record<Way, number[]> = { evidence: [], signals: [] };
  const bare: number[] = [];
  const memories = makeTextMemories(vocabulary, count + 2 * writes).slice(count);
  try {
    // The first half is a warm-up, and is not measured.
    for (let first = 0; first < memories.length; first += IN_A_ROW) {
      const batch = memories.slice(first, first + IN_A_ROW);
      const isMeasured = first >= writes;
      for (const _ of batch) {
        const nanoseconds = disk.write();
        if (isMeasured) bare.push(nanoseconds);
      }
      for (const way of inTurn(first / IN_A_ROW)) {
        for (const { title, text } of batch) {
          const memory = { type: "note", content_title: title, content_body: text };
          const { nanoseconds } = await servers[way].ask("POST /nodes", memory);
          if (isMeasured) taken[way].push(nanoseconds);
        }
      }
    }
  } finally {
    disk.close();
  }
  return [
    ...WAYS.map((way) => lineOf(name, way, taken[way])),
    lineOf(`${name}: ${PAGE_NAME}`, "", bare),
  ];
}

/** Returns the servers in the order of a turn. Each is first in half of the turns. */
function inTurn(turn: number): readonly Way[] {
  return turn % 2 === 0 ? WAYS : WAYS.toReversed();
}

/** Returns a row of the table. */
function lineOf(
  name: string,
  way: string,
  taken: readonly number[],
  inServer: readonly number[] = [],
): string[] {
  const cells = [0.5, 0.95, 0.99].map((share) => duration(quantile(taken, share)));
  return [name, way, ...cells, inServer.length === 0 ? "" : duration(quantile(inServer, 0.5))];
}
