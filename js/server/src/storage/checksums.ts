// A checksum of each memory as this server wrote it: it detects bytes that changed on the disk. The
// checksum leaves out soft state, which recalls and sweeps change. Triggers remove the checksum of
// a memory that another program writes.

import { crc32 } from "node:zlib";
import type { Statement } from "./connection.ts";
import { COLUMN_GROUPS, type NodeColumn } from "./node-columns.ts";
import { advanced, BEFORE_ALL, isId } from "./sql.ts";

/**
 * The columns in the checksum, and the groups that later schemas added. A group counts if a column of
 * it or of a later one is set: rows from before these columns existed keep their checksum.
 */
const [SUMMED, ...LATER] = COLUMN_GROUPS as [readonly NodeColumn[], ...(readonly NodeColumn[])[]];

/** Rows of a batch. */
const BATCH = 1_000;

/** Prepares a statement, or returns the one already prepared for the same text. */
export type Prepare = (sql: string) => Statement;

/** The columns of a row that its checksum covers. */
type SummedRow = Readonly<Partial<Record<NodeColumn, unknown>>> & {
  id: string;
  embedding_vector: unknown;
};

const rowOf = (columns: readonly string[]) =>
  [...columns, "embedding_vector"].map((column) => `nodes.${column}`).join(", ");
const SUMMED_ROW = rowOf([...SUMMED, ...LATER.flat()]);
const SET =
  "INSERT INTO row_checksums VALUES (?, ?) ON CONFLICT DO UPDATE SET checksum = excluded.checksum";

/**
 * Returns a value as the driver of version 0.1.0 read it, whose checksums stay valid: a BLOB is an
 * empty object, and a text ends at U+0000.
 */
function asSummed(value: unknown): unknown {
  if (typeof value === "string") return value.includes("\0") ? value.split("\0", 1)[0] : value;
  return value instanceof Uint8Array ? {} : value;
}

function sumOf(row: SummedRow): number {
  const later = LATER.map((group) => group.map((column) => row[column] ?? null));
  const last = later.findLastIndex((group) => group.some((value) => value !== null));
  const added = later.slice(0, last + 1).flat();
  const columns = [...SUMMED.map((column) => row[column]), ...added];
  const texts = crc32(JSON.stringify(columns.map(asSummed)));
  const vector = row.embedding_vector;
  return vector instanceof Uint8Array ? crc32(vector, texts) : texts;
}

/** Stores the checksums of memories as they are now. Ids without a memory are ignored. */
export function sealRows(prepare: Prepare, ids: readonly string[]): void {
  const read = prepare(
    `SELECT ${SUMMED_ROW} FROM nodes WHERE id IN (SELECT value FROM json_each(?))`,
  );
  const set = prepare(SET);
  for (let at = 0; at < ids.length; at += BATCH) {
    const rows = read.all(JSON.stringify(ids.slice(at, at + BATCH))) as SummedRow[];
    for (const row of rows) set.run(row.id, sumOf(row));
  }
}

/** Stores the checksums of all memories, in a database from before frames and tags. */
export function sealAll(prepare: Prepare): void {
  const set = prepare(SET);
  for (const row of allRows(prepare, rowOf(SUMMED), "")) set.run(row.id, sumOf(row));
}

/**
 * Returns the ids of memories whose checksum does not match; empty if the schema has no checksums.
 */
export function changedRows(prepare: Prepare): string[] {
  const isThere = "SELECT 1 FROM sqlite_master WHERE name = 'row_checksums'";
  if (prepare(isThere).all().length === 0) return [];
  const joined = "JOIN row_checksums ON row_checksums.id = nodes.id";
  const changed: string[] = [];
  for (const row of allRows(prepare, SUMMED_ROW, joined))
    if (sumOf(row) !== row.checksum) changed.push(row.id);
  return changed;
}

function* allRows(
  prepare: Prepare,
  columns: string,
  joined: string,
): Iterable<SummedRow & { checksum?: number }> {
  const checksum = joined === "" ? "" : ", row_checksums.checksum";
  const page = prepare(
    `SELECT nodes.rowid AS sequence, ${columns}${checksum} FROM nodes ${joined}
     WHERE nodes.rowid > ? AND ${isId("nodes.id")} ORDER BY nodes.rowid LIMIT ${BATCH}`,
  );
  let after = BEFORE_ALL;
  for (;;) {
    const rows = page.all(after) as (SummedRow & { sequence: number; checksum?: number })[];
    yield* rows;
    if (rows.length < BATCH) return;
    after = advanced(after, rows.at(-1)!.sequence);
  }
}
