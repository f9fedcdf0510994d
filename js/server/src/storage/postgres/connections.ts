// Connections to a PostgreSQL database, and their transactions. Callers are the thread of an agent
// thread, and the keys of a server.

import pg from "pg";
import type { PostgresPlace } from "./protocol.ts";
import { isLost } from "./replies.ts";

/** How long an idle connection stays open, in milliseconds. */
const IDLE = 60_000;
/** The types of PostgreSQL that are read as numbers and bytes. */
const { INT8, BYTEA } = pg.types.builtins;

/** Returns a pool of connections to a database. It connects with the first statement. */
export function poolOf({ url: text, password, connections, timeout }: PostgresPlace): pg.Pool {
  const url = new URL(text);
  if (password !== "") url.password = encodeURIComponent(password);
  const pool = new pg.Pool({
    connectionString: url.href,
    max: connections,
    connectionTimeoutMillis: timeout,
    idleTimeoutMillis: IDLE,
    query_timeout: timeout,
    statement_timeout: timeout,
    application_name: "nous-server",
    keepAlive: true,
    types: {
      getTypeParser: ((oid: number, format?: "text") => {
        if (oid === INT8) return Number;
        if (oid === BYTEA) return bytesOf;
        return pg.types.getTypeParser(oid, format);
      }) as typeof pg.types.getTypeParser,
    },
  });
  // A connection broke off: an idle one, of which the pool opens another, or one between two
  // statements of a transaction, whose next statement fails.
  pool.on("error", () => {});
  pool.on("connect", (client) => client.on("error", () => {}));
  return pool;
}

/** Reads bytes in hexadecimal, `\x00ff`, into a buffer of their own. */
const bytesOf = (hex: string): Uint8Array => new Uint8Array(Buffer.from(hex.slice(2), "hex"));

/** Runs `work` on a connection of its own, in one transaction. */
export async function transaction<T>(
  pool: pg.Pool,
  work: (client: pg.PoolClient) => Promise<T>,
): Promise<T> {
  const client = await pool.connect();
  let result: T;
  try {
    await client.query("BEGIN");
    result = await work(client);
    await client.query("COMMIT");
  } catch (error) {
    await undo(client, error);
    throw error;
  }
  client.release();
  return result;
}

/** Undoes a transaction that an error may have ended, and gives its connection back to the pool. */
export async function undo(client: pg.PoolClient, error?: unknown): Promise<void> {
  const isUsable =
    (error === undefined || !isLost(error)) &&
    (await client.query("ROLLBACK").then(
      () => true,
      () => false,
    ));
  client.release(!isUsable);
}
