// Hours of use in short: three agents write, search, recall, sweep and consolidate, and memory,
// files and times stay bounded.
//
// SOAK_MINUTES is the duration; `npm run long -- soak` runs for an hour, without pauses. In runs of
// a few minutes, beside other tests, the agents are idle half of the time.

import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { UsageTracker } from "nous-wasm";
import { expect } from "vitest";
import { Agent } from "../../js/server/src/agent/agent.ts";
import { MAX_CHANGES } from "../../js/server/src/agent/replica/follower.ts";
import { SqliteStorage } from "../../js/server/src/storage/sqlite.ts";
import { amount, SEED } from "../support/amount.ts";
import { testInFull } from "../support/full.ts";
import { startProvider } from "./support/embedding-provider.ts";
import { raw } from "./support/existing-database.ts";
import { databaseOptions, isOnPostgres, testOnFiles } from "./support/on-postgres.ts";
import {
  COLLECTING,
  filesOf,
  gaugeOf,
  type Rows,
  rowsOf,
  usedBy,
} from "./support/process-usage.ts";
import { PROGRAM, type Running, start } from "./support/server-process.ts";
import { type Client, clientOf } from "./support/shared-server.ts";
import { type Asked, Life, MEMORIES, median, quantile, slopeOf } from "./support/soak-workload.ts";
import { temporaryFolder } from "./support/temporary-folder.ts";

const MINUTES = Number(process.env.SOAK_MINUTES ?? amount(isOnPostgres ? 0.5 : 1, 0.2));
const LENGTH = MINUTES * 60_000;
const SAMPLES = 120;
const AGENTS = ["one", "two", "three"].slice(0, amount(3, 1));
/** Measurements of the first tenth are ignored: caches are still filling. */
const SETTLED = LENGTH / 10;
const MB = 2 ** 20;
/** Maximum growth of the resident size afterwards. */
const MAX_GROWTH = 0.15;
/**
 * Minutes until the resident size settles: growth in shorter runs means nothing, and only the total
 * is bounded.
 */
const FINDS_ITS_SIZE = 10;
/** Maximum resident megabytes; after an hour it has about 260. */
const MAX_RESIDENT = 350;
/** Maximum megabytes of a write-ahead log, which is checkpointed at four. */
const MAX_WAL = 16;

/** One measurement of the server. */
interface Sample {
  /** Milliseconds from the beginning. */
  at: number;
  /** Bytes. */
  resident: number;
  files: number;
  turns: number;
  /** Bytes of the largest one. */
  wal: number;
  /** Of each agent. */
  rows: Rows[];
}

async function sample(server: Running, clients: readonly Client[], at: number): Promise<Sample> {
  const turns = await gaugeOf(server, "nous_queue_length");
  return {
    at,
    ...usedBy(server),
    turns,
    wal: filesOf(server)["db-wal"]?.largest ?? 0,
    rows: await Promise.all(clients.map(rowsOf)),
  };
}

/** Measures it at intervals until the end. */
async function watch(
  server: Running,
  clients: readonly Client[],
  begun: number,
  end: number,
): Promise<Sample[]> {
  const samples: Sample[] = [];
  while (performance.now() < end) {
    samples.push(await sample(server, clients, performance.now() - begun));
    await setTimeout(LENGTH / SAMPLES);
  }
  return samples;
}

/** The measurements after the first tenth in three parts: beginning, middle and end. */
function thirds<T extends { at: number }>(all: readonly T[]): T[][] {
  const third = (LENGTH - SETTLED) / 3;
  return [0, 1, 2].map((place) =>
    all.filter(({ at }) => at >= SETTLED + place * third && at < SETTLED + (place + 1) * third),
  );
}

/** The results, as printed figures. */
function figuresOf(samples: readonly Sample[], asked: readonly Asked[]) {
  const settled = samples.filter(({ at }) => at >= SETTLED);
  const max = (figure: (sample: Sample) => number) => Math.max(...settled.map(figure));
  const maxRows = (table: keyof Rows) =>
    max(({ rows }) => Math.max(...rows.map((one) => one[table])));
  const waiting = ({ rows }: Sample) => rows.reduce((sum, one) => sum + one.embedding_queue, 0);
  const inMb = (bytes: number) => Math.round((bytes * 10) / MB) / 10;
  const slope = slopeOf(settled.map(({ at, resident }) => ({ at, value: resident })));
  return {
    steps: asked.length,
    /** The median of its resident size, and its growth from the first tenth to the end. */
    resident_mb: inMb(median(settled.map(({ resident }) => resident))),
    most_resident_mb: inMb(max(({ resident }) => resident)),
    growth_mb: inMb(slope * (LENGTH - SETTLED)),
    open_files: thirds(settled).map((part) => median(part.map(({ files }) => files))),
    p95_ms: thirds(asked).map((part) =>
      Math.round(
        quantile(
          part.map(({ ms }) => ms),
          0.95,
        ),
      ),
    ),
    turns: thirds(settled).map((part) => median(part.map(({ turns }) => turns))),
    waiting: thirds(settled).map((part) => median(part.map(waiting))),
    wal_mb: inMb(max(({ wal }) => wal)),
    change_log: maxRows("change_log"),
    memory_usage: maxRows("memory_usage"),
    nodes: maxRows("nodes"),
  };
}

testInFull.runIf(process.platform === "linux")(
  `everything on ${AGENTS.length} agents: nothing grows in ${MINUTES} min`,
  { timeout: LENGTH + 300_000 },
  async () => {
    const provider = await startProvider(32);
    const intervals = ["--agent-idle", "1", "--decay-interval", "5", "--consolidate-interval", "7"];
    const embeddings = [
      "--embeddings-provider",
      "openai-compatible",
      "--embeddings-base-url",
      provider.url,
    ];
    const options = [...intervals, ...embeddings, "--log-level", "warn"];
    const server = await start(temporaryFolder(), options, "test", {
      node: ["--import", COLLECTING],
    });
    const clients = AGENTS.map((name) => clientOf(server, name));
    const lives = clients.map((client, place) => new Life(client, SEED + place));
    await Promise.all(lives.map((life) => life.begin()));
    const waiting = async () =>
      (await Promise.all(clients.map(rowsOf))).map(({ embedding_queue }) => embedding_queue);
    await expect.poll(waiting, { timeout: 120_000, interval: 250 }).toEqual(AGENTS.map(() => 0));

    const begun = performance.now();
    const end = begun + LENGTH;
    const [samples] = await Promise.all([
      watch(server, clients, begun, end),
      ...lives.map((life) => life.go(begun, end, MINUTES < FINDS_ITS_SIZE)),
    ]);
    const figures = figuresOf(
      samples,
      lives.flatMap(({ asked }) => asked),
    );
    console.log(JSON.stringify(figures, null, 1));

    expect(lives.flatMap(({ failures }) => failures)).toEqual([]);
    expect(server.log()).not.toContain('"level":"error"');
    expect(figures.most_resident_mb).toBeLessThan(MAX_RESIDENT);
    if (MINUTES >= FINDS_ITS_SIZE) {
      expect(figures.growth_mb).toBeLessThan(figures.resident_mb * MAX_GROWTH);
      // Other programs of the machine use varying shares of it, and in a short run other suites do.
      const [first, ...later] = figures.p95_ms as [number, ...number[]];
      expect(Math.max(...later)).toBeLessThan(4 * first + 250);
    }
    const { open_files: files, turns, waiting: queued } = figures;
    expect(Math.max(...files)).toBeLessThan(files[0]! + 20);
    // In seconds one pause of the machine is a third of the run.
    if (MINUTES >= 0.5) expect(Math.max(...turns)).toBeLessThanOrEqual(turns[0]! + AGENTS.length);
    expect(Math.max(...queued)).toBeLessThanOrEqual(queued[0]! + 100);
    expect(figures.wal_mb).toBeLessThan(MAX_WAL);
    expect(figures.change_log).toBeLessThanOrEqual(MAX_CHANGES);
    expect(figures.memory_usage).toBeLessThanOrEqual(new UsageTracker().save().max_records);
    expect(figures.nodes).toBeLessThan(MEMORIES + 100);

    expect(await server.end()).toBe(0);
    // One for each agent that is large enough, and no temporary files.
    const { db, index, "db-wal": wal, "db-shm": _, ...others } = filesOf(server);
    const kept = { db: db?.count, index: index?.count, wal: wal?.largest ?? 0, others };
    if (isOnPostgres) expect(filesOf(server)).toEqual({});
    else expect(kept).toEqual({ db: AGENTS.length + 1, index: AGENTS.length, wal: 0, others: {} });
    const { dataDir } = server;
    const checking = ["check", "--data-dir", dataDir, ...(await databaseOptions(dataDir))];
    const check = spawnSync(process.execPath, [PROGRAM, ...checking], { encoding: "utf8" });
    expect(check).toMatchObject({ status: 0 });
  },
);

testOnFiles(
  "the change log is truncated, however much another program writes",
  {
    timeout: 120_000,
  },
  () => {
    const file = join(temporaryFolder(), "a.db");
    const agent = new Agent(new SqliteStorage(file, { durability: "normal" }));
    agent.open();
    const other = raw(file);
    const add = other.prepare(
      "INSERT INTO nodes (id, type, content_title) VALUES (?, 'note', 'Gold')",
    );
    for (let place = 0; place < 1_000; place++) add.run(`n_${place}`);
    const changes = () =>
      (other.prepare("SELECT count(*) AS count FROM change_log").get() as { count: number }).count;
    while (changes() <= MAX_CHANGES)
      other.exec("UPDATE nodes SET neural_access_count = neural_access_count + 1");
    agent.write(() => {});
    expect(changes()).toBeLessThanOrEqual(MAX_CHANGES);
    expect(agent.read(() => agent.texts.search(["gold"]))).not.toEqual([]);
  },
);
