// Text that is not UTF-8: another program wrote it, or a page is damaged. libSQL ends the whole
// process, with all its agents, when it reads such a value as text. Texts are therefore checked as
// bytes before they are read, and replaced: the text gets replacement characters, and its bytes are
// kept in a table of their own.

import { isUtf8 } from "node:buffer";
import Database from "libsql";
import type { Connection, Statement } from "./connection.ts";
import { MENDING_DAMAGE, StorageError, Unavailable } from "./errors.ts";
import { REPLACED_TEXTS } from "./migrations/replaced-texts.ts";
import type { Bytes } from "./rows.ts";
import { META_TABLE, MIGRATIONS } from "./schema.ts";

/**
 * Row numbers, or entries of the change log, that are checked together: their longest texts fit
 * into one value of SQLite.
 */
const BATCH = 100;
/** The most texts that a message names. */
const MAX_NAMED = 20;

/** The lowest row number there can be. */
const LOWEST = String(-(2n ** 63n));

const KEEP_BYTES = "INSERT INTO nous_replaced_texts VALUES (?, ?, ?, ?) ON CONFLICT DO NOTHING";
/** Tables that are derived from others: their bytes are not kept. */
const DERIVED = new Set([
  "change_log",
  "embedding_queue",
  "next_embeddings",
  "row_checksums",
  "deleted_versions",
]);

/** The place of a text. */
export interface TextPlace {
  table: string;
  /** A row number, or a key in hexadecimal. */
  place: string;
  column: string;
}

/** Thrown if a text is not UTF-8, and cannot be replaced at the moment. */
export class InvalidUtf8 extends Unavailable {
  constructor(texts: readonly TextPlace[]) {
    super(
      `There is text that is not UTF-8 in ${namesOf(texts)}: write it again, or start a server, which replaces it.`,
    );
  }
}

/** Returns the places of texts, for a message. */
export function namesOf(texts: readonly TextPlace[]): string {
  const named = texts
    .slice(0, MAX_NAMED)
    .map(({ table, place, column }) => `${table}, row ${place}, column ${column}`);
  const more = texts.length - named.length;
  return [...named, ...(more > 0 ? [`${more} more`] : [])].join("; ");
}

/** A table whose texts are checked. */
interface Table {
  name: string;
  columns: readonly string[];
  /** The columns of its primary key if it has no row numbers. */
  key: readonly string[] | undefined;
}

/** Rows of a table whose texts are checked. */
interface RowsToCheck {
  table: Table;
  where: string;
  values: readonly unknown[];
}

/** A text as it is stored. */
interface FoundText extends TextPlace {
  bytes: Buffer;
}

const TABLES =
  "SELECT CAST(name AS BLOB) AS name, wr FROM pragma_table_list WHERE schema = 'main' AND type = 'table'";

/**
 * Returns the texts of a database that are not UTF-8. Tables of other programs are not checked: the
 * server does not read them.
 *
 * @throws {StorageError} if the schema, or the table of facts about the database, cannot be read.
 */
export function invalidTexts(db: Connection): TextPlace[] {
  return partsIn(db).flatMap((part) =>
    textsIn(db, part).map(({ table, place, column }) => ({ table, place, column })),
  );
}

/** @throws {StorageError} if the table of facts about a database cannot be read. */
export function checkMeta(db: Connection): void {
  const table = tableOf(db, "nous_meta", true);
  if (table !== undefined && !isReadable(db, { table, where: "TRUE", values: [] }))
    throw damaged("nous_meta");
}

/** The rows of a range of the change log that a writer has not changed itself. */
export interface ChangedRange {
  first: number;
  last: number;
  writer: string;
}

/** Returns the texts that are not UTF-8 among the rows that other writers changed. */
export function invalidChanges(db: Connection, changed: ChangedRange): TextPlace[] {
  return [...changedParts(db, changed)].flatMap((part) => textsIn(db, part));
}

/**
 * Replaces all texts that are not UTF-8, or those among the changes of other writers, in one
 * transaction. Returns their places.
 *
 * @param changedOf Called within the transaction. Tables that the change log does not cover are
 * checked in any case.
 */
export function replaceTexts(
  db: Connection,
  changedOf: () => ChangedRange | undefined = () => undefined,
): TextPlace[] {
  const [{ foreign_keys }] = db.prepare("PRAGMA foreign_keys").all() as [{ foreign_keys: number }];
  // Ids change in one table after the other, and rows may name missing rows meanwhile.
  db.exec("PRAGMA foreign_keys = OFF");
  try {
    db.exec("BEGIN IMMEDIATE");
    try {
      const changed = changedOf();
      const replaced = replaceIn(
        db,
        changed === undefined ? partsIn(db) : [...changedParts(db, changed), ...unlogged(db)],
      );
      db.exec("COMMIT");
      return replaced;
    } catch (error) {
      if (db.inTransaction) db.exec("ROLLBACK");
      throw error;
    }
  } finally {
    db.exec(`PRAGMA foreign_keys = ${foreign_keys}`);
  }
}

function replaceIn(db: Connection, parts: readonly RowsToCheck[]): TextPlace[] {
  const found = parts.flatMap((part) =>
    textsIn(db, part).map((text) => ({ ...text, of: part.table })),
  );
  if (found.length === 0) return [];
  db.exec(REPLACED_TEXTS);
  const ids = freeIds(db, found);
  const keep = db.prepare(KEEP_BYTES);
  for (const { of, table, place, column, bytes } of found) {
    const isKey = of.key?.includes(column) ?? false;
    const id = ids.get(bytes.toString("hex")) ?? idOf(bytes);
    const text = isKey || /(^|_)id$/.test(column) ? id : bytes.toString();
    // If two rows get the same key, the later one stays. Replacement ids are unused, so that no
    // memory is overwritten.
    db.prepare(
      `UPDATE OR REPLACE ${quoted(table)} SET ${quoted(column)} = ? WHERE ${placed(of)}`,
    ).run(text, place);
    if (!DERIVED.has(table)) keep.run(table, place, column, bytes);
  }
  // The change log names the old ids, too.
  const log = tableOf(db, "change_log", true);
  if (log !== undefined) {
    for (const { place, bytes } of textsIn(db, { table: log, where: "TRUE", values: [] })) {
      const id = ids.get(bytes.toString("hex")) ?? idOf(bytes);
      db.prepare("UPDATE change_log SET id = ? WHERE sequence = ?").run(id, Number(place));
    }
  }
  return found
    .filter(({ table }) => !DERIVED.has(table))
    .map(({ table, place, column }) => ({ table, place, column }));
}

/**
 * Returns ids for rows whose ids are not UTF-8, by their bytes in hexadecimal. No other row of the
 * table has these ids.
 */
function freeIds(db: Connection, found: readonly FoundText[]): Map<string, string> {
  const ids = new Map<string, string>();
  for (const { table, column, bytes } of found) {
    if (column !== "id" || DERIVED.has(table)) continue;
    const isTaken = db.prepare(`SELECT 1 FROM ${quoted(table)} WHERE id = ?`);
    let id = idOf(bytes);
    while (isTaken.all(id).length > 0) id += "%";
    ids.set(bytes.toString("hex"), id);
  }
  return ids;
}

/**
 * Returns an id with its bytes beyond ASCII in hexadecimal. Different ids stay different, and
 * references can be changed in the same way.
 */
const idOf = (bytes: Buffer): string =>
  bytes.toString("latin1").replace(/[^ -~]/g, (it) => `%${hexOf(it)}`);
const hexOf = (character: string) =>
  character.charCodeAt(0).toString(16).toUpperCase().padStart(2, "0");

// ---- which rows ---------------------------------------------------------------------------------

let ownTables: ReadonlySet<string> | undefined;

/** Returns the names of the tables that the server's migrations create. */
function ownTablesOf(): ReadonlySet<string> {
  if (ownTables !== undefined) return ownTables;
  const db = new Database(":memory:");
  try {
    db.exec(META_TABLE);
    for (const migration of MIGRATIONS) migration(db);
    const rows = db.prepare("SELECT name FROM pragma_table_list WHERE schema = 'main'").all() as {
      name: string;
    }[];
    ownTables = new Set(rows.map(({ name }) => name));
  } finally {
    db.close();
  }
  return ownTables;
}

/** Returns the parts of a database that have texts which are not UTF-8. */
function partsIn(db: Connection): RowsToCheck[] {
  const parts: RowsToCheck[] = [];
  for (const { name: bytes, wr } of db.prepare(TABLES).all() as { name: Bytes; wr: number }[]) {
    const name = textOf(bytes);
    const table = name === undefined ? undefined : tableOf(db, name, wr === 0);
    if (table === undefined) throw damaged("the schema");
    const unreadable = [...partsOf(db, table)].filter((part) => !isReadable(db, part));
    if (unreadable.length === 0) continue;
    if (table.name.startsWith("sqlite_")) throw damaged(table.name);
    if (ownTablesOf().has(table.name)) parts.push(...unreadable);
  }
  return parts;
}

const damaged = (table: string) =>
  new StorageError(
    `The database is damaged: there is text in ${table} that cannot be read; ${MENDING_DAMAGE}.`,
  );

/**
 * Returns a table of the database; undefined if it is missing, or if the name of a column is not
 * UTF-8.
 */
function tableOf(db: Connection, name: string, hasNumbers: boolean): Table | undefined {
  const literal = `'${name.replaceAll("'", "''")}'`;
  const found = db
    .prepare(`SELECT CAST(name AS BLOB) AS name, pk FROM pragma_table_info(${literal})`)
    .all();
  const columns = (found as { name: Bytes; pk: number }[]).map((column) => ({
    ...column,
    name: textOf(column.name),
  }));
  const names = columns.flatMap((column) => column.name ?? []);
  if (names.length === 0 || names.length < columns.length) return undefined;
  const key = columns.filter(({ pk }) => pk > 0).map((column) => column.name!);
  return { name, columns: names, key: hasNumbers ? undefined : key };
}

function textOf(bytes: Bytes): string | undefined {
  const text = Buffer.from(new Uint8Array(bytes));
  return isUtf8(text) ? text.toString() : undefined;
}

/** Yields a table in parts that are checked together. */
function* partsOf(db: Connection, table: Table): Generator<RowsToCheck> {
  if (table.key !== undefined) {
    yield { table, where: "TRUE", values: [] };
    return;
  }
  // Bounds instead of a limit: for a limit SQLite would copy the rows first. Row numbers are bound
  // as text, because not all of them are safe integers, and neither is the last one plus one.
  const next = db.prepare(
    `SELECT CAST(min(rowid) AS TEXT) AS first FROM ${quoted(table.name)} WHERE rowid >= CAST(? AS INTEGER) + ?`,
  );
  const firstFrom = (row: string, more: number) =>
    (next.all(row, more) as [{ first: string | null }])[0].first;
  const where = `rowid BETWEEN CAST(?1 AS INTEGER) AND ?1 + ${BATCH - 1}`;
  for (let first = firstFrom(LOWEST, 0); first !== null; first = firstFrom(first, BATCH)) {
    yield { table, where, values: [first] };
  }
}

/** For each table in the change log: the column that its entries name, and their entity. */
const LOGGED: readonly (readonly [table: string, column: string, entity: string])[] = [
  ["nodes", "id", "node"],
  ["edges", "id", "edge"],
  ["cluster_memberships", "node_id", "node"],
  ["node_signals", "node_id", "node"],
  ["embedding_queue", "node_id", "node"],
  ["clusters", "rowid", "clusters"],
  ["conflict_queue", "rowid", "conflict_queue"],
];

/**
 * Tables that the change log does not cover, or not always. They are checked before a statement
 * reads them.
 */
const UNLOGGED = [
  "nous_meta",
  "nous_retries",
  "nous_tasks",
  "nous_openings",
  "nous_purges",
  "nous_replaced_texts",
  "memory_usage",
  "playbook_outcomes",
  "next_embeddings",
  "deleted_versions",
  "row_checksums",
  "node_signals",
  "embedding_queue",
] as const;
const NAMES_UNLOGGED = new RegExp(`\\b(${UNLOGGED.join("|")})\\b`, "g");
/** The tables of `UNLOGGED` without row numbers. */
const WITHOUT_NUMBERS: ReadonlySet<string> = new Set(["playbook_outcomes", "row_checksums"]);

/** Returns the tables that a statement names and the change log does not cover. */
export const unloggedIn = (sql: string): readonly string[] => sql.match(NAMES_UNLOGGED) ?? [];

/** Returns the texts that are not UTF-8 in tables that the change log does not cover. */
export const invalidTextsIn = (db: Connection, tables: readonly string[]): TextPlace[] =>
  unlogged(db, tables).flatMap((part) => textsIn(db, part));

function unlogged(db: Connection, tables: readonly string[] = UNLOGGED): RowsToCheck[] {
  return tables.flatMap((name) => {
    const table = tableOf(db, name, !WITHOUT_NUMBERS.has(name));
    return table === undefined
      ? []
      : [...partsOf(db, table)].filter((part) => !isReadable(db, part));
  });
}

/**
 * A table that other programs write to, with a check of the rows that entries of the change log
 * name.
 */
interface Watched {
  table: Table;
  where: string;
  /** Prepared once, because it runs after each commit of another connection. */
  look: Statement;
}

const watched = new WeakMap<Connection, readonly Watched[]>();

function watchedOf(db: Connection): readonly Watched[] {
  let tables = watched.get(db);
  if (tables === undefined) {
    tables = [...LOGGED, ["change_log", "", ""] as const].map(([name, column, entity]) => {
      const table = tableOf(db, name, true)!;
      const changed = `SELECT ${column === "rowid" ? "CAST(id AS INTEGER)" : "id"} FROM change_log
        WHERE sequence BETWEEN ?1 AND ?2 AND entity = '${entity}' AND writer IS NOT ?3`;
      const where =
        column === ""
          ? "sequence BETWEEN ?1 AND ?2 AND writer IS NOT ?3"
          : `${column} IN (${changed})`;
      return { table, where, look: lookAt(db, table, where) };
    });
    watched.set(db, tables);
  }
  return tables;
}

/** Yields the parts with invalid texts among the rows that other writers changed. */
function* changedParts(
  db: Connection,
  { first, last, writer }: ChangedRange,
): Generator<RowsToCheck> {
  for (let from = first; from <= last; from += BATCH) {
    const values = [from, Math.min(last, from + BATCH - 1), writer];
    for (const { table, where, look } of watchedOf(db)) {
      if (!areReadable(look, values)) yield { table, where, values };
    }
  }
}

// ---- their texts --------------------------------------------------------------------------------

const quoted = (name: string): string => `"${name.replaceAll('"', '""')}"`;

/** SQL expressions: the place of a row, and the condition that finds the row by its place. */
const placeOf = ({ key }: Table): string =>
  key === undefined
    ? "CAST(rowid AS TEXT)"
    : key.map((column) => `hex(CAST(${quoted(column)} AS BLOB))`).join(" || '.' || ");
const placed = (table: Table): string =>
  table.key === undefined ? "rowid = CAST(? AS INTEGER)" : `${placeOf(table)} = ?`;

/**
 * Prepares a statement that concatenates the texts of each column, with a separator between texts.
 */
function lookAt(db: Connection, { name, columns }: Table, where: string): Statement {
  const texts = columns.map((of, place) => {
    const column = quoted(of);
    return `CAST(group_concat(CASE WHEN typeof(${column}) = 'text' THEN ${column} END, '|') AS BLOB) AS texts_${place}`;
  });
  return db.prepare(`SELECT ${texts.join(", ")} FROM ${quoted(name)} WHERE ${where}`);
}

function areReadable(look: Statement, values: readonly unknown[]): boolean {
  const [found] = look.all(...values) as [Record<string, Bytes | null>];
  return Object.values(found).every((bytes) => bytes === null || isUtf8(new Uint8Array(bytes)));
}

/** Returns whether all texts of a part are UTF-8. */
const isReadable = (db: Connection, { table, where, values }: RowsToCheck): boolean =>
  areReadable(lookAt(db, table, where), values);

/** Returns the texts of some rows that are not UTF-8. */
function textsIn(db: Connection, { table, where, values }: RowsToCheck): FoundText[] {
  const found: FoundText[] = [];
  for (const column of table.columns) {
    const text = quoted(column);
    const rows = db.prepare(
      `SELECT ${placeOf(table)} AS place, CAST(${text} AS BLOB) AS bytes FROM ${quoted(table.name)}
       WHERE (${where}) AND typeof(${text}) = 'text'`,
    );
    for (const { place, bytes } of rows.all(...values) as { place: string; bytes: Bytes }[]) {
      const copy = Buffer.from(new Uint8Array(bytes));
      if (!isUtf8(copy)) found.push({ table: table.name, place, column, bytes: copy });
    }
  }
  return found;
}
