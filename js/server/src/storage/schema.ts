// What brings a database to this version's tables, step by step.

import type Database from "libsql";
import { createEmbeddingTables } from "./migrations/embeddings.ts";
import { createRetries } from "./migrations/retries.ts";
import { sumRows } from "./migrations/row-checksums.ts";
import { logSoftChanges } from "./migrations/soft-changes.ts";
import { createTables } from "./migrations/tables.ts";

/**
 * Each migration brings a database from the schema of its place to the next. Never edit one that has been released: add
 * another.
 */
export const MIGRATIONS: readonly ((db: Database.Database) => void)[] = [
  createTables,
  logSoftChanges,
  createEmbeddingTables,
  createRetries,
  sumRows,
];

/** The schema that this version writes. */
export const SCHEMA = MIGRATIONS.length;

/** What this project keeps of a store as a whole. */
export const META_TABLE = "CREATE TABLE IF NOT EXISTS nous_meta (key TEXT PRIMARY KEY, value TEXT NOT NULL)";
