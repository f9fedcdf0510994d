// `npm run bench -- --postgres`: measures nous-server with its memories in PostgreSQL beside the
// same server on SQLite files, and beside the plain server: searches, durable writes, the opening
// of an agent, several servers, and the memory of many agents. PostgreSQL runs on the same machine,
// with fsync. Prints the tables, and writes them to benches/results/ and docs/scaling.md. `--small`
// runs everything on small memories as a test, and writes nothing.

import { execFileSync, spawn } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { loadavg, tmpdir } from "node:os";
import { join } from "node:path";
import { Command } from "commander";
import { type Postgres, query, startPostgres } from "../../tests/server/support/postgres.ts";
import { table, today, writeInto, writeResults } from "../results.ts";
import { makeTextMemories, makeTextQuestions, vocabularyOf } from "./evidence-inputs.ts";
import { listening, NOUS, RunningServer, startContestant } from "./http-contestants.ts";
import { fillDatabase, makeQuestionVectors, type Size, textRowOf } from "./http-inputs.ts";
import { tableOf } from "./token-tables.ts";
import { duration, quantile, whole } from "./units.ts";

const options = new Command("bench --postgres")
  .option("--small", "small memories and few turns, to see that everything works")
  .option("--memories <counts>", "the sizes of the memories, such as 10000,100000")
  .option("--no-write", "leave benches/results/ and docs/ alone")
  .parse()
  .opts<{ small?: boolean; memories?: string; write: boolean }>();

const { questions, rounds, writes, openings, seconds, agents, ...byDefault } = options.small
  ? { sizes: [300], questions: 20, rounds: 1, writes: 20, openings: 2, seconds: 1, agents: 20 }
  : {
      ...{ sizes: [10_000, 100_000], questions: 300, rounds: 2, writes: 300 },
      ...{ openings: 5, seconds: 8, agents: 2_000 },
    };

const sizes = options.memories?.split(",").map(Number) ?? byDefault.sizes;

/** The servers with an engine. */
const WAYS = ["SQLite", "PostgreSQL"] as const;
type Way = (typeof WAYS)[number];
/** All servers that are measured. */
const ALL = ["plain", ...WAYS] as const;
type Server = (typeof ALL)[number];
/** The agent that is measured. The server does not open it at its start. */
const AGENT = "measured";
/** Requests in a row for one server before the other's turn. */
const IN_A_ROW = 20;
/** Clients that search at once, and the agents that they search. */
const CLIENTS = 12;

/** Components of a vector. */
const DIMENSIONS = 128;
/** Memories in a request while a memory is filled. */
const IN_A_BATCH = 100;
/** The memories of each of the agents that several servers search. */
const SHARED = { agents: 12, memories: 2_000 };

const HOW = `\`npm run bench -- --postgres\`: the client, the servers and PostgreSQL are processes of one
machine, which talk over loopback on connections that stay open. PostgreSQL has its default
settings: a commit waits for the disk. Servers have default settings: they rank by evidence, and
make vectors of ${DIMENSIONS} components. *Plain* is the server without the engine of \`npm run bench
-- --http\`, on an SQLite file of its own: it ranks by signals, its full text is that of the
database, and vectors of ${DIMENSIONS} components come with memories and questions. Memories have 40
English words by Zipf's law. All ${questions} questions are asked once before anything is measured,
and then ${rounds} times, ${IN_A_ROW} in a row to one server and the same ${IN_A_ROW} to the others.
A time is from the first byte sent to the last that came; in brackets it is divided by that of
SQLite. *Opening*: the first search of an agent after the start of a server, the median of
${openings} with a snapshot, and the first one without.
*Several servers*: ${CLIENTS} clients search ${SHARED.agents} agents of ${whole(SHARED.memories)}
memories for ${seconds} seconds; client k sends its requests to server k modulo their number.
*Many agents*: each of ${whole(agents)} agents stores one memory and searches once, by two servers
with \`--max-resident-mb 64\`; then the resident memory of the process is read. The machine's load
over the last minute was`;
const HEAD = ["", "plain, 50 %", "95 %", "SQLite, 50 %", "95 %", "PostgreSQL, 50 %", "95 %"];
const HEAD_OF_MANY = ["", "SQLite", "PostgreSQL"];

const folder = mkdtempSync(join(tmpdir(), "nous-bench-"));
const vocabulary = vocabularyOf(tableOf(128));
const postgres: Postgres = await startPostgres({ isDurable: true });
try {
  const load = loadavg()[0]!.toFixed(1);
  const rows: string[][] = [];
  for (const memories of sizes) {
    const measured = await measure(memories);
    console.log(table(HEAD, measured));
    rows.push(...measured);
  }
  const many = [...(await severalServers()), ...(await manyAgents())];
  const text = `${table(HEAD, rows)}\n\n${table(HEAD_OF_MANY, many)}`;
  console.log(text);
  if (options.write && !options.small) {
    const path = writeResults("postgres", "Bench of PostgreSQL", `${HOW} ${load}.\n\n${text}`);
    writeInto(
      "docs/scaling.md",
      "figures of PostgreSQL",
      `${text}\n\nMeasured on ${today()}, at a load of ${load}.`,
    );
    console.log(`\nwritten to ${path}, and to docs/scaling.md`);
  }
} finally {
  await postgres.stop();
  rmSync(folder, { recursive: true, force: true });
}

/** Starts a server with quiet logs. `place` says where its memories are. */
async function serve(place: readonly string[], more: readonly string[] = []) {
  const quiet = ["--port", "0", "--log-level", "error", "--decay-interval", "0"];
  const args = [NOUS, "serve", ...quiet, ...place, ...more];
  const child = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "inherit"] });
  return new RunningServer(child, await listening(child));
}

function onFiles(name: string): string[] {
  return ["--data-dir", join(folder, name)];
}

/** The data folder is that of keys alone. */
function onPostgres(url: string, name: string): string[] {
  return [...onFiles(name), "--database-url", url];
}

async function fill(server: RunningServer, agent: string, count: number, seed = 0): Promise<void> {
  const items = makeTextMemories(vocabulary, count + seed)
    .slice(seed)
    .map(({ title, text }) => ({ type: "note", content_title: title, content_body: text }));
  for (let from = 0; from < count; from += IN_A_BATCH)
    await server.ask("POST /nodes/batch", { items: items.slice(from, from + IN_A_BATCH) }, agent);
}

function removeSnapshots(agents: string): void {
  for (const name of readdirSync(agents)) if (name.endsWith(".index")) rmSync(join(agents, name));
}

function move(from: string, to: string): void {
  execFileSync(process.execPath, [NOUS, "move", "--from", join(folder, from), "--to", to]);
}

async function measure(count: number): Promise<string[][]> {
  const name = `of ${count}`;
  const filling = await serve(onFiles(name));
  await fill(filling, AGENT, count);
  await filling.stop();
  const url = await postgres.create();
  const began = performance.now();
  move(name, url);
  console.log(
    `moved ${whole(count)} memories in ${((performance.now() - began) / 1000).toFixed(1)} s`,
  );
  const places = { SQLite: onFiles(name), PostgreSQL: onPostgres(url, `${name} keys`) };
  // A move copies no snapshot. A server writes one when it stops.
  removeSnapshots(join(folder, name, "agents"));
  const anew = await openingsOf(places, 1);
  const opened = await openingsOf(places, openings);
  const servers = {
    plain: await servePlain(count),
    SQLite: await serve(places.SQLite),
    PostgreSQL: await serve(places.PostgreSQL),
  };
  const vectors = makeQuestionVectors(Math.max(questions, writes), sizeOf(count));
  const ask = (way: Server, call: string, body: object, place: number) => {
    const own = way === "plain" ? { embedding: vectors[place % vectors.length] } : {};
    return servers[way].ask(call, { ...body, ...own }, AGENT);
  };
  try {
    const asked = makeTextQuestions(vocabulary, questions);
    const again = Array.from({ length: rounds }, () => asked).flat();
    for (const way of ALL)
      for (const [place, query] of asked.entries())
        await ask(way, "POST /search", { query }, place);
    const found = await inTurns(again, (way, query, place) =>
      ask(way, "POST /search", { query }, place),
    );
    const fresh = makeTextMemories(vocabulary, count + writes).slice(count);
    const written = await inTurns(fresh, (way, { title, text }, place) =>
      ask(way, "POST /nodes", { type: "note", content_title: title, content_body: text }, place),
    );
    const of = `${whole(count)} memories`;
    return [
      lineOf(`search, ${of}`, found),
      lineOf(`durable write, ${of}`, written),
      lineOf(`opening with a snapshot, ${of}`, opened),
      lineOf(`first opening, without a snapshot, ${of}`, anew),
    ];
  } finally {
    for (const way of ALL) await servers[way].stop();
  }
}

function sizeOf(memories: number): Size {
  return { memories, dimensions: DIMENSIONS, edges: 0 };
}

/** Starts the plain server on the same memories. */
function servePlain(count: number): Promise<RunningServer> {
  const file = join(folder, `plain of ${count}.db`);
  const memories = makeTextMemories(vocabulary, count);
  const now = Date.now();
  fillDatabase(file, sizeOf(count), now, (place) => textRowOf(memories[place]!, now));
  return startContestant("plain", folder, file);
}

/** Measures the first search of an agent after a start of its server. */
async function openingsOf(
  places: Readonly<Record<Way, readonly string[]>>,
  turns: number,
): Promise<Record<Way, number[]>> {
  const taken: Record<Way, number[]> = { SQLite: [], PostgreSQL: [] };
  for (let turn = 0; turn < turns; turn++) {
    for (const way of inTurn(WAYS, turn)) {
      const server = await serve(places[way]);
      // The first search of all compiles code.
      await server.ask("POST /search", { query: "where is the key" });
      const query = "which words are there";
      taken[way].push((await server.ask("POST /search", { query }, AGENT)).nanoseconds);
      await server.stop();
    }
  }
  return taken;
}

/** Sends requests to all servers in turns. Returns the nanoseconds of each. */
async function inTurns<T>(
  requests: readonly T[],
  send: (way: Server, request: T, place: number) => Promise<{ nanoseconds: number }>,
): Promise<Record<Server, number[]>> {
  const taken: Record<Server, number[]> = { plain: [], SQLite: [], PostgreSQL: [] };
  for (let first = 0; first < requests.length; first += IN_A_ROW)
    for (const way of inTurn(ALL, first / IN_A_ROW))
      for (const [place, request] of requests.slice(first, first + IN_A_ROW).entries())
        taken[way].push((await send(way, request, first + place)).nanoseconds);
  return taken;
}

/** Searches a second of one server, and of three. Files have one server. */
async function severalServers(): Promise<string[][]> {
  const names = Array.from({ length: SHARED.agents }, (_, place) => `agent ${place}`);
  const count = options.small ? 50 : SHARED.memories;
  const filling = await serve(onFiles("shared"));
  for (const [place, name] of names.entries()) await fill(filling, name, count, place);
  await filling.stop();
  const url = await postgres.create();
  move("shared", url);
  const memories = count * names.length;
  const resident: number[] = [];
  const rates: string[] = [];
  for (const places of [
    [onFiles("shared")],
    [onPostgres(url, "keys 1")],
    ["keys 1", "keys 2", "keys 3"].map((keys) => onPostgres(url, keys)),
  ]) {
    const servers = await Promise.all(places.map((place) => serve(place)));
    for (const server of servers)
      for (const name of names) await server.ask("POST /search", { query: "warm up" }, name);
    rates.push(`${whole(Math.round(await searchesASecond(servers, names)))} a second`);
    resident.push(await residentBytes(servers[0]!));
    for (const server of servers) await server.stop();
  }
  // The servers have written snapshots when they stopped.
  const [size] = await query(url, "SELECT pg_database_size(current_database())::float8 AS bytes");
  return [
    ["searches, one server", rates[0]!, rates[1]!],
    ["searches, three servers", "", rates[2]!],
    [
      `memory of a server for each of ${whole(memories)} resident memories`,
      ...resident.slice(0, 2).map((bytes) => kilobytes(bytes / memories)),
    ],
    [
      "storage of PostgreSQL for each of them, with snapshots",
      "",
      kilobytes(Number(size!.bytes) / memories),
    ],
  ];
}

function kilobytes(bytes: number): string {
  return `${(bytes / 1024).toFixed(1)} KB`;
}

/** Returns the bytes of all open agents, as the server counts them. */
async function residentBytes({ url }: RunningServer): Promise<number> {
  const metrics = await (await fetch(new URL("/metrics", url))).text();
  return Number(/^nous_resident_bytes (\S+)$/m.exec(metrics)![1]);
}

async function searchesASecond(
  servers: readonly RunningServer[],
  names: readonly string[],
): Promise<number> {
  const asked = makeTextQuestions(vocabulary, questions);
  const end = performance.now() + seconds * 1000;
  let done = 0;
  const client = async (place: number) => {
    const server = servers[place % servers.length]!;
    for (let turn = place; performance.now() < end; turn++) {
      await server.ask("POST /search", { query: asked[turn % asked.length]! }, names[place]);
      done += 1;
    }
  };
  await Promise.all(Array.from({ length: CLIENTS }, (_, place) => client(place)));
  return done / seconds;
}

/** The resident memory of a server after many agents, each asked once. */
async function manyAgents(): Promise<string[][]> {
  const url = await postgres.create();
  const resident: string[] = [];
  const each: string[] = [];
  for (const place of [onFiles("many"), onPostgres(url, "many keys")]) {
    const server = await serve(place, ["--max-resident-mb", "64"]);
    const taken: number[] = [];
    for (let agent = 0; agent < agents; agent++) {
      const began = performance.now();
      const memory = { type: "note", content_title: `The key of ${agent} is under the mat` };
      await server.ask("POST /nodes", memory, `agent ${agent}`);
      await server.ask("POST /search", { query: "where is the key" }, `agent ${agent}`);
      taken.push((performance.now() - began) * 1e6);
    }
    const status = readFileSync(`/proc/${server.child.pid}/status`, "utf8");
    resident.push(`${whole(Math.round(Number(/VmRSS:\s+(\d+)/.exec(status)![1]) / 1024))} MB`);
    each.push(duration(quantile(taken, 0.5)));
    await server.stop();
  }
  return [
    [`resident memory after ${whole(agents)} agents in turn`, ...resident],
    ["a new agent: its first memory and search, 50 %", ...each],
  ];
}

/** Returns servers in the order of a turn. Each is first equally often. */
function inTurn<T>(servers: readonly T[], turn: number): readonly T[] {
  const first = turn % servers.length;
  return [...servers.slice(first), ...servers.slice(0, first)];
}

/** Returns a row of the table. */
function lineOf(
  name: string,
  taken: Readonly<Record<Way, readonly number[]> & { plain?: readonly number[] }>,
): string[] {
  const cells = ALL.flatMap((way) =>
    [0.5, 0.95].map((share) => {
      const times = taken[way];
      if (times === undefined) return "";
      const time = quantile(times, share);
      const ratio = (time / quantile(taken.SQLite, share)).toFixed(2);
      return `${duration(time)}${way === "SQLite" ? "" : ` (${ratio}×)`}`;
    }),
  );
  return [name, ...cells];
}
