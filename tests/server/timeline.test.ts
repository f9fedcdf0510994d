// The timeline and the list of the newest find their pages by an index, in both databases, and files of
// earlier versions get that of the timeline. Clusters and conflicts look for their own memories alone.

import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { indexTimeline } from "../../js/server/src/storage/migrations/timeline.ts";
import { AgentRows } from "../../js/server/src/storage/postgres/agent-rows.ts";
import { PostgresDatabase } from "../../js/server/src/storage/postgres/database.ts";
import { PostgresEmbeddings } from "../../js/server/src/storage/postgres/tables/embeddings.ts";
import { PostgresNodes } from "../../js/server/src/storage/postgres/tables/nodes.ts";
import { sql } from "../../js/server/src/storage/query.ts";
import { MIGRATIONS } from "../../js/server/src/storage/schema.ts";
import type { Sql } from "../../js/server/src/storage/sql.ts";
import { SqliteStorage } from "../../js/server/src/storage/sqlite.ts";
import { ClusterTable } from "../../js/server/src/storage/tables/clusters.ts";
import { ConflictTable } from "../../js/server/src/storage/tables/conflicts.ts";
import { NodeTable, type TimelinePage } from "../../js/server/src/storage/tables/nodes.ts";
import { execute, raw, rowsIn } from "./support/existing-database.ts";
import { type Postgres, query, startPostgres } from "./support/postgres.ts";
import { nodeOf } from "./support/stored-node.ts";
import { temporaryFolder } from "./support/temporary-folder.ts";
import { POSTGRES_THREAD } from "./support/threads.ts";

const at = (day: number) => `2026-02-${String(day).padStart(2, "0")}T00:00:00.000Z`;
const after = { at: at(9), sequence: 7 };
const room = { fitting: (octets: readonly number[]) => octets.length };
/** Pages of each kind. */
const PAGES = (["asc", "desc"] as const).flatMap((order): TimelinePage[] =>
  [{}, { from: at(3) }, { to: at(20) }, { after }, { from: at(3), to: at(20), after }].map(
    (bounds) => ({ order, limit: 50, room, ...bounds }),
  ),
);

/** Places after which the list goes on: its start, after a memory with a time, and after one without. */
const PLACES = [undefined, { listed_at: at(9), sequence: 7 }, { listed_at: null, sequence: 4_900 }];

describe("in an SQLite file", () => {
  const fileWith = (...nodes: ReturnType<typeof nodeOf>[]): string => {
    const file = join(temporaryFolder(), "a.db");
    const storage = new SqliteStorage(file, { durability: "normal" });
    storage.transaction(() => {
      for (const node of nodes) storage.nodes.insert(node);
    });
    storage.close();
    return file;
  };

  /** The tables of a file, and the plans by which they read. */
  const planned = () => {
    const db = raw(fileWith(nodeOf("a")));
    const plans: string[] = [];
    const sql = {
      all: (statement: string, ...values: (string | number)[]) => {
        const plan = db.prepare(`EXPLAIN QUERY PLAN ${statement}`).all(...values);
        plans.push(plan.map(({ detail }) => detail).join("; "));
        return db.prepare(statement).all(...values);
      },
    } as unknown as Sql;
    return {
      nodes: new NodeTable(sql),
      clusters: new ClusterTable(sql, () => 0),
      conflicts: new ConflictTable(sql),
      plans,
    };
  };

  test("clusters and conflicts read their own rows, and look for the memory of each", () => {
    const { clusters, conflicts, plans } = planned();
    clusters.countMembers(["c", "d"]);
    clusters.members("c");
    conflicts.list({ status: "pending", now: at(1), limit: 9 });
    const ofMemory = "USING COVERING INDEX sqlite_autoindex_nodes_1 (id=?)";
    expect(plans).toHaveLength(3);
    for (const plan of plans) {
      expect(plan).toContain(ofMemory);
      expect(plan).not.toMatch(/node_id=\?|FOR IN-OPERATOR/);
    }
  });

  test("each page of the newest is a range of the index, also far down the list", () => {
    const { nodes, plans } = planned();
    for (const after of PLACES) nodes.list({}, 50, after);
    const by = "nodes USING INDEX nous_newest";
    expect(plans).toEqual([
      `SCAN ${by}`,
      `SEARCH ${by} (<expr>=?)`,
      `SEARCH ${by} (<expr><?)`,
      `SEARCH ${by} (<expr>=?)`,
      `SEARCH ${by} (<expr>=? AND rowid<?)`,
    ]);
  });

  test("each page is read by the index, and nothing is sorted", () => {
    const { nodes, plans } = planned();
    for (const page of PAGES) {
      plans.length = 0;
      nodes.timeline({}, page);
      const { from, to, order } = page;
      const bounds = [
        ...(from !== undefined || (page.after && order === "asc") ? ["<expr>>?"] : []),
        ...(to !== undefined || (page.after && order === "desc") ? ["<expr><?"] : []),
      ];
      expect(plans.length).toBeGreaterThan(0);
      for (const plan of plans)
        expect(plan).toBe(
          bounds.length === 0
            ? "SCAN nodes USING INDEX nous_timeline"
            : `SEARCH nodes USING INDEX nous_timeline (${bounds.join(" AND ")})`,
        );
    }
  });

  test("a file of the schema before gets the index, and a time that is none hinders nothing", () => {
    const file = fileWith(nodeOf("a", { created_at: at(2) }), nodeOf("b", { created_at: at(1) }));
    execute(
      file,
      `DROP INDEX nous_timeline;
       UPDATE nous_meta SET value = ${MIGRATIONS.indexOf(indexTimeline)} WHERE key = 'schema';
       UPDATE nodes SET temporal_event_time = 'now' WHERE id = 'b';`,
    );
    const storage = new SqliteStorage(file, { durability: "normal" });
    const listed = storage.nodes.timeline({}, { order: "asc", limit: 9 });
    expect(listed.map(({ id }) => id)).toEqual(["b", "a"]);
    expect(storage.soundness.problems()).toEqual([]);
    storage.close();
    const indexes = rowsIn(file, "SELECT name FROM sqlite_master WHERE name = 'nous_timeline'");
    expect(indexes).toHaveLength(1);
    for (const none of ["now", "subsec", "", "soon"])
      execute(file, `UPDATE nodes SET temporal_event_time = '${none}' WHERE id = 'a'`);
  });
});

describe("in PostgreSQL", () => {
  let postgres: Postgres;
  let database: PostgresDatabase;
  beforeAll(async () => {
    postgres = await startPostgres();
    const place = { url: postgres.url, connections: 2, timeout: 10_000, password: "" };
    database = new PostgresDatabase(place, POSTGRES_THREAD);
    database.migrate();
  });
  afterAll(async () => {
    database.close();
    await postgres.stop();
  });

  test("each page of both is read by its index, and nothing is sorted", async () => {
    const rows = new AgentRows(database, "one");
    const superuser = postgres.superuserOf(postgres.url);
    await query(
      superuser,
      `INSERT INTO nous.nodes (agent, sequence, id, created_at, temporal_event_time)
       SELECT agent, n, 'n' || n, nous.iso((date '2026-01-01' + n * interval '1 hour')::text),
         CASE WHEN n % 3 = 0 THEN nous.iso((date '2026-03-01' - n * interval '1 hour')::text) END
       FROM unnest(ARRAY['one', 'two']) AS agent, generate_series(1, 5000) AS n`,
    );
    await query(superuser, "ANALYZE nous.nodes");
    const plans: string[] = [];
    const nodes = new PostgresNodes(
      Object.assign(Object.create(rows), {
        agent: rows.agent,
        all: (statement: ReturnType<typeof sql>) => {
          const plan = rows.all<Record<"QUERY PLAN", string>>(sql`EXPLAIN ${statement}`);
          plans.push(plan.map((line) => line["QUERY PLAN"]).join("\n"));
          return rows.all(statement);
        },
      }),
      new PostgresEmbeddings(rows, () => undefined),
    );
    // Only other programs store memories without a readable time: those are looked for among all.
    for (const place of PLACES.slice(0, 2))
      expect(nodes.list({}, 50, place, room)).toHaveLength(50);
    expect(plans.length).toBe(4);
    for (const plan of plans) {
      expect(plan).toMatch(/Index Scan (?:Backward )?using nodes_newest/);
      expect(plan).not.toMatch(/Sort|Seq Scan|Bitmap/);
    }
    for (const page of PAGES) {
      plans.length = 0;
      expect(nodes.timeline({}, page)).toHaveLength(50);
      expect(plans.length).toBeGreaterThan(0);
      for (const plan of plans) {
        expect(plan).toMatch(/Index Scan (?:Backward )?using nodes_timeline/);
        expect(plan).not.toMatch(/Sort|Seq Scan|Bitmap/);
      }
    }
  });
});
