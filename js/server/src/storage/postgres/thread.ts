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
import { copyBytes } from "./binary-copy.ts";
import { poolOf, transaction, undo } from "./connections.ts";
import { migrate, schemaIn } from "./migrate.ts";
import {
  FOR_NUL,
  type NewEntry,
  type PostgresCall,
  type PostgresReply,
  type PostgresSetup,
} from "./protocol.ts";
import { isLost, replyTo } from "./replies.ts";

/** Statements that each connection keeps prepared. Filters make ever new ones, which are not kept. */
const MAX_PREPARED = 500;
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
  if (asked.kind === "agents") return agentsAfter(asked.after, asked.max);
  if (asked.kind === "rollback") return rollback(asked.session);
  if (asked.kind === "commit") return commit(asked);
  const { session, agent } = asked;
  const send = (client: pg.PoolClient) =>
    asked.kind === "bytes" ? bytes(client, asked) : ask(client, asked);
  if (session !== undefined) return send(clientOf(session));
  const client = await pool.connect();
  return releasing(client, async () => {
    if (agents.get(client) === agent) return send(client);
    agents.delete(client);
    if (asked.kind !== "statement" || !asked.namesAgent)
      await client.query("SELECT set_config('nous.agent', $1, false)", [agent]);
    const rows = await send(client);
    agents.set(client, agent);
    return rows;
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
  if (name === undefined && names.size < MAX_PREPARED) {
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

async function bytes(
  client: pg.PoolClient,
  { parts, values }: Extract<PostgresCall, { kind: "bytes" }>,
): Promise<{ bytes: ArrayBuffer }[]> {
  const literals = values.map((value) =>
    typeof value === "number" ? String(value) : literalOf(client, value),
  );
  const query = parts.reduce((text, part, place) => `${text}${literals[place - 1]}${part}`);
  return (await copyBytes(client, query)).map((bytes) => ({ bytes }));
}

function literalOf(client: pg.PoolClient, text: string): string {
  return client.escapeLiteral(text.replaceAll("\0", FOR_NUL));
}

/** Returns a value as the driver takes it. */
function bound(value: unknown): unknown {
  if (typeof value === "string") return value.replaceAll("\0", FOR_NUL);
  if (Array.isArray(value)) return value.map(bound);
  if (value instanceof Uint8Array)
    return Buffer.from(value.buffer, value.byteOffset, value.byteLength);
  return value;
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
  // A statement of its own: it sees what the transaction that held the lock has committed.
  const state = `
    SELECT logged, tickets,
      coalesce((SELECT min(sequence) FROM nous.change_log WHERE agent = ${name}), 0) AS first,
      coalesce((SELECT json_object_agg(key, value) FROM nous.meta WHERE agent = ${name}), '{}') AS meta
    FROM nous.agents WHERE agent = ${name}`;
  try {
    const results = (await client.query(
      mode === "read"
        ? `BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY; ${known}; ${state}`
        : `BEGIN; SET LOCAL lock_timeout = ${Math.max(1, Math.round(patience))}; ${known} FOR UPDATE;
           SET LOCAL lock_timeout = 0; ${state}`,
    )) as unknown as pg.QueryResult[];
    const isLiving = results.some(({ rows }) => rows[0]?.epoch === epoch);
    if (isLiving) sessions.set(session, client);
    else await undo(client);
    return isLiving ? results.at(-1)!.rows : [];
  } catch (error) {
    await undo(client, error);
    throw error;
  }
}

async function rollback(session: number): Promise<[]> {
  const client = clientOf(session);
  sessions.delete(session);
  await releasing(client, () => client.query("ROLLBACK"));
  return [];
}

async function commit({
  session,
  agent,
  entries,
}: Extract<PostgresCall, { kind: "commit" }>): Promise<[]> {
  const client = clientOf(session);
  sessions.delete(session);
  try {
    // One text, so that it takes one round trip. A refused statement ends it before the COMMIT.
    const results = [await client.query(`${logging(client, agent, entries)} COMMIT`)].flat();
    // A transaction with a refused statement is rolled back by COMMIT.
    if (results.at(-1)!.command !== "COMMIT") throw new Error("the transaction was undone");
  } catch (error) {
    await undo(client, error);
    throw error;
  }
  client.release();
  return [];
}

/** Returns the statement that writes entries of the change log, with the next numbers of the agent. */
function logging(client: pg.PoolClient, agent: string, entries: readonly NewEntry[]): string {
  if (entries.length === 0) return "";
  const literal = (value: string) => literalOf(client, value);
  const name = literal(agent);
  const orNull = (value: string | null) => (value === null ? "NULL" : literal(value));
  const rows = entries.map(
    ({ entity, id, action, writer }, place) =>
      `(${place + 1}, ${literal(entity)}, ${literal(id)}, ${orNull(action)}, ${orNull(writer)})`,
  );
  return `
    WITH numbered AS (UPDATE nous.agents SET logged = logged + ${entries.length}
      WHERE agent = ${name} RETURNING logged - ${entries.length} AS before)
    INSERT INTO nous.change_log (agent, sequence, entity, id, action, writer, at)
    SELECT ${name}, before + place, entity, id, action, writer, ${literal(new Date().toISOString())}
    FROM numbered, (VALUES ${rows.join(", ")}) AS entries (place, entity, id, action, writer);`;
}

const agentsAfter = (after: string, max: number) =>
  transaction(pool, async (client) => {
    await client.query("SET LOCAL nous.lists_agents = 'on'");
    const listed = "SELECT agent FROM nous.agents WHERE agent > $1 ORDER BY agent LIMIT $2";
    return (await client.query(listed, [after, max])).rows;
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
