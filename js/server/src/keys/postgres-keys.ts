// Keys in a PostgreSQL database, which all of its servers share.
//
// # Idea
//
// The table `nous.keys` holds what a key's file holds. `nous.key_state` has one row: a random value
// that changes with each change of a key, and whether keys are needed. A trigger keeps both, so that
// changes by hand count as well. A server that knows the value reads one row instead of all keys.

import type pg from "pg";
import { StorageError } from "../storage/errors.ts";
import { poolOf, transaction } from "../storage/postgres/connections.ts";
import { migrate, schemaIn } from "../storage/postgres/migrate.ts";
import { checkIsCurrent, checkIsKnown, SCHEMA } from "../storage/postgres/migrations.ts";
import type { PostgresPlace } from "../storage/postgres/protocol.ts";
import { failureOf, replyTo } from "../storage/postgres/replies.ts";
import { type Key, KeyError, newKey, type Rights, refuseIfAny } from "./keys.ts";
import type { KeyStore } from "./store.ts";

/** Shows the keys to the statements of a transaction. */
const USES_KEYS = "SET LOCAL nous.uses_keys = 'on'";
const COLUMNS = "id, created_at, agents, scopes, creates_agents, sha256";
const UUID = /^[0-9a-f-]{36}$/;

/** The keys of a database at one moment. */
export interface KeyState {
  /** A value that changes with the keys. */
  state: string;
  are_needed: boolean;
  /** The keys, the oldest first. Null if the caller knows them. */
  keys: Key[] | null;
}

/** A key as a row: without agents it is for all of them. */
type KeyRow = Omit<Key, "agents"> & { agents: string[] | null };

const keyOf = ({ agents, ...row }: KeyRow): Key => ({ ...row, agents: agents ?? "all" });

/** How the keys of a database are opened. */
interface OpenOptions {
  /** Whether an older schema is migrated. */
  migrates: boolean;
  /** Called with a sentence about each thing that opening did. */
  tell?: (what: string) => void;
}

/** The keys in a PostgreSQL database, by a connection of their own. */
export class PostgresKeys implements KeyStore {
  readonly #pool: pg.Pool;
  readonly #place: PostgresPlace;

  private constructor(place: PostgresPlace) {
    this.#place = place;
    this.#pool = poolOf({ ...place, connections: 1 });
  }

  /**
   * Opens the keys of a database.
   *
   * @throws {StorageError} If the database cannot be reached, or has another schema.
   */
  static async open(
    place: PostgresPlace,
    { migrates, tell = () => {} }: OpenOptions,
  ): Promise<PostgresKeys> {
    const keys = new PostgresKeys(place);
    try {
      const { found } = await keys.#asking(() => (migrates ? migrate : schemaIn)(keys.#pool));
      if (!migrates) checkIsCurrent(found);
      checkIsKnown(found);
      if (found < SCHEMA) tell(`The database had schema ${found} and has ${SCHEMA} now`);
      return keys;
    } catch (error) {
      await keys.close();
      throw StorageError.of(error, `The database ${place.url} cannot be opened`);
    }
  }

  async create(rights: Rights): Promise<{ key: string; id: string }> {
    const { key, stored } = newKey(rights);
    await this.add([stored]);
    return { key, id: stored.id };
  }

  async add(keys: readonly Key[]): Promise<void> {
    await this.#using(async (client) => {
      // Another program may be copying the same keys.
      for (const { id, created_at, agents, scopes, creates_agents, sha256 } of keys)
        await client.query(
          `INSERT INTO nous.keys (${COLUMNS}) VALUES ($1, $2, $3, $4, $5, $6)
           ON CONFLICT (id) DO NOTHING`,
          [id, created_at, agents === "all" ? null : agents, scopes, creates_agents, sha256],
        );
    });
  }

  async read(): Promise<Key[]> {
    return (await this.stateAfter(undefined)).keys!;
  }

  async areNeeded(): Promise<boolean> {
    return (await this.stateAfter(undefined)).are_needed;
  }

  async need(): Promise<void> {
    await this.#using((client) => client.query("UPDATE nous.key_state SET are_needed = true"));
  }

  /**
   * Returns the keys in one round trip, unless their state is the one that is given.
   *
   * @throws {StorageError} If they cannot be read.
   */
  async stateAfter(known: string | undefined): Promise<KeyState> {
    const isKnown = known !== undefined && UUID.test(known) ? `state = '${known}'` : "false";
    // Statements in one text are one transaction.
    const results = (await this.#asking(() =>
      this.#pool.query(`
        ${USES_KEYS};
        SELECT state, are_needed, CASE WHEN ${isKnown} THEN NULL ELSE coalesce(
          (SELECT json_agg(row_to_json(keys) ORDER BY created_at, id) FROM nous.keys), '[]') END AS keys
        FROM nous.key_state`),
    )) as unknown as pg.QueryResult[];
    const row = results.at(-1)!.rows[0] as { keys: KeyRow[] | null } & Omit<KeyState, "keys">;
    if (row === undefined)
      throw new KeyError(
        "The table nous.key_state has no row: restore it with the keys from a backup.",
      );
    return { ...row, keys: row.keys?.map(keyOf) ?? null };
  }

  needNone(): Promise<boolean> {
    return this.#using(async (client) => {
      // The lock makes a key that is being created wait.
      const { rows } = await client.query("SELECT are_needed FROM nous.key_state FOR UPDATE");
      refuseIfAny(
        (await client.query("SELECT id FROM nous.keys ORDER BY created_at LIMIT 1")).rows,
      );
      await client.query("UPDATE nous.key_state SET are_needed = false");
      return rows[0]?.are_needed === true;
    });
  }

  async revoke(id: string): Promise<void> {
    const { rowCount } = await this.#using((client) =>
      client.query("DELETE FROM nous.keys WHERE id = $1", [id]),
    );
    if (rowCount === 0) throw new KeyError(`there is no key ${id} in ${this.#place.url}`);
  }

  close(): Promise<void> {
    return this.#pool.end();
  }

  /** Runs `work` in a transaction that sees the keys. */
  #using<T>(work: (client: pg.PoolClient) => Promise<T>): Promise<T> {
    return this.#asking(() =>
      transaction(this.#pool, async (client) => {
        await client.query(USES_KEYS);
        return work(client);
      }),
    );
  }

  /** @throws {StorageError} In place of the errors of the driver. */
  async #asking<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      if (error instanceof KeyError) throw error;
      throw failureOf(replyTo(error, this.#place.timeout));
    }
  }
}
