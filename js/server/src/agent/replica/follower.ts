// The follower: keeps an agent's replicas equal to its database. It loads them, then applies the
// entries of the change log to them, whichever process wrote.

import { atOnce, oneStep, type Steps } from "nous-memory";
import type { Learned } from "nous-wasm";
import { learnedIn } from "../../portable/learned.ts";
import type { EdgeRow, IndexedNodeRow, SoftRow } from "../../storage/rows.ts";
import type { Storage } from "../../storage/storage.ts";
import type { Change } from "../../storage/tables/change-log.ts";

/** Logs a message with figures. */
export type Log = (message: string, figures?: Record<string, unknown>) => void;

/** Rows in their current state. */
export interface Taken {
  nodes: readonly IndexedNodeRow[];
  edges: readonly EdgeRow[];
  /** Rows of memories of which only soft state changed. */
  softened: readonly SoftRow[];
  /** What use has taught, if that changed. */
  learned?: Learned;
}

/** Ids of deleted rows, with the edges of deleted memories. */
export interface Removed {
  nodes: readonly string[];
  edges: readonly string[];
}

/** A replica. An error of any of its methods except `load` makes the follower load it again. */
export interface Consumer {
  /** The name in the log. */
  readonly name: string;
  /** Whether the follower loads it. Default: true. A replica that is loaded stays loaded. */
  readonly isWanted?: boolean;
  /**
   * Builds the replica from the whole database, which does not change meanwhile. Returns figures
   * for the log, or undefined to log nothing.
   */
  load(storage: Storage): Steps<Record<string, unknown> | undefined>;
  /**
   * Builds the replica from its snapshot. Returns the last entry of the change log that the snapshot
   * has, or undefined without a usable snapshot: then `load` is called.
   */
  resume?(storage: Storage): Steps<number | undefined>;
  /** Takes new and changed rows. Returns false if the replica has to be loaded again. */
  take(rows: Taken): boolean;
  remove(ids: Removed): void;
  /**
   * Writes a snapshot, if that is worthwhile. The replica has all entries of the change log up to
   * `applied`, unless it is not loaded because it is not wanted.
   */
  keep?(storage: Storage, applied: number): Steps<void>;
  /** Drops the contents. The replica is loaded before its next use. */
  forget(): void;
}

/**
 * Entries of the change log that are kept for other processes. A process that is further behind
 * loads its replicas again.
 */
const KEPT_CHANGES = 100_000;
/** The log is trimmed each time it has grown by this many entries. */
const SPARE_CHANGES = 10_000;
/** The most entries in the change log, if each transaction adds few. */
export const MAX_CHANGES = KEPT_CHANGES + SPARE_CHANGES;
/** Rows that are read in one step. */
const BATCH = 1_000;
/** Rows that are read in one step if the thread may give way in between: texts may be long. */
const SHORT_BATCH = 10;

export class Follower {
  readonly #storage: Storage;
  readonly #consumers: readonly Consumer[];
  readonly #log: Log;
  /** Replicas that have to be loaded. */
  readonly #missing: Set<Consumer>;
  /** The last entry of the change log that the loaded replicas have, `#unapplied` included. */
  #applied = 0;
  /** The changes of the last write that the replicas do not have yet. */
  #unapplied: readonly Change[] = [];
  /** The last entry of the change log at the last trim. */
  #trimmed = 0;
  /** The database's version at the end of the last `follow`. */
  #version = -1;

  /** `consumers` receive rows in this order. */
  constructor(storage: Storage, consumers: readonly Consumer[], log: Log) {
    this.#storage = storage;
    this.#consumers = consumers;
    this.#log = log;
    this.#missing = new Set(consumers);
  }

  /** Applies all committed changes in order, and loads missing replicas. */
  follow(): void {
    this.apply();
    const version = this.#storage.version();
    if (this.isLoaded && version === this.#version) return;
    this.#storage.snapshot(() => atOnce(this.#bringUp()));
    this.#version = version;
  }

  /** Loads missing replicas from one snapshot of the database. */
  *loadInSteps(): Steps<void> {
    if (this.isLoaded) return;
    this.apply();
    yield* this.#storage.snapshotInSteps(() => this.#bringUp());
  }

  /**
   * Runs `work` as one transaction. Its changes reach the replicas at the next `apply`, so that the
   * client need not wait for that. Changes of other processes are applied first, so that replicas
   * take everything in the order of commits. `committed` is called after the commit. `patience` is
   * how long to wait for the write lock, in milliseconds.
   */
  write<T>(work: () => T, committed?: () => void, patience?: number): T {
    return atOnce(this.writeInSteps(() => oneStep(work), committed, patience));
  }

  /** Runs `work` as one transaction, which stays open over the pauses of `work`. */
  *writeInSteps<T>(
    work: () => Steps<T>,
    committed: () => void = () => {},
    patience?: number,
  ): Steps<T> {
    this.apply();
    const { result, changes } = yield* this.#storage.transactionInSteps(
      () => this.#logged(work),
      patience,
    );
    committed();
    this.#applied = changes.at(-1)?.sequence ?? this.#applied;
    // The soft state in memory already has what it wrote.
    this.#unapplied = changes.filter(({ entity }) => entity !== "soft");
    return result;
  }

  *#logged<T>(work: () => Steps<T>): Steps<{ result: T; changes: readonly Change[] }> {
    yield* this.#bringUp();
    const result = yield* work();
    const changes = this.#storage.changeLog.claim(this.#applied);
    this.#storage.nodes.seal(
      changes.filter(({ entity }) => entity === "node").flatMap(({ ids }) => ids),
    );
    this.#trim(changes.at(-1)?.sequence ?? this.#applied);
    return { result, changes };
  }

  /** Returns the ids of memories that the current transaction of `write` has logged so far. */
  loggedNodes(): string[] {
    const changes = this.#storage.changeLog.since(this.#applied);
    return changes.filter(({ entity }) => entity === "node").flatMap(({ ids }) => ids);
  }

  /** Applies the changes of the last write. */
  apply(): void {
    atOnce(this.applyInSteps(BATCH));
  }

  /** Applies them with pauses. Do not use the replicas during a pause. */
  *applyInSteps(batch = SHORT_BATCH): Steps<void> {
    const changes = this.#unapplied;
    this.#unapplied = [];
    if (changes.length > 0) yield* this.#take(changes, { batch });
  }

  /** Applies the last write, and loads replicas that were dropped since the last `follow`. */
  ensure(): void {
    this.apply();
    if (!this.isLoaded) this.follow();
  }

  /** Whether every replica that is wanted is loaded. */
  get isLoaded(): boolean {
    return this.#wanted().length === 0;
  }

  /** Returns the replicas that have to be loaded. */
  #wanted(): Consumer[] {
    if (this.#missing.size === 0) return [];
    return [...this.#missing].filter(({ isWanted = true }) => isWanted);
  }

  /** Drops one replica; the next `follow` loads it. */
  reload(consumer: Consumer): void {
    this.apply();
    this.#giveUp(consumer);
  }

  /** Writes snapshots of all replicas; within a `write`. */
  *keep(): Steps<void> {
    for (const consumer of this.#consumers) {
      const keeping = consumer.keep?.(this.#storage, this.#applied);
      if (keeping !== undefined) yield* keeping;
    }
  }

  /** Drops all replicas; the next `follow` loads them. */
  forget(): void {
    this.#unapplied = [];
    for (const consumer of this.#consumers) this.#giveUp(consumer);
  }

  #giveUp(consumer: Consumer): void {
    this.#missing.add(consumer);
    consumer.forget();
  }

  /** Trims the change log, so that it keeps `KEPT_CHANGES` entries. */
  #trim(last: number): void {
    if (last - this.#trimmed < SPARE_CHANGES) return;
    this.#storage.changeLog.trim(last - KEPT_CHANGES);
    this.#trimmed = last;
  }

  /** Catches up and loads missing replicas, within a transaction of any kind. */
  *#bringUp(): Steps<void> {
    const { first, last } = this.#storage.changeLog.range();
    if (this.#missing.size < this.#consumers.length && last !== this.#applied)
      yield* this.#catchUp(first, last);
    this.#applied = last;
    for (const consumer of this.#wanted()) {
      const start = performance.now();
      const log = (what: string, figures: Record<string, unknown>) =>
        this.#log(`${what}: ${consumer.name}`, {
          ...figures,
          ms: Math.round(performance.now() - start),
        });
      const resuming = consumer.resume?.(this.#storage);
      const known = resuming && (yield* resuming);
      if (known === undefined) {
        const figures = yield* consumer.load(this.#storage);
        this.#missing.delete(consumer);
        if (figures !== undefined) log("Loaded from the database", figures);
        continue;
      }
      this.#missing.delete(consumer);
      const changes = this.#storage.changeLog.since(known);
      yield* this.#take(changes, { consumers: [consumer] });
      if (!this.#missing.has(consumer))
        log("Loaded from its snapshot", { changes: changes.length });
    }
  }

  *#catchUp(first: number, last: number): Steps<void> {
    // If the log is empty, `first` is 0, and all entries up to `last` were trimmed.
    if (last < this.#applied || first === 0 || first > this.#applied + 1) {
      this.#log("The change log was trimmed past the last known entry: all replicas are reloaded");
      this.forget();
      return;
    }
    const changes = this.#storage.changeLog.since(this.#applied);
    yield* this.#take(changes);
    if (changes.length > 0)
      this.#log("Applied changes of other processes", { changes: changes.length });
  }

  /** Gives changed rows to replicas. Nodes come first: an edge needs both its ends. */
  *#take(
    changes: readonly Change[],
    { consumers = this.#consumers, batch = BATCH } = {},
  ): Steps<void> {
    const changed = new Map<Change["entity"], Set<string>>([
      ["node", new Set()],
      ["edge", new Set()],
      ["soft", new Set()],
      ["learned", new Set()],
    ]);
    for (const { entity, ids } of changes) for (const id of ids) changed.get(entity)?.add(id);
    for (const ids of batches(changed.get("node")!, batch)) {
      const isRead = this.#reading(() => {
        const nodes = [...this.#storage.nodes.indexed(ids)].flat();
        this.#give(consumers, { nodes }, { nodes: missingFrom(nodes, ids) });
      });
      if (!isRead) return;
      yield;
    }
    for (const ids of batches(changed.get("edge")!, batch)) {
      const isRead = this.#reading(() => {
        const edges = [...this.#storage.edges.indexed(ids)].flat();
        this.#give(consumers, { edges }, { edges: missingFrom(edges, ids) });
      });
      if (!isRead) return;
      yield;
    }
    for (const ids of batches(changed.get("soft")!, BATCH)) {
      const isRead = this.#reading(() => {
        this.#give(consumers, { softened: this.#storage.soft.of(ids) }, {});
      });
      if (!isRead) return;
      yield;
    }
    if (changed.get("learned")!.size > 0)
      this.#reading(() => this.#give(consumers, { learned: learnedIn(this.#storage) }, {}));
  }

  /**
   * Returns whether the committed rows could be read. If not, drops all replicas, which lack them.
   */
  #reading(work: () => void): boolean {
    try {
      work();
      return true;
    } catch (error) {
      this.#log("Committed changes could not be read: all replicas are reloaded", {
        why: (error as Error).message,
      });
      this.forget();
      return false;
    }
  }

  #give(consumers: readonly Consumer[], rows: Partial<Taken>, removed: Partial<Removed>): void {
    for (const consumer of consumers) {
      if (this.#missing.has(consumer)) continue;
      try {
        consumer.remove({ nodes: [], edges: [], ...removed });
        if (!consumer.take({ nodes: [], edges: [], softened: [], ...rows })) this.#giveUp(consumer);
      } catch (error) {
        this.#log(`Could not apply changes: ${consumer.name}`, {
          why: (error as Error).message,
        });
        this.#giveUp(consumer);
      }
    }
  }
}

function missingFrom(rows: readonly { id: string }[], ids: readonly string[]): string[] {
  const there = new Set(rows.map(({ id }) => id));
  return ids.filter((id) => !there.has(id));
}

function* batches(ids: Iterable<string>, max: number): Iterable<readonly string[]> {
  const list = [...ids];
  for (let at = 0; at < list.length; at += max) yield list.slice(at, at + max);
}
