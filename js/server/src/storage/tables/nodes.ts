// The table of memories, and the signals with which they were stored.

import { sealRows } from "../checksums.ts";
import type { SqlValue } from "../connection.ts";
import {
  type Compared,
  type ComparedRow,
  type ComparedValues,
  valuesIn,
} from "../filters/compared.ts";
import { conditionsOf, type NodeFilter } from "../filters/conditions.ts";
import { foundAt } from "../filters/operators.ts";
import { SQLITE } from "../filters/sqlite.ts";
import { NODE_COLUMNS, STORED_COLUMNS } from "../node-columns.ts";
import { allOf, type Query, raw, sql } from "../query.ts";
import type { IndexedNodeRow, NewNode, NodeChanges, NodeRow, TextRow } from "../rows.ts";
import {
  AFTER,
  advanced,
  BEFORE_ALL,
  boundsOf,
  CREATED_AT,
  eachOf,
  HAPPENED_AT,
  isId,
  LISTED,
  newestFirst,
  octetsOf,
  type Page,
  type ReadRoom,
  readWithin,
  type Sql,
} from "../sql.ts";
/** A place in the list of memories, newest first. */
export interface NodePlace {
  /** The creation time, in ISO; null if it cannot be read: such memories come last. */
  listed_at: string | null;
  sequence: number;
}

/** A place in the timeline. */
export interface TimelinePlace {
  /** When it happened, in ISO. */
  at: string;
  sequence: number;
}

/** A part of the timeline. Times are ISO 8601 in UTC, bounds inclusive. */
export interface TimelinePage {
  from?: string | undefined;
  to?: string | undefined;
  order: "asc" | "desc";
  limit: number;
  after?: TimelinePlace | undefined;
  room?: ReadRoom | undefined;
}

/**
 * Returns the bounds of the times of a page. The place that it begins after is a bound, too: SQLite
 * finds it in the index by a bound of its own, and not by the place.
 */
function boundsOfTimeline({ from, to, order, after }: Omit<TimelinePage, "limit" | "room">): {
  first: string | undefined;
  last: string | undefined;
} {
  const at = after?.at;
  if (at === undefined) return { first: from, last: to };
  return order === "asc"
    ? { first: from !== undefined && from > at ? from : at, last: to }
    : { first: from, last: to !== undefined && to < at ? to : at };
}

/** A memory in short. */
export interface NodeBrief {
  id: string;
  type: string | null;
  subtype: string | null;
  /** The beginning of the title. */
  title: string | null;
}

/** Characters of the title of a memory in short. */
export const MAX_BRIEF = 200;

/** A memory as a graph shows it. */
export interface GraphNode {
  sequence: number;
  id: string;
  type: string;
  subtype: string | null;
  title: string;
  summary: string | null;
  created_at: string | null;
}

const CHANGEABLE = STORED_COLUMNS.filter((it) => it !== "id" && it !== "version");
const NODE = `nodes.rowid AS sequence, ${NODE_COLUMNS.map((column) => `nodes.${column}`).join(", ")}`;
const TEXTS_OF_NODE = ["content_title", "content_summary", "content_body"];
const TEXT =
  "rowid AS sequence, id, subtype, content_title, content_summary, content_body, temporal_event_time, tags";
const INDEXED_NODE = `${NODE}, embedding_vector, (SELECT json_group_array(cluster_id) FROM cluster_memberships
  WHERE cluster_memberships.node_id = nodes.id AND typeof(cluster_id) = 'text') AS clusters`;
const INSERT_NODE = `INSERT INTO nodes (${STORED_COLUMNS.join(", ")}) VALUES (${STORED_COLUMNS.map(() => "?").join(", ")}) RETURNING ${NODE}`;
/** Binds two values for each column: whether it changes, and the new value. */
const UPDATE_NODE = `UPDATE nodes SET version = coalesce(version, 0) + 1,
  ${CHANGEABLE.map((column) => `${column} = CASE WHEN ? THEN ? ELSE ${column} END`).join(", ")}
  WHERE id = ? RETURNING ${NODE}`;
/** The summaries that consolidation wrote of a memory. */
const SUMMARIES_OF = `SELECT nodes.id FROM edges JOIN nodes ON nodes.id = edges.source_id
  WHERE edges.target_id = ? AND edges.type = 'summarizes' AND nodes.provenance_source = 'consolidation'`;
/** Memories of a batch of values that filters compare. */
const COMPARED_AT_ONCE = 10_000;

/** The table of memories. */
export class NodeTable {
  readonly #sql: Sql;

  constructor(sql: Sql) {
    this.#sql = sql;
  }

  /**
   * Inserts a memory. If a memory with the same id was deleted, the version goes on from its last
   * one. Returns its row.
   */
  insert(node: NewNode): NodeRow {
    const last = this.#sql.first<{ version: number }>(
      "SELECT version FROM deleted_versions WHERE id = ?",
      node.id,
    )?.version;
    const version = (node.version ?? 0) + (last ?? 0);
    return this.#sql.first<NodeRow>(
      INSERT_NODE,
      ...STORED_COLUMNS.map((column) => (column === "version" ? version : node[column])),
    )!;
  }

  /**
   * Changes a memory and raises its version by one. Returns undefined if there is no such memory.
   */
  update(id: string, changes: NodeChanges): NodeRow | undefined {
    return this.#sql.first<NodeRow>(
      UPDATE_NODE,
      ...CHANGEABLE.flatMap((column) => [
        column in changes ? 1 : 0,
        (changes as Record<string, SqlValue>)[column] ?? null,
      ]),
      id,
    );
  }

  /**
   * Deletes a memory with its edges and memberships, and the summaries that consolidation wrote of it:
   * they quote it. Returns whether it was there.
   */
  delete(id: string): boolean {
    const summaries = this.#sql.all<{ id: string }>(SUMMARIES_OF, id);
    for (const summary of summaries) this.#deleteOne(summary.id);
    return this.#deleteOne(id);
  }

  #deleteOne(id: string): boolean {
    this.#sql.run("DELETE FROM cluster_memberships WHERE node_id = ?", id);
    return this.#sql.all("DELETE FROM nodes WHERE id = ? RETURNING id", id).length > 0;
  }

  find(id: string): NodeRow | undefined {
    return this.#sql.first(`SELECT ${NODE} FROM nodes WHERE id = ?`, id);
  }

  /** Returns those of these memories that exist, in no order. */
  of(ids: readonly string[]): NodeRow[] {
    return this.#sql.all(`SELECT ${NODE} FROM nodes WHERE id IN ${LISTED}`, JSON.stringify(ids));
  }

  /** Returns those of these memories that exist in short, in no order. */
  briefs(ids: readonly string[]): NodeBrief[] {
    return this.#sql.all(
      `SELECT id, type, subtype, substr(content_title, 1, ${MAX_BRIEF}) AS title
       FROM nodes WHERE id IN ${LISTED}`,
      JSON.stringify(ids),
    );
  }

  /** Returns the ids of those memories that pass a filter, in no order. */
  passing(ids: readonly string[], filter: NodeFilter): string[] {
    return this.#ids([SQLITE.isAmong(raw("id"), ids), ...conditionsOf(SQLITE, filter)]);
  }

  /**
   * Returns the ids of all memories that pass a filter, in no order; undefined if the filter has no
   * condition.
   */
  matching(filter: NodeFilter): string[] | undefined {
    const conditions = conditionsOf(SQLITE, filter);
    return conditions.length === 0 ? undefined : this.#ids([raw(isId("id")), ...conditions]);
  }

  #ids(conditions: readonly Query[]): string[] {
    const { marked, values } = sql`SELECT id FROM nodes WHERE ${allOf(conditions)}`;
    const rows = this.#sql.all<{ id: string }>(marked, ...(values as SqlValue[]));
    return rows.map(({ id }) => id);
  }

  /**
   * Returns the ids of the first memories after a sequence number, the last one's sequence number, and
   * how many are left.
   */
  after(sequence: number, limit: number): { ids: string[]; last: number; left: number } {
    const where = `FROM nodes WHERE rowid > ? AND ${isId("id")}`;
    const rows = this.#sql.all<{ id: string; sequence: number }>(
      `SELECT id, rowid AS sequence ${where} ORDER BY rowid LIMIT ?`,
      sequence,
      limit,
    );
    const last = rows.at(-1)?.sequence ?? sequence;
    const { count } = this.#sql.first<{ count: number }>(
      `SELECT count(*) AS count ${where}`,
      last,
    )!;
    return { ids: rows.map(({ id }) => id), last, left: count };
  }

  /** Returns the earliest time at which a memory expires; null if none does. */
  nextExpiry(): string | null {
    return this.#sql.first<{ at: string | null }>(
      "SELECT min(expires_at) AS at FROM nodes WHERE expires_at IS NOT NULL",
    )!.at;
  }

  /** Returns the ids of memories that have expired by `now`, in ISO, the earliest first. */
  expired(now: string, limit: number): string[] {
    const sql =
      "SELECT id FROM nodes WHERE expires_at IS NOT NULL AND expires_at <= ? ORDER BY expires_at LIMIT ?";
    return this.#sql.all<{ id: string }>(sql, now, limit).map(({ id }) => id);
  }

  /** Returns how many bytes the texts of each of these memories take, by id. */
  octets(ids: readonly string[]): Map<string, number> {
    const sizes = `SELECT id, ${octetsOf(TEXTS_OF_NODE)} AS octets FROM nodes WHERE id IN ${LISTED}`;
    const rows = this.#sql.all<{ id: string; octets: number }>(sizes, JSON.stringify(ids));
    return new Map(rows.map(({ id, octets }) => [id, octets]));
  }

  /**
   * Returns memories, newest first, and then those without a time. `room` limits how many bytes of
   * text are read.
   */
  list(filter: NodeFilter, limit: number, after?: NodePlace, room?: ReadRoom): NodeRow[] {
    const at = raw(CREATED_AT);
    const own = [raw(isId("id")), ...conditionsOf(SQLITE, filter)];
    return newestFirst({ limit, after, room }, (isTimed, most, within) => {
      // The index takes the first bound alone.
      const part = !isTimed
        ? [
            sql`${at} IS NULL`,
            ...(after?.listed_at === null ? [sql`rowid < ${after.sequence}`] : []),
          ]
        : after === undefined
          ? [sql`${at} IS NOT NULL`]
          : [
              sql`${at} <= ${after.listed_at}`,
              sql`(${at}, rowid) < (${after.listed_at}, ${after.sequence})`,
            ];
      const order = raw(isTimed ? `${CREATED_AT} DESC, rowid DESC` : "rowid DESC");
      const from = sql`FROM nodes WHERE ${allOf([...own, ...part])} ORDER BY ${order}`;
      return this.#whole(from, most, within);
    });
  }

  /** Returns whole memories up to a limit, by a statement that is given without its columns. */
  #whole({ marked, values }: Query, limit: number, room: ReadRoom | undefined): NodeRow[] {
    const what = { columns: NODE, texts: TEXTS_OF_NODE, from: marked };
    return readWithin(this.#sql, what, values as SqlValue[], limit, room);
  }

  /** Returns the place of a memory in the list of `list`. */
  placeOf(sequence: number): NodePlace {
    return this.#sql.first(
      `SELECT ${CREATED_AT} AS listed_at, rowid AS sequence FROM nodes WHERE rowid = ?`,
      sequence,
    )!;
  }

  /** Returns memories in the order of when things happened, those without a readable time left out. */
  timeline(filter: NodeFilter, { from, to, order, limit, after, room }: TimelinePage): NodeRow[] {
    const [isBeyond, direction] = order === "asc" ? [">", "ASC"] : ["<", "DESC"];
    const at = raw(HAPPENED_AT);
    const { first, last } = boundsOfTimeline({ from, to, order, after });
    const where = allOf([
      raw(isId("id")),
      sql`${at} IS NOT NULL`,
      ...conditionsOf(SQLITE, filter),
      ...(first === undefined ? [] : [sql`${at} >= ${first}`]),
      ...(last === undefined ? [] : [sql`${at} <= ${last}`]),
      ...(after === undefined
        ? []
        : [sql`(${at}, rowid) ${raw(isBeyond)} (${after.at}, ${after.sequence})`]),
    ]);
    const ordered = raw(`ORDER BY ${HAPPENED_AT} ${direction}, rowid ${direction}`);
    return this.#whole(sql`FROM nodes WHERE ${where} ${ordered}`, limit, room);
  }

  /** Returns the place of a memory in the timeline. */
  timeOf(sequence: number): TimelinePlace {
    return this.#sql.first(
      `SELECT ${HAPPENED_AT} AS at, rowid AS sequence FROM nodes WHERE rowid = ?`,
      sequence,
    )!;
  }

  /** Returns memories whose title or body matches an SQL pattern, newest first. */
  like(pattern: string, limit: number): NodeRow[] {
    const like = `(content_title LIKE ? OR content_body LIKE ?) AND ${isId("id")}`;
    const newest = `ORDER BY ${CREATED_AT} DESC, rowid DESC LIMIT ?`;
    return this.#sql.all(
      `SELECT ${NODE} FROM nodes WHERE ${like} ${newest}`,
      pattern,
      pattern,
      limit,
    );
  }

  /**
   * Returns what filters compare of memories, in batches: of all memories, or of those of these
   * ids.
   */
  *compared(compared: Compared, ids?: readonly string[]): Iterable<ComparedValues> {
    const value = foundAt(SQLITE, compared).json;
    const batchOf = (rows: Query) => {
      const { marked, values } = sql`SELECT max(sequence) AS last,
        json_group_array(id) FILTER (WHERE value IS NOT NULL) AS ids,
        '[' || group_concat(value) || ']' AS list
        FROM (SELECT rowid AS sequence, id, ${value} AS value FROM nodes
          WHERE ${raw(isId("id"))} AND ${rows})`;
      return this.#sql.first<ComparedRow & { last: number | null }>(
        marked,
        ...(values as SqlValue[]),
      )!;
    };
    if (ids !== undefined) {
      yield valuesIn(batchOf(SQLITE.isAmong(raw("id"), ids)));
      return;
    }
    let after = BEFORE_ALL;
    for (;;) {
      const batch = batchOf(sql`rowid > ${after} ORDER BY rowid LIMIT ${COMPARED_AT_ONCE}`);
      if (batch.last === null) return;
      yield valuesIn(batch);
      after = advanced(after, batch.last);
    }
  }

  /** Returns whether a memory has this subtype. */
  hasSubtype(subtype: string): boolean {
    return this.#sql.all("SELECT 1 FROM nodes WHERE subtype = ? LIMIT 1", subtype).length > 0;
  }

  /** Returns each subtype in use once; null, for no subtype, is always among them. */
  subtypes(): (string | null)[] {
    const rows = this.#sql.all<{ name: string | null }>(
      `${eachOf("nodes", "subtype")} WHERE name IS NULL OR name <> ''`,
    );
    return rows.map(({ name }) => name);
  }

  /** Returns all memories of these subtypes, in order. */
  ofSubtypes(subtypes: readonly string[]): NodeRow[] {
    const sql = `SELECT ${NODE} FROM nodes WHERE subtype IN ${LISTED} AND id IS NOT NULL ORDER BY rowid`;
    return this.#sql.all(sql, JSON.stringify(subtypes));
  }

  /** Returns the texts of all memories of these subtypes, in order. */
  textsOfSubtypes(subtypes: readonly string[]): TextRow[] {
    return this.#sql.all(
      `SELECT ${TEXT} FROM nodes WHERE subtype IN ${LISTED} AND ${isId("id")} ORDER BY rowid`,
      JSON.stringify(subtypes),
    );
  }

  /** Counts the memories in each stored state, without those of `except`. */
  countStates(except: readonly string[]): { state: string; count: number }[] {
    return this.#sql.all(
      `SELECT coalesce(state_lifecycle, 'ACTIVE') AS state, count(*) AS count FROM nodes
       WHERE ${isId("id")} AND id NOT IN ${LISTED} GROUP BY 1`,
      JSON.stringify(except),
    );
  }

  /** Returns the ids of memories in order. */
  inOrder(page: Page = {}): { sequence: number; id: string }[] {
    const what = {
      columns: "rowid AS sequence, id",
      texts: ["id"],
      from: `FROM nodes WHERE ${isId("id")} AND ${AFTER}`,
    };
    const [after, limit] = boundsOf(page);
    return readWithin(this.#sql, what, [after], limit, page.room);
  }

  /** Returns memories in order, without their bodies. */
  graph(page: Page = {}): GraphNode[] {
    const columns =
      "rowid AS sequence, id, type, subtype, content_title AS title, content_summary AS summary, created_at";
    const what = {
      columns,
      texts: ["content_title", "content_summary"],
      from: `FROM nodes WHERE ${isId("id")} AND ${AFTER}`,
    };
    const [after, limit] = boundsOf(page);
    return readWithin(this.#sql, what, [after], limit, page.room);
  }

  /**
   * Returns memories as the index takes them, in batches: all of them in order, or those of these
   * ids.
   */
  *indexed(ids?: readonly string[]): Iterable<IndexedNodeRow[]> {
    if (ids !== undefined) {
      yield this.#sql.all(
        `SELECT ${INDEXED_NODE} FROM nodes WHERE id IN ${LISTED}`,
        JSON.stringify(ids),
      );
      return;
    }
    const page = `SELECT ${INDEXED_NODE} FROM nodes WHERE rowid > ? AND ${isId("id")} ORDER BY rowid LIMIT ?`;
    yield* this.#sql.pages<IndexedNodeRow>(page);
  }

  /** Returns the texts of all memories in order, in batches. */
  *texts(): Iterable<TextRow[]> {
    yield* this.#sql.pages<TextRow>(
      `SELECT ${TEXT} FROM nodes WHERE rowid > ? AND ${isId("id")} ORDER BY rowid LIMIT ?`,
    );
  }

  /**
   * Returns memories with a text that contains a LIKE pattern, newest first. `lifecycle` is
   * compared with the stored state.
   */
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
    const given = Object.entries({ type, subtype, state_lifecycle: lifecycle }).flatMap(
      ([column, value]) => (value === undefined ? [] : [[column, value] as const]),
    );
    const where = [
      `(${texts.map((column) => `nodes.${column} LIKE ?`).join(" OR ")})`,
      ...given.map(([column]) => `nodes.${column} = ?`),
    ];
    return this.#sql.all(
      `SELECT ${NODE} FROM nodes WHERE ${where.join(" AND ")} ORDER BY nodes.created_at DESC LIMIT ?`,
      ...texts.map(() => `%${pattern}%`),
      ...given.map(([, value]) => value),
      limit,
    );
  }

  /** Returns the signals with which memories were stored, as JSON by id. */
  signals(nodeIds: readonly string[]): Map<string, string> {
    const of = `SELECT node_id, signals FROM node_signals WHERE node_id IN ${LISTED}`;
    const rows = this.#sql.all<{ node_id: string; signals: string }>(of, JSON.stringify(nodeIds));
    return new Map(rows.map(({ node_id, signals }) => [node_id, signals]));
  }

  addSignals(nodeId: string, json: string): void {
    this.#sql.run("INSERT INTO node_signals VALUES (?, ?)", nodeId, json);
  }

  /** Stores the checksums of memories as this transaction leaves them; see `checksums.ts`. */
  seal(ids: readonly string[]): void {
    sealRows((sql) => this.#sql.prepared(sql), ids);
  }
}
