// The store in SQL, over a connection to libSQL; and that of one file, embedded, in this thread.

import { randomUUID } from "node:crypto";
import { accessSync, constants, mkdirSync, rmSync, statSync } from "node:fs";
import { dirname } from "node:path";
import Database from "libsql";
import { MOST_AHEAD } from "../time.ts";
import { changedRows, sealRows } from "./checksums.ts";
import { CONFLICT_COLUMNS, ConflictTable, FOR_NULL } from "./conflicts.ts";
import type { Connection, Statement } from "./connection.ts";
import { EmbeddingTables } from "./embeddings.ts";
import { StorageError } from "./errors.ts";
import { copiesOf, logOf, moveIfFree, refuseFolders } from "./files.ts";
import { migrate, schemaOf } from "./migrate.ts";
import { readWithAdded } from "./migrations/frames.ts";
import { OpenFiles } from "./open-files.ts";
import { Openings } from "./openings.ts";
import { RetryTable } from "./retries.ts";
import type {
  ClusterChanges,
  ClusterRow,
  EdgeRow,
  IndexedNodeRow,
  MembershipRow,
  NewCluster,
  NewEdge,
  NewMembership,
  NewNode,
  NodeChanges,
  NodeRow,
  SoftRow,
  TextRow,
  UsageRow,
} from "./rows.ts";
import { SCHEMA } from "./schema.ts";
import { CREATED_AT, eachOf, isId, isoOf, octetsOf, readWithin } from "./sql.ts";
import type {
  Change,
  GraphNode,
  MetaKey,
  NameKind,
  NodeFilter,
  NodePlace,
  Page,
  PortableKind,
  PortableRow,
  ReadRoom,
  SoftChange,
  Storage,
} from "./storage.ts";
import {
  type Changed,
  checkMeta,
  namesOf,
  replaceTexts,
  type TextPlace,
  UnreadableText,
  unloggedIn,
  unreadableChanges,
  unreadableIn,
  unreadableTexts,
} from "./unreadable.ts";

/** When a commit counts as done: on the disk (`full`), or with the operating system (`normal`). */
export type Durability = "full" | "normal";

export interface LibsqlOptions {
  durability: Durability;
  /** Told of what opening did, in a sentence. */
  tell?: (what: string) => void;
  /**
   * Whether an older schema is brought up to date. Default true; false leaves the file as it is.
   */
  migrates?: boolean;
  /**
   * Whether rows are to be read, which are looked at first. Default true; false is for who asks for
   * its name alone.
   */
  readsRows?: boolean;
  /**
   * Whether texts that are no UTF-8 are replaced in it, so that they can be read. Default true;
   * else it is not opened.
   */
  replacesTexts?: boolean;
}

/** A store of nobody's, in no file. */
export const IN_MEMORY = ":memory:";

/** How long another writer is waited for, in milliseconds. */
const BUSY_TIMEOUT = 5_000;
/** Rows of a batch while a whole table is read. */
const BATCH = 5_000;

/** What has to hold of a connection: each is set and read back at every open. */
const settingsOf = (
  durability: Durability,
): readonly (readonly [pragma: string, set: string, is: unknown])[] => [
  ["journal_mode", "WAL", "wal"],
  ["synchronous", durability === "full" ? "FULL" : "NORMAL", durability === "full" ? 2 : 1],
  // Where a sync alone leaves what is written in the disk's own memory, as on macOS.
  ["fullfsync", durability === "full" ? "ON" : "OFF", durability === "full" ? 1 : 0],
  ["foreign_keys", "ON", 1],
  ["recursive_triggers", "ON", 1],
  ["busy_timeout", String(BUSY_TIMEOUT), BUSY_TIMEOUT],
];

const NODE_COLUMNS = [
  "id",
  "type",
  "subtype",
  "content_title",
  "content_summary",
  "content_body",
  "neural_stability",
  "neural_retrievability",
  "neural_difficulty",
  "neural_access_count",
  "neural_last_accessed",
  "state_lifecycle",
  "provenance_source",
  "provenance_created_at",
  "layer",
  "version",
  "last_modified",
  "created_at",
  "embedding_model",
  "temporal_event_time",
  "temporal_event_confidence",
  "temporal_event_source",
  "frame",
  "censors",
] as const satisfies readonly (keyof NodeRow)[];
const EDGE_COLUMNS = [
  "id",
  "type",
  "subtype",
  "source_id",
  "target_id",
  "neural_weight",
  "strength",
  "confidence",
  "created_at",
] as const satisfies readonly (keyof EdgeRow)[];
const CLUSTER_COLUMNS = [
  "id",
  "name",
  "description",
  "icon",
  "pinned",
  "source",
  "auto_subtypes",
  "created_at",
] as const satisfies readonly (keyof ClusterRow)[];
const CHANGEABLE_OF_CLUSTER = ["name", "description", "icon", "pinned", "auto_subtypes"] as const;

const USAGE_COLUMNS = [
  "memory_id",
  "memory_type",
  "context_id",
  "retrieved_at",
  "was_referenced",
  "overlap_score",
] as const satisfies readonly (keyof UsageRow)[];

const USAGE = USAGE_COLUMNS.join(", ");
const NODE = `nodes.rowid AS sequence, ${NODE_COLUMNS.map((column) => `nodes.${column}`).join(", ")}`;
const TEXTS_OF_NODE = ["content_title", "content_summary", "content_body"];
const TEXTS_OF_CLUSTER = ["name", "description", "auto_subtypes"];
const TEXT = "rowid AS sequence, id, content_title, content_summary, content_body";
const EDGE = `rowid AS sequence, ${EDGE_COLUMNS.join(", ")}`;
const INDEXED_NODE = `${NODE}, embedding_vector, (SELECT json_group_array(cluster_id) FROM cluster_memberships
  WHERE cluster_memberships.node_id = nodes.id AND typeof(cluster_id) = 'text') AS clusters`;
const CLUSTER = `rowid AS sequence, ${CLUSTER_COLUMNS.join(", ")}`;
/** Each subtype that a cluster takes in. Somebody else may have stored what is no list of names. */
const TAKING = `SELECT DISTINCT clusters.rowid AS sequence, clusters.id, named.value AS subtype
  FROM clusters, json_each(CASE WHEN typeof(auto_subtypes) <> 'text' THEN '[]' WHEN NOT json_valid(auto_subtypes) THEN '[]'
    WHEN json_type(auto_subtypes) <> 'array' THEN '[]' ELSE auto_subtypes END) AS named
  WHERE ${isId("clusters.id")} AND named.type = 'text' ORDER BY 1`;
const MEMBERSHIP = "rowid AS sequence, cluster_id, node_id, weight, pinned, updated_at";
const SOUND_MEMBERSHIP = ["cluster_id", "node_id"].map(isId).join(" AND ");
const SOUND_EDGE = ["id", "source_id", "target_id"].map(isId).join(" AND ");
/** A column that names a row of another table. */
type End = readonly [column: string, table: string];
/**
 * Tables that are carried from one store to another: what a row is told apart by, and what tells
 * which of two is newer.
 */
const PORTABLE: Readonly<
  Record<
    PortableKind,
    {
      table: string;
      columns: readonly string[];
      key: readonly string[];
      changed: string;
      ends?: readonly End[];
    }
  >
> = {
  node: {
    table: "nodes",
    columns: [...NODE_COLUMNS, "embedding_vector"],
    key: ["id"],
    changed: "last_modified",
  },
  cluster: {
    table: "clusters",
    columns: [
      "id",
      "name",
      "description",
      "icon",
      "pinned",
      "source",
      "auto_subtypes",
      "created_at",
    ],
    key: ["id"],
    changed: "created_at",
  },
  outcome: {
    table: "playbook_outcomes",
    columns: ["playbook_id", "entry_id", "profitable", "applied_at", "client_counted"],
    key: ["playbook_id", "entry_id"],
    changed: "applied_at",
    ends: [
      ["playbook_id", "nodes"],
      ["entry_id", "nodes"],
    ],
  },
  membership: {
    table: "cluster_memberships",
    columns: ["cluster_id", "node_id", "weight", "pinned", "updated_at"],
    key: ["cluster_id", "node_id"],
    changed: "updated_at",
    ends: [
      ["cluster_id", "clusters"],
      ["node_id", "nodes"],
    ],
  },
  edge: {
    table: "edges",
    columns: EDGE_COLUMNS,
    key: ["id"],
    changed: "created_at",
    ends: [
      ["source_id", "nodes"],
      ["target_id", "nodes"],
    ],
  },
  conflict: {
    table: "conflict_queue",
    columns: CONFLICT_COLUMNS,
    key: ["id"],
    changed: "coalesce(resolved_at, created_at)",
    ends: [["old_node_id", "nodes"]],
  },
};
/** The figures that a memory came with, as a column of its row. */
const SIGNALS_OF_NODE = "(SELECT signals FROM node_signals WHERE node_id = nodes.id) AS signals";
/** Where texts are kept about a memory beside its row, and by which column it is named. */
const TEXTS_ABOUT: readonly (readonly [table: string, column: string])[] = [
  ["conflict_queue", "old_node_id"],
  ["conflict_queue", "new_node_id"],
];
/** Tables whose rows lead to memories by foreign keys, and what they are called. */
const TIES = [
  ["edges", "edges lead to or from"],
  ["node_signals", "rows of figures are of"],
  ["memory_usage", "rows of usage are of"],
] as const;
/**
 * Tables whose rows name others without a foreign key: by which column, those of which table, and
 * what they are called.
 */
const MEMBERS = [
  ["cluster_memberships", "node_id", "nodes", "memberships are of a memory"],
  ["cluster_memberships", "cluster_id", "clusters", "memberships are in a cluster"],
  ["embedding_queue", "node_id", "nodes", "vectors are to be made for a memory"],
  ["next_embeddings", "node_id", "nodes", "vectors of a next model are of a memory"],
] as const;
/** Where names of a kind are. */
const NAMED: Readonly<Record<NameKind, readonly [table: string, column: string]>> = {
  type: ["nodes", "type"],
  subtype: ["nodes", "subtype"],
  "edge type": ["edges", "type"],
};
const STORED_COLUMNS = [...NODE_COLUMNS, "embedding_vector"] as const;
const CHANGEABLE = STORED_COLUMNS.filter((it) => it !== "id" && it !== "version");
const INSERT_NODE = `INSERT INTO nodes (${STORED_COLUMNS.join(", ")}) VALUES (${STORED_COLUMNS.map(() => "?").join(", ")})`;
/** Each column has two values: whether it changes, and to what. */
const UPDATE_NODE = `UPDATE nodes SET version = coalesce(version, 0) + 1,
  ${CHANGEABLE.map((column) => `${column} = CASE WHEN ? THEN ? ELSE ${column} END`).join(", ")}
  WHERE id = ? RETURNING ${NODE}`;
const UPDATE_CLUSTER = `UPDATE clusters SET
  ${CHANGEABLE_OF_CLUSTER.map((column) => `${column} = CASE WHEN ? THEN ? ELSE ${column} END`).join(", ")}
  WHERE id = ? RETURNING ${CLUSTER}`;
/** A page of a list whose rows are in order; see `boundsOf`. */
const AFTER = "rowid > ? ORDER BY rowid";
const PAGE = `${AFTER} LIMIT ?`;
/** What comes after a memory in the list of the newest: after one with a time, and one without. */
const AFTER_DATED = `(${CREATED_AT} < ? OR ${CREATED_AT} IS NULL OR ${CREATED_AT} = ? AND rowid < ?)`;
const AFTER_UNDATED = `${CREATED_AT} IS NULL AND rowid < ?`;
/** The members of a list that is bound as JSON. */
const LISTED = "(SELECT value FROM json_each(?))";

/** Memories to an entry of the change log. */
const SOFT_BATCH = 1_000;
/** An element of `json_each`, by its fields. */
const softly = (field: keyof SoftChange) => `change.value ->> '${field}'`;
const WRITE_SOFT = `UPDATE nodes SET
    neural_access_count = coalesce(neural_access_count, 0) + (${softly("accesses")}),
    neural_last_accessed = CASE
      WHEN ${softly("last_accessed")} > coalesce(${isoOf("neural_last_accessed")}, '')
        OR ${softly("last_accessed")} IS NOT NULL AND ${isoOf("neural_last_accessed")} > ?2
      THEN ${softly("last_accessed")} ELSE neural_last_accessed END,
    neural_retrievability = coalesce(${softly("retrievability")}, neural_retrievability),
    state_lifecycle = coalesce(${softly("lifecycle")}, state_lifecycle)
  FROM json_each(?1) AS change WHERE nodes.id = ${softly("id")}`;

/** Ids that a sentence names; of more it says how many there are. */
const MOST_NAMED = 10;

const listOf = (ids: readonly string[]): string =>
  ids.length <= MOST_NAMED
    ? ids.join(", ")
    : `${ids.slice(0, MOST_NAMED).join(", ")} and ${ids.length - MOST_NAMED} more`;

type Row = Record<string, unknown>;

/** Everything that is the same wherever the database is. */
export abstract class SqlStorage implements Storage {
  abstract readonly isRemote: boolean;
  readonly embeddings = new EmbeddingTables((sql, ...values) => this.#all(sql, ...values));
  readonly conflicts = new ConflictTable((sql, ...values) => this.#all(sql, ...values));
  readonly retries = new RetryTable((sql, ...values) => this.#all(sql, ...values));
  protected readonly openings = new Openings((sql, ...values) => this.#all(sql, ...values));
  protected readonly db: Connection;
  readonly #batch: number;
  readonly #statements = new Map<string, Statement>();
  #writer: string = randomUUID();
  /**
   * The clusters that take in memories by themselves, by subtype, as of a version of the database.
   */
  #taking: { version: number; clusters: Map<string, string[]> } | undefined;
  /** Rows that had been changed when it was ready. */
  readonly #changesAtFirst: number;

  /** `batch` is how many rows are read at once of a whole table. */
  constructor(db: Connection, batch: number) {
    this.db = db;
    this.#batch = batch;
    this.#changesAtFirst = this.#changes();
  }

  get hasChanged(): boolean {
    return this.#changes() !== this.#changesAtFirst;
  }

  /** Rows that were changed on this connection. */
  #changes(): number {
    const [row] = this.prepared("SELECT total_changes() AS count").all() as [{ count: number }];
    return row.count;
  }

  get writer(): string {
    return this.#writer;
  }

  /** From now on this is another connection to whoever reads the change log, this one included. */
  protected renameWriter(): void {
    this.#writer = randomUUID();
  }

  protected prepared(sql: string): Statement {
    let statement = this.#statements.get(sql);
    if (statement === undefined) {
      statement = this.db.prepare(sql);
      this.#statements.set(sql, statement);
    }
    return statement;
  }

  /** The rows of a statement. */
  protected ask<T>(sql: string, values: readonly unknown[]): T[] {
    return this.prepared(sql).all(...values) as T[];
  }

  #all<T>(sql: string, ...values: unknown[]): T[] {
    return this.ask(sql, values);
  }

  #first<T>(sql: string, ...values: unknown[]): T | undefined {
    return this.#all<T>(sql, ...values)[0];
  }

  #run(sql: string, ...values: unknown[]): void {
    this.prepared(sql).run(...values);
  }

  // ---- as a whole
  // ---------------------------------------------------------------------------------

  meta(key: MetaKey): string | undefined {
    return this.#first<{ value: string }>("SELECT value FROM nous_meta WHERE key = ?", key)?.value;
  }

  setMeta(key: MetaKey, value: string): void {
    this.#run(
      "INSERT INTO nous_meta VALUES (?, ?) ON CONFLICT DO UPDATE SET value = excluded.value",
      key,
      value,
    );
  }

  transaction<T>(work: () => T): T {
    return this.within("BEGIN IMMEDIATE", work);
  }

  /** What is elsewhere, or in no file, is always in its place. */
  checkPlace(): void {}

  snapshot<T>(work: () => T): T {
    return this.within("BEGIN", work);
  }

  protected within<T>(begin: "BEGIN" | "BEGIN IMMEDIATE", work: () => T): T {
    this.db.exec(begin);
    try {
      const result = work();
      this.db.exec("COMMIT");
      return result;
    } catch (error) {
      // A full disk has ended it already.
      if (this.db.inTransaction) this.db.exec("ROLLBACK");
      this.#taking = undefined;
      throw error;
    }
  }

  // ---- memories
  // -----------------------------------------------------------------------------------

  insertNode(node: NewNode): void {
    const last = this.#first<{ version: number }>(
      "SELECT version FROM deleted_versions WHERE id = ?",
      node.id,
    )?.version;
    const version = (node.version ?? 0) + (last ?? 0);
    this.#run(
      INSERT_NODE,
      ...STORED_COLUMNS.map((column) => (column === "version" ? version : node[column])),
    );
  }

  updateNode(id: string, changes: NodeChanges): NodeRow | undefined {
    return this.#first<NodeRow>(
      UPDATE_NODE,
      ...CHANGEABLE.flatMap((column) => [
        column in changes ? 1 : 0,
        (changes as Row)[column] ?? null,
      ]),
      id,
    );
  }

  deleteNode(id: string): boolean {
    this.#run("DELETE FROM cluster_memberships WHERE node_id = ?", id);
    return this.#all("DELETE FROM nodes WHERE id = ? RETURNING id", id).length > 0;
  }

  node(id: string): NodeRow | undefined {
    return this.#first(`SELECT ${NODE} FROM nodes WHERE id = ?`, id);
  }

  nodes(ids: readonly string[]): NodeRow[] {
    return this.#all(`SELECT ${NODE} FROM nodes WHERE id IN ${LISTED}`, JSON.stringify(ids));
  }

  passing(ids: readonly string[], filter: NodeFilter): string[] {
    const { conditions, values } = conditionsOf(filter);
    const where = [`id IN ${LISTED}`, ...conditions].join(" AND ");
    const rows = this.#all<{ id: string }>(
      `SELECT id FROM nodes WHERE ${where}`,
      JSON.stringify(ids),
      ...values,
    );
    return rows.map(({ id }) => id);
  }

  matching(filter: NodeFilter): string[] | undefined {
    const { conditions, values } = conditionsOf(filter);
    if (conditions.length === 0) return undefined;
    const where = [isId("id"), ...conditions].join(" AND ");
    return this.#all<{ id: string }>(`SELECT id FROM nodes WHERE ${where}`, ...values).map(
      ({ id }) => id,
    );
  }

  octets(ids: readonly string[]): Map<string, number> {
    const sizes = `SELECT id, ${octetsOf(TEXTS_OF_NODE)} AS octets FROM nodes WHERE id IN ${LISTED}`;
    const rows = this.#all<{ id: string; octets: number }>(sizes, JSON.stringify(ids));
    return new Map(rows.map(({ id, octets }) => [id, octets]));
  }

  listNodes(filter: NodeFilter, limit: number, after?: NodePlace, room?: ReadRoom): NodeRow[] {
    const { conditions, values } = conditionsOf(filter);
    const beyond =
      after === undefined ? [] : [after.listed_at === null ? AFTER_UNDATED : AFTER_DATED];
    const where = [isId("id"), ...conditions, ...beyond].join(" AND ");
    const from = `FROM nodes WHERE ${where} ORDER BY ${CREATED_AT} DESC, rowid DESC`;
    const bound = [
      ...values,
      ...(after === undefined || after.listed_at === null
        ? []
        : [after.listed_at, after.listed_at]),
      ...(after === undefined ? [] : [after.sequence]),
    ];
    return this.#readWithin({ columns: NODE, texts: TEXTS_OF_NODE, from }, bound, limit, room);
  }

  #readWithin<T>(
    what: Parameters<typeof readWithin>[1],
    bound: unknown[],
    limit: number,
    room?: ReadRoom,
  ): T[] {
    return readWithin((sql, ...values) => this.#all(sql, ...values), what, bound, limit, room);
  }

  placeOf(sequence: number): NodePlace {
    return this.#first(
      `SELECT ${CREATED_AT} AS listed_at, rowid AS sequence FROM nodes WHERE rowid = ?`,
      sequence,
    )!;
  }

  nodesLike(pattern: string, limit: number): NodeRow[] {
    const like = `(content_title LIKE ? OR content_body LIKE ?) AND ${isId("id")}`;
    const newest = `ORDER BY ${CREATED_AT} DESC, rowid DESC LIMIT ?`;
    return this.#all(`SELECT ${NODE} FROM nodes WHERE ${like} ${newest}`, pattern, pattern, limit);
  }

  subtypes(): (string | null)[] {
    const rows = this.#all<{ name: string | null }>(
      `${eachOf("nodes", "subtype")} WHERE name IS NULL OR name <> ''`,
    );
    return rows.map(({ name }) => name);
  }

  nodesOfSubtypes(subtypes: readonly string[]): NodeRow[] {
    const sql = `SELECT ${NODE} FROM nodes WHERE subtype IN ${LISTED} AND id IS NOT NULL ORDER BY rowid`;
    return this.#all(sql, JSON.stringify(subtypes));
  }

  textsOfSubtypes(subtypes: readonly string[]): TextRow[] {
    return this.#all(
      `SELECT ${TEXT} FROM nodes WHERE subtype IN ${LISTED} AND ${isId("id")} ORDER BY rowid`,
      JSON.stringify(subtypes),
    );
  }

  countStates(except: readonly string[]): { state: string; count: number }[] {
    return this.#all(
      `SELECT coalesce(state_lifecycle, 'ACTIVE') AS state, count(*) AS count FROM nodes
       WHERE ${isId("id")} AND id NOT IN ${LISTED} GROUP BY 1`,
      JSON.stringify(except),
    );
  }

  graphNodes(page: Page = {}): GraphNode[] {
    const columns =
      "rowid AS sequence, id, type, subtype, content_title AS title, content_summary AS summary, created_at";
    const what = {
      columns,
      texts: ["content_title", "content_summary"],
      from: `FROM nodes WHERE ${isId("id")} AND ${AFTER}`,
    };
    const [after, limit] = boundsOf(page);
    return this.#readWithin(what, [after], limit, page.room);
  }

  *indexedNodes(ids?: readonly string[]): Iterable<IndexedNodeRow[]> {
    if (ids !== undefined) {
      yield this.#all(
        `SELECT ${INDEXED_NODE} FROM nodes WHERE id IN ${LISTED}`,
        JSON.stringify(ids),
      );
      return;
    }
    const page = `SELECT ${INDEXED_NODE} FROM nodes WHERE rowid > ? AND ${isId("id")} ORDER BY rowid LIMIT ?`;
    yield* this.#pages<IndexedNodeRow>(page);
  }

  *texts(): Iterable<TextRow[]> {
    yield* this.#pages<TextRow>(
      `SELECT ${TEXT} FROM nodes WHERE rowid > ? AND ${isId("id")} ORDER BY rowid LIMIT ?`,
    );
  }

  *#pages<T extends { sequence: number }>(sql: string): Iterable<T[]> {
    let after = Number.MIN_SAFE_INTEGER;
    for (;;) {
      const rows = this.#all<T>(sql, after, this.#batch);
      if (rows.length > 0) yield rows;
      if (rows.length < this.#batch) return;
      after = rows.at(-1)!.sequence;
    }
  }

  fullText(match: string, limit: number): { id: string; rank: number }[] {
    const found = `SELECT nodes.id, nodes_fts.rank FROM nodes_fts JOIN nodes ON nodes.rowid = nodes_fts.rowid
      WHERE nodes_fts MATCH ? ORDER BY nodes_fts.rank LIMIT ?`;
    try {
      return this.#all(found, match, limit);
    } catch (error) {
      if ((error as { code?: string }).code === "SQLITE_ERROR") return [];
      throw error;
    }
  }

  containing(
    pattern: string,
    {
      type,
      subtype,
      lifecycle,
    }: { type?: string | undefined; subtype?: string | undefined; lifecycle?: string | undefined },
    limit: number,
  ): NodeRow[] {
    const texts = ["content_title", "content_body", "content_summary"];
    const given = Object.entries({ type, subtype, state_lifecycle: lifecycle }).filter(
      ([, value]) => value !== undefined,
    );
    const where = [
      `(${texts.map((column) => `nodes.${column} LIKE ?`).join(" OR ")})`,
      ...given.map(([column]) => `nodes.${column} = ?`),
    ];
    return this.#all(
      `SELECT ${NODE} FROM nodes WHERE ${where.join(" AND ")} ORDER BY nodes.created_at DESC LIMIT ?`,
      ...texts.map(() => `%${pattern}%`),
      ...given.map(([, value]) => value),
      limit,
    );
  }

  softNodes(ids: readonly string[]): SoftRow[] {
    return this.#all(
      `SELECT id, neural_stability, neural_retrievability, neural_access_count, neural_last_accessed, state_lifecycle
       FROM nodes WHERE id IN ${LISTED}`,
      JSON.stringify(ids),
    );
  }

  dimensions(): number {
    const pinned = this.meta("dimensions");
    if (pinned !== undefined) return Number(pinned);
    const commonest = `SELECT length(embedding_vector) / 4 AS dimensions FROM nodes
      WHERE typeof(embedding_vector) = 'blob' AND length(embedding_vector) > 0 AND length(embedding_vector) % 4 = 0
      GROUP BY 1 ORDER BY count(*) DESC, 1 DESC LIMIT 1`;
    return this.#first<{ dimensions: number }>(commonest)?.dimensions ?? 0;
  }

  hasVectors(dimensions: number): boolean {
    const some =
      "SELECT 1 FROM nodes WHERE typeof(embedding_vector) = 'blob' AND length(embedding_vector) = ? LIMIT 1";
    return this.#all(some, dimensions * Float32Array.BYTES_PER_ELEMENT).length > 0;
  }

  names(kind: NameKind): string[] {
    const [table, column] = NAMED[kind];
    const rows = this.#all<{ name: string }>(
      `${eachOf(table, column)} WHERE typeof(name) = 'text'`,
    );
    return rows.map(({ name }) => name);
  }

  // ---- edges
  // --------------------------------------------------------------------------------------

  insertEdge(edge: NewEdge): EdgeRow {
    const places = EDGE_COLUMNS.map(() => "?").join(", ");
    return this.#first<EdgeRow>(
      `INSERT INTO edges (${EDGE_COLUMNS.join(", ")}) VALUES (${places}) RETURNING ${EDGE}`,
      ...EDGE_COLUMNS.map((column) => edge[column]),
    )!;
  }

  deleteEdge(id: string): boolean {
    return this.#all("DELETE FROM edges WHERE id = ? RETURNING id", id).length > 0;
  }

  strengthenEdge(id: string, amount: number): EdgeRow | undefined {
    return this.#first(
      `UPDATE edges SET strength = min(1.0, coalesce(strength, 0.0) + ?) WHERE id = ? RETURNING ${EDGE}`,
      amount,
      id,
    );
  }

  setEdgeStrength(id: string, strength: number): EdgeRow | undefined {
    const set = `UPDATE edges SET strength = ?, neural_weight = ? WHERE id = ? RETURNING ${EDGE}`;
    return this.#first(set, strength, strength, id);
  }

  edgesWithin(groups: readonly (readonly string[])[]): string[] {
    const rows = this.#all<{ id: string }>(
      `SELECT DISTINCT edges.id FROM json_each(?) AS members, json_each(members.value) AS source
       JOIN edges ON edges.source_id = source.value
       WHERE edges.target_id IN (SELECT value FROM json_each(members.value)) AND edges.target_id <> edges.source_id
         AND coalesce(edges.strength, 0.0) < 1.0 AND edges.id IS NOT NULL`,
      JSON.stringify(groups),
    );
    return rows.map(({ id }) => id);
  }

  strengthenEdges(ids: readonly string[], amount: number): void {
    const strengthened = `UPDATE edges SET strength = min(1.0, coalesce(strength, 0.0) + ?) WHERE id IN ${LISTED}`;
    this.#run(strengthened, amount, JSON.stringify(ids));
  }

  edgesOf(nodeId: string, direction: "in" | "out" | "both", page: Page = {}): EdgeRow[] {
    const ends = { in: ["target_id"], out: ["source_id"], both: ["source_id", "target_id"] }[
      direction
    ];
    const where = ends.map((end) => `${end} = ?`).join(" OR ");
    return this.#all(
      `SELECT ${EDGE} FROM edges WHERE (${where}) AND ${SOUND_EDGE} AND ${PAGE}`,
      ...ends.map(() => nodeId),
      ...boundsOf(page),
    );
  }

  edgesOfTypes(types: readonly string[]): EdgeRow[] {
    return this.#all(
      `SELECT ${EDGE} FROM edges WHERE type IN ${LISTED} ORDER BY rowid`,
      JSON.stringify(types),
    );
  }

  listEdges(page: Page = {}): EdgeRow[] {
    return this.#all(
      `SELECT ${EDGE} FROM edges WHERE ${SOUND_EDGE} AND ${PAGE}`,
      ...boundsOf(page),
    );
  }

  *edges(ids?: readonly string[]): Iterable<EdgeRow[]> {
    if (ids !== undefined) {
      yield this.#all(`SELECT ${EDGE} FROM edges WHERE id IN ${LISTED}`, JSON.stringify(ids));
      return;
    }
    yield* this.#pages<EdgeRow>(
      `SELECT ${EDGE} FROM edges WHERE rowid > ? AND ${SOUND_EDGE} ORDER BY rowid LIMIT ?`,
    );
  }

  // ---- use
  // ----------------------------------------------------------------------------------------

  usageOfContext(contextId: string): UsageRow[] {
    return this.#all(
      `SELECT ${USAGE} FROM memory_usage WHERE context_id = ? ORDER BY sequence`,
      contextId,
    );
  }

  usageOf(memoryIds: readonly string[]): UsageRow[] {
    const of = `SELECT ${USAGE} FROM memory_usage WHERE memory_id IN ${LISTED} ORDER BY sequence`;
    return this.#all(of, JSON.stringify(memoryIds));
  }

  addUsage(uses: readonly UsageRow[], most: number, since: string): void {
    const add = `INSERT INTO memory_usage (${USAGE}) VALUES (${USAGE_COLUMNS.map(() => "?").join(", ")})`;
    // A clock that is ahead for one request forgets nothing: a use that was recorded before has to
    // tell of the time, too.
    this.#run(
      `DELETE FROM memory_usage WHERE retrieved_at <= ?1
         AND EXISTS (SELECT 1 FROM memory_usage AS later WHERE later.retrieved_at >= ?1)`,
      since,
    );
    for (const use of uses) this.#run(add, ...USAGE_COLUMNS.map((column) => use[column]));
    this.#run(
      `DELETE FROM memory_usage
       WHERE sequence <= (SELECT sequence FROM memory_usage ORDER BY sequence DESC LIMIT 1 OFFSET ?)`,
      most,
    );
  }

  // ---- trades
  // -------------------------------------------------------------------------------------

  signals(nodeIds: readonly string[]): Map<string, string> {
    const of = `SELECT node_id, signals FROM node_signals WHERE node_id IN ${LISTED}`;
    const rows = this.#all<{ node_id: string; signals: string }>(of, JSON.stringify(nodeIds));
    return new Map(rows.map(({ node_id, signals }) => [node_id, signals]));
  }

  addSignals(nodeId: string, json: string): void {
    this.#run("INSERT INTO node_signals VALUES (?, ?)", nodeId, json);
  }

  tiedTo(nodeId: string, types: readonly string[], subtype: string): string[] {
    const rows = this.#all<{ id: string }>(
      `SELECT DISTINCT nodes.rowid AS sequence, nodes.id FROM (
         SELECT source_id AS id FROM edges WHERE target_id = ?1 AND type IN (SELECT value FROM json_each(?2))
         UNION SELECT target_id FROM edges WHERE source_id = ?1 AND type IN (SELECT value FROM json_each(?2))
       ) AS tied JOIN nodes ON nodes.id = tied.id WHERE nodes.subtype = ?3 ORDER BY 1`,
      nodeId,
      JSON.stringify(types),
      subtype,
    );
    return rows.map(({ id }) => id);
  }

  uncountedEdges(
    entryId: string,
    type: string,
    subtype: string,
  ): Pick<EdgeRow, "id" | "source_id">[] {
    return this.#all(
      `SELECT edges.id, edges.source_id FROM edges JOIN nodes ON nodes.id = edges.source_id
       WHERE edges.target_id = ? AND edges.type = ? AND nodes.subtype = ? AND edges.id IS NOT NULL AND NOT EXISTS
         (SELECT 1 FROM playbook_outcomes WHERE playbook_id = edges.source_id AND entry_id = edges.target_id)
       ORDER BY edges.rowid`,
      entryId,
      type,
      subtype,
    );
  }

  hasOutcome(playbookId: string, entryId: string): boolean {
    const counted = "SELECT 1 FROM playbook_outcomes WHERE playbook_id = ? AND entry_id = ?";
    return this.#first(counted, playbookId, entryId) !== undefined;
  }

  addOutcome(playbookId: string, entryId: string, profitable: boolean, at: string): void {
    const add =
      "INSERT INTO playbook_outcomes (playbook_id, entry_id, profitable, applied_at) VALUES (?, ?, ?, ?)";
    this.#run(add, playbookId, entryId, profitable ? 1 : 0, at);
  }

  takeOutcome(playbookId: string, profitable: boolean, since: string): boolean {
    const taken = this.#first(
      `UPDATE playbook_outcomes SET client_counted = 1 WHERE playbook_id = ? AND entry_id = (
         SELECT entry_id FROM playbook_outcomes
         WHERE playbook_id = ? AND profitable = ? AND client_counted = 0 AND applied_at >= ?
         ORDER BY applied_at, entry_id LIMIT 1)
       RETURNING 1`,
      ...[playbookId, playbookId, profitable ? 1 : 0, since],
    );
    return taken !== undefined;
  }

  // ---- periodic work
  // ------------------------------------------------------------------------------

  takeTask(name: string, now: number, after: number, lease: number): boolean {
    // What was done in the future, or is leased for longer than a lease, was so by a wrong clock.
    const taken = this.#first(
      `INSERT INTO nous_tasks VALUES (?, ?, ?, NULL)
       ON CONFLICT DO UPDATE SET holder = excluded.holder, leased_until = excluded.leased_until
       WHERE (holder IS NULL OR leased_until NOT BETWEEN ? AND ?) AND (last_done IS NULL OR last_done NOT BETWEEN ? AND ?)
       RETURNING 1`,
      ...[name, this.writer, Math.round(now + lease)],
      ...[now + 1, Math.round(now + lease + MOST_AHEAD), Math.floor(now - after) + 1, now],
    );
    return taken !== undefined;
  }

  leaveTask(name: string, done: number | null): void {
    const leave =
      "UPDATE nous_tasks SET holder = NULL, last_done = coalesce(?, last_done) WHERE name = ? AND holder = ?";
    this.#run(leave, done, name, this.writer);
  }

  // ---- clusters
  // -----------------------------------------------------------------------------------

  insertCluster(cluster: NewCluster): ClusterRow {
    this.#taking = undefined;
    const places = CLUSTER_COLUMNS.map(() => "?").join(", ");
    return this.#first<ClusterRow>(
      `INSERT INTO clusters (${CLUSTER_COLUMNS.join(", ")}) VALUES (${places}) RETURNING ${CLUSTER}`,
      ...CLUSTER_COLUMNS.map((column) => cluster[column]),
    )!;
  }

  updateCluster(id: string, changes: ClusterChanges): ClusterRow | undefined {
    this.#taking = undefined;
    return this.#first(
      UPDATE_CLUSTER,
      ...CHANGEABLE_OF_CLUSTER.flatMap((column) => [
        column in changes ? 1 : 0,
        changes[column] ?? null,
      ]),
      id,
    );
  }

  deleteCluster(id: string): boolean {
    this.#taking = undefined;
    this.#run("DELETE FROM cluster_memberships WHERE cluster_id = ?", id);
    return this.#all("DELETE FROM clusters WHERE id = ? RETURNING id", id).length > 0;
  }

  cluster(id: string): ClusterRow | undefined {
    return this.#first(`SELECT ${CLUSTER} FROM clusters WHERE id = ?`, id);
  }

  clusters(page: Page = {}): ClusterRow[] {
    const what = {
      columns: CLUSTER,
      texts: TEXTS_OF_CLUSTER,
      from: `FROM clusters WHERE ${isId("id")} AND ${AFTER}`,
    };
    const [after, limit] = boundsOf(page);
    return this.#readWithin(what, [after], limit, page.room);
  }

  clustersTaking(subtype: string): readonly string[] {
    // What others committed changes the version; what this connection does is forgotten where it is
    // done.
    const version = this.version();
    if (this.#taking?.version !== version)
      this.#taking = { version, clusters: this.#clustersBySubtype() };
    return this.#taking.clusters.get(subtype) ?? [];
  }

  #clustersBySubtype(): Map<string, string[]> {
    const clusters = new Map<string, string[]>();
    for (const { id, subtype } of this.#all<{ id: string; subtype: string }>(TAKING)) {
      const ids = clusters.get(subtype);
      if (ids === undefined) clusters.set(subtype, [id]);
      else ids.push(id);
    }
    return clusters;
  }

  countMembers(clusterIds: readonly string[]): Map<string, number> {
    const rows = this.#all<{ cluster_id: string; count: number }>(
      `SELECT cluster_id, count(*) AS count FROM cluster_memberships
       WHERE cluster_id IN ${LISTED} AND node_id IN (SELECT id FROM nodes) AND ${isId("node_id")} GROUP BY cluster_id`,
      JSON.stringify(clusterIds),
    );
    return new Map(rows.map(({ cluster_id, count }) => [cluster_id, count]));
  }

  putMember({ cluster_id, node_id, weight, pinned, updated_at }: NewMembership): MembershipRow {
    return this.#first<MembershipRow>(
      `INSERT INTO cluster_memberships (cluster_id, node_id, weight, pinned, updated_at) VALUES (?, ?, ?, ?, ?)
       ON CONFLICT DO UPDATE SET weight = excluded.weight, pinned = excluded.pinned, updated_at = excluded.updated_at
       RETURNING ${MEMBERSHIP}`,
      cluster_id,
      node_id,
      weight,
      pinned,
      updated_at,
    )!;
  }

  isMember(clusterId: string, nodeId: string): boolean {
    const member = "SELECT 1 FROM cluster_memberships WHERE cluster_id = ? AND node_id = ?";
    return this.#all(member, clusterId, nodeId).length > 0;
  }

  deleteMember(clusterId: string, nodeId: string): boolean {
    const gone =
      "DELETE FROM cluster_memberships WHERE cluster_id = ? AND node_id = ? RETURNING node_id";
    return this.#all(gone, clusterId, nodeId).length > 0;
  }

  members(clusterId: string, page: Page = {}): MembershipRow[] {
    return this.#all(
      `SELECT ${MEMBERSHIP} FROM cluster_memberships
       WHERE cluster_id = ? AND node_id IN (SELECT id FROM nodes) AND ${isId("node_id")} AND ${PAGE}`,
      clusterId,
      ...boundsOf(page),
    );
  }

  memberships(page: Page = {}): MembershipRow[] {
    return this.#all(
      `SELECT ${MEMBERSHIP} FROM cluster_memberships WHERE ${SOUND_MEMBERSHIP} AND ${PAGE}`,
      ...boundsOf(page),
    );
  }

  // ---- from one store to another
  // ------------------------------------------------------------------

  rows(): number {
    const tables = Object.values(PORTABLE).filter(({ table }) => this.#hasTable(table));
    const counts = tables.map(({ table }) => `(SELECT count(*) FROM ${table})`);
    return this.#first<{ count: number }>(`SELECT ${counts.join(" + ")} AS count`)!.count;
  }

  /** A file that is only looked at may be of a schema without it. */
  #hasTable(name: string): boolean {
    return (
      this.#all("SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = ?", name).length > 0
    );
  }

  *portable(kind: PortableKind): Iterable<PortableRow[]> {
    const { table, columns, key, ends = [] } = PORTABLE[kind];
    if (!this.#hasTable(table)) return;
    const areThere = ends.map(([column, of]) => `${column} IN (SELECT id FROM ${of})`);
    const isWhole = [...key.map(isId), ...areThere].join(" AND ");
    // Its rows have no numbers; they are of two ids each, so that there is room for all of them.
    if (kind === "outcome") {
      yield this.#all(
        `SELECT ${columns.join(", ")} FROM ${table} WHERE ${isWhole} ORDER BY ${key.join(", ")}`,
      );
      return;
    }
    const figures = kind === "node" && this.#hasTable("node_signals") ? `, ${SIGNALS_OF_NODE}` : "";
    const page = `SELECT rowid AS sequence, ${columns.join(", ")}${figures} FROM ${table}
      WHERE rowid > ? AND ${isWhole} ORDER BY rowid LIMIT ?`;
    for (const rows of this.#pages<{ sequence: number } & PortableRow>(page)) {
      yield rows.map(({ sequence: _, ...row }) => row);
    }
  }

  lacking(kind: PortableKind, row: PortableRow): string | undefined {
    const isThere = (table: string, id: unknown) =>
      this.#all(`SELECT 1 FROM ${table} WHERE id = ?`, id).length > 0;
    return PORTABLE[kind].ends?.find(([column, table]) => !isThere(table, row[column]))?.[0];
  }

  changedAt(kind: PortableKind, row: PortableRow): { at: string | null } | undefined {
    const { table, key, changed } = PORTABLE[kind];
    const same = key.map((column) => `${column} = ?`).join(" AND ");
    const sql = `SELECT ${isoOf(changed)} AS at FROM ${table} WHERE ${same}`;
    return this.#first(sql, ...key.map((column) => row[column]));
  }

  put(kind: PortableKind, row: PortableRow): void {
    if (kind === "cluster") this.#taking = undefined;
    const { table, columns, key } = PORTABLE[kind];
    const taken = columns.map((column) => `${column} = excluded.${column}`);
    this.#run(
      `INSERT INTO ${table} (${columns.join(", ")}) VALUES (${columns.map(() => "?").join(", ")})
       ON CONFLICT (${key.join(", ")}) DO UPDATE SET ${taken.join(", ")}`,
      ...columns.map(
        (column) => row[column] ?? (kind === "conflict" ? FOR_NULL[column] : undefined) ?? null,
      ),
    );
    if (kind !== "node") return;
    this.#run("DELETE FROM node_signals WHERE node_id = ?", row.id);
    if (row.signals != null) this.addSignals(row.id as string, row.signals as string);
  }

  deferEnds(): void {
    this.db.exec("PRAGMA defer_foreign_keys = ON");
  }

  dangling(): string[] {
    const rows = this.#all<{ id: string }>(
      `SELECT id FROM edges WHERE source_id NOT IN (SELECT id FROM nodes WHERE id IS NOT NULL)
         OR target_id NOT IN (SELECT id FROM nodes WHERE id IS NOT NULL)`,
    );
    return rows.map(({ id }) => id);
  }

  // ---- changes
  // ------------------------------------------------------------------------------------

  abstract version(): number;

  changeRange(): { first: number; last: number } {
    // Asked for together, they would be looked for in the whole log.
    const [first, last] = ["min", "max"].map((end) => `(SELECT ${end}(sequence) FROM change_log)`);
    const ever = "(SELECT seq FROM sqlite_sequence WHERE name = 'change_log')";
    return this.#first(
      `SELECT coalesce(${first}, 0) AS first, coalesce(${last}, ${ever}, 0) AS last`,
    )!;
  }

  changesSince(sequence: number): Change[] {
    const others =
      "SELECT sequence, entity, id FROM change_log WHERE sequence > ? AND writer IS NOT ? ORDER BY sequence";
    return this.#all<LoggedChange>(others, sequence, this.writer).map(changeOf);
  }

  claimChanges(after: number): Change[] {
    const own =
      "UPDATE change_log SET writer = ? WHERE sequence > ? RETURNING sequence, entity, id";
    const changes = this.#all<LoggedChange>(own, this.writer, after).map(changeOf);
    return changes.sort((a, b) => a.sequence - b.sequence);
  }

  seal(ids: readonly string[]): void {
    sealRows((sql) => this.prepared(sql), ids);
  }

  trimChanges(upTo: number): void {
    this.#run("DELETE FROM change_log WHERE sequence <= ?", upTo);
  }

  writeSoft(changes: readonly SoftChange[], latest: string): void {
    // What is there keeps the trigger from logging each row.
    this.#run("INSERT INTO nous_meta VALUES ('flushing', '')");
    for (let at = 0; at < changes.length; at += SOFT_BATCH) {
      const batch = changes.slice(at, at + SOFT_BATCH);
      this.#run(WRITE_SOFT, JSON.stringify(batch), latest);
      // A number that has been text may be off by its last bit; what grew is bound as it is.
      for (const { id, stability, retrievability } of batch.filter(
        (change) => change.stability !== null,
      )) {
        const grown = `UPDATE nodes SET neural_stability = ?,
          neural_retrievability = coalesce(?, neural_retrievability) WHERE id = ?`;
        this.#run(grown, stability, retrievability, id);
      }
      this.#run(
        "INSERT INTO change_log(entity, id) VALUES ('soft', ?)",
        JSON.stringify(batch.map(({ id }) => id)),
      );
    }
    this.#run("DELETE FROM nous_meta WHERE key = 'flushing'");
  }

  lastOpening(): string | undefined {
    return this.openings.last();
  }

  isOfHistory(opening: string, sequence: number): boolean {
    return this.openings.reaches(opening, sequence);
  }

  // ---- soundness
  // ----------------------------------------------------------------------------------

  beginPurge(nodeId: string): void {
    this.#run("INSERT INTO nous_purges VALUES (?) ON CONFLICT DO NOTHING", nodeId);
  }

  purgesBegun(): string[] {
    return this.#all<{ id: string }>("SELECT id FROM nous_purges ORDER BY id").map(({ id }) => id);
  }

  abstract scrub(nodeId: string): void;

  check(): string[] {
    const problems = this.#all<{ integrity_check: string }>("PRAGMA integrity_check")
      .map(({ integrity_check }) => integrity_check)
      .filter((told) => told !== "ok");
    const changed = changedRows((sql) => this.prepared(sql)).length;
    if (changed > 0) problems.push(`${changed} memories are not as they were written`);
    for (const [table, problem] of TIES) {
      const loose = this.#hasTable(table)
        ? this.#all(`PRAGMA foreign_key_check(${table})`).length
        : 0;
      if (loose === 0) continue;
      const named = table === "edges" ? `: ${listOf(this.dangling())}` : "";
      problems.push(`${loose} ${problem} a memory that is not there${named}`);
    }
    try {
      // With rank 1 it is compared with the rows, not only with itself.
      this.#run("INSERT INTO nodes_fts(nodes_fts, rank) VALUES ('integrity-check', 1)");
    } catch (error) {
      problems.push(`the full-text index is not that of the rows: ${(error as Error).message}`);
    }
    return problems;
  }

  loose(): string[] {
    const replaced = this.#replacedTexts();
    const texts =
      replaced.length > 0
        ? [`texts were no UTF-8, and are read with others in place of it: ${namesOf(replaced)}`]
        : [];
    const members = MEMBERS.flatMap(([table, column, of, problem]) => {
      if (!this.#hasTable(table)) return [];
      const named = `SELECT id FROM ${of} WHERE id IS NOT NULL`;
      const count = `SELECT count(*) AS count FROM ${table} WHERE ${column} NOT IN (${named})`;
      const { count: loose } = this.#first<{ count: number }>(count)!;
      return loose > 0 ? [`${loose} ${problem} that is not there`] : [];
    });
    return [...texts, ...members];
  }

  #replacedTexts(): TextPlace[] {
    if (!this.#hasTable("nous_replaced_texts")) return [];
    return this.#all(
      "SELECT table_name AS 'table', place, column_name AS 'column' FROM nous_replaced_texts ORDER BY 1, 2, 3",
    );
  }

  close(): void {
    this.#statements.clear();
    this.db.close();
  }
}

/** Statements whose rows others may have written. */
const READS = /^\s*(SELECT|WITH)\b/;
/**
 * Connections whose files are not at their place. To close one would remove a log by its name,
 * which is that of another database by now: they are held until the process ends.
 */
const abandoned: Database.Database[] = [];

/** The store in one file. */
export class LibsqlStorage extends SqlStorage {
  readonly isRemote = false;
  readonly #file: string;
  readonly #tell: (what: string) => void;
  /** Whether the file is set up by this connection, and not only looked at. */
  readonly #isOwner: boolean;
  /** Undefined where nothing is written, or in no file. */
  readonly #files: OpenFiles | undefined;
  readonly #database: Database.Database;
  /** Up to where texts are known to be readable; undefined where nobody else can write. */
  #readable: Readable | undefined;
  /** The tables of each statement that the change log does not tell of. */
  readonly #unlogged = new Map<string, readonly string[]>();
  /** By such a table the version of the database as of which its texts are known to be readable. */
  readonly #lookedAt = new Map<string, number>();
  /** Whether this opening is in the database. */
  #hasWritten = false;

  /**
   * Opens a database file, or makes one; one of the existing server, or of an earlier version, gets
   * what it lacks.
   *
   * @throws {StorageError} for a file that is no database, of a newer version, or held by somebody
   * else.
   */
  constructor(file: string, options: LibsqlOptions) {
    const { db, readable } = openFile(file, options);
    super(db, BATCH);
    const { migrates = true, tell = () => {} } = options;
    this.#file = file;
    this.#tell = tell;
    this.#isOwner = migrates;
    this.#files = migrates && file !== IN_MEMORY ? new OpenFiles(file) : undefined;
    this.#database = db;
    this.#readable = readable;
  }

  override checkPlace(): void {
    this.#files?.check();
  }

  override transaction<T>(work: () => T, patience = BUSY_TIMEOUT): T {
    if (patience === BUSY_TIMEOUT) return this.#write(work);
    this.db.exec(`PRAGMA busy_timeout = ${patience}`);
    try {
      return this.#write(work);
    } finally {
      this.db.exec(`PRAGMA busy_timeout = ${BUSY_TIMEOUT}`);
    }
  }

  #write<T>(work: () => T): T {
    const result = super.transaction(() => {
      if (this.#files !== undefined && !this.#hasWritten)
        this.openings.begin(this.changeRange().last);
      const result = work();
      this.checkPlace();
      return result;
    });
    this.#hasWritten = true;
    return result;
  }

  protected override within<T>(begin: "BEGIN" | "BEGIN IMMEDIATE", work: () => T): T {
    const act = () =>
      super.within(begin, () => {
        this.#lookAtTexts();
        return work();
      });
    try {
      return act();
    } catch (error) {
      if (!(error instanceof UnreadableText)) throw error;
      // In a transaction of its own, which nothing that `work` throws undoes.
      const replaced = replaceTexts(this.db, () => this.#changedByOthers());
      this.#tell(`Texts are no UTF-8, and were replaced in ${namesOf(replaced)}`);
      return act();
    }
  }

  protected override ask<T>(sql: string, values: readonly unknown[]): T[] {
    const ask = () => {
      this.#lookAtUnlogged(sql);
      return super.ask<T>(sql, values);
    };
    return this.#readable === undefined || this.db.inTransaction || !READS.test(sql)
      ? ask()
      : this.snapshot(ask);
  }

  /**
   * Looks at what others have written, within a transaction that reads it afterwards.
   *
   * @throws {UnreadableText} where a text of it is no UTF-8, which has to be replaced first.
   */
  #lookAtTexts(): void {
    if (this.#readable === undefined) return;
    const version = this.version();
    if (version === this.#readable.version) return;
    const changed = this.#changedByOthers();
    const texts =
      changed === undefined ? unreadableTexts(this.db) : unreadableChanges(this.db, changed);
    if (texts.length > 0) throw new UnreadableText(texts);
    this.#readable = { version, change: this.changeRange().last };
  }

  /**
   * Looks at the tables of a statement that the change log does not tell of, once after each commit
   * of others.
   *
   * @throws {UnreadableText} as `#lookAtTexts`.
   */
  #lookAtUnlogged(sql: string): void {
    if (this.#readable === undefined) return;
    let tables = this.#unlogged.get(sql);
    if (tables === undefined) {
      tables = unloggedIn(sql);
      this.#unlogged.set(sql, tables);
    }
    if (tables.length === 0) return;
    const version = this.version();
    const due = tables.filter((table) => this.#lookedAt.get(table) !== version);
    if (due.length === 0) return;
    const texts = unreadableIn(this.db, due);
    if (texts.length > 0) throw new UnreadableText(texts);
    for (const table of due) this.#lookedAt.set(table, version);
  }

  /** What may hold such texts; undefined for everything, where the log does not reach back. */
  #changedByOthers(): Changed | undefined {
    const { first, last } = this.changeRange();
    const from = (this.#readable?.change ?? 0) + 1;
    const isLogged = last < from || (first !== 0 && first <= from);
    return isLogged ? { first: from, last, writer: this.writer } : undefined;
  }

  version(): number {
    const [row] = this.prepared("PRAGMA data_version").all() as [{ data_version: number }];
    return row.data_version;
  }

  /** Copies the whole database, as it is at one moment, into a file that is not there yet. */
  copyTo(file: string): void {
    this.db.prepare("VACUUM INTO ?").run(file);
  }

  scrub(nodeId: string): void {
    this.checkPlace();
    scrubIn(this.db, this.#file, nodeId);
    this.checkPlace();
  }

  override close(): void {
    if (this.#files?.areInPlace === false) {
      abandoned.push(this.#database);
      return;
    }
    try {
      // What is in the log goes into the file, so that the file alone is the whole database.
      if (this.#isOwner) this.db.exec("PRAGMA wal_checkpoint(TRUNCATE)");
    } finally {
      super.close();
    }
  }
}

/** Up to where all texts of a database are known to be readable. */
interface Readable {
  /** Of the database, as this connection sees it. */
  version: number;
  /** The last entry of the change log. */
  change: number;
}

/** Rids a database of what is left of a memory, and of those whose purge was begun. */
function scrubIn(db: Connection, file: string, nodeId: string): void {
  db.exec("PRAGMA secure_delete = ON");
  for (const [table, column] of TEXTS_ABOUT) {
    db.prepare(
      `DELETE FROM ${table} WHERE ${column} = ? OR ${column} IN (SELECT id FROM nous_purges)`,
    ).run(nodeId);
  }
  // Words of what was deleted stay in a full-text index until it merges them away.
  db.exec("INSERT INTO nodes_fts(nodes_fts) VALUES ('rebuild')");
  db.exec("VACUUM");
  const [{ busy }] = db.prepare("PRAGMA wal_checkpoint(TRUNCATE)").all() as [{ busy: number }];
  db.exec("PRAGMA secure_delete = OFF");
  if (busy !== 0) {
    const message = "The database's log could not be emptied: another program is reading it.";
    throw new StorageError(message, { code: "SQLITE_BUSY" });
  }
  for (const copy of copiesOf(file)) rmSync(copy);
  db.exec("DELETE FROM nous_purges");
}

/**
 * Does what `LibsqlStorage.scrub` does, by a connection of its own: for a thread that has the time.
 */
export function scrubFile(file: string, durability: Durability, nodeId: string): void {
  const db = new Database(file);
  try {
    settle(db, durability);
    scrubIn(db, file, nodeId);
  } finally {
    db.close();
  }
}

function openFile(
  file: string,
  {
    durability,
    tell = () => {},
    migrates = true,
    readsRows = true,
    replacesTexts = true,
  }: LibsqlOptions,
): { db: Database.Database; readable: Readable | undefined } {
  const isInMemory = file === IN_MEMORY;
  let db: Database.Database | undefined;
  try {
    if (!isInMemory) seeToFile(file);
    db = new Database(file);
    db.exec(`PRAGMA busy_timeout = ${BUSY_TIMEOUT}`);
    let readable: Readable | undefined;
    if (!isInMemory) {
      checkMeta(db);
      if (readsRows) {
        // What comes after this is looked at once more.
        readable = readableFrom(db);
        makeReadable(db, replacesTexts, tell);
      }
    }
    if (migrates) migrate(db, file, isInMemory, tell);
    else if (schemaOf(db) === 0)
      throw new StorageError(`The database ${file} has not been migrated yet.`);
    else readWithAdded(db);
    if (migrates && !isInMemory) settle(db, durability);
    return { db, readable };
  } catch (error) {
    db?.close();
    throw StorageError.of(error, `The database ${file} cannot be opened`);
  }
}

function readableFrom(db: Database.Database): Readable {
  const [{ data_version: version }] = db.prepare("PRAGMA data_version").all() as [
    { data_version: number },
  ];
  const hasLog =
    db.prepare("SELECT 1 FROM sqlite_master WHERE name = 'change_log'").all().length > 0;
  const last = hasLog ? db.prepare("SELECT max(sequence) AS last FROM change_log").all() : [];
  return { version, change: (last as { last: number | null }[])[0]?.last ?? 0 };
}

/** Sees to it that all texts can be read. */
function makeReadable(
  db: Database.Database,
  replaces: boolean,
  tell: (what: string) => void,
): void {
  const texts = unreadableTexts(db);
  if (texts.length === 0) return;
  if (!replaces || schemaOf(db) > SCHEMA) throw new UnreadableText(texts);
  tell(`Texts are no UTF-8, and were replaced in ${namesOf(replaceTexts(db))}`);
}

function settle(db: Database.Database, durability: Durability): void {
  for (const [pragma, set, is] of settingsOf(durability)) {
    db.exec(`PRAGMA ${pragma} = ${set}`);
    const [row] = db.prepare(`PRAGMA ${pragma}`).all() as Row[];
    const found = Object.values(row ?? {})[0];
    if (found !== is) throw new StorageError(`${pragma} is ${found} after it was set to ${set}.`);
  }
  // The first read makes the log and its index.
  db.prepare("SELECT count(*) FROM sqlite_master").all();
}

/**
 * Makes a database where there is none. It comes into its place whole, so that one which is empty,
 * or whose log alone is there, was cut off by somebody: that must not become a memory without
 * memories.
 *
 * @throws {StorageError} for such a one, and if a folder has the place of a file.
 */
function seeToFile(file: string): void {
  refuseFolders(file);
  const bytes = statSync(file, { throwIfNoEntry: false })?.size;
  const mend = "restore a backup, or delete the agent to begin anew";
  if (bytes === 0)
    throw new StorageError(`The database ${file} is empty, and was not when it was made: ${mend}.`);
  if (bytes !== undefined) return;
  if ((statSync(logOf(file), { throwIfNoEntry: false })?.size ?? 0) > 0) {
    throw new StorageError(`The database ${file} is gone, and its log is still there: ${mend}.`);
  }
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  // SQLite would say no more than that it cannot open a file there.
  accessSync(dirname(file), constants.W_OK);
  const unfinished = `${file}.${randomUUID()}.tmp`;
  const db = new Database(IN_MEMORY);
  try {
    migrate(db, file, true, () => {});
    db.prepare("VACUUM INTO ?").run(unfinished);
  } finally {
    db.close();
  }
  moveIfFree(unfinished, file);
}

/** An entry of the change log as it is stored. */
interface LoggedChange {
  sequence: number;
  entity: Change["entity"];
  /** An id; of several, a JSON array. */
  id: string;
}

const changeOf = ({ sequence, entity, id }: LoggedChange): Change => ({
  sequence,
  entity,
  ids: entity === "soft" ? idsOf(id) : [id],
});

/** Somebody else may have written something else. */
function idsOf(json: string): string[] {
  try {
    const ids: unknown = JSON.parse(json);
    return Array.isArray(ids) ? ids.filter((id) => typeof id === "string") : [];
  } catch {
    return [];
  }
}

/** What is bound in `PAGE`; a limit of -1 is none. */
const boundsOf = ({
  after = Number.MIN_SAFE_INTEGER,
  limit = -1,
}: Page): [after: number, limit: number] => [after, limit];

/** The conditions of a filter on `nodes`, and what is bound in them. */
function conditionsOf(filter: NodeFilter): { conditions: string[]; values: unknown[] } {
  const conditions: string[] = [];
  const values: unknown[] = [];
  const add = (condition: string, ...bound: unknown[]) => {
    conditions.push(condition);
    values.push(...bound);
  };
  if (filter.type !== undefined) add("nodes.type = ?", filter.type);
  if (filter.subtype !== undefined) add("nodes.subtype = ?", filter.subtype);
  if (filter.subtypes !== undefined) {
    add(
      `coalesce(nodes.subtype, '') IN ${LISTED}`,
      JSON.stringify(filter.subtypes.map((subtype) => subtype ?? "")),
    );
  }
  if (filter.created_after !== undefined) add(`${CREATED_AT} >= ?`, filter.created_after);
  if (filter.created_before !== undefined) add(`${CREATED_AT} <= ?`, filter.created_before);
  if (filter.cluster_ids !== undefined && filter.cluster_ids.length > 0) {
    const members = `SELECT node_id FROM cluster_memberships WHERE cluster_id IN ${LISTED}`;
    add(`nodes.id IN (${members})`, JSON.stringify(filter.cluster_ids));
  }
  if (filter.time_range !== undefined) {
    const { by, start, end } = filter.time_range;
    const columns = {
      event: ["temporal_event_time"],
      ingestion: ["provenance_created_at"],
      any: ["temporal_event_time", "provenance_created_at"],
    }[by];
    const within = (column: string) =>
      `${isoOf(`nodes.${column}`)} BETWEEN coalesce(?, '') AND coalesce(?, '~')`;
    add(
      `(${columns.map(within).join(" OR ")})`,
      ...columns.flatMap(() => [start ?? null, end ?? null]),
    );
  }
  if (filter.lifecycle !== undefined) {
    const { state, leaving, arriving } = filter.lifecycle;
    add(
      `(coalesce(nodes.state_lifecycle, 'ACTIVE') = ? AND nodes.id NOT IN ${LISTED} OR nodes.id IN ${LISTED})`,
      state,
      JSON.stringify(leaving),
      JSON.stringify(arriving),
    );
  }
  return { conditions, values };
}
