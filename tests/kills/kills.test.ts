// An acknowledged write survives any end of the server: SIGKILL at random moments and at named
// steps, again and again on the same data. KILLS is the minimum number of kills; `npm run long --
// kills` does thousands.

import { spawn } from "node:child_process";
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, expect, test } from "vitest";
import { Agent } from "../../js/server/src/agent/agent.ts";
import { backUp, restore } from "../../js/server/src/backup.ts";
import { checkAll } from "../../js/server/src/check.ts";
import { agentFile, snapshotsOf } from "../../js/server/src/settings/paths.ts";
import { copiesOf } from "../../js/server/src/storage/files.ts";
import { SqliteStorage } from "../../js/server/src/storage/sqlite.ts";
import { heldBy, Ledger, nodeKey } from "../server/support/acknowledged-writes.ts";
import { execute, makeExisting, rowsIn } from "../server/support/existing-database.ts";
import {
  Ended,
  PROGRAM,
  type Running,
  type Surroundings,
  start,
} from "../server/support/server-process.ts";
import { clientOf, LESSON } from "../server/support/shared-server.ts";
import { temporaryFolder } from "../server/support/temporary-folder.ts";
import { learned, tradeInFile } from "../server/support/trades.ts";
import { amount, SEED, some } from "../support/amount.ts";
import { Writer } from "./support/writer.ts";

const WANTED = Number(process.env.KILLS ?? amount(100, 20));
const LANES = 2;
const CLIENTS = 3;
/** Rounds on one folder, before the next one begins with a new folder. */
const ROUNDS = 50;
/** Memories that an index needs before it is kept in a file. */
const KEPT_NODES = 1_000;
const MAX_OF_BATCH = 100;
/** Every step is reached long before this number of answers. */
const MAX_ANSWERS = 2_000;

const figures = { kills: 0, starting: 0, acknowledged: 0, checks: 0 };
afterAll(() => console.log(`kills: ${JSON.stringify(figures)}`));

const DIE_AT = fileURLToPath(new URL("support/die-at.mjs", import.meta.url));
/** The environment in which a process dies at a step; see support/die-at.mjs. */
const dyingAt = (at: string, nth = 1) => ({
  node: ["--import", DIE_AT],
  env: { DIE_AT: at, DIE_NTH: String(nth) },
});

/** Runs the program to its end, in its own environment; returns its output and its exit. */
function run(args: readonly string[], { node = [], env = {} }: Surroundings = {}) {
  const child = spawn(process.execPath, [...node, PROGRAM, ...args], {
    env: { ...process.env, ...env },
  });
  let output = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream.on("data", (text) => {
      output += text;
    });
  }
  return new Promise<{ ended: number | NodeJS.Signals | null; output: string }>((resolve) => {
    child.once("close", (code, signal) => resolve({ ended: code ?? signal, output }));
  });
}

/** Runs the check of `nous-server check`, whose exit code the last check of each folder uses. */
async function check(folder: string): Promise<void> {
  const problems = [
    ...checkAll({ dataDir: folder, durability: "full", postgres: undefined }, {}),
  ].flatMap(({ problems }) => problems);
  expect(problems).toEqual([]);
  figures.checks += 1;
}

/** More frequent checks would slow down the server. */
const moment = () => new Promise((resolve) => setTimeout(resolve, 5));

// ---- under load ---------------------------------------------------------------------------------

/** How a round ends. */
interface Ending {
  /** The step at which it dies; without one, it dies at a random moment. */
  at?: string;
  nth?: number;
  /** Whether the step belongs to stopping. */
  isStop?: boolean;
}

const RANDOM: Ending = {};
/** The endings of the rounds, in turn; steps of a commit come up repeatedly. */
const ENDINGS: readonly Ending[] = [
  RANDOM,
  { at: "^before exec COMMIT$" },
  { at: "^after exec COMMIT$" },
  RANDOM,
  { at: "^after upsert index$" },
  { at: "^before answer$" },
  RANDOM,
  { at: "^before exec VACUUM$", nth: 1 },
  { at: "^before exec COMMIT$" },
  { at: "^before writeSync .*\\.index\\.tmp$", nth: 2, isStop: true },
  // Each purge has a thread of its own, and each thread counts for itself.
  { at: "^after exec VACUUM$", nth: 1 },
  RANDOM,
  { at: "^before remove index$" },
  { at: "^before renameSync .*\\.index$", nth: 1, isStop: true },
  { at: "^after exec PRAGMA wal_checkpoint", nth: 1 },
  { at: "^before answer$" },
  { at: "^after upsert index$" },
  { at: "^after renameSync .*\\.index$", nth: 1, isStop: true },
  { at: "^after exec COMMIT$" },
  { at: "^before exec PRAGMA wal_checkpoint", nth: 1 },
];
/**
 * Answers of a round before it ends, and the number of times that a step of a commit is passed:
 * from the first to a late one.
 */
const someOf = (round: number): number => 1 + ((round * 17) % 30);

/** One folder, its memory, and the acknowledgements of its clients, through many rounds. */
class Lane {
  readonly #name: string;
  readonly #isLarge: boolean;
  readonly #endings: readonly Ending[];
  readonly #folder = temporaryFolder({ onDisk: true });
  readonly #ledger = new Ledger();
  #cluster = "";
  /** Words of purged memories, which no file may contain afterwards. */
  readonly #purged: string[] = [];

  /**
   * A large memory's index is kept in a file; with a small one there are more rounds in the same
   * time.
   */
  constructor(name: string, isLarge: boolean) {
    this.#name = name;
    this.#isLarge = isLarge;
    this.#endings = ENDINGS.filter(({ isStop = false }) => isLarge || !isStop);
  }

  get #file(): string {
    return agentFile(this.#folder, "default");
  }

  async fill(): Promise<void> {
    const server = await start(this.#folder, ["--log-level", "error"]);
    const size = this.#isLarge ? KEPT_NODES : 0;
    for (let at = 0; at < size; at += MAX_OF_BATCH)
      await this.#addBatch(server, `${this.#name}base${at}`);
    this.#cluster = (await server.ask("POST /clusters", { name: "Kept" })).body.id;
    expect(await server.end()).toBe(0);
  }

  async #addBatch({ ask }: Running, name: string): Promise<void> {
    const ids = Array.from({ length: MAX_OF_BATCH }, (_, place) => `${name}i${place}`);
    await this.#ledger.write(new Map(ids.map((id) => [nodeKey(id), id])), async () => {
      await ask("POST /nodes/batch", {
        items: ids.map((id) => ({ ...LESSON, id, content_title: id })),
      });
    });
  }

  /**
   * Starts on the folder of the round before, checks it, and writes until the server is killed, or
   * is killed while it starts.
   */
  async round(round: number): Promise<void> {
    const ending = this.#endings[round % this.#endings.length]!;
    const { at, nth = someOf(round), isStop = false } = ending;
    const server = await this.#comeUp(at, nth);
    if (server === undefined) {
      figures.kills += 1;
      figures.starting += 1;
      return;
    }
    const writers = Array.from(
      { length: CLIENTS },
      (_, client) =>
        new Writer(server.ask, this.#ledger, `${this.#name}r${round}c${client}`, this.#cluster),
    );
    let isOver = false;
    const writing = writers.map((writer) => writer.run(() => isOver));
    const answers = () => writers.reduce((sum, writer) => sum + writer.answers, 0);
    const isEnough = () => answers() >= someOf(round);
    const hasEnded = () => server.process.signalCode !== null;
    while (!hasEnded() && !((at === undefined || isStop) && isEnough())) {
      if (answers() > MAX_ANSWERS) throw new Error(`${at} has never come`);
      await moment();
    }
    if (isStop) {
      isOver = true;
      await Promise.all(writing);
      await this.#addBatch(server, `${this.#name}r${round}`);
    }
    expect(await server.end(isStop ? "SIGTERM" : "SIGKILL")).toBe("SIGKILL");
    await Promise.all(writing);
    figures.kills += 1;
    for (const { problems, purged } of writers) {
      expect(problems, `round ${round}`).toEqual([]);
      this.#purged.push(...purged);
    }
  }

  /** A checked server; undefined if it died before: the first of some steps belong to starting. */
  async #comeUp(at: string | undefined, nth: number): Promise<Running | undefined> {
    const around = at === undefined ? {} : dyingAt(at, nth);
    let server: Running | undefined;
    try {
      server = await start(this.#folder, ["--log-level", "error"], "test", around);
      await this.#verify(server);
      return server;
    } catch (error) {
      const how = error instanceof Ended ? error.how : server?.process.signalCode;
      if (at !== undefined && how === "SIGKILL") return undefined;
      throw error;
    }
  }

  async #verify(server: Running): Promise<void> {
    const { found, problems } = await heldBy(server);
    expect([...problems, ...this.#ledger.compare(found)]).toEqual([]);
    const files = readdirSync(dirname(this.#file)).map((name) =>
      readFileSync(join(dirname(this.#file), name)),
    );
    const left = this.#purged.filter((words) => files.some((bytes) => bytes.includes(words)));
    expect(left).toEqual([]);
    this.#purged.length = 0;
  }

  /** Checks everything once more, and compares the kept index with one built from the database. */
  async close(): Promise<void> {
    const server = await start(this.#folder, ["--log-level", "error"]);
    await this.#verify(server);
    expect(await server.end()).toBe(0);
    const { ended, output } = await run(["check", "--data-dir", this.#folder]);
    expect({ ended, output }).toMatchObject({
      ended: 0,
      output: expect.stringContaining(": sound"),
    });
    figures.checks += 1;
    const [kept, anew] = [{ snapshots: snapshotsOf(this.#file) }, {}].map((options) => {
      const agent = new Agent(new SqliteStorage(this.#file, { durability: "full" }), options);
      const rows = agent.read(() => [...agent.index.ids()].sort().map((id) => agent.index.get(id)));
      agent.discard();
      return rows;
    });
    expect(kept).toEqual(anew);
    figures.acknowledged += this.#ledger.acknowledged;
  }
}

/** Runs pieces of work, this many at a time. */
async function inLanes<T>(work: readonly T[], act: (piece: T) => Promise<void>): Promise<void> {
  const left = [...work];
  const lane = async () => {
    for (let piece = left.shift(); piece !== undefined; piece = left.shift()) await act(piece);
  };
  await Promise.all(Array.from({ length: LANES }, lane));
}

// ---- atomic operations --------------------------------------------------------------------------

/** An operation that is killed at a step: the state before it, and the required state after it. */
interface Piece {
  what: string;
  at: string;
  nth?: number;
  /** Prepares a folder, runs the operation until it is killed, and checks the folder. */
  act(around: Surroundings): Promise<void>;
}

const pieces = (
  what: string,
  steps: readonly (string | [at: string, nth: number])[],
  act: Piece["act"],
): Piece[] =>
  steps.map((step) => {
    const [at, nth] = typeof step === "string" ? [step, 1] : step;
    return { what, at, nth, act };
  });

async function killed(args: readonly string[], around: Surroundings): Promise<void> {
  const { ended, output } = await run(args, around);
  expect({ ended, output }).toMatchObject({ ended: "SIGKILL" });
}

/**
 * Opens it in this process as a server does, and returns the titles that both its database and its
 * index have.
 */
async function titlesIn(folder: string): Promise<string[]> {
  await check(folder);
  const titles = titlesOf(agentFile(folder, "default"));
  return titles;
}

function titlesOf(file: string): string[] {
  const agent = new Agent(new SqliteStorage(file, { durability: "full" }), {
    snapshots: snapshotsOf(file),
  });
  const nodes = agent.read(() =>
    agent.storage.nodes.graph().filter(({ id }) => agent.index.has(id)),
  );
  expect(agent.index.size).toBe(nodes.length);
  agent.close();
  return nodes.map(({ title }) => title).sort();
}

/** Starts, and returns the memories of an agent; everything is closed afterwards. */
async function found(folder: string): Promise<Map<string, string>> {
  const server = await start(folder, ["--log-level", "error"]);
  const { found, problems } = await heldBy(server);
  expect(problems).toEqual([]);
  await server.end();
  await check(folder);
  return found;
}

/** A database of the default agent with this many memories, closed. */
async function folderWith(titles: readonly string[]): Promise<string> {
  const folder = temporaryFolder({ onDisk: true });
  makeDatabase(agentFile(folder, "default"));
  await addTo(folder, titles);
  return folder;
}

function makeDatabase(file: string): void {
  const storage = new SqliteStorage(file, { durability: "full" });
  storage.setMeta("agent", "default");
  storage.close();
}

async function addTo(folder: string, titles: readonly string[]): Promise<void> {
  const rows = titles.map((title) => `('${title}', 'note', '${title}')`);
  execute(
    agentFile(folder, "default"),
    `INSERT INTO nodes (id, type, content_title) VALUES ${rows.join(", ")}`,
  );
}

const [BEFORE, AFTER] = [
  ["a", "b", "c"],
  ["d", "e"],
];
const BOTH = [...BEFORE, ...AFTER];

const making = pieces(
  "the making of an agent",
  [
    ["^before exec CREATE", 4],
    "^after exec VACUUM INTO",
    "^before linkSync .*\\.db$",
    "^after linkSync .*\\.db$",
  ],
  async (around) => {
    const folder = temporaryFolder({ onDisk: true });
    await killed(["serve", "--port", "0", "--data-dir", folder], around);
    expect([...(await found(folder)).keys()]).toEqual([]);
  },
);

const migrating = pieces(
  "a migration",
  [
    "^before exec VACUUM INTO",
    "^before renameSync .*\\.schema-0\\.",
    "^after renameSync .*\\.schema-0\\.",
    ["^after exec CREATE", 1],
    ["^before exec CREATE", 12],
    ["^after exec (CREATE|DROP)", 25],
    // The first one takes the lock.
    ["^before exec COMMIT", 2],
    ["^after exec COMMIT", 2],
  ],
  async (around) => {
    const folder = temporaryFolder({ onDisk: true });
    const file = agentFile(folder, "default");
    mkdirSync(dirname(file), { recursive: true });
    makeExisting(file);
    // Removes the vectors: their lengths differ, and a check would report that.
    execute(file, "UPDATE nodes SET embedding_vector = NULL");
    await killed(["serve", "--port", "0", "--data-dir", folder], around);
    const ids = [...(await found(folder)).keys()].filter((key) => key.startsWith("memory"));
    expect(ids.sort()).toEqual(["n_a", "n_b", "n_c"].map(nodeKey));
    // Each file that counts as a copy of the original holds all of its rows.
    const copies = copiesOf(file).filter((copy) => !copy.endsWith(".tmp"));
    for (const copy of copies)
      expect(rowsIn(copy, "SELECT count(*) AS count FROM nodes")).toEqual([{ count: 3 }]);
  },
);

/** A folder with memories, the older of which are in a backup. */
async function backedUp(): Promise<{ folder: string; backup: string }> {
  const folder = await folderWith(BEFORE);
  const backup = join(temporaryFolder({ onDisk: true }), "backup.db");
  backUp(folder, "default", backup);
  await addTo(folder, AFTER);
  return { folder, backup };
}

const backingUp = pieces(
  "a backup over one that is there",
  [
    "^before exec VACUUM INTO",
    "^after exec VACUUM INTO",
    "^before fsyncSync backup",
    "^before renameSync backup\\.db$",
    "^after renameSync backup\\.db$",
  ],
  async (around) => {
    const { folder, backup } = await backedUp();
    await killed(["backup", backup, "--force", "--data-dir", folder], around);
    expect(await titlesIn(folder)).toEqual(BOTH);
    const whole = new SqliteStorage(backup, { durability: "full" });
    expect(whole.soundness.problems()).toEqual([]);
    expect([3, 5]).toContain([...whole.nodes.texts()].flat().length);
    whole.close();
  },
);

const restoring = pieces(
  "a restore",
  [
    "^after exec VACUUM INTO",
    "^before exec PRAGMA journal_mode = DELETE",
    "^before linkSync .*\\.replaced\\.",
    "^after linkSync .*\\.replaced\\.",
    "^before renameSync .*\\.db$",
    "^after renameSync .*\\.db$",
  ],
  async (around) => {
    const { folder, backup } = await backedUp();
    await killed(["restore", backup, "--data-dir", folder], around);
    expect([BEFORE, BOTH]).toContainEqual(await titlesIn(folder));
    await restore(folder, "default", backup);
    expect(await titlesIn(folder)).toEqual(BEFORE);
  },
);

const importing = pieces(
  "an import",
  ["^before exec COMMIT", "^after exec COMMIT"],
  async (around) => {
    const [folder, other] = [await folderWith(BEFORE), await folderWith(AFTER)];
    const lines = join(temporaryFolder({ onDisk: true }), "lines.jsonl");
    expect(await run(["export", lines, "--data-dir", other])).toMatchObject({ ended: 0 });
    await killed(["import", lines, "--data-dir", folder], around);
    expect([BEFORE, BOTH]).toContainEqual(await titlesIn(folder));
  },
);

const deleting = pieces(
  "the deletion of an agent",
  [
    "^before exec PRAGMA journal_mode = DELETE",
    "^before rmSync .*\\.db$",
    "^after rmSync .*\\.db$",
  ],
  async (around) => {
    const folder = await folderWith(BEFORE);
    await killed(["agents", "delete", "default", "--data-dir", folder], around);
    expect([BEFORE, []]).toContainEqual(await titlesIn(folder));
  },
);

const SYMBOLS = ["BTC", "ETH", "SOL"];
const consolidating = pieces(
  "a consolidation",
  [
    ["^before exec COMMIT", 1],
    ["^after exec COMMIT", 1],
    ["^before upsert index", 2],
    ["^before exec COMMIT", 2],
    ["^after upsert index", 2],
    ["^after exec COMMIT", 3],
    "^before answer",
  ],
  async (around) => {
    const folder = await folderWith(BEFORE);
    for (const symbol of SYMBOLS) tradeInFile(agentFile(folder, "default"), symbol, 0, 12);
    // Otherwise the start gives them their vectors, and is the first to commit.
    expect(await run(["backfill", "--data-dir", folder])).toMatchObject({ ended: 0 });
    const killed = await start(
      folder,
      ["--preset", "trading", "--log-level", "error"],
      "test",
      around,
    );
    await killed.ask("POST /consolidate").catch(() => {});
    expect(await killed.end("SIGTERM")).toBe("SIGKILL");
    const server = await start(folder, ["--preset", "trading", "--log-level", "error"]);
    const own = clientOf(server, "default");
    const whole = async () => {
      const lessons = await learned(own);
      for (const { content, episodes } of lessons)
        expect(episodes).toBe(content.consolidation.figures.n);
      return lessons.map(
        ({ content: { consolidation: of } }) => `${of.symbol} ${JSON.stringify(of.condition)}`,
      );
    };
    const before = await whole();
    expect((await own.ask("POST /consolidate")).body).toMatchObject({
      errors: [],
      patterns_strengthened: 0,
    });
    const after = await whole();
    expect(new Set(after).size).toBe(after.length);
    expect(after).toEqual(expect.arrayContaining(before));
    await server.end();
    await check(folder);
  },
);

const SECRET = "unforgettable";
const purging = pieces(
  "a purge",
  [
    // Writes on opening are not reported: the first writing transaction is the purge itself.
    "^after exec COMMIT$",
    "^before exec DELETE FROM",
    "^before rmSync .*\\.index$",
    "^after rmSync .*\\.texts$",
    "^before exec PRAGMA secure_delete = ON$",
    "^before exec INSERT INTO nodes_fts",
    "^before exec VACUUM$",
    "^after exec VACUUM$",
    "^before exec PRAGMA wal_checkpoint",
    "^after exec PRAGMA wal_checkpoint",
  ],
  async (around) => {
    const folder = await folderWith(BEFORE);
    const file = agentFile(folder, "default");
    execute(
      file,
      `INSERT INTO nodes (id, type, content_title) VALUES ('gone', 'note', '${SECRET}')`,
    );
    // Words of the memory are in the files beside the database.
    for (const kept of Object.values(snapshotsOf(file))) writeFileSync(kept, SECRET);
    const holding = () =>
      readdirSync(dirname(file)).filter((name) =>
        readFileSync(join(dirname(file), name)).includes(SECRET),
      );
    await killed(["agents", "purge", "default", "gone", "--data-dir", folder], around);
    const isBegun = () => rowsIn(file, "SELECT id FROM nous_purges").length > 0;
    // Each step comes after the deletion, and before the end.
    expect(rowsIn(file, "SELECT 1 FROM nodes WHERE id = 'gone'")).toEqual([]);
    const server = await start(folder, ["--log-level", "error"]);
    expect(holding()).toEqual([]);
    expect((await server.ask("GET /nodes/gone")).status).toBe(404);
    expect(await server.end()).toBe(0);
    expect(isBegun()).toBe(false);
    expect(await titlesIn(folder)).toEqual(BEFORE);
  },
);

const PIECES = [
  making,
  migrating,
  backingUp,
  restoring,
  importing,
  deleting,
  purging,
  consolidating,
].flatMap((steps) => some(steps, 1));

test(`${PIECES.length} kills at steps of atomic operations leave all of an operation or nothing`, {
  timeout: 600_000,
}, async () => {
  await inLanes(PIECES, async ({ what, at, nth = 1, act }) => {
    try {
      await act(dyingAt(at, nth));
    } catch (error) {
      throw new Error(`${what}, killed at ${at} (${nth}): ${(error as Error).message}`, {
        cause: error,
      });
    }
    figures.kills += 1;
  });
});

test("kills under load lose no acknowledged write", {
  timeout: WANTED * 10_000,
}, async () => {
  const rounds = Math.max(WANTED - PIECES.length, amount(LANES * ENDINGS.length, LANES));
  const folders = Math.ceil(rounds / ROUNDS / LANES) * LANES;
  const work = Array.from({ length: folders }, (_, folder) => folder);
  await inLanes(work, async (folder) => {
    const lane = new Lane(`lane${folder}`, folder % 2 === 0);
    await lane.fill();
    // Another folder begins at another ending, and another run, too.
    const begin = folder * ROUNDS + (SEED % ENDINGS.length);
    for (let round = begin; round < begin + Math.ceil(rounds / folders); round++)
      await lane.round(round);
    await lane.close();
  });
  expect(figures.kills).toBeGreaterThanOrEqual(WANTED);
});
