// The implementations of the store, as the conformance suite opens them.

import { join } from "node:path";
import { LibsqlStorage } from "../../../js/server/src/storage/libsql.ts";
import { PostgresDatabase } from "../../../js/server/src/storage/postgres/database.ts";
import { PostgresStorage } from "../../../js/server/src/storage/postgres/storage.ts";
import { RemoteStorage } from "../../../js/server/src/storage/remote.ts";
import type { Storage } from "../../../js/server/src/storage/storage.ts";
import { startDatabase } from "./hrana.ts";
import { MAJORS, type Major, type Postgres, startPostgres } from "./postgres.ts";
import { temporaryFolder } from "./temporary-folder.ts";
import { threadOf } from "./threads.ts";

/** An implementation of the store. */
export interface Implementation {
  readonly name: string;
  /** Whether several agents share a database. */
  readonly isShared: boolean;
  /**
   * Whether each statement outside of a transaction may run on another connection, and an idle
   * transaction is ended after a while, as servers of remote libSQL databases do it.
   */
  readonly isStateless?: boolean;
  /** Starts what all tests share. */
  start?(): Promise<void>;
  stop?(): Promise<void>;
  /** Returns a function that opens another connection to the new database of one agent. */
  create(): Promise<() => Storage>;
}

const TIMEOUT = 10_000;

const libsql: Implementation = {
  name: "a libSQL file",
  isShared: false,
  async create() {
    const file = join(temporaryFolder(), "a.db");
    return () => new LibsqlStorage(file, { durability: "normal" });
  },
};

const remote: Implementation = {
  name: "a remote libSQL database",
  isShared: false,
  isStateless: true,
  async create() {
    const { url, token } = await startDatabase();
    const place = { url, token, timeout: TIMEOUT };
    return () => new RemoteStorage(place, { thread: threadOf("remote") });
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
        databases.push(new PostgresDatabase(own, threadOf("postgres")));
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

export const IMPLEMENTATIONS: readonly Implementation[] = [libsql, remote, ...MAJORS.map(postgres)];
