// Which memories have proved useful. What was recorded is kept here; what it comes to is computed
// in the module.

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

/** A memory stood in a prompt. */
export interface UsageRecord {
  memory_id: string;
  /** What the memory is to a prompt, such as `fact`; missing or null if it is not known. */
  memory_type?: string | null | undefined;
  /** When, in milliseconds since 1970. */
  retrieved_at: number;
  /** Whether the answer took it up. */
  was_referenced: boolean;
}

/** The same, and how much of the memory the answer had. */
export interface UsageFeedback extends UsageRecord {
  /** In [0, 1]; from 0.15 on the memory counts as taken up. */
  overlap_score: number;
}

/** What the records of a memory come to. */
export interface MemoryUsageStats {
  memory_id: string;
  /** The type of the latest record that has one; missing if no record has one. */
  memory_type?: string;
  times_retrieved: number;
  times_referenced: number;
  /**
   * How often it was taken up, in [0, 1], recent times weighed more; in the seed-compatible mode
   * all alike.
   */
  rate: number;
  /**
   * How much it was taken up lately: each time counts 1 at first, and half as much after each week.
   */
  usage_score: number;
  /** The latest of all times, at most `now`, in milliseconds since 1970. */
  last_retrieved: number;
}

/** A tracker as plain data, to be stored as JSON. */
export interface UsageState {
  version: 1;
  mode: ContextMode;
  max_records: number;
  /** The oldest first. */
  records: UsageRecord[];
}

/** How to keep records. */
export interface UsageTrackerOptions {
  /** Default `default`. */
  mode?: ContextMode | undefined;
  /**
   * The most records of all memories together: whole, from 1 to 10,000,000. Default 5,000. In the
   * seed-compatible mode a record beyond that number only drops the records of at least 21 days;
   * recent records may be more.
   */
  maxRecords?: number | undefined;
}

const KEYS = new Set(["mode", "maxRecords"]);
const VERSION = 1;
const MOST_RECORDS = 10_000_000;
/** A record of this age, in milliseconds, is dropped. */
const OLD = moduleConstants.context.use_days * 86_400_000;
/** Room for so many records is made at first. */
const FIRST_ROOM = 256;
/** Before the first record of a memory, and after the last. */
const NONE = -1;

/** The records of one memory as they came: the first and the last of a chain. */
interface Chain {
  first: number;
  last: number;
}

/**
 * What became of the memories that stood in one agent's prompts: whether its answers took them up.
 * A memory that was taken up often comes up sooner, one that never was later. Each new record drops
 * the records that are at least 21 days old. The oldest records, by their time and not by when they
 * came, make way for new ones. A memory without records is as unknown.
 *
 * ```ts
 * const usage = new UsageTracker();
 * const { prompt, recalled_content, recalled_ids } = await buildContext({ input, identity,
 * retrieve, usage });
 * usage.feedback(recalled_content, await answerOf(prompt), new Date(), recalled_ids);
 * writeFileSync("usage.json", JSON.stringify(usage.save()));   // later:
 * UsageTracker.load(JSON.parse(text))
 * ```
 */
export class UsageTracker {
  readonly #isSeed: boolean;
  readonly #most: number;
  /** Records by slot; each knows its neighbours among those of its memory. */
  #at = new Float64Array(FIRST_ROOM);
  #referenced = new Uint8Array(FIRST_ROOM);
  /** Its number in the order of arrival. */
  #arrival = new Float64Array(FIRST_ROOM);
  #previous = new Int32Array(FIRST_ROOM);
  #next = new Int32Array(FIRST_ROOM);
  readonly #ids: string[] = [];
  readonly #types: (string | null)[] = [];
  readonly #oldest = new Heap((one, other) => this.#byTime(one, other) < 0);
  /** Slots whose records were dropped. */
  readonly #free: number[] = [];
  #arrivals = 0;
  readonly #chains = new Map<string, Chain>();

  /** Throws `invalid_argument` for a wrong option. */
  constructor(options?: UsageTrackerOptions) {
    const { mode, maxRecords = moduleConstants.context.most_uses } = optionsOf(
      "options",
      options,
      KEYS,
    );
    this.#isSeed = isSeedCompatible({ mode });
    if (!isCapacity(maxRecords))
      throw invalid("maxRecords", `${CAPACITY}, found ${show(maxRecords)}`);
    this.#most = maxRecords;
  }

  /** How many records are kept. */
  get size(): number {
    return this.#oldest.items.length;
  }

  /**
   * Records of all memories that were recalled for an answer, by how much of each the answer has; a
   * memory without text is passed over. `recalled` is a built context's `recalled_content`,
   * `recalledIds` its `recalled_ids`, by which the records carry the types of their memories.
   * Answers with what was recorded.
   *
   * @throws {NousError} `invalid_argument`: what is recalled is no object of strings, the response
   * no string, or the ids
   * are no lists of ids by type. Nothing is recorded then.
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
    const told = entries.filter(([id, text]) => id !== "" && text !== "");
    const batch = new Batch();
    for (const [, text] of told) batch.text(text);
    batch.text(response);
    const answer = batch.ask(defaultContext.pool, SHARED * told.length, (lease) => {
      lease.engine.feedback(told.length, this.#isSeed);
      return answerOf(lease, SHARED * told.length);
    });
    const feedback = told.map(([memory_id], place): UsageFeedback => {
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
   * Records what was found out elsewhere. Ages are counted up to `now`; by default up to the latest
   * of these records, or to the present if that is earlier. Throws `invalid_argument` by place and
   * field; nothing is recorded then.
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
   * For each memory the factor of its relevance: 0.3 to 2, seed-compatible 0.5 to 1.5; 1 with less
   * than two records. A record ahead of `now` counts as one of now.
   */
  boost(ids: readonly string[], now?: Instant): number[] {
    const batch = new Batch();
    const asked = idsOf("ids", ids);
    const present = presentOf(now);
    for (const id of asked) this.#tell(this.#usesOf(id), present, batch);
    return batch.ask(defaultContext.pool, asked.length, (lease) => {
      lease.engine.usage_boosts(asked.length, this.#isSeed);
      return Array.from(answerOf(lease, asked.length));
    });
  }

  /** How much a memory was taken up lately: half as much after each week; 0 for an unknown one. */
  usageScore(id: string, now?: Instant): number {
    return this.stats(id, now)?.usage_score ?? 0;
  }

  /** What the records of a memory come to; null where there are none. */
  stats(id: string, now?: Instant): MemoryUsageStats | null {
    requireText("id", id);
    const present = presentOf(now);
    const uses = this.#usesOf(id);
    if (uses.length === 0) return null;
    const batch = new Batch();
    this.#tell(uses, present, batch);
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

  /** Everything, as plain data. */
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
    return { version: VERSION, mode, max_records: this.#most, records };
  }

  /**
   * The tracker that was saved. Throws `invalid_snapshot` for what is none, or of another version.
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
      const most = tracker.#room;
      if (read.length > most)
        throw invalid("records", `must be no more than ${most}, found ${read.length}`);
      for (const record of read) tracker.#push(record);
      return tracker;
    } catch (error) {
      if (!(error instanceof NousError) || error.code !== "invalid_argument") throw error;
      throw new NousError("invalid_snapshot", error.message, error.details);
    }
  }

  /** The oldest first, and of one moment the one that came first. */
  readonly #byTime = (one: number, other: number): number =>
    this.#at[one]! - this.#at[other]! || this.#arrival[one]! - this.#arrival[other]!;

  /** The slots of a memory's records, the oldest first. */
  #usesOf(id: string): number[] {
    const slots: number[] = [];
    let [isInOrder, latest] = [true, Number.NEGATIVE_INFINITY];
    for (let slot = this.#chains.get(id)?.first ?? NONE; slot !== NONE; slot = this.#next[slot]!) {
      isInOrder &&= this.#at[slot]! >= latest;
      latest = this.#at[slot]!;
      slots.push(slot);
    }
    // As they came is mostly by their time, too.
    return isInOrder ? slots : slots.sort(this.#byTime);
  }

  /** Adds uses to a batch. */
  #tell(uses: readonly number[], present: number, batch: Batch): void {
    batch.number(uses.length);
    for (const slot of uses) {
      batch.number(Math.min(this.#at[slot]!, present));
      batch.number(this.#referenced[slot]!);
    }
  }

  /** How many records there is room for. */
  get #room(): number {
    return this.#isSeed ? MOST_RECORDS : this.#most;
  }

  /**
   * Keeps records, and drops those that are too old then; in the seed-compatible mode only if there
   * are too many.
   */
  #add(records: readonly UsageRecord[], present: number): void {
    for (const record of records) {
      this.#push(record);
      if (this.#isSeed && this.size > this.#most) this.#dropOld(present);
    }
    if (!this.#isSeed) this.#dropOld(present);
  }

  /**
   * Keeps a record in the place of the oldest where there is no more room, unless it is older
   * still.
   */
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

const CAPACITY = `must be a whole number from 1 to ${MOST_RECORDS}`;
const isCapacity = (value: unknown): value is number =>
  Number.isInteger(value) && (value as number) >= 1 && (value as number) <= MOST_RECORDS;

const typed = (type: string | null | undefined) => (type == null ? {} : { memory_type: type });

/** Types by the id of a memory. */
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

/** Records as they are now. */
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
