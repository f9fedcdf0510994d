// Connections to SQLite databases. This file alone knows the driver, Node's own `node:sqlite`.

import { DatabaseSync, type StatementSync } from "node:sqlite";
import { foldedTag } from "nous-memory";

/** The function of all connections that returns a tag as it is compared. */
export const FOLDED_TAG = "folded_tag";

/** A value that a statement binds. */
export type SqlValue = string | number | bigint | Uint8Array | null;

/**
 * SQLite's names of its errors, by number: those that callers tell apart. An extended number without
 * a name of its own has that of its lowest byte.
 */
const NAMES: ReadonlyMap<number, string> = new Map([
  [1, "SQLITE_ERROR"],
  [5, "SQLITE_BUSY"],
  [6, "SQLITE_LOCKED"],
  [8, "SQLITE_READONLY"],
  [10, "SQLITE_IOERR"],
  [11, "SQLITE_CORRUPT"],
  [13, "SQLITE_FULL"],
  [14, "SQLITE_CANTOPEN"],
  [19, "SQLITE_CONSTRAINT"],
  [26, "SQLITE_NOTADB"],
  [778, "SQLITE_IOERR_WRITE"],
  [1032, "SQLITE_READONLY_DBMOVED"],
  [4874, "SQLITE_IOERR_SHMSIZE"],
]);
const PRIMARY = 0xff;

const nameOf = (number: number): string =>
  NAMES.get(number) ?? NAMES.get(number & PRIMARY) ?? `SQLITE_${number}`;

/** Does work of the driver. Its errors get SQLite's names as their codes. */
function named<T>(work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw withName(error);
  }
}

function withName(error: unknown): unknown {
  const { errcode } = error as { errcode?: number };
  return errcode === undefined ? error : Object.assign(error as Error, { code: nameOf(errcode) });
}

/** A prepared statement, which may run repeatedly. */
export class Statement {
  readonly #statement: StatementSync;
  /** Whether integers are read in full length, and then as numbers. */
  #readsLong = false;

  constructor(statement: StatementSync, writesAndReads: boolean) {
    this.#statement = statement;
    if (writesAndReads) this.#readLong();
  }

  /** Runs the statement and returns its rows as objects. An integer beyond 2^53 is rounded. */
  all(...values: readonly SqlValue[]): unknown[] {
    try {
      const rows = this.#statement.all(...values);
      return this.#readsLong ? rows.map(inNumbers) : rows;
    } catch (error) {
      // The driver refuses to round an integer, which other programs may have stored.
      if (this.#readsLong || (error as { code?: string }).code !== "ERR_OUT_OF_RANGE")
        throw withName(error);
      this.#readLong();
      return this.all(...values);
    }
  }

  /** Runs the statement and discards its rows. */
  run(...values: readonly SqlValue[]): void {
    try {
      this.#statement.run(...values);
    } catch (error) {
      throw withName(error);
    }
  }

  #readLong(): void {
    this.#statement.setReadBigInts(true);
    this.#readsLong = true;
  }
}

function inNumbers(row: Record<string, unknown>): Record<string, unknown> {
  for (const [column, value] of Object.entries(row))
    if (typeof value === "bigint") row[column] = Number(value);
  return row;
}

/** Statements that write and return rows: a second run, to read an integer, would write twice. */
const WRITES_AND_READS = /\bRETURNING\b/i;

/** An open connection to one database. */
export class Connection {
  readonly #db: DatabaseSync;

  /** Opens a database file, and creates it if it is missing. */
  constructor(file: string) {
    this.#db = named(() => new DatabaseSync(file));
    // What SQLite sorts or rewrites has texts of memories: it stays out of temporary files.
    this.#db.exec("PRAGMA temp_store = MEMORY");
    this.#db.function(FOLDED_TAG, { deterministic: true }, (tag) =>
      typeof tag === "string" ? foldedTag(tag) : null,
    );
  }

  prepare(sql: string): Statement {
    return new Statement(
      named(() => this.#db.prepare(sql)),
      WRITES_AND_READS.test(sql),
    );
  }

  /** Runs statements that are separated by semicolons, up to the first that fails. */
  exec(sql: string): void {
    named(() => this.#db.exec(sql));
  }

  /** Whether a transaction is open. */
  get inTransaction(): boolean {
    return this.#db.isTransaction;
  }

  /** Closes the connection and its statements. Its files and locks are free afterwards. */
  close(): void {
    named(() => this.#db.close());
  }
}
