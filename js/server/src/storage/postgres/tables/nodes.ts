// The table of memories, and the signals with which they were stored.

import {
  type Compared,
  type ComparedRow,
  type ComparedValues,
  valuesIn,
} from "../../filters/compared.ts";
import { conditionsOf, type NodeFilter } from "../../filters/conditions.ts";
import type { Dialect } from "../../filters/dialect.ts";
import { foundAt } from "../../filters/operators.ts";
import { postgresOf } from "../../filters/postgres.ts";
import { NODE_COLUMNS, STORED_COLUMNS } from "../../node-columns.ts";
import { allOf, joined, type Query, raw, sql } from "../../query.ts";
import type { IndexedNodeRow, NewNode, NodeChanges, NodeRow, TextRow } from "../../rows.ts";
import { newestFirst, type Page, type ReadRoom } from "../../sql.ts";
import type { TableOf } from "../../storage.ts";
import {
  type GraphNode,
  MAX_BRIEF,
  type NodeBrief,
  type NodePlace,
  type NodeTable,
  type TimelinePage,
  type TimelinePlace,
} from "../../tables/nodes.ts";
import type { AgentRows } from "../agent-rows.ts";
import {
  boundsOf,
  CREATED_AT,
  isoOf,
  jsonOf,
  listOf,
  nextSequence,
  readWithin,
  rowsOf,
  valuesOf,
} from "../columns.ts";
import type { PostgresEmbeddings } from "./embeddings.ts";

/** Rows of a batch while a whole table is read. */
export const BATCH = 1_000;
/** Memories of a batch of values that filters compare. */
const COMPARED_AT_ONCE = 10_000;
/** How many deleted memories keep their last version. */
const KEPT_VERSIONS = 100_000;

const CHANGEABLE = STORED_COLUMNS.filter((it) => it !== "id" && it !== "version");
const NODE = listOf(["sequence", ...NODE_COLUMNS], "nodes");
const TEXTS_OF_NODE = ["content_title", "content_summary", "content_body"];
const TEXT = raw(
  "sequence, id, subtype, content_title, content_summary, content_body, temporal_event_time, tags",
);
/** When something happened: the time of the event, or else that of the creation. */
const HAPPENED_AT = sql`coalesce(${isoOf("temporal_event_time")}, ${CREATED_AT})`;
/** The texts from which an embedding is made. */
const EMBEDDED = ["type", "subtype", "content_title", "content_summary", "content_body"];

/** What a write changed of a memory, as far as its embedding depends on it. */
interface Changed {
  text_changed: boolean;
  vector_changed: boolean;
  is_bare: boolean;
  /** Whether there was no such memory before. */
  is_new: boolean;
}

/** Returns what filters compare: the tags and the metadata, as far as they are JSON. */
export function comparedOf({ tags, metadata }: Readonly<Record<string, unknown>>): {
  tag_names: string[] | null;
  facts: string | null;
} {
  const names = parsed(tags);
  const facts = parsed(metadata);
  return {
    tag_names: Array.isArray(names) ? names.filter((one) => typeof one === "string") : null,
    facts: facts === undefined ? null : jsonOf(facts),
  };
}

function parsed(json: unknown): unknown {
  if (typeof json !== "string") return undefined;
  try {
    return JSON.parse(json);
  } catch {
    return undefined;
  }
}

/** The table of memories. */
export class PostgresNodes implements TableOf<NodeTable> {
  readonly #rows: AgentRows;
  readonly #embeddings: PostgresEmbeddings;
  readonly #own: Query;
  readonly #dialect: Dialect;
  /** The version of the database that was read last. */
  readAt: number | undefined;
  /** Which subtypes memories have, as far as that was asked `at` a state of the memories. */
  #subtypes = { at: "", known: new Map<string, boolean>() };

  constructor(rows: AgentRows, embeddings: PostgresEmbeddings) {
    this.#rows = rows;
    this.#embeddings = embeddings;
    this.#own = sql`nodes.agent = ${rows.agent}`;
    this.#dialect = postgresOf(rows.agent);
  }

  insert(node: NewNode): NodeRow {
    const { agent } = this.#rows;
    const row = { ...node, ...comparedOf(node) };
    const before = sql`SELECT version FROM nous.deleted_versions WHERE agent = ${agent}
      AND id = ${node.id}`;
    const columns = [...STORED_COLUMNS, "tag_names", "facts"].filter((name) => name !== "version");
    return this.#rows.writing(() => {
      const [inserted] = this.#rows.change<NodeRow>(sql`
        INSERT INTO nous.nodes (agent, sequence, version, ${listOf(columns)})
        VALUES (${agent}, ${nextSequence("nodes", agent)},
          ${node.version ?? 0} + coalesce((${before}), 0), ${valuesOf(columns, row)})
        RETURNING ${NODE}`);
      this.#rows.note("node", [node.id], "stored");
      if (node.embedding_vector === null) this.#embeddings.queue([node.id]);
      return inserted!;
    });
  }

  update(id: string, changes: NodeChanges): NodeRow | undefined {
    const given = changes as Readonly<Record<string, unknown>>;
    const compared = comparedOf(given);
    const sets = [
      ...CHANGEABLE.filter((column) => column in given).map(
        (column) => sql`${raw(column)} = ${given[column] ?? null}`,
      ),
      ...("tags" in given ? [sql`tag_names = ${compared.tag_names}`] : []),
      ...("metadata" in given ? [sql`facts = ${compared.facts}`] : []),
    ];
    return this.#rows.writing(() => {
      const [row] = this.#rows.change<NodeRow & Changed>(sql`
        WITH old AS (SELECT * FROM nous.nodes WHERE ${this.#own} AND id = ${id})
        UPDATE nous.nodes SET version = coalesce(nodes.version, 0) + 1
          ${joined([raw(""), ...sets], ", ")}
        FROM old WHERE ${this.#own} AND nodes.id = old.id RETURNING ${NODE}, ${CHANGES}`);
      if (row === undefined) return undefined;
      this.#changed([row]);
      const { text_changed: _t, vector_changed: _v, is_bare: _b, is_new: _n, ...updated } = row;
      return updated as NodeRow;
    });
  }

  /** Notes changed rows, and queues those that need an embedding now. */
  #changed(rows: readonly ({ id: string } & Changed)[]): void {
    const idsOf = (isWanted: (row: Changed) => boolean) =>
      rows.flatMap((row) => (isWanted(row) ? row.id : []));
    for (const { id, is_new } of rows) this.#rows.note("node", [id], is_new ? "stored" : "changed");
    this.#embeddings.forgetNextOf(idsOf(({ text_changed }) => text_changed));
    this.#embeddings.leave(idsOf(({ vector_changed }) => vector_changed));
    this.#embeddings.queue(
      idsOf(({ text_changed, vector_changed, is_bare }) =>
        vector_changed ? is_bare : text_changed,
      ),
    );
  }

  delete(id: string): boolean {
    return this.#rows.writing(() => {
      const { agent } = this.#rows;
      const summaries = this.#rows.all<{ id: string }>(sql`
        SELECT nodes.id FROM nous.edges JOIN nous.nodes ON nodes.agent = ${agent}
        AND nodes.id = edges.source_id
        WHERE edges.agent = ${agent} AND edges.target_id = ${id} AND edges.type = 'summarizes'
          AND nodes.provenance_source = 'consolidation'`);
      for (const summary of summaries) this.#deleteOne(summary.id);
      return this.#deleteOne(id);
    });
  }

  #deleteOne(id: string): boolean {
    const { agent } = this.#rows;
    const own = sql`agent = ${agent}`;
    const isPending = raw("coalesce(status, 'pending') = 'pending'");
    const { edges, members } = this.#rows.change<{ edges: string[]; members: string[] }>(sql`
      WITH gone AS (DELETE FROM nous.edges WHERE ${own} AND (source_id = ${id} OR target_id = ${id})
      RETURNING id),
        left_clusters AS (DELETE FROM nous.cluster_memberships WHERE ${own} AND node_id = ${id}
        RETURNING node_id)
      SELECT coalesce((SELECT array_agg(id ORDER BY id) FROM gone), '{}') AS edges,
        coalesce((SELECT array_agg(node_id) FROM left_clusters), '{}') AS members`)[0]!;
    this.#rows.note("edge", edges, "unlinked");
    this.#rows.note("node", members);
    const deleted = this.#rows.change<{ version: number | null }>(sql`
      WITH pending AS (DELETE FROM nous.conflict_queue WHERE ${own} AND ${isPending}
          AND (old_node_id = ${id} OR new_node_id = ${id} AND coalesce(new_content, '') = '')),
        untied AS (UPDATE nous.conflict_queue SET new_node_id = NULL WHERE ${own} AND ${isPending}
          AND new_node_id = ${id} AND old_node_id IS DISTINCT FROM ${id}
          AND coalesce(new_content, '') <> ''),
        outcomes AS (DELETE FROM nous.playbook_outcomes WHERE ${own} AND (playbook_id = ${id}
        OR entry_id = ${id})),
        queued AS (DELETE FROM nous.embedding_queue WHERE ${own} AND node_id = ${id}),
        next AS (DELETE FROM nous.next_embeddings WHERE ${own} AND node_id = ${id})
      DELETE FROM nous.nodes WHERE ${this.#own} AND id = ${id} RETURNING version`);
    if (deleted.length === 0) return false;
    this.#rows.note("node", [id], "deleted");
    this.#rows.change(sql`
      WITH dropped AS (DELETE FROM nous.deleted_versions WHERE ${own}
        AND sequence <= (SELECT max(sequence) FROM nous.deleted_versions
        WHERE ${own}) - ${KEPT_VERSIONS})
      INSERT INTO nous.deleted_versions (agent, id, sequence, version)
      VALUES (${agent}, ${id}, ${nextSequence("deleted_versions", agent)},
      ${deleted[0]!.version ?? 0})
      ON CONFLICT (agent, id) DO UPDATE SET sequence = excluded.sequence, version = excluded.version`);
    return true;
  }

  find(id: string): NodeRow | undefined {
    return this.#rows.first(sql`SELECT ${NODE} FROM nous.nodes WHERE ${this.#own} AND id = ${id}`);
  }

  of(ids: readonly string[]): NodeRow[] {
    return this.#rows.all(
      sql`SELECT ${NODE} FROM nous.nodes WHERE ${this.#own} AND id = ANY(${ids}::text[])`,
    );
  }

  briefs(ids: readonly string[]): NodeBrief[] {
    return this.#rows.all(sql`
      SELECT id, type, subtype, left(content_title, ${MAX_BRIEF}) AS title
      FROM nous.nodes WHERE ${this.#own} AND id = ANY(${ids}::text[])`);
  }

  passing(ids: readonly string[], filter: NodeFilter): string[] {
    const where = [sql`nodes.id = ANY(${ids}::text[])`, ...conditionsOf(this.#dialect, filter)];
    return this.#ids(allOf(where));
  }

  matching(filter: NodeFilter): string[] | undefined {
    const conditions = conditionsOf(this.#dialect, filter);
    return conditions.length === 0 ? undefined : this.#ids(allOf(conditions));
  }

  #ids(where: Query): string[] {
    return this.#rows
      .all<{ id: string }>(sql`SELECT id FROM nous.nodes WHERE ${this.#own} AND ${where}`)
      .map(({ id }) => id);
  }

  after(sequence: number, limit: number): { ids: string[]; last: number; left: number } {
    const rows = this.#rows.all<{ id: string; sequence: number }>(
      sql`SELECT id, sequence FROM nous.nodes WHERE ${this.#own} AND sequence > ${sequence}
        ORDER BY sequence LIMIT ${limit}`,
    );
    const last = rows.at(-1)?.sequence ?? sequence;
    const { count } = this.#rows.first<{ count: number }>(
      sql`SELECT count(*) AS count FROM nous.nodes WHERE ${this.#own} AND sequence > ${last}`,
    )!;
    return { ids: rows.map(({ id }) => id), last, left: count };
  }

  nextExpiry(): string | null {
    return this.#rows.first<{ at: string | null }>(
      sql`SELECT min(expires_at) AS at FROM nous.nodes WHERE ${this.#own}
        AND expires_at IS NOT NULL`,
    )!.at;
  }

  expired(now: string, limit: number): string[] {
    return this.#rows
      .all<{ id: string }>(
        sql`SELECT id FROM nous.nodes WHERE ${this.#own} AND expires_at IS NOT NULL
          AND expires_at <= ${now}
          ORDER BY expires_at LIMIT ${limit}`,
      )
      .map(({ id }) => id);
  }

  octets(ids: readonly string[]): Map<string, number> {
    const octets = raw(
      TEXTS_OF_NODE.map((text) => `coalesce(octet_length(${text}), 0)`).join(" + "),
    );
    const rows = this.#rows.all<{ id: string; octets: number }>(
      sql`SELECT id, ${octets} AS octets FROM nous.nodes WHERE ${this.#own}
        AND id = ANY(${ids}::text[])`,
    );
    return new Map(rows.map((row) => [row.id, row.octets]));
  }

  list(filter: NodeFilter, limit: number, after?: NodePlace, room?: ReadRoom): NodeRow[] {
    const own = [this.#own, ...conditionsOf(this.#dialect, filter)];
    return newestFirst({ limit, after, room }, (isTimed, most, within) => {
      const part = !isTimed
        ? [
            sql`${CREATED_AT} IS NULL`,
            ...(after?.listed_at === null ? [sql`sequence < ${after.sequence}`] : []),
          ]
        : after === undefined
          ? [sql`${CREATED_AT} IS NOT NULL`]
          : [sql`(${CREATED_AT}, sequence) < (${after.listed_at}, ${after.sequence})`];
      const order = isTimed ? sql`${CREATED_AT} DESC, sequence DESC` : sql`sequence DESC`;
      const from = sql`FROM nous.nodes WHERE ${allOf([...own, ...part])} ORDER BY ${order}`;
      const what = { columns: NODE, texts: TEXTS_OF_NODE, from };
      return readWithin(this.#rows, what, boundsOf({ limit: most }).limit, within);
    });
  }

  placeOf(sequence: number): NodePlace {
    return this.#rows.first(
      sql`SELECT ${CREATED_AT} AS listed_at, sequence FROM nous.nodes
        WHERE ${this.#own} AND sequence = ${sequence}`,
    )!;
  }

  timeline(filter: NodeFilter, { from, to, order, limit, after, room }: TimelinePage): NodeRow[] {
    const [beyond, direction] = order === "asc" ? [raw(">"), raw("ASC")] : [raw("<"), raw("DESC")];
    const where = allOf([
      this.#own,
      sql`${HAPPENED_AT} IS NOT NULL`,
      ...conditionsOf(this.#dialect, filter),
      ...(from === undefined ? [] : [sql`${HAPPENED_AT} >= ${from}`]),
      ...(to === undefined ? [] : [sql`${HAPPENED_AT} <= ${to}`]),
      ...(after === undefined
        ? []
        : [sql`(${HAPPENED_AT}, sequence) ${beyond} (${after.at}, ${after.sequence})`]),
    ]);
    const what = {
      columns: NODE,
      texts: TEXTS_OF_NODE,
      from: sql`FROM nous.nodes WHERE ${where}
        ORDER BY ${HAPPENED_AT} ${direction}, sequence ${direction}`,
    };
    return readWithin(this.#rows, what, boundsOf({ limit }).limit, room);
  }

  timeOf(sequence: number): TimelinePlace {
    return this.#rows.first(
      sql`SELECT ${HAPPENED_AT} AS at, sequence FROM nous.nodes
        WHERE ${this.#own} AND sequence = ${sequence}`,
    )!;
  }

  like(pattern: string, limit: number): NodeRow[] {
    return this.#rows.all(sql`
      SELECT ${NODE} FROM nous.nodes WHERE ${this.#own}
        AND (content_title ILIKE ${pattern} ESCAPE '' OR content_body ILIKE ${pattern} ESCAPE '')
      ORDER BY ${CREATED_AT} DESC NULLS LAST, sequence DESC LIMIT ${limit}`);
  }

  *compared(compared: Compared, ids?: readonly string[]): Iterable<ComparedValues> {
    const batchOf = (rows: Query) =>
      this.#rows.first<ComparedRow & { last: number | null }>(sql`
        SELECT max(sequence) AS last,
          (json_agg(id) FILTER (WHERE value IS NOT NULL))::text AS ids,
          '[' || string_agg(value, ',') || ']' AS list
        FROM (SELECT sequence, id, ${foundAt(this.#dialect, compared).json} AS value FROM nous.nodes
          WHERE ${this.#own} AND ${rows}) AS batch`)!;
    if (ids !== undefined) {
      yield valuesIn(batchOf(sql`id = ANY(${ids}::text[])`));
      return;
    }
    let after: number | null = Number.MIN_SAFE_INTEGER;
    for (;;) {
      const batch = batchOf(sql`sequence > ${after} ORDER BY sequence LIMIT ${COMPARED_AT_ONCE}`);
      if (batch.last === null) return;
      yield valuesIn(batch);
      after = batch.last;
    }
  }

  /** Outside of a transaction, the answer is that of the version that was read last, or later. */
  hasSubtype(subtype: string): boolean {
    if (this.#rows.inTransaction || this.readAt === undefined) return this.#readSubtype(subtype);
    const at = `${this.readAt} ${this.#rows.committed.nodes}`;
    if (at !== this.#subtypes.at) this.#subtypes = { at, known: new Map() };
    const { known } = this.#subtypes;
    const answer = known.get(subtype) ?? this.#readSubtype(subtype);
    known.set(subtype, answer);
    return answer;
  }

  #readSubtype(subtype: string): boolean {
    const some = sql`SELECT 1 AS one FROM nous.nodes WHERE ${this.#own} AND subtype = ${subtype}
      LIMIT 1`;
    return this.#rows.all(some).length > 0;
  }

  subtypes(): (string | null)[] {
    const names = this.#rows.all<{ name: string }>(
      sql`${eachOf(this.#rows.agent, "nodes", "subtype")} WHERE name <> ''`,
    );
    return [...names.map(({ name }) => name), null];
  }

  ofSubtypes(subtypes: readonly string[]): NodeRow[] {
    return this.#rows.all(
      sql`SELECT ${NODE} FROM nous.nodes WHERE ${this.#own} AND subtype = ANY(${subtypes}::text[])
        ORDER BY sequence`,
    );
  }

  textsOfSubtypes(subtypes: readonly string[]): TextRow[] {
    return this.#rows.all(
      sql`SELECT ${TEXT} FROM nous.nodes WHERE ${this.#own} AND subtype = ANY(${subtypes}::text[])
        ORDER BY sequence`,
    );
  }

  countStates(except: readonly string[]): { state: string; count: number }[] {
    return this.#rows.all(sql`
      SELECT coalesce(state_lifecycle, 'ACTIVE') AS state, count(*) AS count FROM nous.nodes
      WHERE ${this.#own} AND id <> ALL(${except}::text[]) GROUP BY 1`);
  }

  inOrder(page: Page = {}): { sequence: number; id: string }[] {
    const { after, limit } = boundsOf(page);
    const what = {
      columns: raw("sequence, id"),
      texts: ["id"],
      from: sql`FROM nous.nodes WHERE ${this.#own} AND sequence > ${after} ORDER BY sequence`,
    };
    return readWithin(this.#rows, what, limit, page.room);
  }

  graph(page: Page = {}): GraphNode[] {
    const { after, limit } = boundsOf(page);
    const what = {
      columns: raw(
        "sequence, id, type, subtype, content_title AS title, content_summary AS summary, created_at",
      ),
      texts: ["content_title", "content_summary"],
      from: sql`FROM nous.nodes WHERE ${this.#own} AND sequence > ${after} ORDER BY sequence`,
    };
    return readWithin(this.#rows, what, limit, page.room);
  }

  *indexed(ids?: readonly string[]): Iterable<IndexedNodeRow[]> {
    const { agent } = this.#rows;
    const clusters = sql`(SELECT '[' || coalesce(string_agg(to_json(cluster_id)::text, ','
      ORDER BY cluster_id), '') || ']'
      FROM nous.cluster_memberships
      WHERE cluster_memberships.agent = ${agent} AND cluster_memberships.node_id = nodes.id) AS clusters`;
    const columns = sql`${NODE}, embedding_vector, ${clusters}`;
    if (ids === undefined) yield* this.#pages<IndexedNodeRow>(columns);
    else
      yield this.#rows.all(
        sql`SELECT ${columns} FROM nous.nodes WHERE ${this.#own} AND id = ANY(${ids}::text[])`,
      );
  }

  *texts(): Iterable<TextRow[]> {
    yield* this.#pages<TextRow>(TEXT);
  }

  *#pages<T extends { sequence: number }>(columns: Query): Iterable<T[]> {
    let after = Number.MIN_SAFE_INTEGER;
    for (;;) {
      const rows = this.#rows.all<T>(
        sql`SELECT ${columns} FROM nous.nodes WHERE ${this.#own} AND sequence > ${after}
          ORDER BY sequence LIMIT ${BATCH}`,
      );
      if (rows.length > 0) yield rows;
      if (rows.length < BATCH) return;
      after = rows.at(-1)!.sequence;
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
    const given = Object.entries({ type, subtype, state_lifecycle: lifecycle });
    const found = `%${pattern}%`;
    const where = [
      this.#own,
      sql`(content_title ILIKE ${found} ESCAPE '' OR content_body ILIKE ${found} ESCAPE ''
        OR content_summary ILIKE ${found} ESCAPE '')`,
      ...given.flatMap(([column, value]) =>
        value === undefined ? [] : [sql`nodes.${raw(column)} = ${value}`],
      ),
    ];
    return this.#rows.all(sql`
      SELECT ${NODE} FROM nous.nodes WHERE ${allOf(where)}
      ORDER BY nodes.created_at DESC NULLS LAST LIMIT ${limit}`);
  }

  signals(nodeIds: readonly string[]): Map<string, string> {
    const rows = this.#rows.all<{ node_id: string; signals: string }>(sql`
      SELECT node_id, signals FROM nous.node_signals
      WHERE agent = ${this.#rows.agent} AND node_id = ANY(${nodeIds}::text[])`);
    return new Map(rows.map(({ node_id, signals }) => [node_id, signals]));
  }

  addSignals(nodeId: string, json: string): void {
    this.#rows.change(
      sql`INSERT INTO nous.node_signals (agent, node_id, signals)
        VALUES (${this.#rows.agent}, ${nodeId}, ${json})`,
    );
  }

  /** Does nothing: the checksums of PostgreSQL's pages detect bytes that changed on the disk. */
  seal(): void {}

  /** Writes rows as they are, with their signals, over stored rows with the same ids. */
  putAll(rows: readonly Readonly<Record<string, unknown>>[]): void {
    const { agent } = this.#rows;
    const ids = rows.map(({ id }) => id);
    const columns = [...STORED_COLUMNS, "tag_names", "facts"];
    const taken = columns.map((column) => raw(`${column} = excluded.${column}`));
    const values = rowsOf(
      "nodes",
      agent,
      rows.map((row) => valuesOf(columns, { ...row, ...comparedOf(row) })),
    );
    this.#rows.writing(() => {
      const changed = this.#rows.change<{ id: string } & Changed>(sql`
        WITH old AS (SELECT * FROM nous.nodes WHERE ${this.#own} AND id = ANY(${ids}::text[])),
          written AS (INSERT INTO nous.nodes (agent, sequence, ${listOf(columns)})
            VALUES ${values}
            ON CONFLICT (agent, id) DO UPDATE SET ${joined(taken, ", ")} RETURNING *)
        SELECT nodes.id, ${CHANGES} FROM written AS nodes LEFT JOIN old ON old.id = nodes.id`);
      this.#changed(changed);
      this.#rows.change(sql`
        DELETE FROM nous.node_signals WHERE agent = ${agent} AND node_id = ANY(${ids}::text[])`);
      for (const { id, signals } of rows)
        if (signals != null) this.addSignals(id as string, signals as string);
    });
  }
}

/** How a row `nodes` differs from the row `old`, as far as its embedding depends on it. */
const CHANGES: Query = raw(`
  (${EMBEDDED.map((column) => `nodes.${column} IS DISTINCT FROM old.${column}`).join(" OR ")}) AS text_changed,
  (nodes.embedding_vector IS DISTINCT FROM old.embedding_vector
    OR old.id IS NULL AND nodes.embedding_vector IS NULL) AS vector_changed,
  nodes.embedding_vector IS NULL AS is_bare, old.id IS NULL AS is_new`);

/**
 * The distinct values of an indexed column, as `name`. It jumps from each value to the next, so
 * that the time grows with the values and not with the rows.
 */
export function eachOf(agent: string, table: string, column: string): Query {
  const [from, name] = [raw(`nous.${table}`), raw(column)];
  return sql`
    WITH RECURSIVE each (name) AS (
      SELECT min(${name}) FROM ${from} WHERE agent = ${agent}
      UNION ALL SELECT (SELECT min(${name}) FROM ${from} WHERE agent = ${agent}
      AND ${name} > each.name)
        FROM each WHERE each.name IS NOT NULL)
    SELECT name FROM each`;
}
