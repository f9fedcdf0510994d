// Tables of embeddings that are still to be made: the queue of memories that wait for one, and the
// embeddings of a next model, which are made beside those in use.

import type { EmbeddedTexts } from "../rows.ts";
import { advanced, BEFORE_ALL, type Sql } from "../sql.ts";

/** A memory that waits for an embedding. The ticket changes when its text changes. */
export interface WaitingMemory extends EmbeddedTexts {
  ticket: number;
  /** The number of failed attempts. */
  attempts: number;
}

/** A memory without an embedding of the next model. */
export interface LackingMemory extends EmbeddedTexts {
  id: string;
}

/** A memory with the first components of its embedding. */
export interface VectorHead {
  sequence: number;
  id: string;
  content_title: string | null;
  head: Uint8Array;
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
/** Embeddings of a batch. */
const HEADS = 1_000;

/**
 * The tables, and triggers that fill the queue in the transaction of the write, for every writer.
 * They queue a memory without an embedding, and one whose text changed while its embedding did not.
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
 * Returns the statements that queue a memory. They use DELETE: a REPLACE in a trigger takes the
 * conflict policy of the statement that fired it.
 */
function queued(condition: string): string {
  return `DELETE FROM embedding_queue WHERE node_id = new.id AND ${condition};
    INSERT INTO embedding_queue(node_id) SELECT new.id WHERE ${condition};`;
}

/** The longest delay of a text, whatever its provider asks for, in milliseconds. */
export const LONGEST_PUT_OFF = 86_400_000;

/**
 * The tables of the embedding queue and of the next model's embeddings, and reads of those in use.
 */
export class EmbeddingTables {
  readonly #sql: Sql;
  readonly #pinned: () => string | undefined;

  /** `pinned` returns the number of components that is stored for the database, as text. */
  constructor(sql: Sql, pinned: () => string | undefined) {
    this.#sql = sql;
    this.#pinned = pinned;
  }

  /** Returns how many memories wait for an embedding. */
  waiting(): number {
    return this.#sql.all<{ count: number }>("SELECT count(*) AS count FROM embedding_queue")[0]!
      .count;
  }

  /**
   * Returns when the next postponed memory is due, in milliseconds since 1970; undefined if no
   * memory waits.
   */
  nextDue(): number | undefined {
    const [row] = this.#sql.all<{ due: number | null }>(
      "SELECT min(not_before) AS due FROM embedding_queue",
    );
    return row?.due ?? undefined;
  }

  /**
   * Returns the next memories that are due. Those without a failed attempt come first. After each
   * failure a batch is smaller, and the latest failures come last. A text that the provider refuses
   * is therefore soon alone in its batch, and delays no other.
   */
  due(now: number, max: number): WaitingMemory[] {
    // A delay beyond the longest one comes from a clock that was ahead, and is ignored.
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
    if (attempts === 0) return next("ticket", max);
    // Every second row: the memories of one failed call are adjacent, and must not all be in the
    // next batch again.
    const company = next("not_before, ticket", 2 * Math.max(1, Math.floor(max / 4 ** attempts)));
    return company.filter((_, place) => place % 2 === 0);
  }

  /**
   * Stores the embedding of a waiting memory. Returns false if the memory no longer waits with this
   * ticket.
   */
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

  /** Returns the highest ticket so far, also of memories that do not wait any more. */
  lastTicket(): number {
    const last = "SELECT seq FROM sqlite_sequence WHERE name = 'embedding_queue'";
    return this.#sql.first<{ seq: number }>(last)?.seq ?? 0;
  }

  /** Returns the first memories that wait with a ticket above `after`, postponed ones included. */
  waitingAfter(after: number, max: number): (EmbeddedTexts & { ticket: number })[] {
    return this.#sql.all(
      `SELECT ticket, ${TEXT_COLUMNS} FROM embedding_queue
       JOIN nodes ON nodes.id = embedding_queue.node_id WHERE ticket > ? ORDER BY ticket LIMIT ?`,
      after,
      max,
    );
  }

  /** Takes a memory out of the queue: its text has no embedding. Drops one of an earlier text. */
  withdraw(ticket: number): void {
    const [row] = this.#sql.all<{ id: string }>(
      "SELECT node_id AS id FROM embedding_queue WHERE ticket = ?",
      ticket,
    );
    if (row === undefined) return;
    // A trigger queues the memory again, with another ticket.
    this.#sql.all(
      `UPDATE nodes SET embedding_vector = NULL, embedding_model = NULL
       WHERE id = ? AND embedding_vector IS NOT NULL`,
      row.id,
    );
    this.served(row.id);
  }

  /**
   * Drops the embeddings of a model that are of an earlier text: those of memories that wait with a
   * ticket above `after`. They wait on.
   */
  dropOld(after: number, model: string): void {
    // A trigger queues them again, with other tickets.
    this.#sql.all(
      `UPDATE nodes SET embedding_vector = NULL, embedding_model = NULL WHERE embedding_model = ?
         AND embedding_vector IS NOT NULL
         AND id IN (SELECT node_id FROM embedding_queue WHERE ticket > ?)`,
      model,
      after,
    );
  }

  /** Drops all embeddings. All memories join the queue, also those whose text had none. */
  dropAll(): void {
    this.#sql.all(
      "UPDATE nodes SET embedding_vector = NULL, embedding_model = NULL WHERE embedding_vector IS NOT NULL",
    );
    this.#queueMissing();
  }

  /**
   * Drops the embeddings of a model. Their memories join the queue, and so do all others without an
   * embedding: another model may have one for their texts.
   */
  drop(model: string): void {
    this.#sql.all(
      "UPDATE nodes SET embedding_vector = NULL, embedding_model = NULL WHERE embedding_model = ?",
      model,
    );
    this.#queueMissing();
  }

  /** Queues memories without an embedding that do not wait for one. */
  #queueMissing(): void {
    this.#sql.all(
      `INSERT INTO embedding_queue(node_id) SELECT id FROM nodes WHERE embedding_vector IS NULL
         AND id IS NOT NULL AND NOT EXISTS (SELECT 1 FROM embedding_queue WHERE node_id = nodes.id)`,
    );
  }

  /** Removes a memory from the queue: its embedding matches its text. */
  served(id: string): void {
    this.#sql.all("DELETE FROM embedding_queue WHERE node_id = ?", id);
  }

  /**
   * Counts a failed attempt. The memories are due again `delay` milliseconds from now, doubled for
   * each earlier failure, at most `longest`.
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

  /** Makes all postponed memories due at once. */
  release(): void {
    this.#sql.all("UPDATE embedding_queue SET not_before = 0 WHERE not_before > 0");
  }

  // ---- vectors of another model -----------------------------------------------------------------

  /** Returns memories after `after` that have an embedding, but none of the next model. */
  lacking(after: string, max: number): LackingMemory[] {
    return this.#sql.all(
      `SELECT id, ${TEXT_COLUMNS} FROM nodes WHERE id > ? AND embedding_vector IS NOT NULL
         AND NOT EXISTS (SELECT 1 FROM next_embeddings WHERE node_id = nodes.id) ORDER BY id LIMIT ?`,
      after,
      max,
    );
  }

  /** Returns the current texts of a memory. */
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

  /** Returns the components of an embedding of the next model; 0 if there is no such embedding. */
  nextDimensions(): number {
    const [row] = this.#sql.all<{ dimensions: number }>(
      `SELECT length(vector) / ${BYTES} AS dimensions FROM next_embeddings LIMIT 1`,
    );
    return row?.dimensions ?? 0;
  }

  /** Returns the number of embeddings of the next model. */
  nextCount(): number {
    return this.#sql.all<{ count: number }>("SELECT count(*) AS count FROM next_embeddings")[0]!
      .count;
  }

  forgetNext(): void {
    this.#sql.all("DELETE FROM next_embeddings");
  }

  /**
   * Replaces the embeddings in use by those of the next model. A memory without one joins the
   * queue.
   */
  takeNext(model: string): void {
    this.#sql.all(
      `UPDATE nodes SET embedding_vector = (SELECT vector FROM next_embeddings WHERE node_id = nodes.id), embedding_model = ?
       WHERE embedding_vector IS NOT NULL`,
      model,
    );
    this.forgetNext();
  }

  // ---- vectors in use ---------------------------------------------------------------------------

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

  /** Returns the whole embeddings of some memories, in no order. */
  vectors(ids: readonly string[], dimensions: number): VectorHead[] {
    return this.#sql.all(
      `SELECT rowid AS sequence, id, content_title, embedding_vector AS head FROM nodes
       WHERE id IN (SELECT value FROM json_each(?)) AND length(embedding_vector) = ?`,
      JSON.stringify(ids),
      dimensions * BYTES,
    );
  }

  /**
   * Yields the first components of all embeddings with `dimensions` components, or of a subtype's,
   * in batches.
   */
  *heads(subtype: string | null, dimensions: number, components: number): Iterable<VectorHead[]> {
    const [condition, values] = subtype === null ? ["", []] : ["subtype = ? AND", [subtype]];
    let after = BEFORE_ALL;
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
      after = advanced(after, rows.at(-1)!.sequence);
    }
  }
}
