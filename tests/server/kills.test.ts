// What was acknowledged is there, however the server ended: SIGKILL at random moments and at named steps, again and again on the same
// data. KILLS says how many there are at least; `npm run long -- kills` does thousands.

import { spawn } from "node:child_process";
import { copyFileSync, existsSync, mkdirSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, describe, expect, test } from "vitest";
import { Agent } from "../../js/server/src/agent/agent.ts";
import { agentFile, indexFileOf } from "../../js/server/src/settings/paths.ts";
import { copiesOf } from "../../js/server/src/storage/files.ts";
import { LibsqlStorage } from "../../js/server/src/storage/libsql.ts";
import { released } from "../../js/server/src/storage/released.ts";
import { makeExisting, raw } from "./existing.ts";
import { heldBy, Ledger, nodeKey } from "./ledger.ts";
import { PROGRAM, type Running, type Surroundings, start } from "./process.ts";
import { clientOf, LESSON } from "./shared.ts";
import { temporaryFolder } from "./temporary.ts";
import { learned, trade } from "./trades.ts";
import { Writer } from "./writer.ts";

const WANTED = Number(process.env.KILLS ?? 200);
const LANES = 2;
const CLIENTS = 4;
/** Rounds on one folder, after which the next begins with a new one. */
const ROUNDS = 60;
/** Memories that an index has to have to be kept in a file. */
const KEPT_NODES = 1_000;
const MOST_OF_BATCH = 100;

const figures = { kills: 0, acknowledged: 0, checks: 0 };
afterAll(() => console.log(`kills: ${JSON.stringify(figures)}`));

const DIE_AT = fileURLToPath(new URL("die-at.mjs", import.meta.url));
/** Surroundings in which a process dies at a step; see die-at.mjs. */
const dyingAt = (at: string, nth = 1) => ({
  node: ["--import", DIE_AT],
  env: { DIE_AT: at, DIE_NTH: String(nth) },
});

/** Runs the program to its end, in surroundings of its own; what it printed, and how it ended. */
function run(args: readonly string[], { node = [], env = {} }: Surroundings = {}) {
  const child = spawn(process.execPath, [...node, PROGRAM, ...args], { env: { ...process.env, ...env } });
  let output = "";
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (text) => (output += text));
  return new Promise<{ ended: number | NodeJS.Signals | null; output: string }>((resolve) => {
    child.once("close", (code, signal) => resolve({ ended: code ?? signal, output }));
  });
}

/** Looks with the program's own eyes. */
async function check(folder: string): Promise<void> {
  const { ended, output } = await run(["check", "--data-dir", folder]);
  expect({ ended, output }).toMatchObject({ ended: 0 });
  figures.checks += 1;
}

// ---- under load -----------------------------------------------------------------------------------

/** How a round ends. */
interface Ending {
  /** The step that it dies at; at a random moment without. */
  at?: string;
  nth?: number;
  /** Whether the step is one of stopping. */
  isStop?: boolean;
}

const RANDOM: Ending = {};
/** What a round ends with, in turn; steps of a commit are met again and again. */
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
  { at: "^after exec VACUUM$", nth: 2 },
  RANDOM,
  { at: "^before remove index$" },
  { at: "^before renameSync .*\\.index$", nth: 1, isStop: true },
  { at: "^after exec PRAGMA wal_checkpoint", nth: 1 },
  { at: "^before answer$" },
  { at: "^after upsert full text$" },
  { at: "^after renameSync .*\\.index$", nth: 1, isStop: true },
  { at: "^after exec COMMIT$" },
  { at: "^before exec PRAGMA wal_checkpoint", nth: 1, isStop: true },
];
/** Answers of a round before it ends, and times that a step of a commit is passed: from the first to well into it. */
const someOf = (round: number): number => 1 + ((round * 37) % 60);

/** One folder, its memory, and what its clients were told, through many rounds. */
class Lane {
  readonly #name: string;
  readonly #folder = temporaryFolder();
  readonly #ledger = new Ledger();
  #cluster = "";
  /** Words of purged memories, which are in no file from then on. */
  readonly #purged: string[] = [];

  constructor(name: string) {
    this.#name = name;
  }

  get #file(): string {
    return agentFile(this.#folder, "default");
  }

  /** A memory as large as one whose index is kept. */
  async fill(): Promise<void> {
    const server = await start(this.#folder, ["--log-level", "error"]);
    for (let at = 0; at < KEPT_NODES; at += MOST_OF_BATCH) await this.#addBatch(server, `${this.#name}base${at}`);
    this.#cluster = (await server.ask("POST /clusters", { name: "Kept" })).body.id;
    expect(await server.end()).toBe(0);
  }

  async #addBatch({ ask }: Running, name: string): Promise<void> {
    const ids = Array.from({ length: MOST_OF_BATCH }, (_, place) => `${name}i${place}`);
    await this.#ledger.write(new Map(ids.map((id) => [nodeKey(id), id])), async () => {
      await ask("POST /nodes/batch", { items: ids.map((id) => ({ ...LESSON, id, content_title: id })) });
    });
  }

  /** Starts on what the round before left, looks at it, and writes until it is killed. */
  async round(round: number): Promise<void> {
    const ending = ENDINGS[round % ENDINGS.length]!;
    const { at, nth = someOf(round), isStop = false } = ending;
    const around = at === undefined ? {} : dyingAt(at, nth);
    const server = await start(this.#folder, ["--log-level", "error"], "test", around);
    await this.#verify(server);
    const writers = Array.from(
      { length: CLIENTS },
      (_, client) => new Writer(server.ask, this.#ledger, `${this.#name}r${round}c${client}`, this.#cluster),
    );
    let isOver = false;
    const writing = writers.map((writer) => writer.run(() => isOver));
    const isEnough = () => writers.reduce((sum, { answers }) => sum + answers, 0) >= someOf(round);
    const hasEnded = () => server.process.signalCode !== null;
    while (!hasEnded() && !((at === undefined || isStop) && isEnough())) await moment();
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

  async #verify(server: Running): Promise<void> {
    const { found, problems } = await heldBy(server);
    expect([...problems, ...this.#ledger.compare(found)]).toEqual([]);
    const files = readdirSync(dirname(this.#file)).map((name) => readFileSync(join(dirname(this.#file), name)));
    const left = this.#purged.filter((words) => files.some((bytes) => bytes.includes(words)));
    expect(left).toEqual([]);
    this.#purged.length = 0;
  }

  /** Looks at everything once more, with the index that is kept beside one that is made of the database. */
  async close(): Promise<void> {
    const server = await start(this.#folder, ["--log-level", "error"]);
    await this.#verify(server);
    expect(await server.end()).toBe(0);
    await check(this.#folder);
    const [kept, anew] = [{ indexFile: indexFileOf(this.#file) }, {}].map((options) => {
      const agent = new Agent(new LibsqlStorage(this.#file, { durability: "full" }), options);
      const rows = agent.read(() => [...agent.index.ids()].sort().map((id) => agent.index.get(id)));
      agent.discard();
      return rows;
    });
    await released();
    expect(kept).toEqual(anew);
    figures.acknowledged += this.#ledger.acknowledged;
  }
}

const moment = () => new Promise((resolve) => setTimeout(resolve, 1));

/** Does pieces of work, so many at a time. */
async function inLanes<T>(work: readonly T[], act: (piece: T) => Promise<void>): Promise<void> {
  const left = [...work];
  const lane = async () => {
    for (let piece = left.shift(); piece !== undefined; piece = left.shift()) await act(piece);
  };
  await Promise.all(Array.from({ length: LANES }, lane));
}

test("kills under load lose nothing that was acknowledged", { timeout: WANTED * 6_000 }, async () => {
  const rounds = Array.from({ length: Math.max(WANTED - 0, ENDINGS.length) }, (_, round) => round);
  const folders = Math.ceil(rounds.length / ROUNDS / LANES) * LANES;
  const lanes = Array.from({ length: folders }, (_, lane) => rounds.filter((round) => round % folders === lane));
  await inLanes([...lanes.entries()], async ([name, own]) => {
    const lane = new Lane(`lane${name}`);
    await lane.fill();
    for (const round of own) await lane.round(round);
    await lane.close();
  });
});
