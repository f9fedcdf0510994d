// The keys of a running server, from a PostgreSQL database.
//
// # Idea
//
// Keys are kept in memory, so that a request costs no round trip. The first request that comes a
// second or more after the last read waits until they are read again: one row, if none has changed.
// An idle server reads nothing.
//
// # Invariants
//
// - A key counts for at most a second after it was revoked, if the database answers within a second.
//   It counts for at most a minute if the database does not. Then every request is refused.
// - An unknown key is refused only by keys that were read after its request arrived.
//
// # Cost
//
// One read a second under load. Requests with unknown keys add nine at most.

import { setTimeout as wait } from "node:timers/promises";
import type { Logger } from "../log.ts";
import { Refusal, SettingsError } from "../refusal.ts";
import type { PostgresPlace } from "../storage/postgres/protocol.ts";
import { areKeysNeeded, readKeys } from "./keys.ts";
import { PostgresKeys } from "./postgres-keys.ts";
import { type KeyRing, type KnownKey, known, NONE_ARE_THERE, Refusals } from "./ring.ts";

/** Milliseconds for which keys count without being read again. */
const FRESH = 1_000;
/** Milliseconds that a request waits for keys to be read again, when it has older ones. */
const PATIENCE = 1_000;
/** Milliseconds for which keys count that cannot be read again. */
const MAX = 60_000;
/** Milliseconds between the beginnings of two reads for unknown keys. */
const SPACING = 100;

/** The current keys of a database. */
export class PostgresRing implements KeyRing {
  readonly #store: PostgresKeys;
  readonly #log: Logger;
  readonly #refusals: Refusals;
  #keys: KnownKey[] = [];
  #areNeeded = false;
  #state: string | undefined;
  /** When the last read that succeeded began, by `performance.now()`. */
  #readAt = Number.NEGATIVE_INFINITY;
  /** When the last read began. */
  #begunAt = Number.NEGATIVE_INFINITY;
  /** Resolves to why the running read failed; undefined if it did not. */
  #reading: Promise<string | undefined> | undefined;
  #isFailing = false;

  private constructor(store: PostgresKeys, log: Logger) {
    this.#store = store;
    this.#log = log;
    this.#refusals = new Refusals(log);
  }

  /** Opens the keys. Their schema is migrated. */
  static async open(place: PostgresPlace, dataDir: string, log: Logger): Promise<PostgresRing> {
    const store = await PostgresKeys.open(place, {
      migrates: true,
      tell: (what) => log.info(what),
    });
    try {
      const ring = new PostgresRing(store, log);
      ring.#take(await store.stateAfter(undefined), performance.now());
      ring.#tellOfFiles(dataDir, place.url);
      return ring;
    } catch (error) {
      await store.close();
      throw error;
    }
  }

  async current(): Promise<readonly KnownKey[] | undefined> {
    const now = performance.now();
    if (now - this.#readAt >= FRESH) {
      const isDue = this.#reading !== undefined || now - this.#begunAt >= FRESH;
      if (isDue) await this.#within(this.#read(), this.#begunAt + PATIENCE - now);
      if (performance.now() - this.#readAt > MAX)
        throw new Refusal(503, "the keys cannot be read from the database: try again later");
    }
    return this.#valid;
  }

  async newest(): Promise<readonly KnownKey[] | undefined> {
    await this.#reading;
    const left = this.#begunAt + SPACING - performance.now();
    if (left > 0) await wait(left);
    if ((await this.#read()) !== undefined)
      throw new Refusal(
        503,
        "the key is not known, and the keys cannot be read from the database now: try again later",
      );
    return this.#valid;
  }

  async close(): Promise<void> {
    await this.#reading;
    await this.#store.close();
  }

  get #valid(): readonly KnownKey[] | undefined {
    return this.#areNeeded ? this.#keys : undefined;
  }

  /** Reads the keys, or waits for the read that is running. */
  #read(): Promise<string | undefined> {
    this.#reading ??= this.#readOnce().finally(() => {
      this.#reading = undefined;
    });
    return this.#reading;
  }

  async #readOnce(): Promise<string | undefined> {
    const begun = performance.now();
    this.#begunAt = begun;
    try {
      this.#take(await this.#store.stateAfter(this.#state), begun);
    } catch (error) {
      const { message } = error as Error;
      if (!this.#isFailing)
        this.#log.error(
          { failure: { message } },
          "The keys cannot be read: those that were read before count for a minute",
        );
      this.#isFailing = true;
      return message;
    }
    if (this.#isFailing) this.#log.info("The keys can be read again");
    this.#isFailing = false;
    return undefined;
  }

  #take(
    { state, are_needed, keys }: Awaited<ReturnType<PostgresKeys["stateAfter"]>>,
    begun: number,
  ): void {
    if (keys !== null) this.#keys = keys.map(known);
    this.#state = state;
    this.#readAt = begun;
    this.#areNeeded ||= are_needed;
    const isEmpty = this.#areNeeded && this.#keys.length === 0;
    this.#refusals.note(isEmpty ? NONE_ARE_THERE : undefined);
  }

  /** Waits for a read, for at most so many milliseconds. */
  async #within(reading: Promise<unknown>, max: number): Promise<void> {
    const end = new AbortController();
    const late = wait(Math.max(0, max), undefined, { signal: end.signal }).catch(() => {});
    await Promise.race([reading, late]);
    end.abort();
  }

  /**
   * Tells of keys in the data folder, which do not count.
   *
   * @throws {SettingsError} If the server would ask for no key, or for none of them.
   */
  #tellOfFiles(dataDir: string, url: string): void {
    const others = readKeys(dataDir).filter(({ id }) =>
      this.#keys.every(({ key }) => key.id !== id),
    );
    const how = `\`nous-server move --from ${dataDir} --to ${url}\` copies them`;
    if (!this.#areNeeded && (others.length > 0 || areKeysNeeded(dataDir)))
      throw new SettingsError(
        `With PostgreSQL the keys are in the database, which has none, and the folder ${dataDir} has some: ${how}, or delete its folder \`keys\` and its file \`keys-needed\`.`,
      );
    if (others.length > 0)
      this.#log.warn(
        `Keys in the folder ${dataDir} do not count, such as ${others[0]!.id}: with PostgreSQL the keys are in the database; ${how}`,
      );
  }
}
