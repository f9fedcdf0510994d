// Keeps a memory in this browser, if the visitor agrees: its lines in IndexedDB, in pieces, and after
// them the changes that were made since. Deleting removes the database.

import { deleteDB, type IDBPDatabase, openDB } from "idb";
import { textOfLines } from "./files.ts";
import type { Held } from "./held.ts";
import { addLine, addRow, type Rows } from "./lines.ts";
import type { Json } from "./readers/reading.ts";

const NAME = "nous-page";

/** A change of a memory: rows that were added or changed, and memories that were deleted. */
export interface Change {
  rows: readonly Json[];
  removed: readonly string[];
}

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
    // Another tab deletes what is kept.
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

/** Keeps a change of a memory that is kept. */
export async function keepChange(held: Held, change: Change): Promise<void> {
  if (kept.has(held)) await within((database) => database.add("changes", change));
}

/** Deletes what is kept. The memory stays open. */
export async function forget(held: Held | undefined): Promise<void> {
  if (held !== undefined) kept.delete(held);
  await deleteDB(NAME);
}

/** Notes that a memory was opened from what is kept, so that its changes are kept. */
export function noteKept(held: Held): void {
  kept.add(held);
}

/** Reads what is kept. Returns its name; undefined if nothing is kept. */
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
    for (const { rows: changed, removed } of (await database.getAll("changes")) as Change[]) {
      for (const row of changed) addRow(rows, row);
      for (const id of removed) rows.nodes.delete(id);
    }
    const isThere = (id: string) => rows.nodes.has(id);
    rows.edges = rows.edges.filter((it) => isThere(it.source_id) && isThere(it.target_id));
    return about.name;
  });
}
