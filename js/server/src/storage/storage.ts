// The database of one agent's memories. Everything is synchronous: nothing else may happen between
// a commit and its application to the index.

import type { Steps } from "nous-memory";
import type { SnapshotStores } from "./snapshots.ts";
import type { ChangeLog } from "./tables/change-log.ts";
import type { ClusterTable } from "./tables/clusters.ts";
import type { ConflictTable } from "./tables/conflicts.ts";
import type { EdgeTable } from "./tables/edges.ts";
import type { EmbeddingTables } from "./tables/embeddings.ts";
import type { FullTextTable } from "./tables/full-text.ts";
import type { LearnedTable } from "./tables/learned.ts";
import type { NameColumns } from "./tables/names.ts";
import type { NodeTable } from "./tables/nodes.ts";
import type { OpeningTable } from "./tables/openings.ts";
import type { OutcomeTable } from "./tables/outcomes.ts";
import type { PortableTables } from "./tables/portable.ts";
import type { PurgeTable } from "./tables/purges.ts";
import type { RetryTable } from "./tables/retries.ts";
import type { SoftColumns } from "./tables/soft.ts";
import type { Soundness } from "./tables/soundness.ts";
import type { TaskTable } from "./tables/tasks.ts";
import type { UsageTable } from "./tables/usage.ts";

/** Keys of facts about a database as a whole. `epoch` is random, and changes with a restore. */
export type MetaKey =
  | "schema"
  | "epoch"
  | "agent"
  | "last_sweep"
  | "sweep_far_behind"
  | "dimensions"
  | "embedding_model"
  | "next_embedding_model"
  | "compared_until"
  | "preset"
  | "copy_of";

/** What a store holds. */
export interface Holding {
  memories: number;
  bytes: number;
}

/**
 * A table as its users see it: the public members of the class that reads and writes it in SQLite.
 * Their comments say what every implementation has to do.
 */
export type TableOf<Table> = Pick<Table, keyof Table>;

/**
 * The store of one agent. `SqliteStorage` and `PostgresStorage` implement it, and
 * `tests/server/storage-conformance.test.ts` says what another implementation has to pass.
 */
export interface Storage {
  /** The name of this connection in the change log. */
  readonly writer: string;
  /**
   * Whether this connection has written anything since it was opened, soft state and the server's
   * own tables included.
   */
  readonly hasChanged: boolean;

  readonly nodes: TableOf<NodeTable>;
  readonly soft: TableOf<SoftColumns>;
  readonly edges: TableOf<EdgeTable>;
  readonly clusters: TableOf<ClusterTable>;
  readonly names: TableOf<NameColumns>;
  readonly usage: TableOf<UsageTable>;
  readonly outcomes: TableOf<OutcomeTable>;
  readonly conflicts: TableOf<ConflictTable>;
  readonly embeddings: TableOf<EmbeddingTables>;
  readonly retries: TableOf<RetryTable>;
  readonly tasks: TableOf<TaskTable>;
  readonly learned: TableOf<LearnedTable>;
  readonly purges: TableOf<PurgeTable>;
  readonly openings: TableOf<OpeningTable>;
  readonly changeLog: TableOf<ChangeLog>;
  readonly portable: TableOf<PortableTables>;
  readonly soundness: TableOf<Soundness>;

  /** SQLite's own full text; undefined if the database is not SQLite. */
  readonly fullText: TableOf<FullTextTable> | undefined;
  /** Where the database keeps snapshots of indexes; undefined if it keeps none. */
  readonly snapshots: SnapshotStores | undefined;

  /**
   * How long a transaction waits for another writer unless it says otherwise, in milliseconds. The
   * thread does nothing else meanwhile. Each commit of a write sets it to the default: work that has
   * begun to write cannot be tried again as a whole.
   */
  patience: number;
  /** How many transactions that write it has committed. */
  readonly commits: number;

  /** Returns how many memories it holds, and the bytes that they take with all that belongs to them. */
  size(): Holding;
  meta(key: MetaKey): string | undefined;
  setMeta(key: MetaKey, value: string): void;

  /**
   * Runs `work` as one transaction that begins as a writer: no other connection writes until it
   * ends. An error undoes it. `patience` is how long it waits for another writer, in milliseconds.
   *
   * @throws {Held} If another connection still writes then.
   */
  transaction<T>(work: () => T, patience?: number): T;
  /**
   * Runs `work` as one transaction that stays open over its pauses. Nothing else may use this
   * store meanwhile, and other programs wait with their writes until the transaction ends.
   */
  transactionInSteps<T>(work: () => Steps<T>, patience?: number): Steps<T>;
  /**
   * Checks that the open files are the files at their place. Call it after a write, before the
   * write is acknowledged: a write to a file that was moved away is lost.
   *
   * @throws {MovedError} if the open files are not those at their place.
   */
  checkPlace(): void;
  /** Runs `work` on one state of the database, whatever other connections write meanwhile. */
  snapshot<T>(work: () => T): T;
  /** Like `snapshot`, over the pauses of `work`. Nothing else may use this store meanwhile. */
  snapshotInSteps<T>(work: () => Steps<T>): Steps<T>;
  /** Returns a number that changes when another connection has committed. */
  version(): number;
  /**
   * Rewrites the whole database, so that no remains of a deleted memory are left in it or in its
   * log. Ends the purges that were begun. Not within a transaction.
   */
  scrub(nodeId: string): void;
  close(): void;
}
