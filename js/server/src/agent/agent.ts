// One agent: a database, an index, and how they are read and written. What can be asked of it is in
// the files of the subjects; see `handlers.ts`. Reads and writes are synchronous, so that nothing
// comes between a commit and its being applied.

import {
  createEngine,
  type Engine,
  inSnakeCase,
  type MemoryIndex,
  NousError,
  type PlaybookBook,
  type TextIndex,
} from "nous-wasm";
import type { Node } from "../api/nodes.ts";
import { wrong } from "../refusal.ts";
import type { Compat } from "../settings/compat.ts";
import type { EngineYaml } from "../settings/engine-config.ts";
import type { SnapshotPlaces } from "../settings/paths.ts";
import { atOnce, inTurns, oneStep, type Steps } from "../steps.ts";
import type { NodeRow } from "../storage/rows.ts";
import type { Storage } from "../storage/storage.ts";
import type { NameKind } from "../storage/tables/names.ts";
import type { SoftChange } from "../storage/tables/soft.ts";
import { MOST_AHEAD, toIso } from "../time.ts";
import { Clock } from "./clock.ts";
import { presentNode } from "./present.ts";
import { Follower, type Tell } from "./replica/follower.ts";
import { IndexReplica } from "./replica/index-replica.ts";
import { PlaybookReplica } from "./replica/playbook-replica.ts";
import { RowCache } from "./replica/row-cache.ts";
import { SnapshotFile } from "./replica/snapshot-file.ts";
import { SoftState } from "./replica/soft-state.ts";
import { TextReplica } from "./replica/text-replica.ts";

/**
 * Bytes outside the engine that an open agent takes: for each memory its id and what SQLite keeps
 * ready, and on its own.
 */
const BYTES_OF_NODE = 200;
const BYTES_OF_AGENT = 4 * 2 ** 20;
/**
 * How long a transaction that gives way stays open, in milliseconds; after that it ends without a
 * pause. Other programs that want to write wait for it, and give up after five seconds.
 */
const MOST_OPEN = 2_500;
/** Memories whose soft state is written in one transaction. */
const FLUSH_BATCH = 5_000;

export interface AgentOptions {
  config?: EngineYaml;
  /** Which other server this agent behaves as; `none` unless it is said. */
  compat?: Compat;
  /** Whether there is a provider of embeddings; unless it is said there is none. */
  embeds?: boolean;
  /** Whether a closed trade counts for its playbooks by itself; unless it is said it does. */
  countsOutcomes?: boolean;
  tell?: Tell;
  /** The clock, in milliseconds since 1970. */
  clock?: () => number;
  /** Where index and full text are kept from one start to the next; nowhere unless it is said. */
  snapshots?: SnapshotPlaces;
  /**
   * Rids the files of what is left of a memory; by the storage itself, while everything waits,
   * unless it is said.
   */
  scrub?: (nodeId: string) => Promise<void>;
}

/** What a piece of work that is one transaction can do beside writing to the store. */
export interface Unit {
  /**
   * Writes what is ahead of the database for these memories, before anything else changes it: else
   * it would undo that.
   */
  settle(ids: readonly string[]): void;
}

export class Agent {
  readonly storage: Storage;
  readonly engine: Engine;
  readonly config: EngineYaml;
  readonly compat: Compat;
  readonly embeds: boolean;
  readonly countsOutcomes: boolean;
  readonly soft = new SoftState();
  /**
   * Long work awaits it between its steps, outside of `read` and `write`: other agents of the
   * thread get their turns. It throws where nobody waits for the work any more.
   */
  giveWay: () => Promise<void> = async () => {};
  readonly #resident: IndexReplica;
  readonly #book = new PlaybookReplica();
  readonly #texts: TextReplica;
  readonly #rows = new RowCache();
  readonly #files: readonly SnapshotFile[];
  readonly #follower: Follower;
  readonly #tell: Tell;
  readonly #clock: Clock;
  readonly #scrub: (nodeId: string) => Promise<void> | void;

  constructor(storage: Storage, options: AgentOptions = {}) {
    const { config = {}, compat = "none", embeds = false, countsOutcomes = true } = options;
    const { tell = () => {}, clock = Date.now, snapshots } = options;
    this.storage = storage;
    this.config = config;
    this.compat = compat;
    this.embeds = embeds;
    this.countsOutcomes = countsOutcomes;
    this.engine = createEngine(inSnakeCase(config));
    this.#tell = tell;
    this.#clock = new Clock(clock);
    this.#scrub = options.scrub ?? ((nodeId) => storage.scrub(nodeId));
    const indexFile = snapshots && new SnapshotFile(snapshots.index, "index", tell);
    const textsFile = snapshots && new SnapshotFile(snapshots.texts, "full text", tell);
    this.#files = [indexFile, textsFile].filter((file) => file !== undefined);
    this.#resident = new IndexReplica(
      this.soft,
      this.engine,
      config,
      tell,
      () => this.now(),
      indexFile,
    );
    this.#texts = new TextReplica(textsFile);
    this.#follower = new Follower(
      storage,
      [this.soft, this.#resident, this.#texts, this.#book, this.#rows],
      tell,
    );
  }

  /** The index. Only within `read` and `write` does it know all that is committed. */
  get index(): MemoryIndex {
    this.#follower.ensure();
    return this.#resident.index;
  }

  /** The full-text index, which knows as much. */
  get texts(): TextIndex {
    this.#follower.ensure();
    return this.#texts.index;
  }

  /** Components of a vector; 0 before there is the first. */
  get dimensions(): number {
    this.#follower.ensure();
    return this.#resident.dimensions;
  }

  /** All playbooks, whatever state they are in; else as the index. */
  get playbooks(): PlaybookBook {
    this.#follower.ensure();
    return this.#book.playbooks;
  }

  /** Milliseconds since 1970. */
  now(): number {
    return this.#clock.now();
  }

  /**
   * The rows of those memories that are there, in no order; within `read`. They are shared: nobody
   * changes them.
   */
  rows(ids: readonly string[]): readonly Readonly<NodeRow>[] {
    this.#follower.ensure();
    return this.#rows.of(ids, this.storage);
  }

  /** Loads what is kept in memory, so that the first request does not wait for it. */
  open(): void {
    this.read(() => {});
  }

  /**
   * The same; `pause` is awaited between its steps. It must not throw, and nothing is asked of the
   * agent meanwhile.
   */
  async openInTurns(pause: () => Promise<void>): Promise<void> {
    if (this.#follower.isLoaded) return;
    const loading = () => {
      this.#heedClock();
      return this.#follower.loadInSteps();
    };
    await inTurns(this.#living(loading), pause);
  }

  /** Does something on an index that knows all that is committed. */
  read<T>(work: () => T): T {
    const reading = () =>
      oneStep(() => {
        this.#heedClock();
        this.#follower.follow();
        return work();
      });
    return atOnce(this.#living(reading));
  }

  /**
   * Does something as one transaction; what throws undoes it. The rows it touched are known from
   * the change log, and the index takes them in before it is asked anything, or by `apply`. `work`
   * may read the index, too.
   */
  write<T>(work: (unit: Unit) => T, patience?: number): T {
    const writing = () => this.#writing((unit) => oneStep(() => work(unit)), patience);
    return atOnce(this.#living(writing));
  }

  /**
   * The same for long work: other agents of the thread get their turns between its steps, while the
   * transaction stays open. Nothing is written where nobody waits for the work any more.
   */
  writeInTurns<T>(work: (unit: Unit) => Steps<T>): Promise<T> {
    let until: number | undefined;
    const pause = async () => {
      until ??= performance.now() + MOST_OPEN;
      if (performance.now() < until) await this.giveWay();
    };
    return inTurns(
      this.#living(() => this.#writing(work)),
      pause,
    );
  }

  *#writing<T>(work: (unit: Unit) => Steps<T>, patience?: number): Steps<T> {
    this.#heedClock();
    const latest = toIso(this.now() + MOST_AHEAD);
    // Each once: what is pending is forgotten when it is committed, and would be added again,
    // over what came after it.
    const settled = new Map<string, SoftChange>();
    const settle = (ids: readonly string[]) => {
      const changes = this.soft.changes(new Set(ids.filter((id) => !settled.has(id))));
      this.storage.soft.write(changes, latest);
      for (const change of changes) settled.set(change.id, change);
    };
    const result = yield* this.#follower.writeInSteps(
      () => this.#settled(work, settle),
      () => {
        this.soft.written([...settled.keys()]);
        this.#rows.wrote([...settled.values()], latest);
      },
      patience,
    );
    this.storage.checkPlace();
    return result;
  }

  *#settled<T>(work: (unit: Unit) => Steps<T>, settle: Unit["settle"]): Steps<T> {
    this.#pinDimensions();
    const result = yield* work({ settle });
    // What is in the log is taken as the database has it, so that nothing of it may be ahead.
    if (this.isAhead) settle(this.#follower.loggedNodes());
    return result;
  }

  /**
   * Has index, full text and what else is kept in memory take in what was written last, while
   * nobody waits.
   */
  apply(): void {
    this.#follower.apply();
  }

  /** The same with pauses; see `openInTurns`. */
  applyInTurns(pause: () => Promise<void>): Promise<void> {
    return inTurns(this.#follower.applyInSteps(), pause);
  }

  /**
   * What most vectors of another server's database have holds from the first write on, whatever it
   * adds.
   */
  #pinDimensions(): void {
    const { dimensions } = this.#resident;
    if (dimensions !== 0 && this.storage.meta("dimensions") === undefined) {
      this.storage.setMeta("dimensions", String(dimensions));
    }
  }

  /**
   * Nothing that is kept in memory may lie ahead of the clock, where that was set back. What was
   * kept so by a clock that was far behind is read anew.
   */
  #heedClock(): void {
    if (this.#clock.wasSetFarForward()) this.#follower.forget();
    if (!this.#clock.wasSetBack()) return;
    const now = this.now();
    this.soft.clockWasSetBack(now);
    this.#resident.clockWasSetBack(now);
  }

  /**
   * An index that was lost is made anew, once. Nothing is half done: what a transaction did is
   * undone by then.
   */
  *#living<T>(work: () => Steps<T>): Steps<T> {
    try {
      return yield* work();
    } catch (error) {
      if (!(error instanceof NousError) || error.code !== "instance_lost") throw error;
      this.#tell("The index was lost, and is built anew", { why: error.message });
      this.#follower.forget();
      return yield* work();
    }
  }

  // ---- soft state
  // ---------------------------------------------------------------------------------

  /** Whether recalls or sweeps are ahead of the database. */
  get isAhead(): boolean {
    return this.soft.size > 0;
  }

  /**
   * Writes what recalls and sweeps changed: as much as fits in one transaction. `patience` is in
   * milliseconds.
   */
  flush(patience?: number): void {
    if (!this.isAhead) return;
    this.write(
      ({ settle }) => settle(this.soft.changes(undefined, FLUSH_BATCH).map(({ id }) => id)),
      patience,
    );
  }

  /** Writes all of it. */
  flushAll(): void {
    while (this.isAhead) this.flush();
  }

  /**
   * Keeps index and full text for the next start, as the database has them. Nobody else writes
   * meanwhile: a text that somebody has purged does not come back with a file that was begun
   * before.
   */
  keep(): void {
    this.flushAll();
    this.storage.checkPlace();
    if (this.#follower.isLoaded) this.write(() => atOnce(this.#follower.keep()));
  }

  /** The same; other agents of the thread get their turns between its steps. */
  async keepInTurns(): Promise<void> {
    while (this.isAhead) {
      this.flush();
      await this.giveWay();
    }
    this.storage.checkPlace();
    if (this.#follower.isLoaded) await this.writeInTurns(() => this.#follower.keep());
  }

  /** Writes all of it, and gives the database back. */
  close(): void {
    try {
      this.keep();
    } finally {
      this.discard();
    }
  }

  /** Gives the database back, and writes nothing. */
  discard(): void {
    this.#follower.forget();
    this.storage.close();
  }

  /** Memories that are kept ready; 0 where the index is not loaded. */
  get size(): number {
    return this.#resident.isLoaded ? this.#resident.index.size : 0;
  }

  /** What it takes while it is open, in bytes: of the engine as it is, of the rest about. */
  get bytes(): number {
    const index = this.#resident.isLoaded ? this.#resident.index.bytes.module : 0;
    return (
      index + this.#texts.bytes + this.#rows.bytes + this.size * BYTES_OF_NODE + BYTES_OF_AGENT
    );
  }

  /**
   * Deletes a memory, if it is there, and sees to it that nothing of its text is left in any file;
   * whether it was there. It takes as long as writing the whole database anew, for which other
   * agents need not wait.
   *
   * @throws {StorageError} where another program reads the database, so that it has to be done
   * again.
   */
  async purge(id: string): Promise<boolean> {
    const wasThere = this.write(() => {
      this.storage.purges.begin(id);
      // Tables that Hynous made forget the memory's id when it is deleted, and keep its text.
      this.storage.conflicts.removeOf(id);
      return this.storage.nodes.delete(id);
    });
    this.#removeSnapshots();
    this.storage.checkPlace();
    await this.#scrub(id);
    this.storage.checkPlace();
    return wasThere;
  }

  /**
   * Finishes purges that were interrupted, before the agent answers anything. If another program
   * reads the database, the purges wait for the next opening. One scrub finishes all purges that
   * were begun. Other agents need not wait for it.
   */
  async finishPurges(): Promise<void> {
    const [id] = this.storage.purges.begun();
    if (id === undefined) return;
    try {
      this.#removeSnapshots();
      this.storage.checkPlace();
      await this.#scrub(id);
      this.#tell("A purge that was interrupted is finished");
    } catch (error) {
      this.#tell("A purge that was interrupted waits for the next start", {
        why: (error as Error).message,
      });
    }
  }

  #removeSnapshots(): void {
    for (const file of this.#files) file.remove();
  }

  // ---- what several subjects need
  // -----------------------------------------------------------------

  /** A row as it is answered. */
  present(row: NodeRow): Node {
    return presentNode(row, this.index.get(row.id), this);
  }

  /** One that has just been written, and of which the index will know nothing else. */
  presentNew(row: NodeRow): Node {
    return presentNode(row, undefined, this);
  }

  /**
   * A vector as it is stored, within a `write`. The first one decides how long they are, until
   * there is none left.
   *
   * @throws {Refusal} for one of another length.
   */
  vectorBytes(embedding: readonly number[] | null): Uint8Array | null {
    if (embedding === null) return null;
    const { storage } = this;
    // The index does not know yet what this transaction has written.
    const dimensions = storage.embeddings.dimensions();
    if (embedding.length !== dimensions) {
      if (dimensions !== 0 && storage.embeddings.has(dimensions)) {
        throw wrong(
          "embedding",
          `must have ${dimensions} components, as the others, found ${embedding.length}`,
        );
      }
      storage.setMeta("dimensions", String(embedding.length));
    }
    return Buffer.from(Float32Array.from(embedding).buffer);
  }

  /** @throws {Refusal} for a name that would be one more than an index can hold. */
  checkNames(names: Partial<Record<NameKind, string | null>>): void {
    for (const [kind, name] of Object.entries(names) as [NameKind, string | null][]) {
      if (!this.#resident.isFull(kind, name)) continue;
      const path = kind === "edge type" ? "type" : kind;
      throw wrong(path, `would be one ${kind} more than an agent can have`);
    }
  }
}
