// Keeps a memory in this browser, if the visitor agrees: its lines in IndexedDB, in pieces, and
// after them the rows that have changed since. A deleted memory is taken out of both, and a changed
// one is replaced in both, so that its text is gone. Deleting the saved memory removes the
// database.

import { deleteDB, type IDBPDatabase, type IDBPTransaction, openDB } from "idb";
import type { JsonObject as Json } from "nous-memory";
import type { Held } from "./held.ts";
import { addLine, addRow, type Rows, textOfLines } from "./lines.ts";

const NAME = "nous-page";

interface About {
  name: string;
}

/** The memories whose changes are kept, too. */
const kept = new WeakSet<Held>();

export const isKept = (held: Held): boolean => kept.has(held);

/** Returns whether something is kept. Asking makes no database. */
export async function hasKept(): Promise<boolean> {
  const all = await indexedDB.databases();
  return all.some(({ name }) => name === NAME);
}

async function within<T>(work: (database: IDBPDatabase) => Promise<T>): Promise<T> {
  const database = await openDB(NAME, 1, {
    upgrade: (fresh) => {
      fresh.createObjectStore("pieces", { autoIncrement: true });
      fresh.createObjectStore("changes", { autoIncrement: true });
      fresh.createObjectStore("about");
    },
    // Another tab deletes the saved memory.
    blocking: (_old, _new, event) => (event.target as IDBDatabase).close(),
  });
  try {
    return await work(database);
  } finally {
    database.close();
  }
}

/** Keeps a memory in place of the one that was kept. */
export async function keep(held: Held): Promise<void> {
  const lines = [...textOfLines(held.exportLines())];
  await within(async (database) => {
    const all = database.transaction(["pieces", "changes", "about"], "readwrite");
    await all.objectStore("pieces").clear();
    await all.objectStore("changes").clear();
    for (const piece of lines) await all.objectStore("pieces").add(piece);
    await all.objectStore("about").put({ name: held.name } satisfies About, "memory");
    await all.done;
  });
  kept.add(held);
}

/**
 * Keeps rows that were added or changed, if the memory is kept. The text that a memory had before
 * is kept no longer.
 */
export async function keepChange(held: Held, rows: readonly Json[]): Promise<void> {
  if (!kept.has(held)) return;
  const nodes = new Map(rows.filter(isNode).map((row) => [row.id as string, row]));
  await within(async (database) => {
    const all = database.transaction(["pieces", "changes"], "readwrite");
    await rewrite(all, [...nodes.keys()], (row) =>
      isNode(row) ? (nodes.get(row.id as string) ?? row) : row,
    );
    await all.objectStore("changes").add(rows);
    await all.done;
  });
}

/** Deletes memories, or edges, from the saved memory, if there is one. */
export async function keepDeletion(held: Held, ids: readonly string[]): Promise<void> {
  if (!kept.has(held)) return;
  const gone = new Set<unknown>(ids);
  await within(async (database) => {
    const all = database.transaction(["pieces", "changes"], "readwrite");
    await rewrite(all, ids, (row) => (isOfDeleted(row, gone) ? undefined : row));
    await all.done;
  });
}

/**
 * Replaces each saved row by the result of `change`; undefined removes the row.
 * `change` must return rows as they are that name none of these memories.
 */
async function rewrite(
  all: IDBPTransaction<unknown, string[], "readwrite">,
  ids: readonly string[],
  change: (row: Json) => Json | undefined,
): Promise<void> {
  const names = ids.map((id) => JSON.stringify(id));
  const changed = (line: string): string[] => {
    if (!names.some((name) => line.includes(name))) return [line];
    const row = change(JSON.parse(line));
    return row === undefined ? [] : [JSON.stringify(row)];
  };
  for await (const place of all.objectStore("pieces")) {
    const piece = place.value as string;
    if (!names.some((name) => piece.includes(name))) continue;
    await place.update(piece.split("\n").flatMap(changed).join("\n"));
  }
  for await (const place of all.objectStore("changes")) {
    const rows = place.value as Json[];
    await place.update(rows.map(change).filter((row) => row !== undefined));
  }
}

const isNode = (row: Json): boolean => row.kind === "node";

/** Whether a row is one of some memories or edges, or a conflict of one of these memories. */
function isOfDeleted(row: Json, ids: ReadonlySet<unknown>): boolean {
  if (row.kind === "conflict") return ids.has(row.old_node_id) || ids.has(row.new_node_id);
  return (isNode(row) || row.kind === "edge") && ids.has(row.id);
}

/** Deletes the saved memory. The open memory stays. */
export async function forget(held: Held | undefined): Promise<void> {
  if (held !== undefined) kept.delete(held);
  await deleteDB(NAME);
}

/** Marks the open memory as the saved one, so that its changes are saved. */
export function noteKept(held: Held): void {
  kept.add(held);
}

/** Reads the saved memory. Returns its name; undefined if nothing is saved. */
export async function readKept(
  rows: Rows,
  progress: (share: number) => void,
): Promise<string | undefined> {
  if (!(await hasKept())) return undefined;
  return within(async (database) => {
    const about = (await database.get("about", "memory")) as About | undefined;
    if (about === undefined) return undefined;
    const keys = await database.getAllKeys("pieces");
    for (const [place, key] of keys.entries()) {
      const piece = (await database.get("pieces", key)) as string;
      for (const line of piece.split("\n")) if (line !== "") addLine(rows, line);
      progress((place + 1) / keys.length);
    }
    for (const changed of (await database.getAll("changes")) as Json[][])
      for (const row of changed) addRow(rows, row);
    const isThere = (id: string) => rows.nodes.has(id);
    // An edge that was changed is kept twice: the last one counts.
    const edges = [...new Map(rows.edges.map((edge) => [edge.id, edge])).values()];
    rows.edges = edges.filter((it) => isThere(it.source_id) && isThere(it.target_id));
    return about.name;
  });
}
