// Runs suites of the server on PostgreSQL: a server that is started on a data directory gets a
// database of its own there, as it would have its own files.

import { createHash } from "node:crypto";
import { cpSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import { describe, inject, test } from "vitest";
import { agentFile } from "../../../js/server/src/settings/paths.ts";
import { TABLES_OF_AGENTS } from "../../../js/server/src/storage/postgres/migrations.ts";
import { none, testInFull } from "../../support/full.ts";
import { query } from "./postgres.ts";

/** Returns the name of the database of a data directory. */
const databaseOf = (dataDir: string) =>
  `d_${createHash("sha256").update(dataDir).digest("hex").slice(0, 16)}`;

function urlOf(cluster: string, dataDir: string): string {
  const url = new URL(cluster);
  url.username = "nous";
  url.pathname = `/${databaseOf(dataDir)}`;
  return url.href;
}

/** Returns the options by which a server has its memories in PostgreSQL, if the suites run on it. */
export async function databaseOptions(dataDir: string): Promise<string[]> {
  const cluster = inject("cluster");
  if (cluster === undefined) return [];
  const name = databaseOf(dataDir);
  const [found] = await query(cluster, "SELECT 1 FROM pg_database WHERE datname = $1", [name]);
  try {
    if (found === undefined) await query(cluster, `CREATE DATABASE ${name} OWNER nous`);
  } catch (error) {
    // Another call has created it meanwhile.
    if (!CREATED.includes(String((error as { code?: string }).code))) throw error;
  }
  return ["--database-url", urlOf(cluster, dataDir)];
}

/** The errors of a database that exists, or that is created at the same moment. */
const CREATED = ["42P04", "23505"];

/** Copies the data of a server that has ended, with its database. */
export async function copyData(from: string, to: string): Promise<void> {
  cpSync(from, to, { recursive: true });
  const cluster = inject("cluster");
  if (cluster === undefined) return;
  const names = `${databaseOf(to)} TEMPLATE ${databaseOf(from)}`;
  await query(cluster, `CREATE DATABASE ${names} OWNER nous`);
}

/**
 * Runs a statement on the rows of an agent, beside its server, and returns the rows that it gives.
 * It is in the words that SQLite and PostgreSQL share, and `?` stands for a value. With PostgreSQL
 * it runs as the role of the server, to whom the other agents' rows are invisible.
 */
export async function stored(
  { dataDir, agent }: { dataDir: string; agent: string },
  statement: string,
  ...values: (string | number)[]
): Promise<Record<string, unknown>[]> {
  const cluster = inject("cluster");
  if (cluster === undefined) {
    const db = new DatabaseSync(agentFile(dataDir, agent));
    try {
      db.exec("PRAGMA busy_timeout = 5000");
      const prepared = db.prepare(statement);
      return prepared.all(...values) as Record<string, unknown>[];
    } finally {
      db.close();
    }
  }
  const { default: pg } = await import("pg");
  const client = new pg.Client({ connectionString: urlOf(cluster, dataDir) });
  await client.connect();
  try {
    await client.query("SELECT set_config('nous.agent', $1, false)", [agent]);
    await client.query("SET search_path = nous");
    let place = 0;
    const text = statement
      .replace(/\?/g, () => `$${++place}`)
      .replace(/\bnous_(?=[a-z])/g, "")
      .replace(/\browid\b/g, "sequence");
    const { rows, fields } = await client.query(text, values);
    // The driver gives integers of 64 bits as texts.
    const integers = fields.filter(({ dataTypeID }) => dataTypeID === BIGINT);
    for (const row of rows)
      for (const { name } of integers) row[name] = row[name] === null ? null : Number(row[name]);
    return rows;
  } finally {
    await client.end();
  }
}

/** Returns the names of the tables with an agent's rows. */
export async function tablesOf(own: { dataDir: string; agent: string }): Promise<string[]> {
  if (inject("cluster") !== undefined) return [...TABLES_OF_AGENTS];
  const tables = await stored(own, "SELECT name FROM sqlite_master WHERE type = 'table'");
  return tables.map(({ name }) => String(name)).sort();
}

/** The number of PostgreSQL's type `bigint`. */
const BIGINT = 20;

/** Whether the suites run on PostgreSQL. */
export const isOnPostgres: boolean = inject("cluster") !== undefined;

/**
 * `test` and `describe` for tests that read or write the agent's database file. Suites on
 * PostgreSQL do not have them.
 */
export const testOnFiles = (isOnPostgres ? none : test) as typeof test;
export const describeOnFiles = (isOnPostgres ? none : describe) as typeof describe;
/** `testOnFiles` in `npm run test:full` alone. */
export const testOnFilesInFull = (isOnPostgres ? none : testInFull) as typeof test;
