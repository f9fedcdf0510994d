// The database in one file, embedded in this thread.

import type Database from "libsql";
import type { Steps } from "nous-memory";
import {
  type ChangedRange,
  InvalidUtf8,
  invalidChanges,
  invalidTexts,
  invalidTextsIn,
  namesOf,
  replaceTexts,
  unloggedIn,
} from "./invalid-utf8.ts";
import {
  BUSY_TIMEOUT,
  type CheckedTexts,
  IN_MEMORY,
  type LibsqlOptions,
  openFile,
} from "./libsql-file.ts";
import { OpenFiles } from "./open-files.ts";
import { scrubIn } from "./scrub-file.ts";
import { SqlStorage } from "./sql-storage.ts";

/** Rows of a batch while a whole table is read: few, so that the time between two pauses is short. */
const BATCH = 500;

/** Statements that read rows, which other programs may have written. */
const READS = /^\s*(SELECT|WITH)\b/;
/**
 * Connections whose files were moved away. Closing one would remove a log by its name, which now
 * belongs to another database, so that they are held until the process ends.
 */
const abandoned: Database.Database[] = [];

/** The store of one agent in a database file. */
export class LibsqlStorage extends SqlStorage {
  readonly isRemote = false;
  readonly #file: string;
  readonly #tell: (what: string) => void;
  /** Whether this connection may migrate and write the file. */
  readonly #isOwner: boolean;
  /** Undefined if nothing is written, or the database is in memory. */
  readonly #files: OpenFiles | undefined;
  readonly #database: Database.Database;
  /**
   * The point up to which texts are known to be UTF-8; undefined if no other connection can write.
   */
  #readable: CheckedTexts | undefined;
  /** For each statement, its tables that the change log does not cover. */
  readonly #unlogged = new Map<string, readonly string[]>();
  /** For each such table, the version of the database in which its texts were checked. */
  readonly #checkedAt = new Map<string, number>();
  /** Whether this opening is noted in the database. */
  #hasWritten = false;

  /**
   * Opens a database file, and creates it if it is missing. Migrates a file of Hynous' server, or
   * of an earlier version.
   *
   * @throws {StorageError} If the file is not a database, is of a newer version, or is locked by
   * another program.
   */
  constructor(file: string, options: LibsqlOptions) {
    const { db, readable } = openFile(file, options);
    super(db, BATCH);
    const { migrates = true, tell = () => {} } = options;
    this.#file = file;
    this.#tell = tell;
    this.#isOwner = migrates;
    this.#files = migrates && file !== IN_MEMORY ? new OpenFiles(file) : undefined;
    this.#database = db;
    this.#readable = readable;
  }

  override checkPlace(): void {
    this.#files?.check();
  }

  override *transactionInSteps<T>(work: () => Steps<T>, patience = BUSY_TIMEOUT): Steps<T> {
    if (patience === BUSY_TIMEOUT) return yield* this.#write(work);
    this.db.exec(`PRAGMA busy_timeout = ${patience}`);
    try {
      return yield* this.#write(work);
    } finally {
      this.db.exec(`PRAGMA busy_timeout = ${BUSY_TIMEOUT}`);
    }
  }

  *#write<T>(work: () => Steps<T>): Steps<T> {
    const result = yield* super.transactionInSteps(() => this.#inPlace(work));
    this.#hasWritten = true;
    return result;
  }

  *#inPlace<T>(work: () => Steps<T>): Steps<T> {
    if (this.#files !== undefined && !this.#hasWritten)
      this.openings.begin(this.changeLog.range().last);
    const result = yield* work();
    this.checkPlace();
    return result;
  }

  protected override *within<T>(
    begin: "BEGIN" | "BEGIN IMMEDIATE",
    work: () => Steps<T>,
  ): Steps<T> {
    const act = () =>
      super.within(begin, () => {
        this.#checkTexts();
        return work();
      });
    try {
      return yield* act();
    } catch (error) {
      if (!(error instanceof InvalidUtf8)) throw error;
      // In a transaction of its own, so that an error of `work` does not undo it.
      const replaced = replaceTexts(this.db, () => this.#changedByOthers());
      this.#tell(`Texts are not UTF-8, and were replaced in ${namesOf(replaced)}`);
      return yield* act();
    }
  }

  protected override ask<T>(sql: string, values: readonly unknown[]): T[] {
    const ask = () => {
      this.#checkUnlogged(sql);
      return super.ask<T>(sql, values);
    };
    return this.#readable === undefined || this.db.inTransaction || !READS.test(sql)
      ? ask()
      : this.snapshot(ask);
  }

  /**
   * Checks the texts that other connections have written, within the transaction that reads them.
   *
   * @throws {InvalidUtf8} for a text that is not UTF-8: it has to be replaced first.
   */
  #checkTexts(): void {
    if (this.#readable === undefined) return;
    const version = this.version();
    if (version === this.#readable.version) return;
    const changed = this.#changedByOthers();
    const texts = changed === undefined ? invalidTexts(this.db) : invalidChanges(this.db, changed);
    if (texts.length > 0) throw new InvalidUtf8(texts);
    this.#readable = { version, change: this.changeLog.range().last };
  }

  /**
   * Checks the tables of a statement that the change log does not cover, once after each commit of
   * another connection.
   *
   * @throws {InvalidUtf8} as `#checkTexts`.
   */
  #checkUnlogged(sql: string): void {
    if (this.#readable === undefined) return;
    let tables = this.#unlogged.get(sql);
    if (tables === undefined) {
      tables = unloggedIn(sql);
      this.#unlogged.set(sql, tables);
    }
    if (tables.length === 0) return;
    const version = this.version();
    const due = tables.filter((table) => this.#checkedAt.get(table) !== version);
    if (due.length === 0) return;
    const texts = invalidTextsIn(this.db, due);
    if (texts.length > 0) throw new InvalidUtf8(texts);
    for (const table of due) this.#checkedAt.set(table, version);
  }

  /** Returns the changes that may hold such texts; undefined if the change log is too short. */
  #changedByOthers(): ChangedRange | undefined {
    const { first, last } = this.changeLog.range();
    const from = (this.#readable?.change ?? 0) + 1;
    const isLogged = last < from || (first !== 0 && first <= from);
    return isLogged ? { first: from, last, writer: this.writer } : undefined;
  }

  version(): number {
    const [row] = this.prepared("PRAGMA data_version").all() as [{ data_version: number }];
    return row.data_version;
  }

  /** Copies one state of the whole database into a new file. */
  copyTo(file: string): void {
    this.db.prepare("VACUUM INTO ?").run(file);
  }

  scrub(nodeId: string): void {
    this.checkPlace();
    scrubIn(this.db, this.#file, nodeId);
    this.checkPlace();
  }

  override close(): void {
    if (this.#files?.areInPlace === false) {
      abandoned.push(this.#database);
      return;
    }
    try {
      // Moves the log into the file, so that the file alone is the whole database.
      if (this.#isOwner) this.db.exec("PRAGMA wal_checkpoint(TRUNCATE)");
    } finally {
      super.close();
    }
  }
}
