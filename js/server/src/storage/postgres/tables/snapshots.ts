// A snapshot in rows: one for each piece. It is written and read in transactions, so that it always
// belongs to the rows and to the change log beside it.

import type { Steps } from "nous-memory";
import { sql } from "../../query.ts";
import type { SnapshotStore } from "../../snapshots.ts";
import type { AgentRows } from "../agent-rows.ts";

/** Keeps a snapshot of an agent in the table of snapshots. */
export class PostgresSnapshot implements SnapshotStore {
  readonly isInDatabase = true;
  readonly #rows: AgentRows;
  readonly #name: string;

  /** `name` tells the snapshots of an agent apart. */
  constructor(rows: AgentRows, name: string) {
    this.#rows = rows;
    this.#name = name;
  }

  obstacle(): undefined {
    return undefined;
  }

  *pieces(): Generator<Uint8Array, undefined> {
    for (let piece = 0; ; piece++) {
      const [bytes] = this.#rows.bytes(sql`
        SELECT bytes FROM nous.snapshots
        WHERE agent = ${this.#rows.agent} AND name = ${this.#name} AND piece = ${piece}`);
      if (bytes === undefined) return;
      yield new Uint8Array(bytes);
    }
  }

  *replace(pieces: Iterable<Uint8Array>): Steps<void> {
    this.remove();
    let place = 0;
    for (const bytes of pieces) {
      this.#rows.all(sql`
        INSERT INTO nous.snapshots (agent, name, piece, bytes)
        VALUES (${this.#rows.agent}, ${this.#name}, ${place}, ${bytes})`);
      place += 1;
      yield;
    }
  }

  /** A snapshot holds nothing of its own: its deletion is no change of the memories. */
  remove(): void {
    this.#rows.all(
      sql`DELETE FROM nous.snapshots WHERE agent = ${this.#rows.agent} AND name = ${this.#name}`,
    );
  }
}
