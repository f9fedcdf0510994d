// The rows of a PostgreSQL database as text, and a database with such rows: what `pg_dump` does, which the
// npm package of PostgreSQL lacks.

import { MIGRATIONS, SCHEMA_TABLE } from "../../../js/server/src/storage/postgres/migrations.ts";
import { query } from "../support/postgres.ts";

/** The contents of `postgres.json.gz`. */
export interface LeftDatabase {
  /** The statements that have made the schema. */
  migrations: readonly string[];
  /** The rows of each table, as a list of JSON: numbers may have more digits than JavaScript keeps. */
  rows: Readonly<Record<string, string>>;
}

/** Returns the database of a superuser's URL. */
export async function databaseAt(url: string): Promise<LeftDatabase> {
  const tables = await query(url, "SELECT tablename FROM pg_tables WHERE schemaname = 'nous'");
  const rows: Record<string, string> = {};
  for (const { tablename } of tables) {
    const [all] = await query(
      url,
      `SELECT coalesce(json_agg(t), '[]')::text AS rows FROM nous.${tablename} t`,
    );
    rows[String(tablename)] = String(all!.rows);
  }
  return { migrations: MIGRATIONS, rows };
}

/** Makes the tables in an empty database, as the server's role, and their rows as a superuser. */
export async function fillDatabase(
  { migrations, rows }: LeftDatabase,
  url: string,
  superuser: string,
): Promise<void> {
  for (const statement of [SCHEMA_TABLE, ...migrations]) await query(url, statement);
  // Rows come in any order: triggers and foreign keys rest.
  const resting = `${superuser}?options=-c%20session_replication_role%3Dreplica`;
  for (const [table, all] of Object.entries(rows)) {
    // A migration has made a row of its own.
    await query(resting, `DELETE FROM nous.${table}`);
    const taken = `json_populate_recordset(NULL::nous.${table}, $1)`;
    await query(resting, `INSERT INTO nous.${table} SELECT * FROM ${taken}`, [all]);
  }
}
