// Backups at intervals. The newest set says when the next one is due, so that a restart neither repeats
// nor delays one. Of several processes on one data folder a later one sees the set of the first; those that
// begin at the same moment make a set each.

import { Worker } from "node:worker_threads";
import type { Logger } from "../log.ts";
import type { BackedUp } from "./set.ts";
import { lastBackup } from "./set.ts";
import type { BackupReply, BackupSetup } from "./thread.ts";

/** The delay of the first look at the start, in milliseconds: agents are being opened then. */
const FIRST = 2_000;
/** The longest delay before a failed backup is tried again, in milliseconds. */
const RETRY = 900_000;

/** What the server tells of its backups. */
export interface BackupFigures {
  /** Backups since the start that ended well, and that failed. */
  ok: number;
  failed: number;
  /** When the newest whole one was begun, in milliseconds since 1970. */
  last: number | undefined;
}

export class BackupSchedule {
  readonly #setup: BackupSetup;
  readonly #every: number;
  readonly #log: Logger;
  #timer: NodeJS.Timeout | undefined;
  #thread: Worker | undefined;
  #isStopped = false;
  #ok = 0;
  #failed = 0;
  /** When the last backup failed, if none was good since. */
  #failedAt: Date | undefined;

  /** `every` is in milliseconds. */
  constructor(setup: BackupSetup, every: number, log: Logger) {
    this.#setup = setup;
    this.#every = every;
    this.#log = log;
    this.#after(FIRST);
  }

  get figures(): BackupFigures {
    return { ok: this.#ok, failed: this.#failed, last: this.#read().last };
  }

  /** A sentence on what does not work, without a path; undefined if all is well. */
  get problem(): string | undefined {
    const { last, failure } = this.#read();
    if (failure !== undefined) return `The folder of the backups cannot be read (${failure}).`;
    if (this.#failedAt === undefined) return undefined;
    const good = last === undefined ? "there is none" : `the last is of ${iso(last)}`;
    return `The backup of ${iso(this.#failedAt)} failed, and the log says why; of good ones ${good}.`;
  }

  /** Returns when the newest whole set was begun, or the code of the error of reading the folder. */
  #read(): { last?: number | undefined; failure?: string } {
    try {
      return { last: this.#last() };
    } catch (error) {
      return { failure: (error as NodeJS.ErrnoException).code ?? "an error" };
    }
  }

  #last(): number | undefined {
    return lastBackup(this.#setup.place.dataDir, this.#setup.dir);
  }

  #untilDue(): number {
    const last = this.#last();
    return last === undefined ? 0 : last + this.#every - Date.now();
  }

  #after(delay: number): void {
    if (this.#isStopped) return;
    this.#timer = setTimeout(() => this.#turn(), Math.min(delay, this.#every));
  }

  async #turn(): Promise<void> {
    const start = performance.now();
    let reply: BackupReply;
    try {
      // Another process may have made one.
      const wait = this.#untilDue();
      if (wait > 0) return this.#after(wait);
      reply = await this.#backUp();
    } catch (error) {
      reply = { failure: (error as Error).message };
    }
    if (this.#isStopped) return;
    const ms = Math.round(performance.now() - start);
    const failures = "failure" in reply ? [reply.failure] : reply.done.failures;
    if (failures.length === 0) this.#succeeded((reply as { done: BackedUp }).done, ms);
    else this.#hasFailed(failures);
    const next = failures.length === 0 ? this.#every - ms : RETRY;
    this.#after(Math.max(FIRST, next));
  }

  #succeeded({ folder, agents, bytes }: BackedUp, ms: number): void {
    this.#ok += 1;
    this.#failedAt = undefined;
    this.#log.info({ folder, agents, bytes, ms }, "A backup is done");
  }

  #hasFailed(failures: readonly string[]): void {
    this.#failed += 1;
    this.#failedAt = new Date();
    this.#log.error({ failure: { message: failures.join("; ") } }, "A backup failed");
  }

  #backUp(): Promise<BackupReply> {
    const thread = new Worker(new URL("./backup-thread.mjs", import.meta.url), {
      workerData: this.#setup,
    });
    this.#thread = thread;
    return new Promise((resolve) => {
      thread.once("message", resolve);
      thread.once("error", ({ message }) => resolve({ failure: message }));
      thread.once("exit", () => resolve({ failure: "the thread of the backup has ended" }));
    });
  }

  /** Begins no more backups, and ends one that is being made: it leaves no set. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    clearTimeout(this.#timer);
    await this.#thread?.terminate();
  }
}

const iso = (time: number | Date): string => new Date(time).toISOString();
