// The rows of one agent in a PostgreSQL database, and its transactions.
//
// # Invariants
//
// - A transaction that writes locks the agent's row first. An agent has one writer at a time, so
//   that the numbers of its change log appear in the order of commits, without gaps.
// - The entries of the change log are written in the transaction of the changes that they name: with
//   its commit. Until then they are in memory, and their numbers are known, since nobody else writes.

import { randomUUID } from "node:crypto";
import { BLOCKED, isAtOnce, type Steps } from "nous-memory";
import { AgentDeleted, Held, RemoteError } from "../errors.ts";
import { type Query, raw, sql } from "../query.ts";
import type { Action } from "../tables/change-log.ts";
import type { PostgresDatabase } from "./database.ts";
import { TABLES_OF_AGENTS } from "./migrations.ts";
import type { AgentState, NewEntry, PostgresCall } from "./protocol.ts";

/** How long a write waits for another writer of the same agent, in milliseconds. */
export const PATIENCE = 5_000;

/** A transaction, which its session names to the thread. */
interface Transaction {
  session: number;
  mode: "write" | "read";
  /** The state of the agent when it began, with what it changed of the facts and of the tickets. */
  state: AgentState;
  /** The entries of the change log that it writes. */
  entries: NewEntry[];
  lost: RemoteError | undefined;
}

/** The rows of one agent, by one transaction at a time. */
export class AgentRows {
  readonly agent: string;
  readonly #database: PostgresDatabase;
  readonly #epoch: string;
  #writer: string = randomUUID();
  #transaction: Transaction | undefined;
  readonly #committed = { claimed: 0, nodes: 0 };
  #hasChanged = false;
  /** How long a write waits for another writer unless it says otherwise, in milliseconds. */
  patience: number = PATIENCE;
  #commits = 0;

  /** Creates the agent, unless it is there. */
  constructor(database: PostgresDatabase, agent: string) {
    this.#database = database;
    this.agent = agent;
    this.#epoch = this.#create();
  }

  /** The name of this connection in the change log. */
  get writer(): string {
    return this.#writer;
  }

  /** Whether a statement changed anything since this object was made. */
  get hasChanged(): boolean {
    return this.#hasChanged;
  }

  /** How many transactions that write have been committed. */
  get commits(): number {
    return this.#commits;
  }

  get inTransaction(): boolean {
    return this.#transaction !== undefined;
  }

  /** The random name of this life of the agent. It changes if the agent is deleted and created again. */
  get epoch(): string {
    return this.#epoch;
  }

  /** Creates the agent, unless it is there. */
  #create(): string {
    const known = sql`SELECT epoch FROM nous.agents WHERE agent = ${this.agent}`;
    const created = sql`
      INSERT INTO nous.agents (agent, epoch) VALUES (${this.agent}, ${randomUUID()})
      ON CONFLICT DO NOTHING`;
    for (;;) {
      const found = this.first<{ epoch: string }>(known);
      if (found !== undefined) return found.epoch;
      this.all(created);
    }
  }

  /** Deletes the agent with all of its rows. */
  remove(): void {
    this.writing(() => {
      // The agent's own row comes last: it holds the lock of the transaction.
      for (const table of TABLES_OF_AGENTS.toReversed())
        this.change(sql`DELETE FROM nous.${raw(table)} WHERE agent = ${this.agent}`);
    });
  }

  /** Returns the rows of a statement that changes nothing. */
  all<T>({ text, values }: Query): T[] {
    return this.#ask<T>((own) => ({ kind: "statement", ...own, text, values }));
  }

  /**
   * Returns the values of a query that selects one column of bytes. Use it for large values: `all`
   * reads bytes as hexadecimal text.
   */
  bytes({ parts, values }: Query): ArrayBuffer[] {
    const literals = values as readonly (string | number)[];
    const rows = this.#ask<{ bytes: ArrayBuffer }>((own) => ({
      kind: "bytes",
      ...own,
      parts,
      values: literals,
    }));
    return rows.map(({ bytes }) => bytes);
  }

  #ask<T>(callOf: (own: { session: number | undefined; agent: string }) => PostgresCall): T[] {
    if (this.#transaction?.lost !== undefined) throw this.#transaction.lost;
    const { agent } = this;
    const session = this.#transaction?.session;
    try {
      return this.#database.ask(callOf({ session, agent })) as T[];
    } catch (error) {
      this.#noteLoss(error);
      throw error;
    }
  }

  /** Returns the range of the change log, which tells whether another server has changed anything. */
  range(): { first: number; last: number } {
    const { text, values } = sql`SELECT first, last
      FROM nous.logged_range(${this.agent}, ${this.#epoch})`;
    const [range] = this.#ask<{ first: number; last: number }>((own) => {
      return { kind: "statement", ...own, text, values, namesAgent: true };
    });
    if (range === undefined) throw new AgentDeleted(this.agent);
    return range;
  }

  /** Returns the first row of a statement that changes nothing. */
  first<T>(query: Query): T | undefined {
    return this.all<T>(query)[0];
  }

  /** Runs a statement that changes rows, and returns those that it returns. */
  change<T>(query: Query): T[] {
    this.#hasChanged = true;
    return this.all<T>(query);
  }

  /**
   * Notes changed rows for the change log, which is written at the end of the transaction at the
   * latest.
   */
  note(entity: string, ids: Iterable<string>, action: Action | null = null): void {
    for (const id of ids) this.#transaction!.entries.push({ entity, id, action, writer: null });
  }

  /** The state of the agent in the open transaction; undefined outside of one. */
  get state(): AgentState | undefined {
    return this.#transaction?.state;
  }

  /** The entries of the change log that the open transaction writes, in order. */
  get entries(): readonly NewEntry[] {
    return this.#transaction?.entries ?? [];
  }

  /** Makes the entries so far those of this writer: no changes of another connection, for itself. */
  claim(): void {
    for (const entry of this.#transaction!.entries) entry.writer = this.#writer;
  }

  /**
   * How many entries of the change log this object has committed that it claimed, and how many that
   * name memories.
   */
  get committed(): Readonly<{ claimed: number; nodes: number }> {
    return this.#committed;
  }

  /** Runs `work` in the open transaction, or in one of its own. */
  writing<T>(work: () => T): T {
    if (this.inTransaction) return work();
    this.begin("write", this.patience);
    try {
      const result = work();
      this.commit();
      return result;
    } catch (error) {
      this.rollback();
      throw error;
    }
  }

  /** Waits until a transaction that may pause can have a connection, which others give back. */
  *awaitRoom(): Steps<void> {
    while (!isAtOnce() && !this.#database.hasRoom) yield BLOCKED;
  }

  begin(mode: "write" | "read", patience: number): void {
    const session = this.#database.nextSession();
    const { agent, epoch } = this;
    const [state] = this.#begun({ kind: "begin", session, agent, epoch, mode, patience });
    if (state === undefined) throw new AgentDeleted(agent);
    this.#transaction = {
      session,
      mode,
      state: state as unknown as AgentState,
      entries: [],
      lost: undefined,
    };
    this.#database.open.add(session);
  }

  #begun(call: PostgresCall): Record<string, unknown>[] {
    try {
      return this.#database.ask(call);
    } catch (error) {
      throw (error as { code?: string }).code === "SQLITE_BUSY" ? new Held() : error;
    }
  }

  /**
   * Commits. If the answer is lost, it is unknown whether the commit happened: its entries of the
   * change log, if any, must be read like those of another writer.
   */
  commit(): void {
    const { session, mode, entries, lost } = this.#transaction!;
    if (lost !== undefined) throw lost;
    this.#transaction = undefined;
    this.#database.open.delete(session);
    try {
      this.#database.ask({ kind: "commit", session, agent: this.agent, entries });
    } catch (error) {
      this.#writer = randomUUID();
      throw error;
    }
    if (mode === "write") {
      this.#commits += 1;
      this.patience = PATIENCE;
    }
    this.#committed.claimed += entries.filter(({ writer }) => writer !== null).length;
    this.#committed.nodes += entries.filter(({ entity }) => entity === "node").length;
  }

  /** Undoes the open transaction, if there is one. */
  rollback(): void {
    const transaction = this.#transaction;
    this.#transaction = undefined;
    if (transaction !== undefined) this.#database.open.delete(transaction.session);
    if (transaction === undefined || transaction.lost !== undefined) return;
    try {
      this.#database.ask({ kind: "rollback", session: transaction.session });
    } catch (error) {
      // PostgreSQL undoes the transaction of a connection that broke off.
      if (!(error instanceof RemoteError)) throw error;
    }
  }

  #noteLoss(error: unknown): void {
    if (this.#transaction !== undefined && error instanceof RemoteError)
      this.#transaction.lost = error;
  }
}
