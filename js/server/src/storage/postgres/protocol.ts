// What an agent thread and its thread for PostgreSQL say to each other.

import type { CallsSetup } from "../blocking-thread.ts";
import type { Action } from "../tables/change-log.ts";

/** A PostgreSQL database, and how to connect to it. */
export interface PostgresPlace {
  /** A URL with the scheme `postgres:` or `postgresql:`. */
  url: string;
  /** Empty: the password of the user's `.pgpass` file, if it has one, or none. */
  password: string;
  /** The most connections of each agent thread. */
  connections: number;
  /** How long a statement, or a free connection, is waited for, in milliseconds. */
  timeout: number;
}

export interface PostgresSetup extends CallsSetup, PostgresPlace {}

/** What a transaction knows of its agent from its beginning on. */
export interface AgentState {
  /** The number of the last entry of the change log. */
  logged: number;
  /** The number of its first entry; 0 if the log is empty. */
  first: number;
  /** The last ticket of the embedding queue. */
  tickets: number;
  /** The facts about the agent, by key. */
  meta: Record<string, string>;
}

/**
 * An entry of the change log that is to be written. Without a writer it counts as another's. Clients
 * are told of one with an action.
 */
export interface NewEntry {
  entity: string;
  id: string;
  action: Action | null;
  writer: string | null;
}

/** A call to the thread. Calls with a session run in the transaction that `begin` opened for it. */
export type PostgresCall =
  | {
      kind: "begin";
      session: number;
      agent: string;
      /**
       * Which life of the agent. If it is over, the transaction does not begin, and returns no row.
       * Else it returns the agent's state.
       */
      epoch: string;
      /** `write` waits until no other connection writes the agent's rows. */
      mode: "write" | "read";
      /** How long it waits for another writer, in milliseconds. */
      patience: number;
    }
  | { kind: "rollback"; session: number }
  /** Writes entries of the change log, and commits, in one round trip. */
  | { kind: "commit"; session: number; agent: string; entries: readonly NewEntry[] }
  | {
      kind: "statement";
      session: number | undefined;
      agent: string;
      text: string;
      values: readonly unknown[];
      /** Whether the statement itself names the agent to row-level security. */
      namesAgent?: boolean;
    }
  /**
   * Returns a row `{ bytes }` for each row of a query that selects one column of bytes. `parts` is
   * the text around the values.
   */
  | {
      kind: "bytes";
      session: number | undefined;
      agent: string;
      parts: readonly string[];
      values: readonly (string | number)[];
    }
  /** Brings the schema up to this version's. Returns the version that it `found`. */
  | { kind: "migrate" }
  /** Returns the version of the schema that is `found`; 0 for a new database. */
  | { kind: "schema" }
  /** Ends the connections. */
  | { kind: "close" }
  /** Returns the names of agents after one, in order. */
  | { kind: "agents"; after: string; max: number };

export type PostgresReply =
  | { rows: Record<string, unknown>[] }
  /** PostgreSQL refused a statement. `code` is its SQLSTATE. */
  | { refused: { code: string | undefined; message: string } }
  /** No usable answer. The reason, as a sentence without a full stop. */
  | { lost: string };

/**
 * Stands for U+0000 in statements, since a text of PostgreSQL cannot hold it. No stored id has
 * either character, so that a look-up by an id with U+0000 finds nothing.
 */
export const FOR_NUL = "\u0001";
