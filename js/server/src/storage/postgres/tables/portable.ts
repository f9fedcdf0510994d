// Rows that an export or a move carries from one database to another.

import { allOf, joined, type Query, raw, sql } from "../../query.ts";
import type { TableOf } from "../../storage.ts";
import {
  type MovedKind,
  PORTABLE,
  PORTABLE_KINDS,
  type PortableKind,
  type PortableRow,
  type PortableTables,
} from "../../tables/portable.ts";
import type { AgentRows } from "../agent-rows.ts";
import { isoOf, listOf, rowsOf, valuesOf } from "../columns.ts";
import type { PostgresClusters } from "./clusters.ts";
import type { PostgresConflicts } from "./conflicts.ts";
import type { PostgresEdges } from "./edges.ts";
import { BATCH, type PostgresNodes } from "./nodes.ts";

/** Rows of one statement. */
const WRITTEN_AT_ONCE = 100;

/** The table of a kind, as it is named here. */
const tableOf = (kind: MovedKind): string => (kind === "retry" ? "retries" : PORTABLE[kind].table);

/** The tables that portable rows are written to. */
interface Written {
  readonly nodes: PostgresNodes;
  readonly clusters: PostgresClusters;
  readonly edges: PostgresEdges;
  readonly conflicts: PostgresConflicts;
}

/** The tables of portable rows. */
export class PostgresPortable implements TableOf<PortableTables> {
  readonly #rows: AgentRows;
  readonly #tables: Written;

  constructor(rows: AgentRows, tables: Written) {
    this.#rows = rows;
    this.#tables = tables;
  }

  #own(table: string): Query {
    return sql`${raw(table)}.agent = ${this.#rows.agent}`;
  }

  count(): number {
    const counts = PORTABLE_KINDS.map((kind) => PORTABLE[kind].table).map(
      (table) => sql`(SELECT count(*) FROM nous.${raw(table)} WHERE ${this.#own(table)})`,
    );
    return this.#rows.first<{ count: number }>(sql`SELECT ${joined(counts, " + ")} AS count`)!
      .count;
  }

  *rows(kind: MovedKind): Iterable<PortableRow[]> {
    const table = tableOf(kind);
    const { columns, key, ends = [] } = PORTABLE[kind];
    const areThere = ends.map(
      ([column, of]) =>
        sql`EXISTS (SELECT 1 FROM nous.${raw(of)} AS ends
          WHERE ends.agent = ${this.#rows.agent} AND ends.id = ${raw(`${table}.${column}`)})`,
    );
    const from = sql`FROM nous.${raw(table)} WHERE ${allOf([this.#own(table), ...areThere])}`;
    const listed = listOf(columns, table);
    if (kind === "outcome" || kind === "retry") {
      yield* this.#byKey(sql`SELECT ${listed} ${from}`, key);
      return;
    }
    const signals =
      kind === "node"
        ? sql`, (SELECT signals FROM nous.node_signals
            WHERE ${this.#own("node_signals")} AND node_id = nodes.id) AS signals`
        : raw("");
    let after = Number.MIN_SAFE_INTEGER;
    for (;;) {
      const rows = this.#rows.all<{ sequence: number } & PortableRow>(sql`
        SELECT sequence, ${listed}${signals} ${from} AND sequence > ${after} ORDER BY sequence LIMIT ${BATCH}`);
      if (rows.length > 0) yield rows.map(({ sequence: _, ...row }) => row);
      if (rows.length < BATCH) return;
      after = rows.at(-1)!.sequence;
    }
  }

  /** Returns the rows of a table without row numbers, in the order of its key. */
  *#byKey(selection: Query, key: readonly string[]): Iterable<PortableRow[]> {
    const keys = listOf(key);
    let beyond = raw("");
    for (;;) {
      const rows = this.#rows.all<PortableRow>(
        sql`${selection}${beyond} ORDER BY ${keys} LIMIT ${BATCH}`,
      );
      if (rows.length > 0) yield rows;
      if (rows.length < BATCH) return;
      beyond = sql` AND (${keys}) > (${valuesOf(key, rows.at(-1)!)})`;
    }
  }

  lacking(kind: PortableKind, row: PortableRow): string | undefined {
    const isThere = (table: string, id: unknown) =>
      this.#rows.all(
        sql`SELECT 1 AS one FROM nous.${raw(table)} WHERE ${this.#own(table)} AND id = ${id}`,
      ).length > 0;
    return PORTABLE[kind].ends?.find(([column, table]) => !isThere(table, row[column]))?.[0];
  }

  changedAt(kind: PortableKind, row: PortableRow): { at: string | null } | undefined {
    const { table, key, changed } = PORTABLE[kind];
    const same = key.map((column) => sql`${raw(column)} = ${row[column]}`);
    return this.#rows.first(
      sql`SELECT ${isoOf(changed)} AS at FROM nous.${raw(table)}
        WHERE ${allOf([this.#own(table), ...same])}`,
    );
  }

  put(kind: MovedKind, rows: readonly PortableRow[]): void {
    const { nodes, edges } = this.#tables;
    // Memories and edges are many: they are written in few statements.
    for (let first = 0; first < rows.length; first += WRITTEN_AT_ONCE) {
      const batch = rows.slice(first, first + WRITTEN_AT_ONCE);
      if (kind === "node") nodes.putAll(batch);
      else if (kind === "edge") edges.putAll(batch);
      else if (kind === "outcome" || kind === "use" || kind === "retry") this.#putAll(kind, batch);
      else for (const row of batch) this.#putOne(kind, row);
    }
  }

  #putOne(kind: "cluster" | "membership" | "conflict", row: PortableRow): void {
    const { clusters, conflicts } = this.#tables;
    if (kind === "cluster") clusters.put(row);
    else if (kind === "membership") clusters.putMembership(row);
    else conflicts.put(row);
  }

  #putAll(kind: "outcome" | "use" | "retry", rows: readonly PortableRow[]): void {
    const { agent } = this.#rows;
    const { columns, key } = PORTABLE[kind];
    const table = tableOf(kind);
    const given = rows.map((row) => valuesOf(columns, row));
    // Uses have an order of their own.
    const [own, values] =
      kind === "use"
        ? [raw("agent, sequence"), rowsOf(table, agent, given)]
        : [
            raw("agent"),
            joined(
              given.map((row) => sql`(${agent}, ${row})`),
              ", ",
            ),
          ];
    const taken = columns.map((column) => raw(`${column} = excluded.${column}`));
    this.#rows.change(sql`
      INSERT INTO nous.${raw(table)} (${own}, ${listOf(columns)}) VALUES ${values}
      ON CONFLICT (agent, ${listOf(key)}) DO UPDATE SET ${joined(taken, ", ")}`);
  }

  remove(kind: MovedKind, row: PortableRow): void {
    const { nodes, clusters, edges } = this.#tables;
    if (kind === "node") nodes.delete(row.id as string);
    else if (kind === "cluster") clusters.delete(row.id as string);
    else if (kind === "membership")
      clusters.deleteMember(row.cluster_id as string, row.node_id as string);
    else if (kind === "edge") edges.delete(row.id as string);
    else {
      const table = tableOf(kind);
      const same = PORTABLE[kind].key.map((column) => sql`${raw(column)} = ${row[column]}`);
      this.#rows.change(
        sql`DELETE FROM nous.${raw(table)} WHERE ${allOf([this.#own(table), ...same])}`,
      );
    }
  }

  deferEnds(): void {
    this.#rows.change(sql`SET CONSTRAINTS ALL DEFERRED`);
  }
}
