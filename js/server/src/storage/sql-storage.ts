// The database in SQL, over a connection to libSQL: what a file and a remote database share.

import { randomUUID } from "node:crypto";
import { atOnce, oneStep, type Steps } from "nous-memory";
import type { Connection, Statement } from "./connection.ts";
import type { Sql } from "./sql.ts";
import type { MetaKey, Storage } from "./storage.ts";
import { ChangeLog } from "./tables/change-log.ts";
import { ClusterTable } from "./tables/clusters.ts";
import { ConflictTable } from "./tables/conflicts.ts";
import { EdgeTable } from "./tables/edges.ts";
import { EmbeddingTables } from "./tables/embeddings.ts";
import { FullTextTable } from "./tables/full-text.ts";
import { LearnedTable } from "./tables/learned.ts";
import { NameColumns } from "./tables/names.ts";
import { NodeTable } from "./tables/nodes.ts";
import { OpeningTable } from "./tables/openings.ts";
import { OutcomeTable } from "./tables/outcomes.ts";
import { PortableTables } from "./tables/portable.ts";
import { PurgeTable } from "./tables/purges.ts";
import { RetryTable } from "./tables/retries.ts";
import { SoftColumns } from "./tables/soft.ts";
import { Soundness } from "./tables/soundness.ts";
import { TaskTable } from "./tables/tasks.ts";
import { UsageTable } from "./tables/usage.ts";

/** The store over any `Connection`; subclasses open it. */
export abstract class SqlStorage implements Storage {
  abstract readonly isRemote: boolean;
  /** Snapshots are files beside a database, or there are none. */
  readonly snapshots = undefined;
  readonly #sql: Sql = {
    all: (sql, ...values) => this.ask(sql, values),
    first: <T>(sql: string, ...values: unknown[]) => this.ask<T>(sql, values)[0],
    run: (sql, ...values) => void this.prepared(sql).run(...values),
    exec: (sql) => void this.db.exec(sql),
    prepared: (sql) => this.prepared(sql),
    pages: (sql) => this.#pages(sql),
    hasTable: (name) =>
      this.ask("SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = ?", [name]).length > 0,
  };
  readonly nodes = new NodeTable(this.#sql);
  readonly fullText = new FullTextTable(this.#sql);
  readonly soft = new SoftColumns(this.#sql);
  readonly edges = new EdgeTable(this.#sql);
  readonly clusters = new ClusterTable(this.#sql, () => this.version());
  readonly names = new NameColumns(this.#sql);
  readonly usage = new UsageTable(this.#sql);
  readonly outcomes = new OutcomeTable(this.#sql);
  readonly conflicts = new ConflictTable(this.#sql);
  readonly embeddings = new EmbeddingTables(this.#sql, () => this.meta("dimensions"));
  readonly retries = new RetryTable(this.#sql);
  readonly tasks = new TaskTable(this.#sql, () => this.writer);
  readonly learned = new LearnedTable(this.#sql);
  readonly purges = new PurgeTable(this.#sql);
  readonly openings = new OpeningTable(this.#sql);
  readonly changeLog = new ChangeLog(this.#sql, () => this.writer);
  readonly portable = new PortableTables(this.#sql, this.nodes, this.clusters);
  readonly soundness = new Soundness(this.#sql, this.edges);
  protected readonly db: Connection;
  readonly #batch: number;
  readonly #statements = new Map<string, Statement>();
  #writer: string = randomUUID();
  /** The number of rows that the connection had changed when the constructor ended. */
  readonly #changesAtFirst: number;

  /** `batch` is the number of rows of a batch while a whole table is read. */
  constructor(db: Connection, batch: number) {
    this.db = db;
    this.#batch = batch;
    this.#changesAtFirst = this.#changes();
  }

  get hasChanged(): boolean {
    return this.#changes() !== this.#changesAtFirst;
  }

  /** Returns how many rows were changed on this connection. */
  #changes(): number {
    const [row] = this.prepared("SELECT total_changes() AS count").all() as [{ count: number }];
    return row.count;
  }

  get writer(): string {
    return this.#writer;
  }

  /** Gives the connection a new name in the change log: its own entries count as another's. */
  protected renameWriter(): void {
    this.#writer = randomUUID();
  }

  protected prepared(sql: string): Statement {
    let statement = this.#statements.get(sql);
    if (statement === undefined) {
      statement = this.db.prepare(sql);
      this.#statements.set(sql, statement);
    }
    return statement;
  }

  /** Returns the rows of a statement. */
  protected ask<T>(sql: string, values: readonly unknown[]): T[] {
    return this.prepared(sql).all(...values) as T[];
  }

  *#pages<T extends { sequence: number }>(sql: string): Iterable<T[]> {
    let after = Number.MIN_SAFE_INTEGER;
    for (;;) {
      const rows = this.ask<T>(sql, [after, this.#batch]);
      if (rows.length > 0) yield rows;
      if (rows.length < this.#batch) return;
      after = rows.at(-1)!.sequence;
    }
  }

  meta(key: MetaKey): string | undefined {
    return this.#sql.first<{ value: string }>("SELECT value FROM nous_meta WHERE key = ?", key)
      ?.value;
  }

  setMeta(key: MetaKey, value: string): void {
    this.#sql.run(
      "INSERT INTO nous_meta VALUES (?, ?) ON CONFLICT DO UPDATE SET value = excluded.value",
      key,
      value,
    );
  }

  transaction<T>(work: () => T, patience?: number): T {
    return atOnce(this.transactionInSteps(() => oneStep(work), patience));
  }

  transactionInSteps<T>(work: () => Steps<T>, _patience?: number): Steps<T> {
    return this.within("BEGIN IMMEDIATE", work);
  }

  /** Does nothing: a remote database and one in memory cannot be moved away. */
  checkPlace(): void {}

  snapshot<T>(work: () => T): T {
    return atOnce(this.snapshotInSteps(() => oneStep(work)));
  }

  snapshotInSteps<T>(work: () => Steps<T>): Steps<T> {
    return this.within("BEGIN", work);
  }

  /** Runs `work` in a transaction, which an error undoes. */
  protected *within<T>(begin: "BEGIN" | "BEGIN IMMEDIATE", work: () => Steps<T>): Steps<T> {
    this.db.exec(begin);
    try {
      const result = yield* work();
      this.db.exec("COMMIT");
      return result;
    } catch (error) {
      // A full disk has already ended the transaction.
      if (this.db.inTransaction) this.db.exec("ROLLBACK");
      this.clusters.forgetTaking();
      throw error;
    }
  }

  abstract version(): number;

  abstract scrub(nodeId: string): void;

  close(): void {
    this.#statements.clear();
    this.db.close();
  }
}
