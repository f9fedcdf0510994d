// The thread that sends statements to PostgreSQL, while an agent thread blocks. It has the pool of
// connections of that agent thread.
//
// # Invariants
//
// - A connection that is given back to the pool is in no transaction.
// - A statement runs with the setting `nous.agent` of its agent, by which row-level security shows
//   it rows: a transaction sets it for itself, and a connection for the statements outside of one.

import { workerData } from "node:worker_threads";
import pg from "pg";
import { answerCalls } from "../blocking-thread.ts";
import { MIGRATIONS, SCHEMA_TABLE } from "./migrations.ts";
import { FOR_NUL, type PostgresCall, type PostgresReply, type PostgresSetup } from "./protocol.ts";

/** Statements that each connection keeps prepared. Filters make ever new ones, which are not kept. */
const MOST_PREPARED = 500;
/** The key of the advisory lock under which migrations run: any number that no other program uses. */
const MIGRATION_LOCK = 7_150_319_284;
/** How long an idle connection stays open, in milliseconds. */
const IDLE = 60_000;

/** Classes of SQLSTATE with which the server ends a connection, or takes no more of them. */
const GIVEN_UP = /^(08|57P|53)/;
/** The SQLSTATE of a statement that took longer than its timeout. */
const TIMED_OUT = "57014";
/** The types of PostgreSQL that are read as numbers and bytes. */
const { INT8, BYTEA } = pg.types.builtins;

const setup = workerData as PostgresSetup;
const url = new URL(setup.url);
if (setup.password !== "") url.password = encodeURIComponent(setup.password);
const pool = new pg.Pool({
  connectionString: url.href,
  max: setup.connections,
  connectionTimeoutMillis: setup.timeout,
  idleTimeoutMillis: IDLE,
  query_timeout: setup.timeout,
  statement_timeout: setup.timeout,
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

/** The connections of the open transactions, by session. */
const sessions = new Map<number, pg.PoolClient>();
/** The agent that a connection's setting names outside of transactions. */
const agents = new WeakMap<pg.PoolClient, string>();
/** The names of prepared statements, by text. */
const names = new Map<string, string>();

/** Reads bytes in hexadecimal, `\x00ff`, into a buffer of their own. */
function bytesOf(hex: string): ArrayBuffer {
  const bytes = new Uint8Array((hex.length - 2) / 2);
  bytes.set(Buffer.from(hex.slice(2), "hex"));
  return bytes.buffer;
}

async function perform(asked: PostgresCall): Promise<Record<string, unknown>[]> {
  if (asked.kind === "begin") return begin(asked);
  if (asked.kind === "migrate") return migrate();
  if (asked.kind === "schema") return schema();
  if (asked.kind === "close") {
    await pool.end();
    return [];
  }
  if (asked.kind === "agents") return agentsAfter(asked.after, asked.most);
  if (asked.kind !== "statement") return end(asked);
  const { session, agent } = asked;
  if (session !== undefined) return ask(clientOf(session), asked);
  const client = await pool.connect();
  return releasing(client, async () => {
    if (agents.get(client) !== agent) {
      agents.delete(client);
      await client.query("SELECT set_config('nous.agent', $1, false)", [agent]);
      agents.set(client, agent);
    }
    return ask(client, asked);
  });
}

/** Gives a connection back to the pool afterwards; drops it if it broke off. */
async function releasing<T>(client: pg.PoolClient, work: () => Promise<T>): Promise<T> {
  try {
    const result = await work();
    client.release();
    return result;
  } catch (error) {
    client.release(isLost(error));
    throw error;
  }
}

async function ask(
  client: pg.PoolClient,
  { text, values }: Extract<PostgresCall, { kind: "statement" }>,
): Promise<Record<string, unknown>[]> {
  let name = names.get(text);
  if (name === undefined && names.size < MOST_PREPARED) {
    name = `nous_${names.size}`;
    names.set(text, name);
  }
  const { rows } = await client.query({
    ...(name === undefined ? {} : { name }),
    text,
    values: values.map(bound),
  });
  return rows;
}

/** Returns a value as the driver takes it. */
function bound(value: unknown): unknown {
  if (typeof value === "string") return value.replaceAll("\0", FOR_NUL);
  if (Array.isArray(value)) return value.map(bound);
  if (value instanceof Uint8Array)
    return Buffer.from(value.buffer, value.byteOffset, value.byteLength);
  return value instanceof ArrayBuffer ? Buffer.from(value) : value;
}

/** Begins a transaction. Returns a row, or none if the agent's life is over. */
async function begin({
  session,
  agent,
  epoch,
  mode,
  patience,
}: Extract<PostgresCall, { kind: "begin" }>): Promise<Record<string, unknown>[]> {
  const client = await pool.connect();
  const [name, life] = [client.escapeLiteral(agent), client.escapeLiteral(epoch)];
  const known = `
    SELECT set_config('nous.agent', ${name}, true);
    SELECT epoch FROM nous.agents WHERE agent = ${name} AND epoch = ${life}`;
  try {
    const results = (await client.query(
      mode === "read"
        ? `BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY; ${known}`
        : `BEGIN; SET LOCAL lock_timeout = ${Math.max(1, Math.round(patience))}; ${known} FOR UPDATE;
           SET LOCAL lock_timeout = 0`,
    )) as unknown as pg.QueryResult[];
    const found = results.flatMap(({ rows }) => rows).filter((row) => row.epoch === epoch);
    if (found.length > 0) sessions.set(session, client);
    else await undo(client);
    return found;
  } catch (error) {
    await undo(client, error);
    throw error;
  }
}

/** Undoes a transaction that an error may have ended, and gives its connection back to the pool. */
async function undo(client: pg.PoolClient, error?: unknown): Promise<void> {
  const isUsable =
    (error === undefined || !isLost(error)) &&
    (await client.query("ROLLBACK").then(
      () => true,
      () => false,
    ));
  client.release(!isUsable);
}

async function end({
  kind,
  session,
}: Extract<PostgresCall, { kind: "commit" | "rollback" }>): Promise<[]> {
  const client = clientOf(session);
  sessions.delete(session);
  await releasing(client, async () => {
    const { command } = await client.query(kind.toUpperCase());
    // A transaction with a refused statement is rolled back by COMMIT.
    if (kind === "commit" && command !== "COMMIT") throw new Error("the transaction was undone");
  });
  return [];
}

/** Runs `work` on a connection of its own, in one transaction. */
async function transaction<T>(work: (client: pg.PoolClient) => Promise<T>): Promise<T> {
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

const FOUND = "SELECT coalesce(max(version), 0) AS found FROM nous.schema_version";

const schema = () =>
  transaction(async (client) => {
    const table = "SELECT to_regclass('nous.schema_version') IS NOT NULL AS is_there";
    const [{ is_there }] = (await client.query(table)).rows;
    return is_there ? (await client.query(FOUND)).rows : [{ found: 0 }];
  });

/** Runs the missing migrations in one transaction, which other servers wait for. */
const migrate = () =>
  transaction(async (client) => {
    await client.query("SELECT pg_advisory_xact_lock($1)", [MIGRATION_LOCK]);
    await client.query(SCHEMA_TABLE);
    const { rows } = await client.query(FOUND);
    const { found } = rows[0];
    for (const [place, migration] of MIGRATIONS.slice(found).entries()) {
      await client.query(migration);
      await client.query("INSERT INTO nous.schema_version VALUES ($1)", [found + place + 1]);
    }
    return rows;
  });

const agentsAfter = (after: string, most: number) =>
  transaction(async (client) => {
    await client.query("SET LOCAL nous.lists_agents = 'on'");
    const listed = "SELECT agent FROM nous.agents WHERE agent > $1 ORDER BY agent LIMIT $2";
    return (await client.query(listed, [after, most])).rows;
  });

function clientOf(session: number): pg.PoolClient {
  const client = sessions.get(session);
  if (client === undefined) throw new Error("the transaction is over");
  return client;
}

/** Returns whether an error means that the connection cannot be used any more. */
function isLost(error: unknown): boolean {
  const { code, severity } = error as { code?: string; severity?: string };
  return severity === undefined || GIVEN_UP.test(code ?? "") || code === TIMED_OUT;
}

function replyTo(error: unknown): PostgresReply {
  const { code, message, severity } = error as Error & { code?: string; severity?: string };
  if (!isLost(error)) return { refused: { code, message } };
  if (code === TIMED_OUT) return { lost: `did not answer within ${setup.timeout} ms` };
  // PostgreSQL's own words about a connection that it refuses hold no statement.
  if (severity !== undefined) return { lost: `ended the connection: ${message}` };
  if (/timeout/i.test(message))
    return { lost: `did not answer, or has no free connection, within ${setup.timeout} ms` };
  return { lost: "cannot be reached, or broke off" };
}

answerCalls(setup, async (asked: PostgresCall): Promise<PostgresReply> => {
  try {
    return { rows: await perform(asked) };
  } catch (error) {
    const { session } = asked as { session?: number };
    const client = session === undefined ? undefined : sessions.get(session);
    if (client !== undefined && isLost(error)) {
      sessions.delete(session!);
      client.release(true);
    }
    return replyTo(error);
  }
});
