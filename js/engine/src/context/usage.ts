// Usage of memories: which recalled memories an answer used. The records are kept here; rates and
// scores are computed in the module.

import { idsOf, isPlainObject, optionsOf, presentOf, requireText } from "../arguments.ts";
import { defaultContext } from "../engine-context.ts";
import { invalid, invalidEntry, invalidShape, NousError, show } from "../errors.ts";
import { moduleConstants } from "../generated/constants.ts";
import {
  SHARED,
  SHARED_IS_ENOUGH,
  SHARED_SIMILARITY,
  USAGE,
  USAGE_RATE,
  USAGE_SCORE,
} from "../generated/layout.ts";
import type { Instant } from "../types.ts";
import { answerOf, Batch } from "./batch.ts";
import { Heap } from "./heap.ts";
import { type ContextMode, isSeedCompatible } from "./turn.ts";

/**
 * A record that a memory was in a prompt.
 *
 * @example
 * ```ts
 * usage.record([{ memory_id: "m1", retrieved_at: Date.now(), was_referenced: true }]);
 * ```
 */
export interface UsageRecord {
  /** Id of the memory. Not empty. */
  memory_id: string;
  /** Memory type, such as `fact`. Missing or null if unknown. */
  memory_type?: string | null | undefined;
  /** Time of the prompt, in milliseconds since 1970. */
  retrieved_at: number;
  /** Whether the answer used the memory. */
  was_referenced: boolean;
}

/** A record with the overlap of memory and answer. */
export interface UsageFeedback extends UsageRecord {
  /**
   * Share of the memory that the answer contains, in [0, 1]. From 0.15 on the memory counts as
   * used.
   */
  overlap_score: number;
}

/** Statistics of a memory's records. */
export interface MemoryUsageStats {
  /** Id of the memory. */
  memory_id: string;
  /** Type of the latest record with a type. Missing if no record has one. */
  memory_type?: string;
  /** Number of records: how often the memory was in a prompt. */
  times_retrieved: number;
  /** Number of records in which the answer used the memory. */
  times_referenced: number;
  /**
   * Share of uses, in [0, 1]. Recent records have more weight; in the seed-compatible mode all have
   * the same.
   */
  rate: number;
  /** Sum of the uses. Each counts 1 at first, and half as much after each week. */
  usage_score: number;
  /** Time of the latest record, at most `now`, in milliseconds since 1970. */
  last_retrieved: number;
}

/** A tracker as plain data, to store as JSON. */
export interface UsageState {
  /** Version of the format. */
  version: 1;
  /** The mode of the tracker. */
  mode: ContextMode;
  /** The most records that the tracker keeps. */
  max_records: number;
  /** The records, oldest first. */
  records: UsageRecord[];
}

/**
 * Options of `new UsageTracker()`.
 *
 * @example
 * ```ts
 * const usage = new UsageTracker({ maxRecords: 10_000 });
 * ```
 */
export interface UsageTrackerOptions {
  /** Rules to apply. Default `default`. */
  mode?: ContextMode | undefined;
  /**
   * The most records of all memories together: a whole number from 1 to 10,000,000. Default 5,000.
   * In the seed-compatible mode a record beyond it only drops the records that are at least 21 days
   * old; there may be more recent records than this.
   */
  maxRecords?: number | undefined;
}

const KEYS = new Set(["mode", "maxRecords"]);
const VERSION = 1;
const MAX_RECORDS = 10_000_000;
/** Age in milliseconds from which records are dropped. */
const OLD = moduleConstants.context.use_days * 86_400_000;
/** Initial capacity in records. */
const FIRST_ROOM = 256;
/** Marks the end of a chain in both directions. */
const NONE = -1;

/** The slots of the first and last record of a memory, in order of arrival. */
interface Chain {
  first: number;
  last: number;
}

/**
 * The usage record of one agent: whether its answers used the memories in its prompts.
 * `buildContext` ranks often used memories higher and never used ones lower. Each new record drops
 * the records that are at least 21 days old. If the tracker is full, a new record replaces the
 * oldest one by time. A memory without records counts as unknown.
 *
 * @example
 * ```ts
 * const usage = new UsageTracker();
 * const { prompt, recalled_content, recalled_ids } = await buildContext({
 *   input,
 *   identity,
 *   retrieve,
 *   usage,
 * });
 * usage.feedback(recalled_content, await answerOf(prompt), new Date(), recalled_ids);
 * writeFileSync("usage.json", JSON.stringify(usage.save()));
 * // Later:
 * const restored = UsageTracker.load(JSON.parse(readFileSync("usage.json", "utf8")));
 * ```
 */
export class UsageTracker {
  readonly #isSeed: boolean;
  readonly #max: number;
  /** Columns of records, by slot. The records of a memory form a doubly linked list. */
  #at = new Float64Array(FIRST_ROOM);
  #referenced = new Uint8Array(FIRST_ROOM);
  /** Number of the record in the order of arrival. */
  #arrival = new Float64Array(FIRST_ROOM);
  #previous = new Int32Array(FIRST_ROOM);
  #next = new Int32Array(FIRST_ROOM);
  readonly #ids: string[] = [];
  readonly #types: (string | null)[] = [];
  readonly #oldest = new Heap((one, other) => this.#byTime(one, other) < 0);
  /** Slots without a record, for reuse. */
  readonly #free: number[] = [];
  #arrivals = 0;
  readonly #chains = new Map<string, Chain>();

  /**
   * Creates an empty tracker.
   *
   * @throws {NousError} `invalid_argument` for a wrong option.
   */
  constructor(options?: UsageTrackerOptions) {
    const { mode, maxRecords = moduleConstants.context.max_uses } = optionsOf(
      "options",
      options,
      KEYS,
    );
    this.#isSeed = isSeedCompatible({ mode });
    if (!isCapacity(maxRecords))
      throw invalid("maxRecords", `${CAPACITY}, found ${show(maxRecords)}`);
    this.#max = maxRecords;
  }

  /** The number of records. */
  get size(): number {
    return this.#oldest.items.length;
  }

  /**
   * Records whether an answer used the memories of its prompt, by their overlap. Memories without
   * text are skipped. `recalled` is the `recalled_content` of a built context. `recalledIds` is its
   * `recalled_ids`, which gives the records their types. Returns the new records.
   *
   * @throws {NousError} `invalid_argument` if `recalled` is no object of strings, the response is
   *   no string, or the ids are not lists of ids by type. Nothing is recorded then.
   *
   * @example
   * ```ts
   * const feedback = usage.feedback({ m1: "BTC funding is paid every 8 hours." }, answer);
   * ```
   */
  feedback(
    recalled: Readonly<Record<string, string>>,
    response: string,
    now?: Instant,
    recalledIds?: Readonly<Record<string, readonly string[]>> | null,
  ): UsageFeedback[] {
    if (!isPlainObject(recalled))
      throw invalid("recalled", `must be a plain object, found ${show(recalled)}`);
    requireText("response", response);
    const retrieved_at = presentOf(now);
    const entries = Object.entries(recalled);
    for (const [id, text] of entries) requireText(`recalled[${JSON.stringify(id)}]`, text);
    const types = readTypes(recalledIds);
    const recalledTexts = entries.filter(([id, text]) => id !== "" && text !== "");
    const batch = new Batch();
    for (const [, text] of recalledTexts) batch.text(text);
    batch.text(response);
    const answer = batch.ask(defaultContext.pool, SHARED * recalledTexts.length, (lease) => {
      lease.engine.feedback(recalledTexts.length, this.#isSeed);
      return answerOf(lease, SHARED * recalledTexts.length);
    });
    const feedback = recalledTexts.map(([memory_id], place): UsageFeedback => {
      const was_referenced = answer[SHARED * place + SHARED_IS_ENOUGH] === 1;
      const overlap_score = answer[SHARED * place + SHARED_SIMILARITY]!;
      return {
        memory_id,
        ...typed(types.get(memory_id)),
        retrieved_at,
        was_referenced,
        overlap_score,
      };
    });
    this.#add(feedback, retrieved_at);
    return feedback;
  }

  /**
   * Adds records from another source. Ages are computed at `now`. Default: the latest of these
   * records, or the clock if that is earlier.
   *
   * @throws {NousError} `invalid_argument` with place and field. Nothing is recorded then.
   */
  record(records: readonly UsageRecord[], now?: Instant): void {
    const present = presentOf(now);
    const read = readRecords(records);
    const latest = read.reduce(
      (latest, { retrieved_at }) => Math.max(latest, retrieved_at),
      Number.NEGATIVE_INFINITY,
    );
    this.#add(read, now === undefined ? Math.min(present, latest) : present);
  }

  /**
   * Returns the factor of the relevance of each memory: 0.3 to 2, in the seed-compatible mode 0.5
   * to 1.5; 1 with less than two records. A record later than `now` counts as one at `now`.
   *
   * @example
   * ```ts
   * const [factor] = usage.boost(["m1"]);
   * ```
   */
  boost(ids: readonly string[], now?: Instant): number[] {
    const batch = new Batch();
    const asked = idsOf("ids", ids);
    const present = presentOf(now);
    for (const id of asked) this.#addRecords(this.#usesOf(id), present, batch);
    return batch.ask(defaultContext.pool, asked.length, (lease) => {
      lease.engine.usage_boosts(asked.length, this.#isSeed);
      return Array.from(answerOf(lease, asked.length));
    });
  }

  /** Returns the sum of a memory's uses, each halved per week of age; 0 for an unknown memory. */
  usageScore(id: string, now?: Instant): number {
    return this.stats(id, now)?.usage_score ?? 0;
  }

  /** Returns the statistics of a memory; null without records. */
  stats(id: string, now?: Instant): MemoryUsageStats | null {
    requireText("id", id);
    const present = presentOf(now);
    const uses = this.#usesOf(id);
    if (uses.length === 0) return null;
    const batch = new Batch();
    this.#addRecords(uses, present, batch);
    const type = uses
      .map((slot) => this.#types[slot])
      .reduce((latest, type) => type ?? latest, null);
    return batch.ask(defaultContext.pool, USAGE, (lease) => {
      lease.engine.usage_score(present, this.#isSeed);
      const usage = answerOf(lease, USAGE);
      return {
        memory_id: id,
        ...typed(type),
        times_retrieved: uses.length,
        times_referenced: uses.filter((slot) => this.#referenced[slot] === 1).length,
        rate: usage[USAGE_RATE]!,
        usage_score: usage[USAGE_SCORE]!,
        last_retrieved: Math.min(this.#at[uses.at(-1)!]!, present),
      };
    });
  }

  /** Returns the tracker as plain data. */
  save(): UsageState {
    const records = [...this.#oldest.items].sort(this.#byTime).map(
      (slot): UsageRecord => ({
        memory_id: this.#ids[slot]!,
        ...typed(this.#types[slot]),
        retrieved_at: this.#at[slot]!,
        was_referenced: this.#referenced[slot] === 1,
      }),
    );
    const mode = this.#isSeed ? "seed-compatible" : "default";
    return { version: VERSION, mode, max_records: this.#max, records };
  }

  /**
   * Restores a saved tracker.
   *
   * @throws {NousError} `invalid_snapshot` for data that is no saved tracker, or of another
   *   version.
   */
  static load(state: UsageState): UsageTracker {
    try {
      if (typeof state !== "object" || state === null)
        throw invalid("state", `must be an object, found ${show(state)}`);
      const { version, mode, max_records: maxRecords, records } = state;
      if (version !== VERSION)
        throw invalid("version", `must be ${VERSION}, found ${show(version)}`);
      if (!isCapacity(maxRecords))
        throw invalid("max_records", `${CAPACITY}, found ${show(maxRecords)}`);
      const tracker = new UsageTracker({ mode, maxRecords });
      const read = readRecords(records);
      const max = tracker.#room;
      if (read.length > max)
        throw invalid("records", `must be no more than ${max}, found ${read.length}`);
      for (const record of read) tracker.#push(record);
      return tracker;
    } catch (error) {
      if (!(error instanceof NousError) || error.code !== "invalid_argument") throw error;
      throw new NousError("invalid_snapshot", error.message, error.details);
    }
  }

  /** Orders slots by time, oldest first; equal times by arrival. */
  readonly #byTime = (one: number, other: number): number =>
    this.#at[one]! - this.#at[other]! || this.#arrival[one]! - this.#arrival[other]!;

  /** Returns the slots of a memory's records, oldest first. */
  #usesOf(id: string): number[] {
    const slots: number[] = [];
    let [isInOrder, latest] = [true, Number.NEGATIVE_INFINITY];
    for (let slot = this.#chains.get(id)?.first ?? NONE; slot !== NONE; slot = this.#next[slot]!) {
      isInOrder &&= this.#at[slot]! >= latest;
      latest = this.#at[slot]!;
      slots.push(slot);
    }
    // The order of arrival mostly is the order of time.
    return isInOrder ? slots : slots.sort(this.#byTime);
  }

  /** Writes records to a batch. */
  #addRecords(uses: readonly number[], present: number, batch: Batch): void {
    batch.number(uses.length);
    for (const slot of uses) {
      batch.number(Math.min(this.#at[slot]!, present));
      batch.number(this.#referenced[slot]!);
    }
  }

  /** The capacity in records. */
  get #room(): number {
    return this.#isSeed ? MAX_RECORDS : this.#max;
  }

  /**
   * Adds records, and drops those that are too old. In the seed-compatible mode it drops only while
   * the tracker has too many records.
   */
  #add(records: readonly UsageRecord[], present: number): void {
    for (const record of records) {
      this.#push(record);
      if (this.#isSeed && this.size > this.#max) this.#dropOld(present);
    }
    if (!this.#isSeed) this.#dropOld(present);
  }

  /** Adds a record. In a full tracker it replaces the oldest record, unless it is even older. */
  #push({ memory_id, memory_type, retrieved_at, was_referenced }: UsageRecord): void {
    const isFull = this.size === this.#room;
    const slot = isFull ? this.#oldest.items[0]! : (this.#free.pop() ?? this.size);
    if (isFull && retrieved_at < this.#at[slot]!) return;
    if (isFull) this.#unchain(slot);
    else if (slot === this.#at.length) this.#grow();
    this.#at[slot] = retrieved_at;
    this.#referenced[slot] = was_referenced ? 1 : 0;
    this.#arrival[slot] = this.#arrivals++;
    this.#types[slot] = memory_type ?? null;
    this.#chain(slot, memory_id);
    if (isFull) this.#oldest.sink();
    else this.#oldest.push(slot);
  }

  #dropOld(present: number): void {
    for (;;) {
      const slot = this.#oldest.items[0];
      if (slot === undefined || present - this.#at[slot]! < OLD) return;
      this.#oldest.shift();
      this.#unchain(slot);
      this.#free.push(slot);
    }
  }

  #chain(slot: number, id: string): void {
    this.#ids[slot] = id;
    this.#next[slot] = NONE;
    const chain = this.#chains.get(id);
    this.#previous[slot] = chain?.last ?? NONE;
    if (chain === undefined) {
      this.#chains.set(id, { first: slot, last: slot });
    } else {
      this.#next[chain.last] = slot;
      chain.last = slot;
    }
  }

  #unchain(slot: number): void {
    const id = this.#ids[slot]!;
    const chain = this.#chains.get(id)!;
    const [previous, next] = [this.#previous[slot]!, this.#next[slot]!];
    if (previous === NONE) chain.first = next;
    else this.#next[previous] = next;
    if (next === NONE) chain.last = previous;
    else this.#previous[next] = previous;
    if (chain.first === NONE) this.#chains.delete(id);
  }

  #grow(): void {
    const room = Math.min(this.#at.length * 2, this.#room);
    const enlarged = <Column extends Float64Array | Uint8Array | Int32Array>(
      column: Column,
      larger: Column,
    ): Column => {
      larger.set(column);
      return larger;
    };
    this.#at = enlarged(this.#at, new Float64Array(room));
    this.#referenced = enlarged(this.#referenced, new Uint8Array(room));
    this.#arrival = enlarged(this.#arrival, new Float64Array(room));
    this.#previous = enlarged(this.#previous, new Int32Array(room));
    this.#next = enlarged(this.#next, new Int32Array(room));
  }
}

const CAPACITY = `must be a whole number from 1 to ${MAX_RECORDS}`;
const isCapacity = (value: unknown): value is number =>
  Number.isInteger(value) && (value as number) >= 1 && (value as number) <= MAX_RECORDS;

const typed = (type: string | null | undefined) => (type == null ? {} : { memory_type: type });

/** Reads the memory types by memory id. */
function readTypes(
  recalledIds: Readonly<Record<string, readonly string[]>> | null | undefined,
): Map<string, string> {
  if (recalledIds == null) return new Map();
  if (!isPlainObject(recalledIds))
    throw invalid("recalledIds", `must be a plain object, found ${show(recalledIds)}`);
  const types = Object.entries(recalledIds);
  return new Map(
    types.flatMap(([type, ids]) =>
      idsOf(`recalledIds.${type}`, ids).map((id) => [id, type] as const),
    ),
  );
}

/** Copies and checks records. */
function readRecords(records: readonly UsageRecord[]): UsageRecord[] {
  if (!Array.isArray(records)) throw invalid("records", `must be an array, found ${show(records)}`);
  return Array.from(records as readonly UsageRecord[], (record, place) => {
    if (typeof record !== "object" || record === null) throw invalidShape("records", place, record);
    const { memory_id, memory_type, retrieved_at, was_referenced } = record;
    const wrong = (field: string, wanted: string, found: unknown) =>
      invalidEntry("records", place, record, field, `must be ${wanted}, found ${show(found)}`);
    if (typeof memory_id !== "string" || memory_id === "")
      throw wrong("memory_id", "a string that is not empty", memory_id);
    if (memory_type != null && typeof memory_type !== "string")
      throw wrong("memory_type", "a string or null", memory_type);
    if (!Number.isFinite(retrieved_at))
      throw wrong("retrieved_at", "a finite number", retrieved_at);
    if (typeof was_referenced !== "boolean")
      throw wrong("was_referenced", "true or false", was_referenced);
    return { memory_id, memory_type, retrieved_at, was_referenced };
  });
}
