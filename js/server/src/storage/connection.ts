// The database connection that the store uses, local or remote: a subset of the API of the `libsql`
// package.

/** A prepared statement, which may run repeatedly. */
export interface Statement {
  /** Runs the statement and returns its rows as objects. */
  all(...values: unknown[]): unknown[];
  /** Runs the statement and discards its rows. */
  run(...values: unknown[]): unknown;
}

/** An open connection to one database. */
export interface Connection {
  prepare(sql: string): Statement;
  /** Runs statements that are separated by semicolons, up to the first that fails. */
  exec(sql: string): void;
  /** Whether a transaction is open. */
  readonly inTransaction: boolean;
  close(): void;
}
