// Tables about vectors that are still to be made: which memories wait for one, and those of another
// model that are being made beside the ones in use.

import type { Bytes, EmbeddedTexts } from "../rows.ts";
import type { Sql } from "../sql.ts";

/** A memory that waits for a vector. The ticket is another one when its text has changed. */
export interface WaitingMemory extends EmbeddedTexts {
  ticket: number;
  /** How often it has failed. */
  attempts: number;
}

/** A memory whose next vector is still to be made. */
export interface LackingMemory extends EmbeddedTexts {
  id: string;
}

/** A memory with the beginning of its vector. */
export interface VectorHead {
  sequence: number;
  id: string;
  content_title: string | null;
  head: Bytes;
}

const TEXTS = [
  "type",
  "subtype",
  "content_title",
  "content_summary",
  "content_body",
] as const satisfies readonly (keyof EmbeddedTexts)[];
const TEXT_COLUMNS = TEXTS.map((column) => `nodes.${column}`).join(", ");
const BYTES = Float32Array.BYTES_PER_ELEMENT;
/** Vectors of a batch. */
const HEADS = 1_000;

/**
 * The tables, and triggers that fill the queue in the transaction of the write, whoever writes: a
 * memory without a vector waits for one, and so does one whose text changed while its vector did
 * not.
 */
export const EMBEDDING_TABLES = `
  CREATE TABLE embedding_queue (
    ticket INTEGER PRIMARY KEY AUTOINCREMENT,
    node_id TEXT NOT NULL UNIQUE,
    attempts INTEGER NOT NULL DEFAULT 0,
    not_before INTEGER NOT NULL DEFAULT 0
  );
  CREATE INDEX embedding_queue_order ON embedding_queue(attempts, ticket);
  CREATE TABLE next_embeddings (node_id TEXT PRIMARY KEY, vector BLOB NOT NULL);
  CREATE TRIGGER nodes_embedding_insert AFTER INSERT ON nodes WHEN new.embedding_vector IS NULL BEGIN
    ${queued("new.id IS NOT NULL")}
  END;
  CREATE TRIGGER nodes_embedding_delete AFTER DELETE ON nodes BEGIN
    DELETE FROM embedding_queue WHERE node_id = old.id;
    DELETE FROM next_embeddings WHERE node_id = old.id;
  END;
  CREATE TRIGGER nodes_embedding_text AFTER UPDATE OF ${TEXTS.join(", ")} ON nodes
    WHEN ${TEXTS.map((column) => `new.${column} IS NOT old.${column}`).join(" OR ")} BEGIN
    DELETE FROM next_embeddings WHERE node_id = new.id;
    ${queued("new.embedding_vector IS old.embedding_vector AND new.id IS NOT NULL")}
  END;
  CREATE TRIGGER nodes_embedding_vector AFTER UPDATE OF embedding_vector ON nodes
    WHEN new.embedding_vector IS NOT old.embedding_vector BEGIN
    DELETE FROM embedding_queue WHERE node_id = new.id;
    ${queued("new.embedding_vector IS NULL AND new.id IS NOT NULL")}
  END;
  INSERT INTO embedding_queue(node_id) SELECT id FROM nodes WHERE embedding_vector IS NULL AND id IS NOT NULL;
`;

/**
 * A REPLACE in a trigger does what the statement that fired it says of conflicts; a DELETE always
 * deletes.
 */
function queued(condition: string): string {
  return `DELETE FROM embedding_queue WHERE node_id = new.id AND ${condition};
    INSERT INTO embedding_queue(node_id) SELECT new.id WHERE ${condition};`;
}

/** The longest that a text is put off, whatever its provider asks for, in milliseconds. */
const LONGEST_PUT_OFF = 86_400_000;

export class EmbeddingTables {
  readonly #sql: Sql;
  readonly #pinned: () => string | undefined;

  /** `pinned` returns the components that the database is set to, as text. */
  constructor(sql: Sql, pinned: () => string | undefined) {
    this.#sql = sql;
    this.#pinned = pinned;
  }

  /** How many memories wait for a vector. */
  waiting(): number {
    return this.#sql.all<{ count: number }>("SELECT count(*) AS count FROM embedding_queue")[0]!
      .count;
  }

  /**
   * When the next of those that were put off is due, in milliseconds since 1970; undefined where
   * nobody waits.
   */
  nextDue(): number | undefined {
    const [row] = this.#sql.all<{ due: number | null }>(
      "SELECT min(not_before) AS due FROM embedding_queue",
    );
    return row?.due ?? undefined;
  }

  /**
   * The next of those who are due. Fresh ones come first, and what failed comes in ever smaller
   * company, those last who failed last, so that a text that no provider takes is alone soon, and
   * keeps nobody waiting.
   */
  due(now: number, most: number): WaitingMemory[] {
    // A text that is put off for longer than any may be was put off by a clock that was ahead.
    const isDue =
      "JOIN nodes ON nodes.id = embedding_queue.node_id WHERE not_before NOT BETWEEN ? AND ?";
    const later = [now + 1, now + LONGEST_PUT_OFF];
    const [first] = this.#sql.all<{ attempts: number }>(
      `SELECT attempts FROM embedding_queue ${isDue} ORDER BY attempts, ticket LIMIT 1`,
      ...later,
    );
    if (first === undefined) return [];
    const { attempts } = first;
    const next = (order: string, count: number): WaitingMemory[] =>
      this.#sql.all(
        `SELECT ticket, attempts, ${TEXT_COLUMNS} FROM embedding_queue ${isDue} AND attempts = ? ORDER BY ${order} LIMIT ?`,
        ...later,
        attempts,
        count,
      );
    if (attempts === 0) return next("ticket", most);
    // Every second of them: those of one call were put off together and stand together, and are not
    // all to be in the next one's, too.
    const company = next("not_before, ticket", 2 * Math.max(1, Math.floor(most / 4 ** attempts)));
    return company.filter((_, place) => place % 2 === 0);
  }

  /** Stores the vector of a memory that waits; whether it still does. */
  put(ticket: number, vector: Uint8Array, model: string): boolean {
    const isStored =
      this.#sql.all(
        `UPDATE nodes SET embedding_vector = ?, embedding_model = ?
         WHERE id = (SELECT node_id FROM embedding_queue WHERE ticket = ?) RETURNING id`,
        vector,
        model,
        ticket,
      ).length > 0;
    this.#sql.all("DELETE FROM embedding_queue WHERE ticket = ?", ticket);
    return isStored;
  }

  /** A memory got the vector that its text has now. */
  served(id: string): void {
    this.#sql.all("DELETE FROM embedding_queue WHERE node_id = ?", id);
  }

  /**
   * Counts an attempt that failed. They are due again `delay` milliseconds from now, twice that for
   * each earlier one, at most `longest`.
   */
  postpone(tickets: readonly number[], now: number, delay: number, longest: number): void {
    this.#sql.all(
      `UPDATE embedding_queue SET not_before = ? + min(?, ? * (1 << min(attempts, 30))), attempts = attempts + 1
       WHERE ticket IN (SELECT value FROM json_each(?))`,
      now,
      Math.min(longest, LONGEST_PUT_OFF),
      delay,
      JSON.stringify(tickets),
    );
  }

  /** All who were put off are due at once. */
  release(): void {
    this.#sql.all("UPDATE embedding_queue SET not_before = 0 WHERE not_before > 0");
  }

  // ---- vectors of another model
  // ------------------------------------------------------------------

  /** Memories that have a vector, and none of the next model yet, after one of them. */
  lacking(after: string, most: number): LackingMemory[] {
    return this.#sql.all(
      `SELECT id, ${TEXT_COLUMNS} FROM nodes WHERE id > ? AND embedding_vector IS NOT NULL
         AND NOT EXISTS (SELECT 1 FROM next_embeddings WHERE node_id = nodes.id) ORDER BY id LIMIT ?`,
      after,
      most,
    );
  }

  /** The texts of a memory as they are now. */
  texts(id: string): EmbeddedTexts | undefined {
    return this.#sql.all<EmbeddedTexts>(`SELECT ${TEXT_COLUMNS} FROM nodes WHERE id = ?`, id)[0];
  }

  putNext(id: string, vector: Uint8Array): void {
    this.#sql.all(
      "INSERT OR REPLACE INTO next_embeddings(node_id, vector) VALUES (?, ?)",
      id,
      vector,
    );
  }

  /** Components of a vector of the next model; 0 where there is none. */
  nextDimensions(): number {
    const [row] = this.#sql.all<{ dimensions: number }>(
      `SELECT length(vector) / ${BYTES} AS dimensions FROM next_embeddings LIMIT 1`,
    );
    return row?.dimensions ?? 0;
  }

  /** How many there are of the next model. */
  nextCount(): number {
    return this.#sql.all<{ count: number }>("SELECT count(*) AS count FROM next_embeddings")[0]!
      .count;
  }

  forgetNext(): void {
    this.#sql.all("DELETE FROM next_embeddings");
  }

  /**
   * Vectors of the next model take the place of the others. A memory that has none of it waits for
   * one.
   */
  takeNext(model: string): void {
    this.#sql.all(
      `UPDATE nodes SET embedding_vector = (SELECT vector FROM next_embeddings WHERE node_id = nodes.id), embedding_model = ?
       WHERE embedding_vector IS NOT NULL`,
      model,
    );
    this.forgetNext();
  }

  // ---- vectors in use
  // ----------------------------------------------------------------------------

  /**
   * Returns the components of an embedding: the pinned number, else the commonest length; 0 if
   * there is no embedding.
   */
  dimensions(): number {
    const pinned = this.#pinned();
    if (pinned !== undefined) return Number(pinned);
    const commonest = `SELECT length(embedding_vector) / 4 AS dimensions FROM nodes
      WHERE typeof(embedding_vector) = 'blob' AND length(embedding_vector) > 0 AND length(embedding_vector) % 4 = 0
      GROUP BY 1 ORDER BY count(*) DESC, 1 DESC LIMIT 1`;
    return this.#sql.first<{ dimensions: number }>(commonest)?.dimensions ?? 0;
  }

  /** Returns whether there is an embedding of this many components. */
  has(dimensions: number): boolean {
    const some =
      "SELECT 1 FROM nodes WHERE typeof(embedding_vector) = 'blob' AND length(embedding_vector) = ? LIMIT 1";
    return this.#sql.all(some, dimensions * Float32Array.BYTES_PER_ELEMENT).length > 0;
  }

  /** The vectors of some memories, whole, in no order. */
  vectors(ids: readonly string[], dimensions: number): VectorHead[] {
    return this.#sql.all(
      `SELECT rowid AS sequence, id, content_title, embedding_vector AS head FROM nodes
       WHERE id IN (SELECT value FROM json_each(?)) AND length(embedding_vector) = ?`,
      JSON.stringify(ids),
      dimensions * BYTES,
    );
  }

  /** The first components of all vectors that have so many, or of a subtype's, in batches. */
  *heads(subtype: string | null, dimensions: number, components: number): Iterable<VectorHead[]> {
    const [condition, values] = subtype === null ? ["", []] : ["subtype = ? AND", [subtype]];
    let after = Number.MIN_SAFE_INTEGER;
    for (;;) {
      const rows = this.#sql.all<VectorHead>(
        `SELECT rowid AS sequence, id, content_title, substr(embedding_vector, 1, ?) AS head FROM nodes
         WHERE ${condition} rowid > ? AND length(embedding_vector) = ? AND id IS NOT NULL ORDER BY rowid LIMIT ?`,
        components * BYTES,
        ...values,
        after,
        dimensions * BYTES,
        HEADS,
      );
      if (rows.length > 0) yield rows;
      if (rows.length < HEADS) return;
      after = rows.at(-1)!.sequence;
    }
  }
}
