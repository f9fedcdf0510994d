// `npm run bench -- --http`: measures nous-server beside a plain server with the same API, prints
// the table and writes it to benches/results/. This process is the client, and each server is a
// process of its own. `--small` runs everything on small memories as a test, and writes nothing.

import { copyFileSync, mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { Command } from "commander";
import { table, writeResults } from "../results.ts";
import { databaseIn } from "./agent-files.ts";
import { CONTESTANTS, type Contestant, startContestant } from "./http-contestants.ts";
import {
  fillDatabase,
  makeQuestions,
  makeQuestionVectors,
  QUESTIONS,
  type Size,
} from "./http-inputs.ts";
import {
  checkAnswers,
  HEAD,
  IN_A_ROW,
  type Pair,
  type Row,
  searches,
  searchesASecond,
  sweeps,
  warmUp,
  writes,
} from "./http-measures.ts";
import { whole } from "./units.ts";

const options = new Command("bench --http")
  .option("--small", "small memories and few turns, to see that everything works")
  .option("--no-write", "leave benches/results/ alone")
  .option(
    "--folder <folder>",
    "where databases are made; the disk that writes are measured on",
    tmpdir(),
  )
  .parse()
  .opts<{ small?: boolean; write: boolean; folder: string }>();

/** The extent of a run. */
interface Extent {
  sizes: readonly number[];
  /** The size at which clients, sweeps and writes are measured. */
  middle: number;
  /**
   * Returns the number of questions at a size. Searches in large memories are slow, and fewer are
   * enough.
   */
  questions(memories: number): number;
  /** Rounds of clients and the seconds of each, rounds of sweeps, and writes. */
  rounds: number;
  seconds: number;
  sweeps: number;
  writes: number;
}

const FULL: Extent = {
  sizes: [1_000, 10_000, 100_000],
  middle: 10_000,
  questions: (memories) => (memories > 10_000 ? QUESTIONS / 5 : QUESTIONS),
  rounds: 5,
  seconds: 4,
  sweeps: 9,
  writes: 300,
};
const SMALL: Extent = {
  sizes: [300, 1_000],
  middle: 1_000,
  questions: () => 60,
  rounds: 2,
  seconds: 0.5,
  sweeps: 2,
  writes: 20,
};
const DIMENSIONS = [0, 384];
/**
 * How often all questions are sent before the measurement, so that V8 has optimised both servers.
 */
const WARM_UPS = 4;

const HOW = `\`npm run bench -- --http\`: the client, *nous-server* and *plain* are processes of one machine, which talk over loopback on connections
that stay open. *plain* is a server of the same calls in TypeScript without the engine (\`benches/js/plain-server\`): the same HTTP and
database packages, the same full text, vectors kept as Float32Arrays, statements prepared, one query for many rows. Both
hold the same memories. Without vectors it is made sure first that each question has the same answer from both; then all are asked ${WARM_UPS} times
before anything is measured, and searches are measured ${IN_A_ROW} of the one in a row, then the same ${IN_A_ROW} of the other. A time is from
the first byte sent to the last that came. *In the server*, *full text* and *index* are medians of what the servers say of themselves: the index is vectors, spreading and ranking; the rest of a time is HTTP and JSON. A ratio is the median over pairs, with its 95 % interval: how many times as long a contestant
takes as nous-server. Half of the ${QUESTIONS} questions are keywords, half are sentences of mostly common words. Vectors of questions come with
them. nous-server logs errors alone, *plain* nothing. nous-server keeps rows that were found lately; *plain* reads them. nous-server answers a sweep before it has written what changed, which it does within a second; *plain* writes first.`;

const extent = options.small ? SMALL : FULL;
const start = performance.now();
const folder = mkdtempSync(join(options.folder, "nous-bench-"));
try {
  const rows = await measureAll();
  const text = `${HOW}\n\n${table(HEAD, rows)}`;
  const minutes = ((performance.now() - start) / 60_000).toFixed(1);
  console.log(`\nIt took ${minutes} minutes.`);
  if (options.write && !options.small)
    console.log(`written to ${writeResults("http", "HTTP bench", text)}`);
} finally {
  rmSync(folder, { recursive: true, force: true });
}

async function measureAll(): Promise<Row[]> {
  const all: Row[] = [];
  for (const row of [HEAD, HEAD.map(() => "---")]) console.log(`| ${row.join(" | ")} |`);
  for (const memories of extent.sizes) {
    for (const dimensions of DIMENSIONS) {
      for await (const rows of measure({ memories, dimensions })) {
        for (const row of rows) console.log(`| ${row.join(" | ")} |`);
        all.push(...rows);
      }
    }
  }
  return all;
}

async function* measure(size: Size): AsyncIterable<Row[]> {
  const { memories, dimensions } = size;
  const name = `${whole(memories)} memories${dimensions > 0 ? ` × ${dimensions}` : ""}`;
  const pair = await startPair(size);
  try {
    if (dimensions === 0) await checkAnswers(pair);
    await warmUp(pair, WARM_UPS);
    yield await searches(pair, `search, ${name}`);
    if (memories !== extent.middle) return;
    yield await searchesASecond(pair, `search, ${name}`, extent.rounds, extent.seconds);
    if (dimensions > 0) return;
    yield await sweeps(pair, `sweep, ${name}`, extent.sweeps);
    yield await writes(pair, `durable write, ${name}`, folder, extent.writes);
  } finally {
    await Promise.all(CONTESTANTS.map((contestant) => pair.servers[contestant].stop()));
    for (const contestant of CONTESTANTS) rmSync(join(folder, contestant), { recursive: true });
  }
}

/** Starts both servers, each on a copy of one database. */
async function startPair(size: Size): Promise<Pair> {
  const filled = join(folder, "filled.db");
  fillDatabase(filled, size, Date.now());
  const nousFolder = join(folder, "nous-server");
  const files = {
    plain: join(folder, "plain", "memory.db"),
    "nous-server": databaseIn(nousFolder),
  };
  const startOne = (contestant: Contestant) => {
    mkdirSync(dirname(files[contestant]), { recursive: true });
    copyFileSync(filled, files[contestant]);
    return startContestant(contestant, nousFolder, files[contestant]);
  };
  const [plain, nous] = [await startOne("plain"), await startOne("nous-server")];
  rmSync(filled);
  const questions = makeQuestions().slice(0, extent.questions(size.memories));
  const vectors = size.dimensions > 0 ? makeQuestionVectors(questions.length, size) : [];
  const bodies = questions.map(({ query }, place) =>
    JSON.stringify({ query, embedding: vectors[place] }),
  );
  return { size, servers: { plain, "nous-server": nous }, files, questions, bodies };
}
