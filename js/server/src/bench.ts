// `nous-server bench`: measures the server on this machine, with generated memories or with a copy
// of an agent's memory. It works in a folder of its own, and deletes the folder at the end.

import { type ChildProcess, spawn } from "node:child_process";
import {
  closeSync,
  existsSync,
  fsyncSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  rmSync,
  writeSync,
} from "node:fs";
import { cpus, tmpdir, totalmem } from "node:os";
import { dirname, join } from "node:path";
import { vectorOf } from "nous-memory";
import { sampleLines } from "../../sample/trader/lines.ts";
import { backUp } from "./backup.ts";
import { NousClient } from "./client/client.ts";
import { DEFAULT_AGENT } from "./settings/agent-names.ts";
import type { Settings } from "./settings/options.ts";
import { agentFile } from "./settings/paths.ts";
import { SqliteStorage } from "./storage/sqlite.ts";
import { importMemory } from "./transfer/import.ts";

/** The generated memory: memories, and components of their embeddings. */
const MADE = { memories: 5_000, dimensions: 384 };
/** How often each operation is measured. One more start, without snapshots, comes first. */
const TURNS = { starts: 3, questions: 100, searches: 300, writes: 100, sweeps: 5 };
/** The least bytes that a commit writes: a page. */
const PAGE = 4_096;
/** How long a server may take to start, in milliseconds: it may have a large index to build. */
const PATIENCE = 300_000;

export interface BenchOptions {
  /** The path of the server's program. */
  program: string;
  settings: Pick<Settings, "data_dir" | "durability" | "workers">;
  /** The agent whose memory is copied and measured. Default: generated memories. */
  own?: string | undefined;
  /** The YAML file of settings for the measured server. */
  config?: string | undefined;
}

/** The durations of an operation, in milliseconds. */
export interface Measured {
  what: string;
  count: number;
  median_ms: number;
  p95_ms: number;
}

export interface BenchReport {
  machine: { processor: string; cores: number; memory_mb: number; platform: string; node: string };
  memory: { nodes: number; edges: number; dimensions: number; is_own: boolean };
  durability: Settings["durability"];
  /** The folder in which the server was measured. */
  folder: string;
  measured: Measured[];
}

/** The inputs of a search. */
interface Question {
  query: string;
  embedding: number[] | undefined;
}

/**
 * Measures the server.
 *
 * @throws {StorageError} If the agent of `own` does not exist.
 */
export async function bench(options: BenchOptions): Promise<BenchReport> {
  const { data_dir, durability } = options.settings;
  // On the disk of the data, if it exists: writes depend on that disk.
  const parent = existsSync(data_dir) ? data_dir : tmpdir();
  const folder = mkdtempSync(join(parent, "bench-"));
  const running = new Set<ChildProcess>();
  const tidy = () => {
    for (const child of running) child.kill("SIGKILL");
    rmSync(folder, { recursive: true, force: true });
  };
  process.once("exit", tidy);
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => process.exit(1));
  try {
    const { questions, memory } = prepare(folder, options);
    const measured = await measure(folder, options, questions, running);
    return { machine: machine(), memory, durability, folder: parent, measured };
  } finally {
    process.off("exit", tidy);
    tidy();
  }
}

/** Creates or copies the database. Returns the searches to send, and the size of the memory. */
function prepare(
  folder: string,
  { settings, own }: BenchOptions,
): { questions: Question[]; memory: BenchReport["memory"] } {
  const file = agentFile(folder, DEFAULT_AGENT);
  mkdirSync(dirname(file));
  if (own === undefined) new SqliteStorage(file, { durability: "normal" }).close();
  else backUp(settings.data_dir, own, file);
  const storage = new SqliteStorage(file, { durability: "normal" });
  try {
    const now = Date.now();
    // A copy holds the name of the agent that it was made of.
    storage.setMeta("agent", DEFAULT_AGENT);
    if (own === undefined) importMemory(storage, madeLines(now), { conflicts: "skip", now });
    const [nodes, dimensions] = [storage.nodes.graph(), storage.embeddings.dimensions()];
    const memory = {
      nodes: nodes.length,
      edges: storage.edges.list().length,
      dimensions,
      is_own: own !== undefined,
    };
    const asked = Array.from({ length: Math.min(TURNS.questions, nodes.length) }, (_, place) => {
      const { id } = nodes[Math.floor((place * nodes.length) / TURNS.questions) % nodes.length]!;
      return id;
    });
    const rows = [...storage.nodes.indexed(asked)].flat();
    const questions = rows.map(({ content_title, embedding_vector }) => {
      const vector = vectorOf(embedding_vector, dimensions);
      return {
        query: content_title || "memory",
        embedding: vector === null ? undefined : [...vector],
      };
    });
    return { questions, memory };
  } finally {
    storage.close();
  }
}

function madeLines(now: number): string[] {
  const embedding = (place: number) => {
    const components = Float32Array.from({ length: MADE.dimensions }, (_, at) =>
      Math.sin((place + 1) * (at + 1)),
    );
    return Buffer.from(components.buffer).toString("base64");
  };
  return sampleLines(now, { memories: MADE.memories, embedding });
}

async function measure(
  folder: string,
  options: BenchOptions,
  questions: readonly Question[],
  running: Set<ChildProcess>,
): Promise<Measured[]> {
  const start = () => startServer(folder, options, running);
  const starts: number[] = [];
  for (let turn = 0; turn <= TURNS.starts; turn++) {
    const { ms, stop } = await start();
    starts.push(ms);
    await stop();
  }
  const { client, stop } = await start();
  const ask = (turn: number) => client.search(questions[turn % questions.length]!);
  for (let turn = 0; turn < questions.length; turn++) await ask(turn);
  const searches = questions.length === 0 ? [] : await timed(TURNS.searches, ask);
  const { bare, written } = await writes(folder, client);
  const sweeps = await timed(TURNS.sweeps, () => client.sweep({ force: true }));
  await stop();
  const [first, ...later] = starts;
  return [
    measuredOf("search", searches),
    measuredOf("write", written),
    measuredOf("a page and fsync, for comparison", bare),
    measuredOf("sweep", sweeps),
    measuredOf("start", later),
    measuredOf("start without snapshots", [first!]),
  ];
}

/** Measures writes of memories, and between them plain writes of a page with fsync. */
async function writes(
  folder: string,
  client: NousClient,
): Promise<{ bare: number[]; written: number[] }> {
  const page = Buffer.alloc(PAGE, 1);
  const file = openSync(join(folder, "bare"), "w");
  const [bare, written]: [number[], number[]] = [[], []];
  try {
    for (let turn = 0; turn < TURNS.writes; turn++) {
      const writePage = async () => {
        writeSync(file, page);
        fsyncSync(file);
      };
      bare.push(...(await timed(1, writePage)));
      const memory = {
        type: "note",
        content_title: `Note ${turn}`,
        content_body: "Written to measure the duration.",
      };
      written.push(...(await timed(1, () => client.createNode(memory))));
    }
  } finally {
    closeSync(file);
  }
  return { bare, written };
}

/**
 * Starts a server on that folder. Returns the time until it was ready, and how to call and stop it.
 */
async function startServer(
  folder: string,
  { program, settings: { durability, workers }, config }: BenchOptions,
  running: Set<ChildProcess>,
): Promise<{ ms: number; client: NousClient; stop: () => Promise<void> }> {
  const start = performance.now();
  const args = [
    ...[
      "serve",
      "--host",
      "127.0.0.1",
      "--port",
      "0",
      "--data-dir",
      folder,
      "--log-level",
      "error",
    ],
    ...["--durability", durability, "--workers", String(workers), "--embeddings-provider", "none"],
    ...["--decay-interval", "0", "--consolidate-interval", "0"],
    ...(config === undefined ? [] : ["--config", config]),
  ];
  const child = spawn(process.execPath, [program, ...args], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  running.add(child);
  const ended = new Promise<number | null>((resolve) => child.once("exit", resolve));
  const late = setTimeout(() => child.kill("SIGKILL"), PATIENCE);
  const baseUrl = await new Promise<string>((resolve, reject) => {
    let output = "";
    child.stdout.on("data", (text) => {
      output += text;
      const [, url] = /listens on (\S+)\n/.exec(output) ?? [];
      if (url !== undefined) resolve(url);
    });
    ended.then((code) => reject(new Error(`the server that is measured ended with ${code}`)));
  });
  clearTimeout(late);
  await fetch(`${baseUrl}/readyz`);
  const stop = async () => {
    child.kill("SIGTERM");
    await ended;
    running.delete(child);
  };
  return {
    ms: performance.now() - start,
    client: new NousClient({ baseUrl, agent: DEFAULT_AGENT }),
    stop,
  };
}

/** Runs work `turns` times. Returns the milliseconds of each run. */
async function timed(turns: number, work: (turn: number) => Promise<unknown>): Promise<number[]> {
  const taken: number[] = [];
  for (let turn = 0; turn < turns; turn++) {
    const start = performance.now();
    await work(turn);
    taken.push(performance.now() - start);
  }
  return taken;
}

function measuredOf(what: string, taken: readonly number[]): Measured {
  const sorted = [...taken].sort((a, b) => a - b);
  const at = (share: number) =>
    sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? 0;
  return { what, count: taken.length, median_ms: at(0.5), p95_ms: at(0.95) };
}

/** Returns a number with three significant digits, without decimals from 100 on. */
function shown(milliseconds: number): string {
  const digits = milliseconds < 10 ? 2 : milliseconds < 100 ? 1 : 0;
  return `${milliseconds.toFixed(digits)} ms`.padStart(10);
}

function machine(): BenchReport["machine"] {
  const [processor] = cpus();
  return {
    processor: processor?.model.trim() ?? "unknown",
    cores: cpus().length,
    memory_mb: Math.round(totalmem() / 2 ** 20),
    platform: `${process.platform} ${process.arch}`,
    node: process.versions.node,
  };
}

/** Returns the report as lines for a terminal. */
export function describeBench({
  machine,
  memory,
  durability,
  folder,
  measured,
}: BenchReport): string {
  const { processor, cores, memory_mb, platform, node } = machine;
  const vectors = memory.dimensions === 0 ? "no vectors" : `vectors of ${memory.dimensions}`;
  const head = `${"".padEnd(36)}${"median".padStart(10)}${"95 %".padStart(10)}${"times".padStart(7)}`;
  const rows = measured
    .filter(({ count }) => count > 0)
    .map(({ what, count, median_ms, p95_ms }) =>
      [what.padEnd(36), shown(median_ms), shown(p95_ms), String(count).padStart(7)].join(""),
    );
  return [
    `${processor}, ${cores} cores, ${memory_mb} MB, ${platform}, Node ${node}`,
    `${memory.is_own ? "a copy of" : "made:"} ${memory.nodes} memories, ${memory.edges} edges, ${vectors}`,
    `durability ${durability}, in ${folder}; one client over loopback`,
    "",
    head,
    ...rows,
  ].join("\n");
}
