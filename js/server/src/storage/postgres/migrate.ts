// Brings the schema of a PostgreSQL database up to this version's.

import type pg from "pg";
import { transaction } from "./connections.ts";
import { MIGRATIONS, SCHEMA, SCHEMA_TABLE } from "./migrations.ts";

/** The key of the advisory lock under which migrations run: any number that no other program uses. */
const MIGRATION_LOCK = 7_150_319_284;

const FOUND = "SELECT coalesce(max(version), 0) AS found FROM nous.schema_version";

/** The version of a schema, as a row. */
export interface FoundSchema {
  found: number;
}

/** Returns the version of the schema; 0 for a new database. */
export const schemaIn = (pool: pg.Pool): Promise<FoundSchema> =>
  transaction(pool, async (client) => {
    const table = "SELECT to_regclass('nous.schema_version') IS NOT NULL AS is_there";
    const [{ is_there }] = (await client.query(table)).rows;
    return is_there ? (await client.query(FOUND)).rows[0] : { found: 0 };
  });

/**
 * Runs the missing migrations in one transaction, which other servers wait for. Returns the version
 * before. Writes nothing if none is missing, so that a database that takes no writes can be opened.
 */
export async function migrate(pool: pg.Pool): Promise<FoundSchema> {
  const known = await schemaIn(pool);
  return known.found < SCHEMA ? migrateAlone(pool) : known;
}

const migrateAlone = (pool: pg.Pool): Promise<FoundSchema> =>
  transaction(pool, async (client) => {
    await client.query("SELECT pg_advisory_xact_lock($1)", [MIGRATION_LOCK]);
    await client.query(SCHEMA_TABLE);
    const { rows } = await client.query<FoundSchema>(FOUND);
    const { found } = rows[0]!;
    for (const [place, migration] of MIGRATIONS.slice(found).entries()) {
      await client.query(migration);
      await client.query("INSERT INTO nous.schema_version VALUES ($1)", [found + place + 1]);
    }
    return rows[0]!;
  });
