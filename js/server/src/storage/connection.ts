// What the store needs of a connection to a database, wherever it is: a part of what the `libsql`
// package has.

/** A statement; the same one may be run again and again. */
export interface Statement {
  /** Runs it, and gives its rows as objects. */
  all(...values: unknown[]): unknown[];
  /** Runs it for what it does. */
  run(...values: unknown[]): unknown;
}

export interface Connection {
  prepare(sql: string): Statement;
  /** Runs statements that are separated by semicolons, up to the first that fails. */
  exec(sql: string): void;
  /** Whether a transaction has been begun, and not ended. */
  readonly inTransaction: boolean;
  close(): void;
}
