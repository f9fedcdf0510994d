// Migration: Hynous' tables, the full-text index and the change log, for a new database or for one
// that has some of them.

import type { Connection } from "../connection.ts";
import { CREATED_AT } from "../sql.ts";

/** A column: its type, and the rest of its definition in a new table. */
type Columns = Readonly<Record<string, readonly [type: string, rest?: string]>>;

interface Table {
  columns: Columns;
  /** Table constraints, after the columns. */
  constraints?: string;
}

/** Hynous' tables. Hynous may go on using them. */
const TABLES: Readonly<Record<string, Table>> = {
  nodes: {
    columns: {
      id: ["TEXT", "PRIMARY KEY"],
      type: ["TEXT"],
      subtype: ["TEXT"],
      content_title: ["TEXT"],
      content_summary: ["TEXT"],
      content_body: ["TEXT"],
      neural_stability: ["REAL"],
      neural_retrievability: ["REAL"],
      neural_difficulty: ["REAL"],
      neural_access_count: ["INTEGER"],
      neural_last_accessed: ["TEXT"],
      state_lifecycle: ["TEXT"],
      provenance_source: ["TEXT"],
      provenance_created_at: ["TEXT"],
      layer: ["TEXT"],
      version: ["INTEGER"],
      last_modified: ["TEXT"],
      created_at: ["TEXT", "DEFAULT (datetime('now'))"],
      embedding_vector: ["BLOB"],
      embedding_model: ["TEXT"],
      temporal_event_time: ["TEXT"],
      temporal_event_confidence: ["REAL"],
      temporal_event_source: ["TEXT"],
    },
  },
  edges: {
    columns: {
      id: ["TEXT", "PRIMARY KEY"],
      type: ["TEXT"],
      subtype: ["TEXT"],
      source_id: ["TEXT", "REFERENCES nodes(id) ON DELETE CASCADE"],
      target_id: ["TEXT", "REFERENCES nodes(id) ON DELETE CASCADE"],
      neural_weight: ["REAL"],
      strength: ["REAL"],
      confidence: ["REAL"],
      created_at: ["TEXT", "DEFAULT (datetime('now'))"],
    },
  },
  conflict_queue: {
    columns: {
      id: ["TEXT", "PRIMARY KEY"],
      old_node_id: ["TEXT"],
      new_node_id: ["TEXT"],
      new_content: ["TEXT"],
      conflict_type: ["TEXT"],
      detection_tier: ["TEXT"],
      detection_confidence: ["REAL"],
      context: ["TEXT"],
      entity_name: ["TEXT"],
      topic: ["TEXT"],
      status: ["TEXT", "DEFAULT 'pending'"],
      created_at: ["TEXT", "DEFAULT (datetime('now'))"],
      expires_at: ["TEXT"],
      resolution: ["TEXT"],
      resolved_at: ["TEXT"],
    },
  },
  clusters: {
    columns: {
      id: ["TEXT", "PRIMARY KEY"],
      name: ["TEXT"],
      description: ["TEXT"],
      icon: ["TEXT"],
      pinned: ["INTEGER"],
      source: ["TEXT"],
      auto_subtypes: ["TEXT"],
      created_at: ["TEXT", "DEFAULT (datetime('now'))"],
    },
  },
  cluster_memberships: {
    columns: {
      cluster_id: ["TEXT"],
      node_id: ["TEXT"],
      weight: ["REAL"],
      pinned: ["INTEGER"],
      updated_at: ["TEXT"],
    },
    constraints: "PRIMARY KEY (cluster_id, node_id)",
  },
};

/** Columns that get an index each. */
const LOOKED_UP: readonly (readonly [table: string, column: string])[] = [
  ["nodes", "type"],
  ["nodes", "subtype"],
  ["nodes", "state_lifecycle"],
  ["nodes", "created_at"],
  ["edges", "source_id"],
  ["edges", "target_id"],
  ["edges", "type"],
  ["conflict_queue", "status"],
  ["cluster_memberships", "node_id"],
];

/** Columns that the full-text index holds. */
const TEXTS = ["content_title", "content_summary", "content_body"] as const;

export function createTables(db: Connection): void {
  for (const [name, table] of Object.entries(TABLES)) createTable(db, name, table);
  for (const [table, column] of LOOKED_UP) createIndex(db, table, column);
  db.exec(`CREATE INDEX IF NOT EXISTS nous_newest ON nodes(${CREATED_AT})`);
  createFullText(db);
  createChangeLog(db);
}

function createTable(db: Connection, name: string, { columns, constraints }: Table): void {
  const there = columnsOf(db, name);
  if (there.size === 0) {
    const parts = Object.entries(columns).map(
      ([column, definition]) => `${column} ${definition.join(" ")}`,
    );
    db.exec(
      `CREATE TABLE ${name} (${[...parts, ...(constraints === undefined ? [] : [constraints])].join(", ")})`,
    );
    return;
  }
  for (const [column, [type]] of Object.entries(columns)) {
    if (!there.has(column)) db.exec(`ALTER TABLE ${name} ADD COLUMN ${column} ${type}`);
  }
}

function columnsOf(db: Connection, table: string): Set<string> {
  const rows = db.prepare("SELECT name FROM pragma_table_info(?)").all(table) as { name: string }[];
  return new Set(rows.map(({ name }) => name));
}

/** Creates an index on a column, unless an index of any name already serves it. */
function createIndex(db: Connection, table: string, column: string): void {
  const serving = db
    .prepare(
      `SELECT 1 FROM pragma_index_list(?) AS list, pragma_index_info(list.name) AS info
       WHERE info.seqno = 0 AND info.name = ? AND list.partial = 0`,
    )
    .all(table, column);
  if (serving.length === 0) db.exec(`CREATE INDEX nous_${table}_${column} ON ${table}(${column})`);
}

/**
 * Creates the full-text index and its triggers. Hynous' triggers index a memory again at every
 * recall. These replace them, and index a memory only when a text changes.
 */
function createFullText(db: Connection): void {
  const isThere = columnsOf(db, "nodes_fts").size > 0;
  const columns = TEXTS.join(", ");
  if (!isThere) {
    db.exec(
      `CREATE VIRTUAL TABLE nodes_fts USING fts5(${columns}, content='nodes', content_rowid='rowid')`,
    );
  }
  const triggers = db
    .prepare(
      "SELECT name FROM sqlite_master WHERE type = 'trigger' AND tbl_name = 'nodes' AND sql LIKE '%nodes_fts%'",
    )
    .all() as { name: string }[];
  for (const { name } of triggers) db.exec(`DROP TRIGGER "${name.replaceAll('"', '""')}"`);
  const [added, removed] = [
    `INSERT INTO nodes_fts(rowid, ${columns}) VALUES (new.rowid, ${TEXTS.map((text) => `new.${text}`).join(", ")});`,
    `INSERT INTO nodes_fts(nodes_fts, rowid, ${columns})
     VALUES ('delete', old.rowid, ${TEXTS.map((text) => `old.${text}`).join(", ")});`,
  ];
  db.exec(`
    CREATE TRIGGER nodes_fts_insert AFTER INSERT ON nodes BEGIN ${added} END;
    CREATE TRIGGER nodes_fts_delete AFTER DELETE ON nodes BEGIN ${removed} END;
    CREATE TRIGGER nodes_fts_update AFTER UPDATE OF ${columns} ON nodes BEGIN ${removed} ${added} END;
  `);
  // Rows that another server's triggers missed are indexed, too.
  db.exec("INSERT INTO nodes_fts(nodes_fts) VALUES ('rebuild')");
}

/**
 * Creates triggers that log every change to indexed data, by any writer: ids alone, no text. A
 * REPLACE deletes rows without a DELETE statement; recursive triggers see that.
 */
function createChangeLog(db: Connection): void {
  db.exec(`
    CREATE TABLE change_log (
      sequence INTEGER PRIMARY KEY AUTOINCREMENT,
      entity TEXT NOT NULL,
      id TEXT NOT NULL,
      writer TEXT
    )
  `);
  const watched = [
    ["nodes", "node", "id"],
    ["edges", "edge", "id"],
    ["cluster_memberships", "node", "node_id"],
  ] as const;
  for (const [table, entity, column] of watched) {
    const log = (row: "old" | "new") =>
      `INSERT INTO change_log(entity, id) SELECT '${entity}', ${row}.${column} WHERE ${row}.${column} IS NOT NULL;`;
    db.exec(`
      CREATE TRIGGER ${table}_log_insert AFTER INSERT ON ${table} BEGIN ${log("new")} END;
      CREATE TRIGGER ${table}_log_delete AFTER DELETE ON ${table} BEGIN ${log("old")} END;
      CREATE TRIGGER ${table}_log_update AFTER UPDATE ON ${table} BEGIN ${log("new")} END;
      CREATE TRIGGER ${table}_log_rename AFTER UPDATE OF ${column} ON ${table} WHEN old.${column} IS NOT new.${column}
        BEGIN ${log("old")} END;
    `);
  }
}
