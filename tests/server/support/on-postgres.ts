// Runs suites of the server on PostgreSQL: a server that is started on a data directory gets a
// database of its own there, as it would have its own files.

import { createHash } from "node:crypto";
import { describe, test } from "vitest";
import { query, startPostgres } from "./postgres.ts";

/** The variable with the URL of the cluster, for the role that may create databases. */
const CLUSTER = "TESTS_ON_POSTGRES";

/** Starts the cluster before all suites, and stops it after them. */
export default async function setUp(): Promise<() => Promise<void>> {
  const postgres = await startPostgres();
  process.env[CLUSTER] = postgres.superuserOf(postgres.url);
  return () => postgres.stop();
}

/** Returns the options by which a server has its memories in PostgreSQL, if the suites run on it. */
export async function databaseOptions(dataDir: string): Promise<string[]> {
  const cluster = process.env[CLUSTER];
  if (cluster === undefined) return [];
  const name = `d_${createHash("sha256").update(dataDir).digest("hex").slice(0, 16)}`;
  const [found] = await query(cluster, "SELECT 1 FROM pg_database WHERE datname = $1", [name]);
  if (found === undefined) await query(cluster, `CREATE DATABASE ${name} OWNER nous`);
  const url = new URL(cluster);
  url.username = "nous";
  url.pathname = `/${name}`;
  return ["--database-url", url.href];
}

/** Whether the suites run on PostgreSQL. */
export const isOnPostgres: boolean = process.env[CLUSTER] !== undefined;

/**
 * `test` and `describe` for tests that read or write the agent's database file. Suites on
 * PostgreSQL do not have them.
 */
export const testOnFiles = (isOnPostgres ? () => {} : test) as typeof test;
export const describeOnFiles = (isOnPostgres ? () => {} : describe) as typeof describe;
