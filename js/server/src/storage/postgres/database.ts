// A PostgreSQL database as one agent thread uses it.

import { BlockingThread } from "../blocking-thread.ts";
import { sql } from "../query.ts";
import { checkIsCurrent, checkIsKnown, SCHEMA } from "./migrations.ts";
import type { PostgresCall, PostgresPlace, PostgresReply } from "./protocol.ts";
import { failureOf } from "./replies.ts";

/**
 * How much longer than its timeout a call waits for the thread, which may have to start first and
 * to connect, in milliseconds.
 */
const GRACE = 15_000;

type Row = Record<string, unknown>;

/** A database, by a pool of connections. Its agents share it. */
export class PostgresDatabase {
  readonly #thread: BlockingThread<PostgresCall, PostgresReply>;
  readonly #timeout: number;
  readonly #connections: number;
  /** The open transactions. */
  readonly open = new Set<number>();
  #sessions = 0;

  /** `script` is the URL of the script of the thread. */
  constructor(place: PostgresPlace, script: URL) {
    this.#timeout = 2 * place.timeout + GRACE;
    this.#connections = place.connections;
    this.#thread = new BlockingThread(script, place);
  }

  /**
   * @throws {RemoteError} If there is no answer.
   * @throws {StorageError} If PostgreSQL refuses the statement.
   */
  ask(call: PostgresCall): Row[] {
    const reply = this.#thread.call(call, this.#timeout) ?? { lost: "could not be asked" };
    if ("rows" in reply) return reply.rows;
    throw failureOf(reply);
  }

  /** Returns a number for a new transaction. */
  nextSession(): number {
    this.#sessions += 1;
    return this.#sessions;
  }

  /**
   * Whether a transaction that pauses may begin. One connection is left to the work without pauses:
   * while it waited for a connection, no paused transaction could go on and give one back.
   */
  get hasRoom(): boolean {
    return this.open.size < this.#connections - 1;
  }

  /**
   * Runs the migrations that the database lacks, under a lock: of several servers that start at
   * once, one migrates.
   *
   * @throws {StorageError} If the database is of a newer version, or may not be changed.
   */
  migrate(tell: (what: string) => void = () => {}): void {
    const [{ found }] = this.ask({ kind: "migrate" }) as [{ found: number }];
    checkIsKnown(found);
    if (found < SCHEMA) tell(`The database had schema ${found} and has ${SCHEMA} now`);
  }

  /** @throws {StorageError} If the database has another schema than this version's. */
  checkSchema(): void {
    const [{ found }] = this.ask({ kind: "schema" }) as [{ found: number }];
    checkIsCurrent(found);
  }

  /** Returns the names of agents after one, in order. */
  agents(after: string, max: number): string[] {
    return this.ask({ kind: "agents", after, max }).map(({ agent }) => agent as string);
  }

  /** Returns whether there is an agent of this name. */
  has(agent: string): boolean {
    const { text, values } = sql`SELECT 1 AS one FROM nous.agents WHERE agent = ${agent}`;
    return this.ask({ kind: "statement", session: undefined, agent, text, values }).length > 0;
  }

  /** Ends the connections, and the thread. */
  close(): void {
    this.#thread.call({ kind: "close" }, GRACE);
    this.#thread.close();
  }
}
