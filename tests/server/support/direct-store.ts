// Stores for agents in the process of the test: files, or a database of PostgreSQL if the suites
// run there.

import { mkdirSync } from "node:fs";
import { dirname } from "node:path";
import { afterAll } from "vitest";
import { agentFile } from "../../../js/server/src/settings/paths.ts";
import { PostgresDatabase } from "../../../js/server/src/storage/postgres/database.ts";
import { PostgresStorage } from "../../../js/server/src/storage/postgres/storage.ts";
import { SqliteStorage } from "../../../js/server/src/storage/sqlite.ts";
import type { Storage } from "../../../js/server/src/storage/storage.ts";
import { databaseOptions, stored } from "./on-postgres.ts";
import { makeFolder, removeFolder } from "./temporary-folder.ts";
import { POSTGRES_THREAD } from "./threads.ts";

/** The memories of one agent. */
export interface DirectStore {
  /** The file of the agent; there is none on PostgreSQL. */
  readonly file: string;
  /** Opens another connection to it. */
  open(): Storage;
  /** Runs a statement on its rows; see `stored`. */
  stored(statement: string, ...values: (string | number)[]): Promise<Record<string, unknown>[]>;
}

/** Returns a function that makes new stores. Call it once for all tests of a file. */
export function directStores(): () => Promise<DirectStore> {
  const folder = makeFolder();
  let database: Promise<PostgresDatabase | undefined> | undefined;
  let agents = 0;
  afterAll(async () => {
    (await database)?.close();
    removeFolder(folder);
  });
  return async () => {
    database ??= databaseIn(folder);
    const shared = await database;
    const agent = `agent-${++agents}`;
    const file = agentFile(folder, agent);
    mkdirSync(dirname(file), { recursive: true });
    return {
      file,
      open: () =>
        shared === undefined
          ? new SqliteStorage(file, { durability: "normal" })
          : new PostgresStorage(shared, agent),
      stored: (statement, ...values) => stored({ dataDir: folder, agent }, statement, ...values),
    };
  };
}

/** Returns the database of the folder; undefined if its agents are files. */
async function databaseIn(folder: string): Promise<PostgresDatabase | undefined> {
  const [, url] = await databaseOptions(folder);
  if (url === undefined) return undefined;
  const place = { url, connections: 4, timeout: 10_000, password: "" };
  const database = new PostgresDatabase(place, POSTGRES_THREAD);
  database.migrate();
  return database;
}
