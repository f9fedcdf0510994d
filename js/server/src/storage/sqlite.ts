// The database in one SQLite file, embedded in this thread.

import { randomUUID } from "node:crypto";
import { atOnce, oneStep, type Steps } from "nous-memory";
import type { Connection, SqlValue, Statement } from "./connection.ts";
import { Held } from "./errors.ts";
import { LogNote } from "./log-note.ts";
import { OpenFiles } from "./open-files.ts";
import { scrubIn } from "./scrub-file.ts";
import { advanced, BEFORE_ALL, type Sql } from "./sql.ts";
import { BUSY_TIMEOUT, IN_MEMORY, openFile, type SqliteOptions } from "./sqlite-file.ts";
import type { Holding, MetaKey, Storage } from "./storage.ts";
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

/** Rows of a batch while a whole table is read: few, so that the time between two pauses is short. */
const BATCH = 500;

/**
 * Connections whose files were moved away. Closing one would remove a log by its name, which now
 * belongs to another database, so that they are held until the process ends.
 */
const abandoned: Connection[] = [];

/** The store of one agent in a database file. */
export class SqliteStorage implements Storage {
  /** Snapshots are files beside a database, or there are none. */
  readonly snapshots = undefined;
  readonly #sql: Sql = {
    all: <T>(sql: string, ...values: SqlValue[]) => this.#prepared(sql).all(...values) as T[],
    first: <T>(sql: string, ...values: SqlValue[]) =>
      this.#prepared(sql).all(...values)[0] as T | undefined,
    run: (sql, ...values) => this.#prepared(sql).run(...values),
    exec: (sql) => this.#db.exec(sql),
    prepared: (sql) => this.#prepared(sql),
    pages: (sql) => this.#pages(sql),
    hasTable: (name) =>
      this.#sql.all("SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = ?", name).length >
      0,
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
  readonly writer: string = randomUUID();
  readonly #db: Connection;
  readonly #file: string;
  readonly #statements = new Map<string, Statement>();
  /** Whether this connection may migrate and write the file. */
  readonly #isOwner: boolean;
  /** Undefined if nothing is written, or the database is in memory. */
  readonly #files: OpenFiles | undefined;
  readonly #note: LogNote | undefined;
  /** The number of rows that the connection had changed when the constructor ended. */
  readonly #changesAtFirst: number;
  patience: number = BUSY_TIMEOUT;
  /** Whether this opening is noted in the database. */
  #hasWritten = false;
  #commits = 0;

  /**
   * Opens a database file, and creates it if it is missing. Migrates a file of Hynous' server, or
   * of an earlier version.
   *
   * @throws {StorageError} If the file is not a database, is of a newer version, or is locked by
   * another program.
   */
  constructor(file: string, options: SqliteOptions) {
    this.#db = openFile(file, options);
    this.#file = file;
    this.#isOwner = options.migrates ?? true;
    this.#files = this.#isOwner && file !== IN_MEMORY ? new OpenFiles(file) : undefined;
    this.#note = this.#files && new LogNote(file);
    this.#changesAtFirst = this.#changes();
  }

  get commits(): number {
    return this.#commits;
  }

  get hasChanged(): boolean {
    return this.#changes() !== this.#changesAtFirst;
  }

  /** Returns how many rows were changed on this connection. */
  #changes(): number {
    return this.#sql.first<{ count: number }>("SELECT total_changes() AS count")!.count;
  }

  #prepared(sql: string): Statement {
    let statement = this.#statements.get(sql);
    if (statement === undefined) {
      statement = this.#db.prepare(sql);
      this.#statements.set(sql, statement);
    }
    return statement;
  }

  *#pages<T extends { sequence: number }>(sql: string): Iterable<T[]> {
    let after = BEFORE_ALL;
    for (;;) {
      const rows = this.#sql.all<T>(sql, after, BATCH);
      if (rows.length > 0) yield rows;
      if (rows.length < BATCH) return;
      after = advanced(after, rows.at(-1)!.sequence);
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

  checkPlace(): void {
    this.#files?.check();
  }

  transaction<T>(work: () => T, patience?: number): T {
    return atOnce(this.transactionInSteps(() => oneStep(work), patience));
  }

  *transactionInSteps<T>(work: () => Steps<T>, patience = this.patience): Steps<T> {
    const result = yield* this.#within(
      () => this.#beginWriting(patience),
      () => this.#inPlace(work),
    );
    this.#hasWritten = true;
    this.#commits += 1;
    this.#note?.committed();
    this.patience = BUSY_TIMEOUT;
    return result;
  }

  #beginWriting(patience: number): void {
    if (patience !== BUSY_TIMEOUT) this.#db.exec(`PRAGMA busy_timeout = ${patience}`);
    try {
      this.#db.exec("BEGIN IMMEDIATE");
    } catch (error) {
      throw (error as { code?: string }).code === "SQLITE_BUSY" ? new Held() : error;
    } finally {
      if (patience !== BUSY_TIMEOUT) this.#db.exec(`PRAGMA busy_timeout = ${BUSY_TIMEOUT}`);
    }
  }

  *#inPlace<T>(work: () => Steps<T>): Steps<T> {
    if (this.#files !== undefined && !this.#hasWritten)
      this.openings.begin(this.changeLog.range().last);
    const result = yield* work();
    this.checkPlace();
    return result;
  }

  snapshot<T>(work: () => T): T {
    return atOnce(this.snapshotInSteps(() => oneStep(work)));
  }

  snapshotInSteps<T>(work: () => Steps<T>): Steps<T> {
    return this.#within(() => this.#db.exec("BEGIN"), work);
  }

  /** Runs `work` in a transaction, which an error undoes. */
  *#within<T>(begin: () => void, work: () => Steps<T>): Steps<T> {
    begin();
    try {
      const result = yield* work();
      this.#db.exec("COMMIT");
      return result;
    } catch (error) {
      // A full disk has already ended the transaction.
      if (this.#db.inTransaction) this.#db.exec("ROLLBACK");
      this.clusters.forgetTaking();
      throw error;
    }
  }

  version(): number {
    return this.#sql.first<{ data_version: number }>("PRAGMA data_version")!.data_version;
  }

  /** Copies one state of the whole database into a new file. */
  copyTo(file: string): void {
    this.#db.prepare("VACUUM INTO ?").run(file);
  }

  size(): Holding {
    return this.#sql.first<Holding>(`
      SELECT (SELECT count(*) FROM nodes) AS memories,
        (used.page_count - free.freelist_count) * page.page_size AS bytes
      FROM pragma_page_count() AS used, pragma_freelist_count() AS free, pragma_page_size() AS page`)!;
  }

  scrub(nodeId: string): void {
    this.checkPlace();
    scrubIn(this.#db, this.#file, nodeId);
    this.checkPlace();
  }

  close(): void {
    if (this.#files?.areInPlace === false) {
      abandoned.push(this.#db);
      return;
    }
    this.#statements.clear();
    try {
      // Moves the log into the file, so that the file alone is the whole database.
      if (this.#isOwner) this.#db.exec("PRAGMA wal_checkpoint(TRUNCATE)");
    } finally {
      this.#db.close();
    }
    this.#note?.remove();
  }
}
