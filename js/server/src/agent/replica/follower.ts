// What an agent keeps in memory of its database, kept equal to it: loaded from it, and led by its
// change log whoever wrote.

import { atOnce, oneStep, type Steps } from "../../steps.ts";
import type { EdgeRow, IndexedNodeRow, SoftRow } from "../../storage/rows.ts";
import type { Storage } from "../../storage/storage.ts";
import type { Change } from "../../storage/tables/change-log.ts";

/** Told of what happened, in a sentence with figures. */
export type Tell = (what: string, figures?: Record<string, unknown>) => void;

/** Rows as they are now. */
export interface Taken {
  nodes: readonly IndexedNodeRow[];
  edges: readonly EdgeRow[];
  /** Of memories of which nothing but soft state became different. */
  softened: readonly SoftRow[];
}

/** Ids of rows that are not there any more. Edges of a memory that is gone are among them. */
export interface Removed {
  nodes: readonly string[];
  edges: readonly string[];
}

/**
 * Something that is kept equal to the database. What it throws makes it be loaded anew, but for
 * what `load` throws.
 */
export interface Consumer {
  /** What it is called in the log. */
  readonly name: string;
  /**
   * Makes itself of the whole database, which stays as it is meanwhile; the answer are figures for
   * the log, if it tells of it.
   */
  load(storage: Storage): Steps<Record<string, unknown> | undefined>;
  /**
   * Makes itself of what it kept elsewhere; the answer is the last entry of the change log that it
   * knows then. Nothing where it kept nothing of use: then it is loaded.
   */
  resume?(storage: Storage): number | undefined;
  /** Takes in rows that are new or different. False where it has to be loaded anew instead. */
  take(rows: Taken): boolean;
  remove(ids: Removed): void;
  /**
   * Keeps what it holds for the next start, where that is of use; it knows all entries of the
   * change log up to `applied`.
   */
  keep?(storage: Storage, applied: number): Steps<void>;
  /** Gives up what it holds. It is loaded before it is asked anything again. */
  forget(): void;
}

/**
 * Entries of the change log that are kept for other processes. One that is further behind loads
 * everything anew.
 */
const KEPT_CHANGES = 100_000;
/** How much longer the log may get before it is cut. */
const SPARE_CHANGES = 10_000;
/** Entries of the change log when it is longest, where each transaction adds few. */
export const MOST_CHANGES = KEPT_CHANGES + SPARE_CHANGES;
/** Ids that are looked up at once. */
const BATCH = 1_000;
/** The same where the thread may do something else in between: texts may be long. */
const SHORT_BATCH = 10;

export class Follower {
  readonly #storage: Storage;
  readonly #consumers: readonly Consumer[];
  readonly #tell: Tell;
  /** Consumers that are to be loaded. */
  readonly #missing: Set<Consumer>;
  /**
   * The last entry of the change log that those which are loaded know, with what is to be applied.
   */
  #applied = 0;
  /** What was written last, and is not made known yet. */
  #unapplied: readonly Change[] = [];
  /** The last entry when the log was last cut. */
  #trimmed = 0;
  /** The database's version at which nothing was left to follow. */
  #version = -1;

  /** Consumers take everything in this order. */
  constructor(storage: Storage, consumers: readonly Consumer[], tell: Tell) {
    this.#storage = storage;
    this.#consumers = consumers;
    this.#tell = tell;
    this.#missing = new Set(consumers);
  }

  /** Makes everything known that others have committed, in order. */
  follow(): void {
    this.apply();
    const version = this.#storage.version();
    if (this.#missing.size === 0 && version === this.#version) return;
    this.#storage.snapshot(() => atOnce(this.#bringUp()));
    this.#version = version;
  }

  /** Loads what is to be loaded, of one moment of the database. */
  *loadInSteps(): Steps<void> {
    if (this.isLoaded) return;
    this.apply();
    yield* this.#storage.snapshotInSteps(() => this.#bringUp());
  }

  /**
   * Writes as one transaction. What it wrote is made known by the next `apply`, so that whoever
   * asked for it need not wait; what others wrote before comes first, so that everything is taken
   * in the order of commits. `committed` is called once it is done, and `patience` is that of the
   * storage's transaction.
   */
  write<T>(work: () => T, committed?: () => void, patience?: number): T {
    return atOnce(this.writeInSteps(() => oneStep(work), committed, patience));
  }

  /** The same, as a transaction that stays open over the pauses of `work`. */
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
    // What soft state became is known to whoever wrote it.
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

  /** The memories that the transaction of a `write` has logged so far. */
  loggedNodes(): string[] {
    const changes = this.#storage.changeLog.since(this.#applied);
    return changes.filter(({ entity }) => entity === "node").flatMap(({ ids }) => ids);
  }

  /** Makes known what was written last. */
  apply(): void {
    atOnce(this.applyInSteps(BATCH));
  }

  /** The same with pauses, in which nothing may be asked of what is kept in memory. */
  *applyInSteps(batch = SHORT_BATCH): Steps<void> {
    const changes = this.#unapplied;
    this.#unapplied = [];
    if (changes.length > 0) yield* this.#take(changes, { batch });
  }

  /** Applies, and loads what was given up since the last `follow`. */
  ensure(): void {
    this.apply();
    if (this.#missing.size > 0) this.follow();
  }

  /** Whether nothing has to be loaded. */
  get isLoaded(): boolean {
    return this.#missing.size === 0;
  }

  /** Keeps everything for the next start, as the database has it; within a `write`. */
  *keep(): Steps<void> {
    for (const consumer of this.#consumers) {
      const keeping = consumer.keep?.(this.#storage, this.#applied);
      if (keeping !== undefined) yield* keeping;
    }
  }

  /** Gives everything up; it is loaded anew by the next `follow`. */
  forget(): void {
    this.#unapplied = [];
    for (const consumer of this.#consumers) this.#giveUp(consumer);
  }

  #giveUp(consumer: Consumer): void {
    this.#missing.add(consumer);
    consumer.forget();
  }

  /** Forgets entries of the change log that nobody is likely to need. */
  #trim(last: number): void {
    if (last - this.#trimmed < SPARE_CHANGES) return;
    this.#storage.changeLog.trim(last - KEPT_CHANGES);
    this.#trimmed = last;
  }

  /** Catches up and loads what is missing, within a transaction of whichever kind. */
  *#bringUp(): Steps<void> {
    const { first, last } = this.#storage.changeLog.range();
    if (this.#missing.size < this.#consumers.length && last !== this.#applied)
      yield* this.#catchUp(first, last);
    this.#applied = last;
    for (const consumer of this.#missing) {
      const start = performance.now();
      const told = (what: string, figures: Record<string, unknown>) =>
        this.#tell(`${what}: ${consumer.name}`, {
          ...figures,
          ms: Math.round(performance.now() - start),
        });
      const known = consumer.resume?.(this.#storage);
      if (known === undefined) {
        const figures = yield* consumer.load(this.#storage);
        this.#missing.delete(consumer);
        if (figures !== undefined) told("Loaded from the database", figures);
        continue;
      }
      this.#missing.delete(consumer);
      const changes = this.#storage.changeLog.since(known);
      yield* this.#take(changes, { consumers: [consumer] });
      if (!this.#missing.has(consumer)) told("Loaded as it was kept", { changes: changes.length });
    }
  }

  *#catchUp(first: number, last: number): Steps<void> {
    // Where the log is empty, `first` is 0, and everything up to `last` was cut off.
    if (last < this.#applied || first === 0 || first > this.#applied + 1) {
      this.#tell("The change log does not reach back to what is known: everything is loaded anew");
      this.forget();
      return;
    }
    const changes = this.#storage.changeLog.since(this.#applied);
    yield* this.#take(changes);
    if (changes.length > 0) this.#tell("Took in what others wrote", { changes: changes.length });
  }

  /** Nodes first: an edge needs its ends. */
  *#take(
    changes: readonly Change[],
    { consumers = this.#consumers, batch = BATCH } = {},
  ): Steps<void> {
    const changed = new Map<Change["entity"], Set<string>>([
      ["node", new Set()],
      ["edge", new Set()],
      ["soft", new Set()],
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
  }

  /**
   * Whether what was committed could be read. Where not, nothing that does not know it may go on.
   */
  #reading(work: () => void): boolean {
    try {
      work();
      return true;
    } catch (error) {
      this.#tell("What was written could not be read: everything is loaded anew", {
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
        this.#tell(`Could not take in what was written: ${consumer.name}`, {
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

function* batches(ids: Iterable<string>, most: number): Iterable<readonly string[]> {
  const list = [...ids];
  for (let at = 0; at < list.length; at += most) yield list.slice(at, at + most);
}
