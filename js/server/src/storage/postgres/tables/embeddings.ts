// Tables of embeddings that are still to be made: the queue of memories that wait for one, and the
// embeddings of a next model.

import { type Query, raw, sql } from "../../query.ts";
import type { EmbeddedTexts } from "../../rows.ts";
import type { TableOf } from "../../storage.ts";
import {
  type EmbeddingTables,
  type LackingMemory,
  LONGEST_PUT_OFF,
  type VectorHead,
  type WaitingMemory,
} from "../../tables/embeddings.ts";
import type { AgentRows } from "../agent-rows.ts";

const TEXT_COLUMNS = raw(
  "nodes.type, nodes.subtype, nodes.content_title, nodes.content_summary, nodes.content_body",
);
const BYTES = Float32Array.BYTES_PER_ELEMENT;
/** Embeddings of a batch. */
const HEADS = 1_000;

/** The tables of the embedding queue and of the next model's embeddings. */
export class PostgresEmbeddings implements TableOf<EmbeddingTables> {
  readonly #rows: AgentRows;
  readonly #pinned: () => string | undefined;
  readonly #queue: Query;
  readonly #next: Query;
  readonly #own: Query;
  readonly #ofWaiting: Query;

  /** `pinned` returns the number of components that is stored for the agent, as text. */
  constructor(rows: AgentRows, pinned: () => string | undefined) {
    const { agent } = rows;
    this.#rows = rows;
    this.#pinned = pinned;
    this.#queue = sql`embedding_queue.agent = ${agent}`;
    this.#next = sql`next_embeddings.agent = ${agent}`;
    this.#own = sql`nodes.agent = ${agent}`;
    this.#ofWaiting = sql`FROM nous.embedding_queue
      JOIN nous.nodes ON ${this.#own} AND nodes.id = embedding_queue.node_id WHERE ${this.#queue}`;
  }

  /** Queues memories, each with a new ticket, also those that wait already. */
  queue(ids: readonly string[]): void {
    if (ids.length === 0) return;
    const { agent, state } = this.#rows;
    if (state !== undefined) state.tickets += ids.length;
    this.#rows.change(sql`
      WITH numbered AS (UPDATE nous.agents SET tickets = tickets + ${ids.length}
        WHERE agent = ${agent} RETURNING tickets - ${ids.length} AS before)
      INSERT INTO nous.embedding_queue (agent, node_id, ticket)
      SELECT ${agent}, id, before + place
      FROM numbered, unnest(${ids}::text[]) WITH ORDINALITY AS queued (id, place)
      ON CONFLICT (agent, node_id) DO UPDATE SET ticket = excluded.ticket, attempts = 0, not_before = 0`);
  }

  waiting(): number {
    return this.#rows.first<{ count: number }>(
      sql`SELECT count(*) AS count FROM nous.embedding_queue WHERE ${this.#queue}`,
    )!.count;
  }

  nextDue(): number | undefined {
    return (
      this.#rows.first<{ due: number | null }>(
        sql`SELECT min(not_before) AS due FROM nous.embedding_queue WHERE ${this.#queue}`,
      )!.due ?? undefined
    );
  }

  due(now: number, max: number): WaitingMemory[] {
    // A delay beyond the longest one comes from a clock that was ahead, and is ignored.
    const isDue = sql`${this.#ofWaiting}
      AND not_before NOT BETWEEN ${now + 1}::bigint AND ${now + LONGEST_PUT_OFF}::bigint`;
    const first = this.#rows.first<{ attempts: number }>(
      sql`SELECT attempts ${isDue} ORDER BY attempts, ticket LIMIT 1`,
    );
    if (first === undefined) return [];
    const { attempts } = first;
    const next = (order: string, count: number) =>
      this.#rows.all<WaitingMemory>(sql`
        SELECT ticket, attempts, ${TEXT_COLUMNS} ${isDue} AND attempts = ${attempts}
        ORDER BY ${raw(order)} LIMIT ${count}`);
    if (attempts === 0) return next("ticket", max);
    // Every second row, as in the tables of libSQL: a refused text is soon alone in its batch.
    const company = next("not_before, ticket", 2 * Math.max(1, Math.floor(max / 4 ** attempts)));
    return company.filter((_, place) => place % 2 === 0);
  }

  put(ticket: number, vector: Uint8Array, model: string): boolean {
    return this.#rows.writing(() => {
      const stored = this.#rows.change<{ id: string }>(sql`
        WITH served AS (DELETE FROM nous.embedding_queue WHERE ${this.#queue} AND ticket = ${ticket}
          RETURNING node_id)
        UPDATE nous.nodes SET embedding_vector = ${vector}, embedding_model = ${model}
        FROM served WHERE ${this.#own} AND id = served.node_id RETURNING id`);
      this.#note(stored);
      return stored.length > 0;
    });
  }

  #note(rows: readonly { id: string }[]): void {
    this.#rows.note(
      "node",
      rows.map(({ id }) => id),
    );
  }

  lastTicket(): number {
    const { state } = this.#rows;
    if (state !== undefined) return state.tickets;
    const last = sql`SELECT tickets FROM nous.agents WHERE agent = ${this.#rows.agent}`;
    return this.#rows.first<{ tickets: number }>(last)?.tickets ?? 0;
  }

  waitingAfter(after: number, max: number): (EmbeddedTexts & { ticket: number })[] {
    return this.#rows.all(
      sql`SELECT ticket, ${TEXT_COLUMNS} ${this.#ofWaiting} AND ticket > ${after} ORDER BY ticket
        LIMIT ${max}`,
    );
  }

  withdraw(ticket: number): void {
    this.#rows.writing(() => {
      const row = this.#rows.first<{ id: string }>(
        sql`SELECT node_id AS id FROM nous.embedding_queue WHERE ${this.#queue}
          AND ticket = ${ticket}`,
      );
      if (row === undefined) return;
      this.#note(
        this.#rows.change<{ id: string }>(sql`
          UPDATE nous.nodes SET embedding_vector = NULL, embedding_model = NULL
          WHERE ${this.#own} AND id = ${row.id} AND embedding_vector IS NOT NULL RETURNING id`),
      );
      this.served(row.id);
    });
  }

  dropOld(after: number, model: string): void {
    this.#rows.writing(() =>
      this.#note(
        this.#rows.change<{ id: string }>(sql`
          UPDATE nous.nodes SET embedding_vector = NULL, embedding_model = NULL
          WHERE ${this.#own} AND embedding_model = ${model} AND embedding_vector IS NOT NULL
            AND id IN (SELECT node_id FROM nous.embedding_queue WHERE ${this.#queue}
              AND ticket > ${after}) RETURNING id`),
      ),
    );
  }

  dropAll(): void {
    this.#drop(raw("embedding_vector IS NOT NULL"));
  }

  drop(model: string): void {
    this.#drop(sql`embedding_model = ${model}`);
  }

  /** Drops some embeddings. All memories without one join the queue. */
  #drop(where: Query): void {
    this.#rows.writing(() => {
      this.#note(
        this.#rows.change<{ id: string }>(sql`
          UPDATE nous.nodes SET embedding_vector = NULL, embedding_model = NULL
          WHERE ${this.#own} AND ${where} RETURNING id`),
      );
      this.#queueMissing();
    });
  }

  #queueMissing(): void {
    const missing = this.#rows.all<{ id: string }>(sql`
      SELECT id FROM nous.nodes WHERE ${this.#own} AND embedding_vector IS NULL AND NOT EXISTS
        (SELECT 1 FROM nous.embedding_queue WHERE ${this.#queue} AND node_id = nodes.id) ORDER BY sequence`);
    this.queue(missing.map(({ id }) => id));
  }

  served(id: string): void {
    this.leave([id]);
  }

  /** Takes memories out of the queue. */
  leave(ids: readonly string[]): void {
    if (ids.length === 0) return;
    this.#rows.change(
      sql`DELETE FROM nous.embedding_queue WHERE ${this.#queue} AND node_id = ANY(${ids}::text[])`,
    );
  }

  postpone(tickets: readonly number[], now: number, delay: number, longest: number): void {
    const max = Math.min(longest, LONGEST_PUT_OFF);
    this.#rows.change(sql`
      UPDATE nous.embedding_queue SET attempts = attempts + 1, not_before = ${now}::bigint
        + least(${max}::bigint, ${delay}::bigint * (1::bigint << least(attempts, 30)::int))
      WHERE ${this.#queue} AND ticket = ANY(${tickets}::bigint[])`);
  }

  release(): void {
    this.#rows.change(
      sql`UPDATE nous.embedding_queue SET not_before = 0 WHERE ${this.#queue} AND not_before > 0`,
    );
  }

  // ---- vectors of another model -----------------------------------------------------------------

  lacking(after: string, max: number): LackingMemory[] {
    return this.#rows.all(sql`
      SELECT id, ${TEXT_COLUMNS} FROM nous.nodes
      WHERE ${this.#own} AND id > ${after} AND embedding_vector IS NOT NULL AND NOT EXISTS
        (SELECT 1 FROM nous.next_embeddings WHERE ${this.#next} AND node_id = nodes.id)
      ORDER BY id LIMIT ${max}`);
  }

  texts(id: string): EmbeddedTexts | undefined {
    return this.#rows.first(
      sql`SELECT ${TEXT_COLUMNS} FROM nous.nodes WHERE ${this.#own} AND id = ${id}`,
    );
  }

  putNext(id: string, vector: Uint8Array): void {
    this.#rows.change(sql`
      INSERT INTO nous.next_embeddings (agent, node_id, vector)
      VALUES (${this.#rows.agent}, ${id}, ${vector})
      ON CONFLICT (agent, node_id) DO UPDATE SET vector = excluded.vector`);
  }

  /** Drops the embeddings of the next model for texts that have changed. */
  forgetNextOf(ids: readonly string[]): void {
    if (ids.length === 0) return;
    this.#rows.change(
      sql`DELETE FROM nous.next_embeddings WHERE ${this.#next} AND node_id = ANY(${ids}::text[])`,
    );
  }

  nextDimensions(): number {
    const dimensions = sql`SELECT octet_length(vector) / ${BYTES}::int AS dimensions
      FROM nous.next_embeddings WHERE ${this.#next} LIMIT 1`;
    return this.#rows.first<{ dimensions: number }>(dimensions)?.dimensions ?? 0;
  }

  nextCount(): number {
    return this.#rows.first<{ count: number }>(
      sql`SELECT count(*) AS count FROM nous.next_embeddings WHERE ${this.#next}`,
    )!.count;
  }

  forgetNext(): void {
    this.#rows.change(sql`DELETE FROM nous.next_embeddings WHERE ${this.#next}`);
  }

  takeNext(model: string): void {
    this.#rows.writing(() => {
      const taken = this.#rows.change<{ id: string; is_bare: boolean }>(sql`
        UPDATE nous.nodes SET embedding_model = ${model}, embedding_vector =
          (SELECT vector FROM nous.next_embeddings WHERE ${this.#next} AND node_id = nodes.id)
        WHERE ${this.#own} AND embedding_vector IS NOT NULL
        RETURNING id, embedding_vector IS NULL AS is_bare`);
      this.#note(taken);
      this.queue(taken.flatMap(({ id, is_bare }) => (is_bare ? id : [])));
      this.forgetNext();
    });
  }

  // ---- vectors in use ---------------------------------------------------------------------------

  dimensions(): number {
    const pinned = this.#pinned();
    if (pinned !== undefined) return Number(pinned);
    const commonest = sql`SELECT octet_length(embedding_vector) / 4 AS dimensions FROM nous.nodes
      WHERE ${this.#own} AND octet_length(embedding_vector) > 0
      AND octet_length(embedding_vector) % 4 = 0
      GROUP BY 1 ORDER BY count(*) DESC, 1 DESC LIMIT 1`;
    return this.#rows.first<{ dimensions: number }>(commonest)?.dimensions ?? 0;
  }

  has(dimensions: number): boolean {
    const some = sql`SELECT 1 AS one FROM nous.nodes
      WHERE ${this.#own} AND octet_length(embedding_vector) = ${dimensions * BYTES} LIMIT 1`;
    return this.#rows.all(some).length > 0;
  }

  vectors(ids: readonly string[], dimensions: number): VectorHead[] {
    return this.#rows.all(sql`
      SELECT sequence, id, content_title, embedding_vector AS head FROM nous.nodes
      WHERE ${this.#own} AND id = ANY(${ids}::text[]) AND octet_length(embedding_vector) = ${dimensions * BYTES}`);
  }

  *heads(subtype: string | null, dimensions: number, components: number): Iterable<VectorHead[]> {
    const isOf = subtype === null ? raw("true") : sql`subtype = ${subtype}`;
    let after = Number.MIN_SAFE_INTEGER;
    for (;;) {
      const rows = this.#rows.all<VectorHead>(sql`
        SELECT sequence, id, content_title, substring(embedding_vector
        FROM 1 FOR ${components * BYTES}) AS head
        FROM nous.nodes WHERE ${this.#own} AND ${isOf} AND sequence > ${after}
          AND octet_length(embedding_vector) = ${dimensions * BYTES} ORDER BY sequence LIMIT ${HEADS}`);
      if (rows.length > 0) yield rows;
      if (rows.length < HEADS) return;
      after = rows.at(-1)!.sequence;
    }
  }
}
