// A replica of an agent's texts in a full-text table of SQLite, in memory.
//
// # Idea
//
// Hynous ranks by the `bm25()` of SQLite's FTS5. PostgreSQL has no such function, so the process
// keeps a table of SQLite itself. The engine's full text would not do: `bm25()` takes logarithms
// from the C library, and three in a hundred of them differ from the engine's in the last bit.
//
// # Invariant
//
// The table holds the title, summary and body of each memory, with the memory's sequence number as
// its row number. FTS5 ranks by the rows alone, and ranks equal scores by row number. So the hits
// are those of a database file with the same memories.
//
// # Cost
//
// The table takes about twice the bytes of the texts. Each opening writes it anew: 100,000 memories
// of 220 characters took three seconds and 44 MB.

import { isId, type Steps } from "nous-memory";
import { Connection } from "../../storage/connection.ts";
import type { TextRow } from "../../storage/rows.ts";
import type { Storage } from "../../storage/storage.ts";
import { type FullTextHit, unlessUnparsed } from "../../storage/tables/full-text.ts";
import type { Consumer, Removed, Taken } from "./follower.ts";

export class SqliteTexts implements Consumer {
  readonly name = "full text of SQLite";
  /** Whether the agent searches it. */
  readonly isWanted: boolean;
  #db: Connection | undefined;
  /** The memories of the table, and their row numbers. */
  readonly #sequences = new Map<string, number>();

  constructor(isWanted: boolean) {
    this.isWanted = isWanted;
  }

  /** Bytes of the table; 0 if it is not loaded. */
  get bytes(): number {
    if (this.#db === undefined) return 0;
    const [{ bytes }] = this.#db
      .prepare(
        "SELECT page_count * page_size AS bytes FROM pragma_page_count(), pragma_page_size()",
      )
      .all() as [{ bytes: number }];
    return bytes;
  }

  /** Like `FullTextTable.find`. The follower has to load the replica first. */
  find(match: string, limit: number): FullTextHit[] {
    const found = this.#open.prepare(
      "SELECT id, rank FROM texts WHERE texts MATCH ? ORDER BY rank LIMIT ?",
    );
    return unlessUnparsed(() => found.all(match, limit) as FullTextHit[]);
  }

  get #open(): Connection {
    if (this.#db === undefined) throw new Error("SQLite's full text is asked before it is loaded");
    return this.#db;
  }

  *load(storage: Storage): Steps<Record<string, unknown>> {
    this.forget();
    this.#db = new Connection(":memory:");
    this.#db.exec(
      "CREATE VIRTUAL TABLE texts USING fts5(id UNINDEXED, content_title, content_summary, content_body)",
    );
    for (const rows of storage.nodes.texts()) {
      this.#put(rows);
      yield;
    }
    return { nodes: this.#sequences.size };
  }

  take({ nodes }: Taken): boolean {
    this.#put(nodes);
    return true;
  }

  remove({ nodes }: Removed): void {
    this.#inTransaction(() => {
      for (const id of nodes) this.#delete(id);
    });
  }

  forget(): void {
    this.#db?.close();
    this.#db = undefined;
    this.#sequences.clear();
  }

  #put(rows: readonly TextRow[]): void {
    const insert = this.#open.prepare(
      "INSERT INTO texts (rowid, id, content_title, content_summary, content_body) VALUES (?, ?, ?, ?, ?)",
    );
    this.#inTransaction(() => {
      for (const { sequence, id, content_title, content_summary, content_body } of rows) {
        if (!isId(id)) continue;
        this.#delete(id);
        insert.run(sequence, id, content_title, content_summary, content_body);
        this.#sequences.set(id, sequence);
      }
    });
  }

  #delete(id: string): void {
    const sequence = this.#sequences.get(id);
    if (sequence === undefined) return;
    this.#open.prepare("DELETE FROM texts WHERE rowid = ?").run(sequence);
    this.#sequences.delete(id);
  }

  /** Runs changes as one transaction. An error makes the follower load the replica again. */
  #inTransaction(changes: () => void): void {
    const db = this.#open;
    db.exec("BEGIN");
    changes();
    db.exec("COMMIT");
  }
}
