// The measurements of the HTTP bench: two servers with the same memories, in turn, over the same
// connection.

import { DatabaseSync } from "node:sqlite";
import { BareDisk } from "./bare-disk.ts";
import { median, type Ratio, ratioOf } from "./compare.ts";
import { CONTESTANTS, type Contestant, type RunningServer } from "./http-contestants.ts";
import type { Question, Size } from "./http-inputs.ts";
import { duration, quantile, times, whole } from "./units.ts";

/** Both servers with the same memories, and the paths of their databases. */
export interface Pair {
  size: Size;
  servers: Record<Contestant, RunningServer>;
  files: Record<Contestant, string>;
  questions: readonly Question[];
  /** The body of the search request of each question. */
  bodies: readonly string[];
}

/** A row of the table: the measurement, the server, and cells. */
export type Row = readonly [
  what: string,
  contestant: string,
  median: string,
  p95: string,
  ...rest: string[],
];

/** The column titles of the table. */
export const HEAD = [
  "",
  "contestant",
  "median",
  "95 %",
  "in the server",
  "full text",
  "index",
  "ratio to nous-server",
];
/**
 * The times that a server reports itself: the columns between the 95th percentile and the ratio.
 */
const PARTS = ["inServer", "fullText", "index"] as const;
const NO_PARTS = PARTS.map(() => "");

const ids = (answer: { data: { id: string }[] }) => answer.data.map(({ id }) => id);
/** Returns the servers in the order of a turn. Each is first in half of the turns. */
const inTurn = (turn: number): readonly Contestant[] =>
  turn % 2 === 0 ? CONTESTANTS : CONTESTANTS.toReversed();

/**
 * Returns a row for each server, with the time of each as a multiple of nous-server's, paired by
 * question.
 */
function rowsOf(
  what: string,
  nanoseconds: Record<string, readonly number[]>,
  partsOf: (contestant: string) => readonly string[] = () => NO_PARTS,
): Row[] {
  const unit = nanoseconds["nous-server" satisfies Contestant]!;
  return Object.entries(nanoseconds).map(([contestant, taken]) => {
    const ratio: Ratio | undefined =
      taken === unit ? undefined : ratioOf(taken.map((it, turn) => it / unit[turn]!));
    const cells = [duration(median(taken)), duration(quantile(taken, 0.95))] as const;
    return [
      what,
      contestant,
      ...cells,
      ...partsOf(contestant),
      ratio === undefined ? "" : times(ratio),
    ];
  });
}

/**
 * Sends every question once, and checks that both servers return the same memories in the same
 * order.
 *
 * @throws {Error} At the first question with different answers.
 */
export async function checkAnswers({ servers, questions, bodies }: Pair): Promise<void> {
  for (const [place, body] of bodies.entries()) {
    const [plain, nous] = [
      await servers.plain.ask("POST /search", body),
      await servers["nous-server"].ask("POST /search", body),
    ];
    const [expected, found] = [ids(plain.body).join(" "), ids(nous.body).join(" ")];
    if (expected === found) continue;
    throw new Error(
      `“${questions[place]!.query}” has two answers:\nplain        ${expected}\nnous-server  ${found}`,
    );
  }
}

/** Sends every question `times` times, to warm up both servers. */
export async function warmUp({ servers, bodies }: Pair, times: number): Promise<void> {
  for (let time = 0; time < times; time++) {
    for (const body of bodies) {
      for (const contestant of CONTESTANTS) await servers[contestant].ask("POST /search", body);
    }
  }
}

const MS = 1e6;

/** Nanoseconds of a search: measured by the client, and the parts that the server reports. */
type Searched = Record<(typeof PARTS)[number] | "nanoseconds", number> & Pick<Question, "kind">;

/**
 * Questions in a row for one server before the other's turn: a server alone on the machine keeps
 * its data in the caches.
 */
export const IN_A_ROW = 20;

/** Measures searches, one after the other: all of them, and each kind alone. */
export async function searches(pair: Pair, name: string): Promise<Row[]> {
  const taken = byContestant(() => [] as Searched[]);
  for (let first = 0; first < pair.bodies.length; first += IN_A_ROW) {
    for (const contestant of inTurn(first / IN_A_ROW)) {
      for (let turn = first; turn < Math.min(first + IN_A_ROW, pair.bodies.length); turn++) {
        const { nanoseconds, body: answer } = await pair.servers[contestant].ask(
          "POST /search",
          pair.bodies[turn]!,
        );
        // A search by evidence has no step of full text, and no server but an older one a last step.
        const { total_ms, hybrid_seeding_ms = 0, spreading_ms, reranking_ms = 0 } = answer.metrics;
        const [fullText, index] = [hybrid_seeding_ms * MS, (spreading_ms + reranking_ms) * MS];
        const { kind } = pair.questions[turn]!;
        taken[contestant].push({ kind, nanoseconds, inServer: total_ms * MS, fullText, index });
      }
    }
  }
  const kinds = ["keywords", "sentence"] as const;
  return [undefined, ...kinds].flatMap((kind) => {
    const of = (contestant: Contestant) =>
      taken[contestant].filter((it) => kind === undefined || it.kind === kind);
    const parts = (contestant: string) =>
      PARTS.map((part) => duration(median(of(contestant as Contestant).map((it) => it[part]))));
    const nanoseconds = byContestant((contestant) => of(contestant).map((it) => it.nanoseconds));
    return rowsOf(kind === undefined ? name : `${name}, ${kind} alone`, nanoseconds, parts);
  });
}

function byContestant<T>(make: (contestant: Contestant) => T): Record<Contestant, T> {
  return Object.fromEntries(
    CONTESTANTS.map((contestant) => [contestant, make(contestant)]),
  ) as Record<Contestant, T>;
}

const CLIENTS = 8;

/** Measures searches a second of several clients. Each sends its next request after its answer. */
export async function searchesASecond(
  pair: Pair,
  name: string,
  rounds: number,
  seconds: number,
): Promise<Row[]> {
  const rates = byContestant(() => [] as number[]);
  for (let round = 0; round < rounds; round++) {
    for (const contestant of inTurn(round))
      rates[contestant].push(await rate(pair, contestant, seconds));
  }
  return CONTESTANTS.map((contestant) => {
    const unit = rates["nous-server"];
    const ratio = ratioOf(rates[contestant].map((it, round) => unit[round]! / it));
    return [
      `${name}, ${CLIENTS} clients`,
      contestant,
      `${whole(median(rates[contestant]))} a second`,
      "",
      ...NO_PARTS,
      contestant === "nous-server" ? "" : times(ratio),
    ];
  });
}

async function rate(
  { servers, bodies }: Pair,
  contestant: Contestant,
  seconds: number,
): Promise<number> {
  let [next, answered] = [0, 0];
  const start = performance.now();
  const isOver = () => performance.now() - start > seconds * 1000;
  const client = async () => {
    while (!isOver()) {
      await servers[contestant].ask("POST /search", bodies[next++ % bodies.length]);
      answered += 1;
    }
  };
  await Promise.all(Array.from({ length: CLIENTS }, client));
  return (answered / (performance.now() - start)) * 1000;
}

/** Milliseconds after which both servers have flushed the accesses of searches. */
const FLUSHED = 1_500;
const wait = (milliseconds: number) => new Promise((resolve) => setTimeout(resolve, milliseconds));
/** A condition that no memory of the load meets, because all are older than a day. */
const STALE =
  "UPDATE nodes SET neural_retrievability = 1, state_lifecycle = 'ACTIVE', neural_last_accessed = NULL";
/** How long searches are measured after a sweep, in milliseconds: until its changes are written. */
const WATCHED = 2_000;

/**
 * Measures sweeps in which everything changes or nothing does, and the longest wait of a search
 * during the first kind.
 */
export async function sweeps(pair: Pair, name: string, rounds: number): Promise<Row[]> {
  const [everything, nothing, longest] = [0, 0, 0].map(() => byContestant(() => [] as number[]));
  for (let round = 0; round < rounds; round++) {
    await wait(FLUSHED);
    const processed = byContestant(() => 0);
    for (const contestant of inTurn(round)) {
      makeStale(pair.files[contestant]);
      const server = pair.servers[contestant];
      // The server reads other processes' writes before the next answer.
      await server.ask("GET /health");
      const first = await server.ask("POST /decay", { force: true });
      const second = await server.ask("POST /decay", { force: true });
      everything![contestant].push(first.nanoseconds);
      nothing![contestant].push(second.nanoseconds);
      processed[contestant] = first.body.processed;
      longest![contestant].push(await longestSearch(pair, contestant));
    }
    if (processed.plain !== processed["nous-server"])
      throw new Error(`sweeps differ: ${JSON.stringify(processed)}`);
  }
  return [
    ...rowsOf(`${name}, everything changes`, everything!),
    ...rowsOf(`${name}, nothing changes`, nothing!),
    ...rowsOf(
      `longest search in the ${WATCHED / 1000} s after a ${name}, everything changed`,
      longest!,
    ),
  ];
}

function makeStale(file: string): void {
  const db = new DatabaseSync(file);
  db.exec("PRAGMA busy_timeout = 5000");
  db.exec(STALE);
  db.close();
}

async function longestSearch({ servers, bodies }: Pair, contestant: Contestant): Promise<number> {
  const end = performance.now() + WATCHED;
  let [turn, longest] = [0, 0];
  while (performance.now() < end) {
    const { nanoseconds } = await servers[contestant].ask(
      "POST /search",
      bodies[turn++ % bodies.length],
    );
    longest = Math.max(longest, nanoseconds);
  }
  return longest;
}

/** Measures durable writes, and the disk's own time for a sync, in the same turns as searches. */
export async function writes(
  pair: Pair,
  name: string,
  folder: string,
  count: number,
): Promise<Row[]> {
  const disk = new BareDisk(folder);
  const taken: Record<string, number[]> = {
    "write of a page and fsync": [],
    ...byContestant(() => []),
  };
  // The first `count` writes are a warm-up, and are not measured.
  for (let first = -count; first < count; first += IN_A_ROW) {
    const turns = Array.from(
      { length: Math.min(IN_A_ROW, count - first) },
      (_, place) => first + place,
    );
    for (const turn of turns) {
      const nanoseconds = disk.write();
      if (turn >= 0) taken["write of a page and fsync"]!.push(nanoseconds);
    }
    for (const contestant of inTurn(first / IN_A_ROW)) {
      for (const turn of turns) {
        const { nanoseconds } = await pair.servers[contestant].ask(
          "POST /nodes",
          memoryOf(pair, turn),
        );
        if (turn >= 0) taken[contestant]!.push(nanoseconds);
      }
    }
  }
  disk.close();
  return rowsOf(name, taken);
}

const memoryOf = ({ questions }: Pair, turn: number) => ({
  type: "note",
  content_title: `note ${turn}`,
  content_body: questions.at(turn % questions.length)!.query,
});
