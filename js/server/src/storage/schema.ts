// The migrations, in order, which bring a database to this version's schema.

import type { Connection } from "./connection.ts";
import { createEmbeddingTables } from "./migrations/embeddings.ts";
import { logActions } from "./migrations/events.ts";
import { addFrames } from "./migrations/frames.ts";
import { createLearned } from "./migrations/learned.ts";
import { createMemoryUsage } from "./migrations/memory-usage.ts";
import { createOpenings } from "./migrations/openings.ts";
import { createOutcomes } from "./migrations/outcomes.ts";
import { addOwners } from "./migrations/owned.ts";
import { nameTradingPresets } from "./migrations/presets.ts";
import { createPurges } from "./migrations/purges.ts";
import { forgetDeleted } from "./migrations/remade.ts";
import { createReplacedTexts } from "./migrations/replaced-texts.ts";
import { createRetries } from "./migrations/retries.ts";
import { sumRows } from "./migrations/row-checksums.ts";
import { logSoftChanges } from "./migrations/soft-changes.ts";
import { createTables } from "./migrations/tables.ts";
import { addTags } from "./migrations/tags.ts";
import { createTasks } from "./migrations/tasks.ts";
import { nameTextTriggers } from "./migrations/text-triggers.ts";
import { indexTimeline } from "./migrations/timeline.ts";

/**
 * The migration at index n brings a database from schema n to schema n + 1. Never edit one that has
 * been released: add another.
 */
export const MIGRATIONS: readonly ((db: Connection) => void)[] = [
  createTables,
  logSoftChanges,
  createEmbeddingTables,
  createRetries,
  sumRows,
  createMemoryUsage,
  createOutcomes,
  createTasks,
  createOpenings,
  forgetDeleted,
  createPurges,
  createReplacedTexts,
  addFrames,
  nameTextTriggers,
  addTags,
  createLearned,
  addOwners,
  nameTradingPresets,
  indexTimeline,
  logActions,
];

/** The schema that this version writes. */
export const SCHEMA = MIGRATIONS.length;

/** The table of facts about a database as a whole. */
export const META_TABLE =
  "CREATE TABLE IF NOT EXISTS nous_meta (key TEXT PRIMARY KEY, value TEXT NOT NULL)";
