// The database of the plain server. Its tables are those of Hynous' servers, so that nous-server
// can open the file.

import { DatabaseSync } from "node:sqlite";

/** The pragmas of nous-server: an acknowledged write is on the disk. */
const PRAGMAS = [
  "journal_mode = WAL",
  "synchronous = FULL",
  "foreign_keys = ON",
  "busy_timeout = 5000",
];

const TEXTS = "content_title, content_summary, content_body";
const textsOf = (row: "new" | "old") =>
  `${row}.content_title, ${row}.content_summary, ${row}.content_body`;
const ADDED = `INSERT INTO nodes_fts(rowid, ${TEXTS}) VALUES (new.rowid, ${textsOf("new")});`;
const REMOVED = `INSERT INTO nodes_fts(nodes_fts, rowid, ${TEXTS}) VALUES ('delete', old.rowid, ${textsOf("old")});`;

const SCHEMA = `
  CREATE TABLE nodes (
    id TEXT PRIMARY KEY, type TEXT, subtype TEXT, content_title TEXT, content_summary TEXT, content_body TEXT,
    neural_stability REAL, neural_retrievability REAL, neural_difficulty REAL, neural_access_count INTEGER,
    neural_last_accessed TEXT, state_lifecycle TEXT, provenance_source TEXT, provenance_created_at TEXT, layer TEXT,
    version INTEGER, last_modified TEXT, created_at TEXT DEFAULT (datetime('now')), embedding_vector BLOB,
    embedding_model TEXT, temporal_event_time TEXT, temporal_event_confidence REAL, temporal_event_source TEXT
  );
  CREATE TABLE edges (
    id TEXT PRIMARY KEY, type TEXT, subtype TEXT, source_id TEXT REFERENCES nodes(id) ON DELETE CASCADE,
    target_id TEXT REFERENCES nodes(id) ON DELETE CASCADE, neural_weight REAL, strength REAL, confidence REAL,
    created_at TEXT DEFAULT (datetime('now'))
  );
  CREATE INDEX nodes_type ON nodes(type);
  CREATE INDEX nodes_subtype ON nodes(subtype);
  CREATE INDEX nodes_state ON nodes(state_lifecycle);
  CREATE INDEX nodes_created ON nodes(created_at);
  CREATE INDEX edges_source ON edges(source_id);
  CREATE INDEX edges_target ON edges(target_id);
  CREATE INDEX edges_type ON edges(type);
  CREATE VIRTUAL TABLE nodes_fts USING fts5(${TEXTS}, content='nodes', content_rowid='rowid');
  CREATE TRIGGER nodes_fts_insert AFTER INSERT ON nodes BEGIN ${ADDED} END;
  CREATE TRIGGER nodes_fts_delete AFTER DELETE ON nodes BEGIN ${REMOVED} END;
  CREATE TRIGGER nodes_fts_update AFTER UPDATE OF ${TEXTS} ON nodes BEGIN ${REMOVED} ${ADDED} END;
`;

/** Opens a database, or creates it. */
export function openDatabase(file: string): DatabaseSync {
  const db = new DatabaseSync(file);
  for (const pragma of PRAGMAS) db.exec(`PRAGMA ${pragma}`);
  if (db.prepare("SELECT 1 FROM sqlite_master WHERE name = 'nodes'").all().length === 0)
    db.exec(SCHEMA);
  return db;
}

/**
 * Moves the contents of the log into the file, so that the file alone is the whole database, and
 * closes it.
 */
export function closeDatabase(db: DatabaseSync): void {
  db.exec("PRAGMA wal_checkpoint(TRUNCATE)");
  db.close();
}
