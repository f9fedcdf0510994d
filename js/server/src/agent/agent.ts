// One agent: its database, its replicas, and the transactions that read and write them. The
// operations on an agent are in `handlers/`, and their writes in `writes/`. Reads and writes are
// synchronous, so that no other work runs between a commit and its application to the replicas.

import {
  atOnce,
  BUILT_IN_PRESETS,
  type EngineYaml,
  inTurns,
  MAX_AHEAD,
  oneStep,
  type PairOfStatements,
  type Pause,
  type Preset,
  type Presets,
  type Steps,
  toIso,
} from "nous-memory";
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
import type { BuiltIn } from "../embeddings/built-in.ts";
import { wrong } from "../refusal.ts";
import type { RankedBy } from "../settings/choices.ts";
import type { VectorMaker } from "../settings/embeddings-model.ts";
import type { SnapshotPlaces } from "../settings/paths.ts";
import { DEFAULT_PRESET } from "../settings/preset.ts";
import type { ComparedTest } from "../storage/filters/conditions.ts";
import type { NodeRow } from "../storage/rows.ts";
import { snapshotFilesAt } from "../storage/snapshots.ts";
import type { Storage } from "../storage/storage.ts";
import type { FullTextHit } from "../storage/tables/full-text.ts";
import type { NameKind } from "../storage/tables/names.ts";
import type { SoftChange } from "../storage/tables/soft.ts";
import { moment, type Part, type PartName } from "../telemetry/telemetry.ts";
import type { Behaviour } from "./behaviour.ts";
import { Clock } from "./clock.ts";
import { DEFAULT_BEHAVIOUR } from "./default-behaviour.ts";
import { HeldTime } from "./held-time.ts";
import { presentNode } from "./present.ts";
import { type Among, Columns } from "./replica/columns.ts";
import { Expiries } from "./replica/expiries.ts";
import { Follower, type Log } from "./replica/follower.ts";
import { IndexReplica } from "./replica/index-replica.ts";
import { KeptSnapshot } from "./replica/kept-snapshot.ts";
import { PlaybookReplica } from "./replica/playbook-replica.ts";
import { RowCache } from "./replica/row-cache.ts";
import { SoftState } from "./replica/soft-state.ts";
import { SqliteTexts } from "./replica/sqlite-texts.ts";
import { TextReplica } from "./replica/text-replica.ts";
import type { Room } from "./room.ts";
import type { SignalSearch } from "./search/request.ts";
import { Vectors } from "./vectors.ts";

/**
 * Estimated bytes of an open agent outside the engine: per memory (its id, and SQLite's cache), and
 * fixed.
 */
const BYTES_OF_NODE = 200;
const BYTES_OF_AGENT = 4 * 2 ** 20;
/**
 * How long a transaction that gives way may stay open, in milliseconds. After that it runs to its
 * end without a pause. Other programs that want to write wait for it, and give up after five
 * seconds.
 */
const MAX_OPEN = 2_500;
/** Memories whose soft state is written in one transaction. */
const FLUSH_BATCH = 5_000;

/**
 * Returns for each pair how likely its newer statement replaces the older one, as log-odds; undefined if it
 * cannot be read now.
 */
export type PairReader = (pairs: readonly PairOfStatements[]) => Promise<Float32Array | undefined>;

export interface AgentOptions {
  config?: EngineYaml;
  /** What the agent decides as another server does. Default: nothing. */
  behaviour?: Behaviour;
  /** How searches rank unless a request says. Default: by evidence. */
  ranking?: RankedBy;
  /** Searches by signals as another server does. Default: as this one does. */
  searchBySignals?: SignalSearch<Agent> | undefined;
  /** Whether feedback teaches, and searches rank by what it taught. Default: false. */
  learns?: boolean;
  /** What makes vectors of memories beside their writes. Default: nothing. */
  maker?: VectorMaker | undefined;
  /** Reads pairs of statements that a new memory is compared with. Default: nothing does. */
  readPairs?: PairReader | undefined;
  /** The server's table of word vectors, which makes those of memories without a maker. Default: none. */
  builtIn?: BuiltIn | undefined;
  /** Whether a closed trade counts for its playbooks without a request. Default: true. */
  countsOutcomes?: boolean;
  /** The name of the preset. Default: the one that the database names, else `general`. */
  preset?: string | undefined;
  /** The time zone by which days are told. Default: UTC. */
  timeZone?: string | undefined;
  /** The presets by name. Default: those that ship. */
  presets?: Presets;
  /** Receives log messages. Default: drops them. */
  log?: Log;
  /** The clock, in milliseconds since 1970. */
  clock?: () => number;
  /** The time that the clock has held; all agents of a thread share one. */
  heldTime?: HeldTime;
  /** The snapshot files of the index and of the full text. Default: those of the store, if any. */
  snapshots?: SnapshotPlaces;
  /**
   * Removes the remains of a deleted memory's text from the files. Default: the storage does it,
   * and blocks the thread meanwhile.
   */
  scrub?: (nodeId: string) => Promise<void>;
}

/** The part of a transaction that `work` uses beside the storage. */
export interface Unit {
  /**
   * Writes the pending soft state of these memories. Call it before the transaction changes them:
   * later the pending state would overwrite the change.
   */
  settle(ids: readonly string[]): void;
  /**
   * Makes the vectors of texts that the transaction has written so far, or drops those of earlier
   * texts. The end of the transaction does it, too. Call it to learn the last entry of the change log
   * that comes from this transaction.
   */
  embed(): void;
}

/** What depends on the preset in force. */
interface OfPreset {
  preset: Preset;
  config: EngineYaml;
  engine: Engine;
}

export class Agent {
  readonly storage: Storage;
  readonly behaviour: Behaviour;
  readonly ranking: RankedBy;
  readonly searchBySignals: SignalSearch<Agent> | undefined;
  readonly readPairs: PairReader;
  readonly learns: boolean;
  readonly vectors: Vectors;
  readonly countsOutcomes: boolean;
  readonly presets: Presets;
  /** The time zone by whose clocks days are told, and times without a zone were read. */
  readonly timeZone: string;
  /** The name of the preset that the settings give; undefined if they give none. */
  readonly givenPreset: string | undefined;
  readonly soft = new SoftState();
  /**
   * Memories that were written and are not compared yet with those that they may replace. It is not
   * stored: a possible conflict is a hint.
   */
  readonly uncompared = new Set<string>();
  /** Memories that were compared while others waited for their embeddings: they are compared again. */
  readonly comparedEarly = new Set<string>();
  /**
   * Long work awaits it between its steps, outside of `read` and `write`, so that other agents of
   * the thread get their turns. Throws if the client has gone.
   */
  giveWay: Pause = async () => {};
  /** What the caller of the operation may add; undefined: anything. */
  room: Room | undefined;
  /** The parts of the operation so far, if somebody follows it. */
  parts: Part[] | undefined;
  readonly #given: EngineYaml;
  #known: OfPreset;
  readonly #replica: IndexReplica;
  readonly #book = new PlaybookReplica();
  readonly #texts: TextReplica;
  readonly #sqliteTexts: SqliteTexts;
  readonly #rows = new RowCache();
  readonly #expiries = new Expiries();
  readonly #columns = new Columns();
  readonly #kept: readonly KeptSnapshot[];
  readonly #follower: Follower;
  readonly #log: Log;
  readonly #clock: Clock;
  readonly #scrub: (nodeId: string) => Promise<void> | void;

  constructor(storage: Storage, options: AgentOptions = {}) {
    const { config = {}, countsOutcomes = true } = options;
    const { log = () => {}, clock = Date.now, snapshots } = options;
    const { heldTime = new HeldTime(clock) } = options;
    this.storage = storage;
    this.behaviour = options.behaviour ?? DEFAULT_BEHAVIOUR;
    this.ranking = options.ranking ?? "evidence";
    this.searchBySignals = options.searchBySignals;
    this.learns = options.learns ?? false;
    this.readPairs = options.readPairs ?? (async () => undefined);
    this.vectors = new Vectors(storage, options.builtIn, options.maker, this.behaviour);
    this.countsOutcomes = countsOutcomes;
    this.givenPreset = options.preset ?? config.evidence?.preset;
    this.presets = options.presets ?? BUILT_IN_PRESETS;
    this.timeZone = options.timeZone ?? "UTC";
    this.#given = config;
    this.#log = log;
    this.#clock = new Clock(clock, heldTime);
    this.#scrub = options.scrub ?? ((nodeId) => storage.scrub(nodeId));
    const stores = snapshots === undefined ? storage.snapshots : snapshotFilesAt(snapshots);
    const keptIndex = stores && new KeptSnapshot(stores.index, "index", log);
    const keptTexts = stores && new KeptSnapshot(stores.texts, "full text", log);
    this.#kept = [keptIndex, keptTexts].filter((kept) => kept !== undefined);
    this.#known = this.#ofPreset();
    this.#replica = new IndexReplica(
      this.soft,
      () => this.engine,
      log,
      () => this.now(),
      {
        config: () => this.config,
        stemming: () => this.preset.stemming,
        timeZone: this.timeZone,
        holdsTexts: this.ranking === "evidence",
        learns: this.learns,
        words: this.vectors.words,
        roomFor: (dimensions) => this.vectors.roomFor(dimensions),
        kept: keptIndex,
      },
    );
    this.#texts = new TextReplica(this.ranking === "signals", keptTexts);
    this.#sqliteTexts = new SqliteTexts(
      this.behaviour.readsSqliteTexts && storage.fullText === undefined,
    );
    this.#follower = new Follower(
      storage,
      [
        this.soft,
        this.#replica,
        this.#texts,
        this.#sqliteTexts,
        this.#book,
        this.#rows,
        this.#expiries,
        this.#columns,
      ],
      log,
    );
  }

  // ---- the preset -------------------------------------------------------------------------------

  /** The preset in force. */
  get preset(): Preset {
    return this.#known.preset;
  }

  /** The engine's configuration, with what the preset says. */
  get config(): EngineYaml {
    return this.#known.config;
  }

  /** The engine by the preset in force. */
  get engine(): Engine {
    return this.#known.engine;
  }

  /** Whether the agent's database names a preset. */
  get hasOwnPreset(): boolean {
    return this.storage.meta("preset") !== undefined;
  }

  /**
   * Stores the name of the preset with the agent. The index is loaded again if another one was in
   * force. Other processes that have the agent open take it when they open it again.
   */
  setPreset(name: string): void {
    this.write(() => this.storage.setMeta("preset", name));
    const before = this.#known.preset;
    this.#known = this.#ofPreset();
    if (this.preset !== before) this.#follower.reload(this.#replica);
  }

  /** Returns what depends on the preset in force. */
  #ofPreset(): OfPreset {
    const stored = this.storage.meta("preset");
    const name = this.givenPreset ?? stored ?? DEFAULT_PRESET;
    const preset = this.presets.get(name) ?? this.presets.get(DEFAULT_PRESET)!;
    if (preset.name !== name)
      this.#log(`The preset ${name} of the agent does not exist here: ${preset.name} is used`, {
        presets: [...this.presets.keys()].join(", "),
      });
    const config = this.behaviour.engineConfig(preset, this.#given);
    return { preset, config, engine: createEngine(inSnakeCase(config)) };
  }

  // ---- time -------------------------------------------------------------------------------------

  /** Returns the time of the agent's clock, in milliseconds since 1970. */
  now(): number {
    return this.#clock.now();
  }

  /**
   * Milliseconds since 1970, for work that cannot be undone. After the clock was set forward, this
   * goes on from the time before for an hour.
   */
  heldNow(): number {
    return this.#clock.heldNow();
  }

  /**
   * After the clock was set back, moves times in memory that lie ahead of it to now. After it was
   * set far forward, reloads the replicas: the clock before was wrong.
   */
  #heedClock(): void {
    if (this.#clock.wasSetFarForward()) this.#follower.forget();
    if (!this.#clock.wasSetBack()) return;
    const now = this.now();
    this.soft.clockWasSetBack(now);
    this.#replica.clockWasSetBack(now);
  }

  // ---- the memory, as current as the last `read` or `write` -------------------------------------

  /** The memory index. It has every committed change only within `read` and `write`. */
  get index(): MemoryIndex {
    this.#follower.ensure();
    return this.#replica.index;
  }

  /** The full-text index, as current as `index`. Loads it unless `prepare` did. */
  get texts(): TextIndex {
    this.#texts.isWanted = true;
    this.#follower.ensure();
    return this.#texts.index;
  }

  /**
   * Returns the hits of SQLite's full text, as `FullTextTable.find` does. Call it within `read`, and
   * only of an agent whose behaviour reads them. If the database is not SQLite, a replica answers.
   */
  hitsOfSqlite(match: string, limit: number): FullTextHit[] {
    if (this.storage.fullText !== undefined) return this.storage.fullText.find(match, limit);
    this.#follower.ensure();
    return this.#sqliteTexts.find(match, limit);
  }

  /** Components of an embedding; 0 before the first one. */
  get dimensions(): number {
    this.#follower.ensure();
    return this.#replica.dimensions;
  }

  /** The playbooks of every state, as current as `index`. */
  get playbooks(): PlaybookBook {
    this.#follower.ensure();
    return this.#book.playbooks;
  }

  /**
   * Returns the rows of these memories in no order, without those that do not exist. Call it within
   * `read`. Rows are shared with the cache: do not change them.
   */
  rows(ids: readonly string[]): readonly Readonly<NodeRow>[] {
    this.#follower.ensure();
    return this.#rows.of(ids, this.storage);
  }

  /**
   * Returns the memories of the index that may pass all these tests; undefined if that is not known.
   * Call it within `read`.
   */
  among(tests: readonly ComparedTest[]): Among | undefined {
    this.#follower.ensure();
    return this.#columns.among(tests, this.#replica.index, this.storage);
  }

  /** No memory expires earlier, in milliseconds since 1970. */
  get nextExpiry(): number {
    this.#follower.ensure();
    return this.#expiries.next;
  }

  /** Reads from the database when the next memory expires. */
  readNextExpiry(): void {
    this.#expiries.reload(this.storage);
  }

  /** @throws {Refusal} If a new name would exceed the number of names that an index can hold. */
  checkNames(names: Partial<Record<NameKind, string | null>>): void {
    for (const [kind, name] of Object.entries(names) as [NameKind, string | null][]) {
      if (!this.#replica.isFull(kind, name)) continue;
      const path = kind === "edge type" ? "type" : kind;
      throw wrong(path, `would be one ${kind} more than an agent can have`);
    }
  }

  /** Returns a row in the form of an answer. */
  present(row: NodeRow): Node {
    return presentNode(row, this.index.get(row.id), this);
  }

  /**
   * Returns a row that was just written in the form of an answer, without a look into the index.
   */
  presentNew(row: NodeRow): Node {
    return presentNode(row, undefined, this);
  }

  /** Does a part of an operation, and notes how long it took if somebody follows it. */
  part<T>(name: PartName, work: () => T): T {
    if (this.parts === undefined) return work();
    const from = moment();
    try {
      return work();
    } finally {
      this.parts.push({ name, from, to: moment() });
    }
  }

  // ---- transactions -----------------------------------------------------------------------------

  /** Runs `work` on replicas that have every committed change. */
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
   * Runs `work` as one transaction; an error rolls it back. The replicas apply the changed rows,
   * which the change log names, before their next use or at `apply`. `work` may read the index,
   * too. `patience` is how long to wait for the write lock, in milliseconds.
   */
  write<T>(work: (unit: Unit) => T, patience?: number): T {
    const writing = () => this.#writing((unit) => oneStep(() => work(unit)), patience);
    return this.part("write rows", () => atOnce(this.#living(writing)));
  }

  /**
   * Runs long work as one transaction. Other agents of the thread get their turns between its
   * steps, while the transaction stays open. If the client has gone, the transaction is rolled
   * back.
   */
  writeInTurns<T>(work: (unit: Unit) => Steps<T>): Promise<T> {
    let until: number | undefined;
    const pause: Pause = async (isBlocked = false) => {
      // Blocked work has not begun its transaction.
      if (isBlocked) return this.giveWay(isBlocked);
      until ??= performance.now() + MAX_OPEN;
      if (performance.now() < until) await this.giveWay();
    };
    const [parts, from] = [this.parts, moment()];
    const writing = inTurns(
      this.#living(() => this.#writing(work)),
      pause,
    );
    if (parts === undefined) return writing;
    return writing.finally(() => parts.push({ name: "write rows", from, to: moment() }));
  }

  *#writing<T>(work: (unit: Unit) => Steps<T>, patience?: number): Steps<T> {
    this.#heedClock();
    const latest = toIso(this.now() + MAX_AHEAD);
    // Each change is written once per transaction: it stays pending until the commit, and a second
    // write would overwrite what came between.
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
    const embed = this.vectors.begin();
    const result = yield* work({ settle, embed: () => atOnce(embed()) });
    yield* embed();
    // Replicas take logged rows as the database has them, so their soft state must be written too.
    if (this.isAhead) settle(this.#follower.loggedNodes());
    return result;
  }

  /**
   * Stores the number of components at the first write. For a database of another server it is the
   * number that most of its embeddings have.
   */
  #pinDimensions(): void {
    const { dimensions } = this.#replica;
    if (dimensions !== 0 && this.storage.meta("dimensions") === undefined) {
      this.storage.setMeta("dimensions", String(dimensions));
    }
  }

  /**
   * Runs `work`. If the engine's instance was lost, rebuilds the index and runs `work` once more.
   * The failed transaction was rolled back by then.
   */
  *#living<T>(work: () => Steps<T>): Steps<T> {
    try {
      return yield* work();
    } catch (error) {
      if (!(error instanceof NousError) || error.code !== "instance_lost") throw error;
      this.#log("The index was lost, and is rebuilt", { why: error.message });
      this.#follower.forget();
      return yield* work();
    }
  }

  /** Applies the last write to the replicas. Call it when no client waits. */
  apply(): void {
    this.#follower.apply();
  }

  /** Applies the last write with pauses; see `openInTurns`. */
  applyInTurns(pause: Pause): Promise<void> {
    return inTurns(this.#follower.applyInSteps(), pause);
  }

  // ---- soft state -------------------------------------------------------------------------------

  /** Whether soft state is pending. */
  get isAhead(): boolean {
    return this.soft.size > 0;
  }

  /**
   * Writes pending soft state, as much as fits in one transaction. `patience` is how long to wait
   * for the write lock, in milliseconds.
   */
  flush(patience?: number): void {
    if (!this.isAhead) return;
    this.write(
      ({ settle }) => settle(this.soft.changes(undefined, FLUSH_BATCH).map(({ id }) => id)),
      patience,
    );
  }

  /** Writes all pending soft state. */
  flushAll(): void {
    while (this.isAhead) this.flush();
  }

  // ---- vectors ----------------------------------------------------------------------------------

  /**
   * Makes vectors of memories that wait for one, in one transaction; see `Vectors.embedOlder`. Returns
   * undefined if the server makes none for this database.
   */
  async embedOlder(max: number): Promise<{ done: number; embedded: number } | undefined> {
    const { vectors } = this;
    if (!vectors.mayEmbedOlder) return undefined;
    if (vectors.areComplete) return { done: 0, embedded: 0 };
    return this.writeInTurns(() => vectors.embedOlder(max));
  }

  /** Drops vectors of a table, if a provider of embeddings is to make others. */
  leaveTable(): void {
    if (this.vectors.mustLeaveTable) this.write(() => this.vectors.drop());
  }

  // ---- life -------------------------------------------------------------------------------------

  /** Loads the replicas, so that the first request does not wait for them. */
  open(): void {
    this.read(() => {});
  }

  /**
   * Loads what searches by a ranking need. Returns undefined if it is loaded; other agents get
   * their turns meanwhile. Call it outside of `read` and `write`.
   */
  prepare(ranking: RankedBy): Promise<void> | undefined {
    if (ranking === "signals") this.#texts.isWanted = true;
    else if (!this.#replica.holdsTexts) {
      this.#replica.holdsTexts = true;
      this.#follower.reload(this.#replica);
    }
    if (this.#follower.isLoaded) return undefined;
    // What is loaded serves the next request, too, so that a client that has gone does not end it.
    return this.openInTurns((isBlocked) => this.giveWay(isBlocked).catch(() => {}));
  }

  /**
   * Loads the replicas, and awaits `pause` between the steps. `pause` must not throw. Do not use
   * the agent until the promise resolves.
   */
  async openInTurns(pause: Pause): Promise<void> {
    if (this.#follower.isLoaded) return;
    const loading = () => {
      this.#heedClock();
      return this.#follower.loadInSteps();
    };
    await inTurns(this.#living(loading), pause);
  }

  /**
   * Writes snapshots of the index and of the full text, in a write transaction: no other process
   * can purge a text while a snapshot that holds it is being written.
   */
  keep(): void {
    this.flushAll();
    this.storage.checkPlace();
    if (this.#follower.isLoaded) this.write(() => atOnce(this.#follower.keep()));
  }

  /** Writes snapshots; other agents of the thread get their turns between the steps. */
  async keepInTurns(): Promise<void> {
    while (this.isAhead) {
      this.flush();
      await this.giveWay();
    }
    this.storage.checkPlace();
    if (this.#follower.isLoaded) await this.writeInTurns(() => this.#follower.keep());
  }

  /** Writes soft state and snapshots, and closes the database. */
  close(): void {
    try {
      this.keep();
    } finally {
      this.discard();
    }
  }

  /** Closes the database, and writes nothing. */
  discard(): void {
    this.#follower.forget();
    this.storage.close();
  }

  /**
   * Deletes a memory, if it exists, and removes its text from all files of the agent. Returns
   * whether it existed. It takes as long as rewriting the whole database; other agents do not wait
   * for it.
   *
   * @throws {StorageError} If another program reads the database: the purge has to be repeated.
   */
  async purge(id: string): Promise<boolean> {
    const wasThere = this.write(() => {
      this.storage.purges.begin(id);
      // Tables that Hynous created lose the memory's id at its deletion, and keep its text.
      this.storage.conflicts.removeOf(id);
      this.behaviour.beforeDeletion(this.storage, id);
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
      this.#log("A purge that was interrupted is finished");
    } catch (error) {
      this.#log("A purge that was interrupted waits for the next start", {
        why: (error as Error).message,
      });
    }
  }

  #removeSnapshots(): void {
    for (const kept of this.#kept) kept.remove();
  }

  /** The number of memories in the index; 0 if it is not loaded. */
  get size(): number {
    return this.#replica.isLoaded ? this.#replica.index.size : 0;
  }

  /** Bytes that the open agent takes: exact for the engine, an estimate for the rest. */
  get bytes(): number {
    const index = this.#replica.isLoaded ? this.#replica.index.bytes.module : 0;
    const texts = this.#texts.bytes + this.#sqliteTexts.bytes;
    const others = texts + this.#rows.bytes + this.#columns.bytes;
    return index + others + this.size * BYTES_OF_NODE + BYTES_OF_AGENT;
  }

  /** Logs a message about the agent. */
  tell(message: string, figures?: Record<string, unknown>): void {
    this.#log(message, figures);
  }
}
