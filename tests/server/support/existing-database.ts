// A database as the existing server creates it: its tables, its triggers, its times without a zone.

import { DatabaseSync } from "node:sqlite";

export const DDL = `
  CREATE TABLE nodes (
    id TEXT PRIMARY KEY, type TEXT NOT NULL, subtype TEXT, content_title TEXT NOT NULL, content_summary TEXT, content_body TEXT,
    neural_stability REAL, neural_retrievability REAL, neural_difficulty REAL, neural_access_count INTEGER DEFAULT 0,
    neural_last_accessed TEXT, state_lifecycle TEXT DEFAULT 'ACTIVE', provenance_source TEXT, provenance_created_at TEXT,
    layer TEXT, version INTEGER DEFAULT 1, last_modified TEXT, created_at TEXT DEFAULT (datetime('now')),
    embedding_vector BLOB, embedding_model TEXT, temporal_event_time TEXT, temporal_event_confidence REAL,
    temporal_event_source TEXT
  );
  CREATE TABLE edges (
    id TEXT PRIMARY KEY, type TEXT NOT NULL, source_id TEXT NOT NULL REFERENCES nodes(id) ON DELETE CASCADE,
    target_id TEXT NOT NULL REFERENCES nodes(id) ON DELETE CASCADE, neural_weight REAL, strength REAL, confidence REAL,
    created_at TEXT DEFAULT (datetime('now'))
  );
  CREATE TABLE clusters (
    id TEXT PRIMARY KEY, name TEXT NOT NULL, description TEXT, icon TEXT, pinned INTEGER DEFAULT 0, source TEXT,
    auto_subtypes TEXT, created_at TEXT DEFAULT (datetime('now'))
  );
  CREATE TABLE cluster_memberships (
    cluster_id TEXT, node_id TEXT, weight REAL, pinned INTEGER, updated_at TEXT, PRIMARY KEY (cluster_id, node_id)
  );
  CREATE INDEX idx_nodes_type ON nodes(type);
  CREATE INDEX idx_edges_source ON edges(source_id);
  CREATE VIRTUAL TABLE nodes_fts USING fts5(
    content_title, content_summary, content_body, content='nodes', content_rowid='rowid'
  );
  CREATE TRIGGER nodes_ai AFTER INSERT ON nodes BEGIN
    INSERT INTO nodes_fts(rowid, content_title, content_summary, content_body)
    VALUES (new.rowid, new.content_title, new.content_summary, new.content_body);
  END;
  CREATE TRIGGER nodes_ad AFTER DELETE ON nodes BEGIN
    INSERT INTO nodes_fts(nodes_fts, rowid, content_title, content_summary, content_body)
    VALUES ('delete', old.rowid, old.content_title, old.content_summary, old.content_body);
  END;
  CREATE TRIGGER nodes_au AFTER UPDATE ON nodes BEGIN
    INSERT INTO nodes_fts(nodes_fts, rowid, content_title, content_summary, content_body)
    VALUES ('delete', old.rowid, old.content_title, old.content_summary, old.content_body);
    INSERT INTO nodes_fts(rowid, content_title, content_summary, content_body)
    VALUES (new.rowid, new.content_title, new.content_summary, new.content_body);
  END;
`;

const vectorOf = (...components: number[]) => Buffer.from(Float32Array.from(components).buffer);

/** Three memories, two edges, a cluster; row numbers with a gap. */
export function makeExisting(file: string): void {
  const db = new DatabaseSync(file);
  db.exec(DDL);
  const node = db.prepare(`
    INSERT INTO nodes (rowid, id, type, subtype, content_title, content_body, neural_stability, neural_retrievability,
      neural_difficulty, neural_access_count, neural_last_accessed, provenance_created_at, created_at, embedding_vector)
    VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
  `);
  const old = "2026-01-01 08:00:00";
  const iso = "2026-01-02T09:30:00.000Z";
  node.run(
    3,
    "n_a",
    "concept",
    "custom:lesson",
    "Funding squeeze",
    "Extremes revert",
    90,
    1,
    0.3,
    4,
    old,
    old,
    old,
    vectorOf(1, 0, 0),
  );
  node.run(
    7,
    "n_b",
    "episode",
    "custom:trade",
    "Long BTC",
    "Stopped out",
    14,
    0.9,
    0.3,
    0,
    null,
    iso,
    iso,
    vectorOf(0, 1, 0),
  );
  node.run(
    9,
    "n_c",
    "note",
    null,
    "Read the tape",
    null,
    null,
    null,
    null,
    null,
    null,
    null,
    old,
    vectorOf(1, 1),
  );
  db.exec(`
    INSERT INTO edges (id, type, source_id, target_id, strength, confidence) VALUES
      ('e_1', 'causes', 'n_a', 'n_b', 0.8, 1), ('e_2', 'relates_to', 'n_b', 'n_c', 0.5, 1);
    INSERT INTO clusters (id, name) VALUES ('c_1', 'Majors');
    INSERT INTO cluster_memberships (cluster_id, node_id, weight) VALUES ('c_1', 'n_a', 1);
  `);
}

/** The raw database beside a server or a store, as another program sees it. */
export function raw(file: string): DatabaseSync {
  const db = new DatabaseSync(file, { defensive: false });
  db.exec("PRAGMA busy_timeout = 5000");
  return db;
}

/** Runs statements on a database file, as another program does. */
export function execute(file: string, statements: string): void {
  const db = raw(file);
  try {
    db.exec(statements);
  } finally {
    db.close();
  }
}

/** Returns the rows of a statement on a database file, as another program reads them. */
export function rowsIn(file: string, statement: string): Record<string, unknown>[] {
  const db = raw(file);
  try {
    return db.prepare(statement).all();
  } finally {
    db.close();
  }
}
