// The store of one agent in a PostgreSQL database that all agents share.

import { atOnce, oneStep, type Steps } from "nous-memory";
import { sql } from "../query.ts";
import type { SnapshotStores } from "../snapshots.ts";
import type { Holding, MetaKey, Storage, TableOf } from "../storage.ts";
import type { OpeningTable } from "../tables/openings.ts";
import type { PurgeTable } from "../tables/purges.ts";
import { AgentRows } from "./agent-rows.ts";
import type { PostgresDatabase } from "./database.ts";
import { SCHEMA } from "./migrations.ts";
import { PostgresChangeLog } from "./tables/change-log.ts";
import { PostgresClusters } from "./tables/clusters.ts";
import { PostgresConflicts } from "./tables/conflicts.ts";
import { PostgresEdges } from "./tables/edges.ts";
import { PostgresEmbeddings } from "./tables/embeddings.ts";
import { PostgresLearned } from "./tables/learned.ts";
import { PostgresNames } from "./tables/names.ts";
import { PostgresNodes } from "./tables/nodes.ts";
import { PostgresOutcomes } from "./tables/outcomes.ts";
import { PostgresPortable } from "./tables/portable.ts";
import { PostgresRetries } from "./tables/retries.ts";
import { PostgresSnapshot } from "./tables/snapshots.ts";
import { PostgresSoft } from "./tables/soft.ts";
import { PostgresSoundness } from "./tables/soundness.ts";
import { PostgresTasks } from "./tables/tasks.ts";
import { PostgresUsage } from "./tables/usage.ts";

/** The store of one agent in a PostgreSQL database. */
export class PostgresStorage implements Storage {
  /** Statements are quick, and a purge needs no files. */
  readonly #rows: AgentRows;
  readonly soft: PostgresSoft;
  readonly edges: PostgresEdges;
  readonly embeddings: PostgresEmbeddings;
  readonly nodes: PostgresNodes;
  readonly clusters: PostgresClusters;
  readonly names: PostgresNames;
  readonly usage: PostgresUsage;
  readonly outcomes: PostgresOutcomes;
  readonly conflicts: PostgresConflicts;
  readonly retries: PostgresRetries;
  readonly tasks: PostgresTasks;
  readonly learned: PostgresLearned;
  readonly changeLog: PostgresChangeLog;
  readonly portable: PostgresPortable;
  readonly soundness: PostgresSoundness;
  readonly fullText = undefined;
  readonly snapshots: SnapshotStores;
  readonly purges: TableOf<PurgeTable> = PURGES;
  readonly openings: TableOf<OpeningTable> = OPENINGS;

  /**
   * Opens the store of an agent, and creates the agent if it is not in the database yet. The
   * database has been migrated.
   */
  constructor(database: PostgresDatabase, agent: string) {
    const rows = new AgentRows(database, agent);
    this.#rows = rows;
    this.soft = new PostgresSoft(rows);
    this.edges = new PostgresEdges(rows);
    this.embeddings = new PostgresEmbeddings(rows, () => this.meta("dimensions"));
    this.nodes = new PostgresNodes(rows, this.embeddings);
    this.clusters = new PostgresClusters(rows, () => this.version());
    this.names = new PostgresNames(rows);
    this.usage = new PostgresUsage(rows);
    this.outcomes = new PostgresOutcomes(rows);
    this.conflicts = new PostgresConflicts(rows);
    this.retries = new PostgresRetries(rows);
    this.tasks = new PostgresTasks(rows);
    this.learned = new PostgresLearned(rows);
    this.changeLog = new PostgresChangeLog(rows);
    this.portable = new PostgresPortable(rows, this);
    this.snapshots = {
      index: new PostgresSnapshot(rows, "index"),
      texts: new PostgresSnapshot(rows, "texts"),
    };
    this.soundness = new PostgresSoundness(rows, this.edges);
  }

  get writer(): string {
    return this.#rows.writer;
  }

  get hasChanged(): boolean {
    return this.#rows.hasChanged;
  }

  get patience(): number {
    return this.#rows.patience;
  }

  set patience(patience: number) {
    this.#rows.patience = patience;
  }

  get commits(): number {
    return this.#rows.commits;
  }

  meta(key: MetaKey): string | undefined {
    if (key === "schema") return String(SCHEMA);
    if (key === "agent") return this.#rows.agent;
    if (key === "epoch") return this.#rows.epoch;
    const { state } = this.#rows;
    if (state !== undefined) return state.meta[key];
    return this.#rows.first<{ value: string }>(
      sql`SELECT value FROM nous.meta WHERE agent = ${this.#rows.agent} AND key = ${key}`,
    )?.value;
  }

  setMeta(key: MetaKey, value: string): void {
    // With the lock of a writer: other transactions keep in memory what they have read.
    this.#rows.writing(() => {
      this.#rows.change(sql`
        INSERT INTO nous.meta (agent, key, value) VALUES (${this.#rows.agent}, ${key}, ${value})
        ON CONFLICT (agent, key) DO UPDATE SET value = excluded.value`);
      this.#rows.state!.meta[key] = value;
    });
  }

  transaction<T>(work: () => T, patience?: number): T {
    return atOnce(this.transactionInSteps(() => oneStep(work), patience));
  }

  transactionInSteps<T>(work: () => Steps<T>, patience: number = this.patience): Steps<T> {
    return this.#within("write", work, patience);
  }

  /** Does nothing: the database has no files here. */
  checkPlace(): void {}

  snapshot<T>(work: () => T): T {
    return atOnce(this.snapshotInSteps(() => oneStep(work)));
  }

  snapshotInSteps<T>(work: () => Steps<T>): Steps<T> {
    return this.#within("read", work, this.patience);
  }

  *#within<T>(mode: "write" | "read", work: () => Steps<T>, patience: number): Steps<T> {
    yield* this.#rows.awaitRoom();
    this.#rows.begin(mode, patience);
    try {
      const result = yield* work();
      this.#rows.commit();
      return result;
    } catch (error) {
      this.#rows.rollback();
      this.clusters.forgetTaking();
      throw error;
    }
  }

  /** Returns how many entries of the change log are not this connection's. */
  version(): number {
    const last = this.#rows.state?.logged ?? this.changeLog.range().last;
    const version = last - this.#rows.committed.claimed;
    if (!this.#rows.inTransaction) this.nodes.readAt = version;
    return version;
  }

  /**
   * Does nothing. Deleted rows leave the pages of PostgreSQL with its next VACUUM, and its log and
   * backups when they are recycled: that is up to its operator.
   */
  scrub(): void {}

  /** Returns the memories, and their bytes without those of edges and indexes. */
  size(): Holding {
    return this.#rows.first<Holding>(sql`
      SELECT count(*) AS memories, coalesce(sum(pg_column_size(nodes.*)), 0)::bigint AS bytes
      FROM nous.nodes WHERE agent = ${this.#rows.agent}`)!;
  }

  close(): void {
    this.#rows.rollback();
  }
}

/** There are no purges in progress: a purge is the deletion of the memory in one transaction. */
const PURGES: TableOf<PurgeTable> = { begin() {}, begun: () => [] };

/** Snapshots of indexes are copied with the database alone, so that all of them belong to it. */
const OPENINGS: TableOf<OpeningTable> = { begin() {}, last: () => undefined, reaches: () => true };
