// The thread that sends statements to PostgreSQL, while an agent thread blocks. It has the pool of
// connections of that agent thread.
//
// # Invariants
//
// - A connection that is given back to the pool is in no transaction.
// - A statement runs with the setting `nous.agent` of its agent, by which row-level security shows
//   it rows: a transaction sets it for itself, and a connection for the statements outside of one.

import { workerData } from "node:worker_threads";
import type pg from "pg";
import { answerCalls } from "../blocking-thread.ts";
import { poolOf, transaction, undo } from "./connections.ts";
import { migrate, schemaIn } from "./migrate.ts";
import { FOR_NUL, type PostgresCall, type PostgresReply, type PostgresSetup } from "./protocol.ts";
import { isLost, replyTo } from "./replies.ts";

/** Statements that each connection keeps prepared. Filters make ever new ones, which are not kept. */
const MOST_PREPARED = 500;
const setup = workerData as PostgresSetup;
const pool = poolOf(setup);

/** The connections of the open transactions, by session. */
const sessions = new Map<number, pg.PoolClient>();
/** The agent that a connection's setting names outside of transactions. */
const agents = new WeakMap<pg.PoolClient, string>();
/** The names of prepared statements, by text. */
const names = new Map<string, string>();

async function perform(asked: PostgresCall): Promise<Record<string, unknown>[]> {
  if (asked.kind === "begin") return begin(asked);
  if (asked.kind === "migrate") return [{ ...(await migrate(pool)) }];
  if (asked.kind === "schema") return [{ ...(await schemaIn(pool)) }];
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

const agentsAfter = (after: string, most: number) =>
  transaction(pool, async (client) => {
    await client.query("SET LOCAL nous.lists_agents = 'on'");
    const listed = "SELECT agent FROM nous.agents WHERE agent > $1 ORDER BY agent LIMIT $2";
    return (await client.query(listed, [after, most])).rows;
  });

function clientOf(session: number): pg.PoolClient {
  const client = sessions.get(session);
  if (client === undefined) throw new Error("the transaction is over");
  return client;
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
    return replyTo(error, setup.timeout);
  }
});
