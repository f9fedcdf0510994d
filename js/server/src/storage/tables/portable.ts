// Rows that an export or a move carries from one database to another.

import type { SqlValue } from "../connection.ts";
import { STORED_COLUMNS } from "../node-columns.ts";
import { isId, isoOf, type Sql } from "../sql.ts";
import { CLUSTER_COLUMNS, type ClusterTable } from "./clusters.ts";
import { CONFLICT_COLUMNS, FOR_NULL } from "./conflicts.ts";
import { EDGE_COLUMNS } from "./edges.ts";
import type { NodeTable } from "./nodes.ts";
import { USAGE_COLUMNS } from "./usage.ts";

/** Kinds of rows, in the order they are written: a row comes after the rows that it names. */
export const PORTABLE_KINDS = [
  "node",
  "outcome",
  "cluster",
  "membership",
  "conflict",
  "edge",
] as const;
export type PortableKind = (typeof PORTABLE_KINDS)[number];
/**
 * Kinds of rows that a move carries, in the order they are written. An export has neither uses of
 * memories nor requests with an idempotency key, which belong to the clients of one server.
 */
export const MOVED_KINDS = [...PORTABLE_KINDS, "use", "retry"] as const;
export type MovedKind = (typeof MOVED_KINDS)[number];
/**
 * A row with all its columns, by name. A memory also has `signals`: the signals with which it was
 * stored, as JSON.
 */
export type PortableRow = Readonly<Record<string, string | number | Uint8Array | null>>;

/** A column that names a row of another table. */
type End = readonly [column: string, table: string];
/**
 * The table of each portable kind: its columns, its key, the column that says when a row changed
 * last, and the columns that name other rows.
 */
export const PORTABLE: Readonly<
  Record<
    MovedKind,
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
    columns: STORED_COLUMNS,
    key: ["id"],
    changed: "last_modified",
  },
  cluster: {
    table: "clusters",
    columns: CLUSTER_COLUMNS,
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
  use: {
    table: "memory_usage",
    columns: USAGE_COLUMNS,
    key: ["context_id", "memory_id"],
    changed: "retrieved_at",
    ends: [["memory_id", "nodes"]],
  },
  retry: {
    table: "nous_retries",
    columns: ["key", "request", "made", "created_at"],
    key: ["key"],
    changed: "created_at",
  },
};
/** The signals of a memory, as a column of its row. */
const SIGNALS_OF_NODE = "(SELECT signals FROM node_signals WHERE node_id = nodes.id) AS signals";

/** The tables of portable rows. */
export class PortableTables {
  readonly #sql: Sql;
  readonly #nodes: NodeTable;
  readonly #clusters: ClusterTable;

  constructor(sql: Sql, nodes: NodeTable, clusters: ClusterTable) {
    this.#sql = sql;
    this.#nodes = nodes;
    this.#clusters = clusters;
  }

  /** Returns how many rows of all kinds there are that an export carries. */
  count(): number {
    const tables = PORTABLE_KINDS.map((kind) => PORTABLE[kind].table);
    const counts = tables
      .filter((table) => this.#sql.hasTable(table))
      .map((table) => `(SELECT count(*) FROM ${table})`);
    return this.#sql.first<{ count: number }>(`SELECT ${counts.join(" + ")} AS count`)!.count;
  }

  /** Returns all rows of a kind in order, in batches. Leaves out rows that name a missing row. */
  *rows(kind: MovedKind): Iterable<PortableRow[]> {
    const { table, columns, key, ends = [] } = PORTABLE[kind];
    if (!this.#sql.hasTable(table)) return;
    const areThere = ends.map(([column, of]) => `${column} IN (SELECT id FROM ${of})`);
    const isWhole = [...key.map(isId), ...areThere].join(" AND ");
    // The table has no row numbers. Its rows are short, so that all of them are read at once.
    if (kind === "outcome") {
      yield this.#sql.all(
        `SELECT ${columns.join(", ")} FROM ${table} WHERE ${isWhole} ORDER BY ${key.join(", ")}`,
      );
      return;
    }
    const figures =
      kind === "node" && this.#sql.hasTable("node_signals") ? `, ${SIGNALS_OF_NODE}` : "";
    const page = `SELECT rowid AS sequence, ${columns.join(", ")}${figures} FROM ${table}
      WHERE rowid > ? AND ${isWhole} ORDER BY rowid LIMIT ?`;
    for (const rows of this.#sql.pages<{ sequence: number } & PortableRow>(page)) {
      yield rows.map(({ sequence: _, ...row }) => withoutNul(row));
    }
  }

  /**
   * Returns the column in which a row names a missing row; undefined if it names no missing row.
   */
  lacking(kind: PortableKind, row: PortableRow): string | undefined {
    const isThere = (table: string, id: SqlValue) =>
      this.#sql.all(`SELECT 1 FROM ${table} WHERE id = ?`, id).length > 0;
    return PORTABLE[kind].ends?.find(
      ([column, table]) => !isThere(table, row[column] ?? null),
    )?.[0];
  }

  /**
   * Returns when the stored row with the same key changed last, as far as it says; undefined if
   * there is no such row.
   */
  changedAt(kind: PortableKind, row: PortableRow): { at: string | null } | undefined {
    const { table, key, changed } = PORTABLE[kind];
    const same = key.map((column) => `${column} = ?`).join(" AND ");
    const sql = `SELECT ${isoOf(changed)} AS at FROM ${table} WHERE ${same}`;
    return this.#sql.first(sql, ...key.map((column) => row[column] ?? null));
  }

  /** Writes rows with different keys as they are, over stored rows with the same keys. */
  put(kind: MovedKind, rows: readonly PortableRow[]): void {
    for (const row of rows) this.#putOne(kind, row);
  }

  #putOne(kind: MovedKind, row: PortableRow): void {
    if (kind === "cluster") this.#clusters.forgetTaking();
    const { table, columns, key } = PORTABLE[kind];
    const taken = columns.map((column) => `${column} = excluded.${column}`);
    this.#sql.run(
      `INSERT INTO ${table} (${columns.join(", ")}) VALUES (${columns.map(() => "?").join(", ")})
       ON CONFLICT (${key.join(", ")}) DO UPDATE SET ${taken.join(", ")}`,
      ...columns.map(
        (column) => row[column] ?? (kind === "conflict" ? FOR_NULL[column] : undefined) ?? null,
      ),
    );
    if (kind !== "node") return;
    this.#sql.run("DELETE FROM node_signals WHERE node_id = ?", row.id as string);
    if (row.signals != null) this.#nodes.addSignals(row.id as string, row.signals as string);
  }

  /** Deletes the row with the key of this one, if there is one. */
  remove(kind: MovedKind, row: PortableRow): void {
    if (kind === "node") {
      this.#nodes.delete(row.id as string);
      return;
    }
    if (kind === "cluster") this.#clusters.forgetTaking();
    const { table, key } = PORTABLE[kind];
    const same = key.map((column) => `${column} = ?`).join(" AND ");
    this.#sql.run(
      `DELETE FROM ${table} WHERE ${same}`,
      ...key.map((column) => row[column] ?? null),
    );
  }

  /** Lets edges be written before their ends, up to the end of the transaction. */
  deferEnds(): void {
    this.#sql.exec("PRAGMA defer_foreign_keys = ON");
  }
}

/**
 * Returns a row without U+0000, which other programs may have stored: PostgreSQL keeps no such text,
 * and an import takes none.
 */
function withoutNul(row: PortableRow): PortableRow {
  const isOdd = (value: PortableRow[string]) => typeof value === "string" && value.includes("\0");
  if (!Object.values(row).some(isOdd)) return row;
  const entries = Object.entries(row).map(([column, value]) => [
    column,
    typeof value === "string" ? value.replaceAll("\0", "\ufffd") : value,
  ]);
  return Object.fromEntries(entries);
}
