// A database as Hynous' Nous server leaves it: its tables and triggers, its ids, times and edges,
// and trades of its agent.

import { DatabaseSync } from "node:sqlite";
import { makeRandom } from "../../../js/reference/random.ts";

/** The tables of its first start, with the columns that it adds afterwards. */
const TABLES = `
  CREATE TABLE nodes (
    id TEXT PRIMARY KEY NOT NULL, type TEXT NOT NULL, subtype TEXT, content_title TEXT, content_summary TEXT, content_body TEXT,
    neural_stability REAL DEFAULT 0.5, neural_retrievability REAL DEFAULT 1.0, neural_difficulty REAL DEFAULT 0.3,
    neural_access_count INTEGER DEFAULT 0, neural_last_accessed TEXT, state_lifecycle TEXT DEFAULT 'ACTIVE',
    provenance_source TEXT DEFAULT 'agent', provenance_created_at TEXT NOT NULL, layer TEXT NOT NULL DEFAULT 'semantic',
    version INTEGER DEFAULT 1, last_modified TEXT NOT NULL, created_at TEXT NOT NULL DEFAULT (datetime('now'))
  );
  ALTER TABLE nodes ADD COLUMN embedding_vector BLOB;
  ALTER TABLE nodes ADD COLUMN embedding_model TEXT;
  ALTER TABLE nodes ADD COLUMN temporal_event_time TEXT;
  ALTER TABLE nodes ADD COLUMN temporal_event_confidence REAL;
  ALTER TABLE nodes ADD COLUMN temporal_event_source TEXT;
  CREATE INDEX idx_nodes_type ON nodes (type);
  CREATE INDEX idx_nodes_subtype ON nodes (subtype);
  CREATE INDEX idx_nodes_lifecycle ON nodes (state_lifecycle);
  CREATE INDEX idx_nodes_created_at ON nodes (created_at);
  CREATE VIRTUAL TABLE nodes_fts USING fts5(
    content_title, content_summary, content_body, content='nodes', content_rowid='rowid'
  );
  CREATE TABLE edges (
    id TEXT PRIMARY KEY NOT NULL, type TEXT NOT NULL, subtype TEXT,
    source_id TEXT NOT NULL REFERENCES nodes(id) ON DELETE CASCADE,
    target_id TEXT NOT NULL REFERENCES nodes(id) ON DELETE CASCADE,
    neural_weight REAL DEFAULT 1.0, strength REAL DEFAULT 0.5, confidence REAL DEFAULT 1.0,
    created_at TEXT NOT NULL DEFAULT (datetime('now'))
  );
  CREATE INDEX idx_edges_source ON edges (source_id);
  CREATE INDEX idx_edges_target ON edges (target_id);
  CREATE INDEX idx_edges_type ON edges (type);
  CREATE TABLE conflict_queue (
    id TEXT PRIMARY KEY NOT NULL, old_node_id TEXT NOT NULL REFERENCES nodes(id) ON DELETE CASCADE,
    new_node_id TEXT REFERENCES nodes(id) ON DELETE SET NULL, new_content TEXT NOT NULL, conflict_type TEXT NOT NULL,
    detection_tier TEXT NOT NULL, detection_confidence REAL NOT NULL, context TEXT, entity_name TEXT, topic TEXT,
    status TEXT NOT NULL DEFAULT 'pending', created_at TEXT NOT NULL DEFAULT (datetime('now')), expires_at TEXT NOT NULL
  );
  CREATE INDEX idx_conflict_status ON conflict_queue (status);
  ALTER TABLE conflict_queue ADD COLUMN resolution TEXT;
  ALTER TABLE conflict_queue ADD COLUMN resolved_at TEXT;
  CREATE TABLE clusters (
    id TEXT PRIMARY KEY, name TEXT NOT NULL, description TEXT, icon TEXT, pinned INTEGER DEFAULT 0,
    source TEXT DEFAULT 'user_created', auto_subtypes TEXT, created_at TEXT NOT NULL
  );
  CREATE TABLE cluster_memberships (
    cluster_id TEXT NOT NULL, node_id TEXT NOT NULL, weight REAL DEFAULT 1.0, pinned INTEGER DEFAULT 0,
    updated_at TEXT NOT NULL, PRIMARY KEY (cluster_id, node_id)
  );
`;

const TEXTS = ["content_title", "content_summary", "content_body"];
const [fresh, stale] = ["new", "old"].map((row) =>
  [`${row}.rowid`, ...TEXTS.map((text) => `${row}.${text}`)].join(", "),
);
const ADDED = `INSERT INTO nodes_fts(rowid, ${TEXTS.join(", ")}) VALUES (${fresh});`;
const REMOVED = `INSERT INTO nodes_fts(nodes_fts, rowid, ${TEXTS.join(", ")}) VALUES ('delete', ${stale});`;
/** Its triggers rewrite the full text of a memory at every change. */
const TRIGGERS = `
  CREATE TRIGGER nodes_ai AFTER INSERT ON nodes BEGIN ${ADDED} END;
  CREATE TRIGGER nodes_ad AFTER DELETE ON nodes BEGIN ${REMOVED} END;
  CREATE TRIGGER nodes_au AFTER UPDATE ON nodes BEGIN ${REMOVED} ${ADDED} END;
`;

/** Its statements at a start: it creates missing tables and rebuilds the full text. */
export function startHynous(db: DatabaseSync): void {
  db.exec("PRAGMA journal_mode = WAL");
  db.exec("PRAGMA foreign_keys = ON");
  const statements = `${TABLES}`.split(";").map((statement) => statement.trim());
  for (const statement of [
    ...statements.filter((text) => text !== ""),
    ...TRIGGERS.split(/(?<=END);/),
  ]) {
    const made = statement
      .trim()
      .replace(/^CREATE (VIRTUAL TABLE|TABLE|INDEX|TRIGGER) /, "CREATE $1 IF NOT EXISTS ");
    try {
      if (made !== "") db.exec(made);
    } catch (error) {
      // It adds columns at every start, and ignores the errors of existing ones.
      if (!made.startsWith("ALTER")) throw error;
    }
  }
  db.exec("INSERT INTO nodes_fts(nodes_fts) VALUES ('rebuild')");
}

const DAY = 86_400_000;
/** The days in which its memories were created. */
const AGE = 400;
/**
 * The words of memories and questions; some are prefixes of others, and some occur only in
 * questions.
 */
export const WORDS = (
  "BTC ETH SOL funding squeeze squeezed squeezes short shorts long liquidation liquidations open interest price range breakout trend " +
  "volume spike Sunday weekend stop loss target entry exit fees leverage risk position size thesis lesson market rate basis premium " +
  "what when why how should would before after momentum reversal support resistance level crowd crowded trade trader plan review " +
  "2026 0x_a profit drawdown hedge spot perp delta gamma café naïve"
).split(" ");
const SUBTYPES: readonly (readonly [subtype: string | null, type: string, stability: number])[] = [
  ["custom:lesson", "concept", 90],
  ["custom:thesis", "concept", 30],
  ["custom:signal", "concept", 2],
  ["custom:market_event", "episode", 14],
  ["custom:turn_summary", "episode", 10],
  ["custom:session_summary", "note", 30],
  ["custom:watchpoint", "concept", 5],
  ["custom:curiosity", "concept", 7],
  ["custom:preference", "concept", 120],
  ["custom:missed_opportunity", "episode", 21],
  ["custom:unheard_of", "document", 30],
  [null, "note", 21],
];
const EDGE_TYPES: readonly (readonly [type: string, strength: number])[] = [
  ["relates_to", 0.5],
  ["causes", 0.8],
  ["precedes", 0.4],
  ["similar_to", 0.45],
  ["supersedes", 0.5],
  ["user_linked", 0.9],
  ["generalizes", 0.7],
];
const STATES = ["ACTIVE", "ACTIVE", "ACTIVE", "WEAK", "DORMANT"];
const ALPHABET = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_-";

export interface HynousOptions {
  now: number;
  seed?: number;
  /** Memories that are not trades. */
  memories?: number;
  /** Closed trades of BTC: those after an anomaly were won, the others lost. */
  trades?: number;
  /** Components of embeddings; 0 for no embeddings. */
  dimensions?: number;
  /** The share of memories with an embedding. */
  embedded?: number;
}

/** The created ids, by kind. */
export interface HynousIds {
  nodes: string[];
  entries: string[];
  closes: string[];
  playbooks: string[];
  clusters: string[];
  conflicts: string[];
}

/** Creates such a database in a file. */
export function makeHynous(file: string, options: HynousOptions): HynousIds {
  const { now, seed = 1, memories = 500, trades = 40, dimensions = 0, embedded = 2 / 3 } = options;
  const random = makeRandom(seed);
  const below = (count: number) => Math.floor(random() * count);
  const one = <T>(list: readonly T[]): T => list[below(list.length)]!;
  const idOf = (prefix: string) =>
    `${prefix}${Array.from({ length: 12 }, () => one([...ALPHABET])).join("")}`;
  const iso = (time: number) => new Date(time).toISOString();
  /** In the format of `datetime('now')`. */
  const plain = (time: number) => iso(time).slice(0, 19).replace("T", " ");
  const text = (words: number) => Array.from({ length: words }, () => one(WORDS)).join(" ");
  const past = () => now - below(AGE * DAY);
  const ids: HynousIds = {
    nodes: [],
    entries: [],
    closes: [],
    playbooks: [],
    clusters: [],
    conflicts: [],
  };

  const db = new DatabaseSync(file);
  startHynous(db);
  const addNode =
    db.prepare(`INSERT INTO nodes (id, type, subtype, content_title, content_summary, content_body,
    neural_stability, neural_retrievability, neural_difficulty, neural_access_count, neural_last_accessed, state_lifecycle,
    provenance_created_at, layer, last_modified, created_at, embedding_vector, embedding_model, temporal_event_time,
    temporal_event_confidence, temporal_event_source, version)
    VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`);
  const vectorOf = () =>
    Buffer.from(Float32Array.from({ length: dimensions }, () => random() - 0.5).buffer);
  const node = (
    [subtype, type, stability]: (typeof SUBTYPES)[number],
    fields: { title?: string; summary?: string | null; body?: string | null; at?: number } = {},
  ): string => {
    const {
      title = text(2 + below(5)),
      summary = below(3) === 0 ? null : text(4 + below(8)),
      at = past(),
    } = fields;
    const body =
      fields.body === undefined ? (below(4) === 0 ? null : text(5 + below(40))) : fields.body;
    const id = idOf("n_");
    const isEmbedded = dimensions > 0 && random() < embedded;
    const hasEvent = below(4) === 0;
    const last = Math.min(now, at + below(30 * DAY));
    addNode.run(
      ...[
        id,
        type,
        subtype,
        title,
        summary,
        body,
        stability * (1 + below(3)),
        Math.round(random() * 10_000) / 10_000,
      ],
      ...[
        one([0.3, 0.4, 0.5]),
        below(6),
        iso(last),
        one(STATES),
        iso(at),
        type === "episode" ? "episode" : "semantic",
      ],
      ...[
        iso(last),
        plain(at),
        isEmbedded ? vectorOf() : null,
        isEmbedded ? "openai-3-small" : null,
      ],
      ...(hasEvent ? [iso(at - below(10 * DAY)), 1, "inferred"] : [null, null, null]),
      1 + below(3),
    );
    ids.nodes.push(id);
    return id;
  };
  const addEdge =
    db.prepare(`INSERT INTO edges (id, type, source_id, target_id, neural_weight, strength, confidence, created_at)
    VALUES (?, ?, ?, ?, ?, ?, 1.0, ?)`);
  const edge = (type: string, source: string, target: string, strength: number) =>
    addEdge.run(
      idOf("e_"),
      type,
      source,
      target,
      strength,
      Math.min(1, strength + below(3) / 10),
      plain(past()),
    );

  db.exec("BEGIN");
  fill();
  db.exec("COMMIT");

  function fill(): void {
    for (let place = 0; place < memories; place++) node(one(SUBTYPES));
    const others = [...ids.nodes];
    for (let place = 0; place < memories * 1.5; place++) {
      const [type, strength] = one(EDGE_TYPES);
      // Some memories have many edges, and a few have self-loops.
      edge(type, one(others), others[below(10) === 0 ? below(5) : below(others.length)]!, strength);
    }
    const record = { action: "fade", direction: "long", sample_size: 4, success_count: 3 };
    for (let place = 0; place < 3; place++) {
      ids.playbooks.push(
        node(["custom:playbook", "concept", 180], {
          body: JSON.stringify({ text: text(6), ...record }),
        }),
      );
    }
    for (let place = 0; place < trades; place++) trade(place);
  }

  /**
   * As its agent's tools write a trade: edges lead from the entry to the close, and from a playbook
   * to the entry.
   */
  function trade(place: number): void {
    const isCalled = place % 2 === 0;
    const at = now - (trades - place) * 6 * 3_600_000;
    const common = { symbol: "BTC", side: "long", action: "entry" };
    const signals = { ...common, anomaly_type: isCalled ? "funding_extreme" : "volume_spike" };
    const entry = node(["custom:trade_entry", "concept", 21], {
      title: `LONG BTC @ ${60_000 + place}`,
      body: JSON.stringify({ text: text(12), signals }),
      at,
    });
    const outcome = {
      ...common,
      action: "close",
      pnl_pct: isCalled ? 3.25 : -2.5,
      opened_at: iso(at),
    };
    const close = node(["custom:trade_close", "concept", 21], {
      title: `CLOSED LONG BTC @ ${61_000 + place}`,
      body: JSON.stringify({ text: text(12), signals: outcome }),
      at: at + 3_600_000,
    });
    edge("part_of", entry, close, 0.85);
    if (place % 5 === 0) edge("applied_to", one(ids.playbooks), entry, 0.75);
    ids.entries.push(entry);
    ids.closes.push(close);
  }

  const addConflict =
    db.prepare(`INSERT INTO conflict_queue (id, old_node_id, new_node_id, new_content, conflict_type,
    detection_tier, detection_confidence, status, created_at, expires_at, resolution, resolved_at)
    VALUES (?, ?, ?, ?, 'AMBIGUOUS', 'PATTERN', ?, ?, ?, ?, ?, ?)`);
  for (let place = 0; place < 12; place++) {
    const id = idOf("c_");
    const isResolved = place % 3 === 0;
    const [at, expires] = [now - below(10) * DAY, now + (1 + below(13)) * DAY];
    const resolved = isResolved
      ? ["resolved", iso(at), iso(expires), "keep_both", iso(at + DAY)]
      : ["pending", iso(at), iso(expires), null, null];
    addConflict.run(
      id,
      one(ids.nodes),
      place === 1 ? null : one(ids.nodes),
      text(9),
      0.6,
      ...resolved,
    );
    ids.conflicts.push(id);
  }
  const addCluster = db.prepare("INSERT INTO clusters VALUES (?, ?, ?, ?, ?, ?, ?, ?)");
  const addMember = db.prepare("INSERT OR IGNORE INTO cluster_memberships VALUES (?, ?, ?, ?, ?)");
  for (let place = 0; place < 5; place++) {
    const id = idOf("cl_");
    const subtypes = place === 0 ? JSON.stringify(["custom:lesson", "custom:thesis"]) : null;
    addCluster.run(
      id,
      text(2),
      place === 1 ? null : text(5),
      place === 2 ? "📈" : null,
      place % 2,
      "user_created",
      subtypes,
      iso(past()),
    );
    for (let member = 0; member < 30; member++) {
      addMember.run(id, one(ids.nodes), one([1, 0.5, 0.75]), below(2), iso(past()));
    }
    ids.clusters.push(id);
  }
  // Afterwards the file alone is the whole database.
  db.close();
  return ids;
}

/**
 * Questions of an agent: plain lookups, questions with question words, odd ones, and some without
 * results.
 */
export function questionsOf(seed: number, count: number): string[] {
  const random = makeRandom(seed);
  const one = <T>(list: readonly T[]): T => list[Math.floor(random() * list.length)]!;
  const words = (max: number) =>
    Array.from({ length: 1 + Math.floor(random() * max) }, () => one(WORDS)).join(" ");
  const FORMS: readonly (() => string)[] = [
    () => words(3),
    () => words(6),
    () => `what is ${words(2)}?`,
    () => `what happened to ${words(2)} when ${words(3)}`,
    () => `how does ${words(2)} work and why`,
    () => `${one(["BTC", "ETH", "SOL"])}'s ${one(WORDS)}`,
    () => `should I ${words(4)}?`,
    () => `"${words(2)}" AND (${one(WORDS)}) OR -${one(WORDS)}*`,
    () => one(["nothing_like_this zzz", "the a of", "__ ??", "日本 価格 BTC", "0x_a", "squ", "_"]),
  ];
  return Array.from({ length: count }, () => one(FORMS)());
}
