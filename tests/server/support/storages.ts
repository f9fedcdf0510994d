// The implementations of the store, as the conformance suite opens them.

import { join } from "node:path";
import { PostgresDatabase } from "../../../js/server/src/storage/postgres/database.ts";
import { PostgresStorage } from "../../../js/server/src/storage/postgres/storage.ts";
import { SqliteStorage } from "../../../js/server/src/storage/sqlite.ts";
import type { Storage } from "../../../js/server/src/storage/storage.ts";
import { MAJORS, type Major, type Postgres, startPostgres } from "./postgres.ts";
import { temporaryFolder } from "./temporary-folder.ts";
import { POSTGRES_THREAD } from "./threads.ts";

/** An implementation of the store. */
export interface Implementation {
  readonly name: string;
  /** Whether several agents share a database. */
  readonly isShared: boolean;
  /** Starts what all tests share. */
  start?(): Promise<void>;
  stop?(): Promise<void>;
  /** Returns a function that opens another connection to the new database of one agent. */
  create(): Promise<() => Storage>;
}

const TIMEOUT = 10_000;

const sqlite: Implementation = {
  name: "an SQLite file",
  isShared: false,
  async create() {
    const file = join(temporaryFolder(), "a.db");
    return () => new SqliteStorage(file, { durability: "normal" });
  },
};

function postgres(major: Major): Implementation {
  let server: Postgres;
  let agents = 0;
  const databases: PostgresDatabase[] = [];
  return {
    name: `PostgreSQL ${major}`,
    isShared: true,
    async start() {
      server = await startPostgres({ major });
      // Two pools, as two servers have them.
      for (let place = 0; place < 2; place++) {
        const own = { url: server.url, connections: 4, timeout: TIMEOUT, password: "" };
        databases.push(new PostgresDatabase(own, POSTGRES_THREAD));
      }
      for (const database of databases) database.migrate();
    },
    async stop() {
      for (const database of databases) database.close();
      await server.stop();
    },
    async create() {
      const agent = `agent-${agents}`;
      agents += 1;
      let opened = 0;
      return () => new PostgresStorage(databases[opened++ % databases.length]!, agent);
    },
  };
}

export const IMPLEMENTATIONS: readonly Implementation[] = [sqlite, ...MAJORS.map(postgres)];
