// The size limit of an answer: pages end early, and other answers leave rows out, to stay below it.

import { MAX_ANSWER } from "../api/limits.ts";
import type { ReadRoom } from "../storage/sql.ts";
import type { Agent } from "./agent.ts";

/** The most bytes of JSON that a UTF-16 unit takes: those of a control character. */
const BYTES_OF_UNIT = 6;
/** The most bytes of JSON of a field whose value is neither a text nor an object. */
const BYTES_OF_VALUE = 64;
/** Rows that are read in one turn. */
const ROWS_AT_ONCE = 1_000;

/** The room of one answer. Items are added one after another. */
export class AnswerRoom implements ReadRoom {
  /** The items, for as long as their exact size is not needed. */
  #items: unknown[] | undefined = [];
  /** An upper bound of the bytes; `#bytes` is exact once the bound exceeds the limit. */
  #atMost = 0;
  #bytes = 0;
  #isEmpty = true;
  /** Whether rows were left out of the last read. */
  wasCut = false;

  /** Adds an item, if it fits; the first item always does. Returns whether it fitted. */
  take(item: object): boolean {
    this.#atMost += maxBytesOf(item);
    if (this.#items !== undefined && this.#atMost <= MAX_ANSWER) {
      this.#items.push(item);
      this.#isEmpty = false;
      return true;
    }
    for (const before of this.#items ?? []) this.#bytes += bytesOf(before);
    this.#items = undefined;
    const bytes = bytesOf(item);
    if (!this.#isEmpty && this.#bytes + bytes > MAX_ANSWER) return false;
    this.#bytes += bytes;
    this.#isEmpty = false;
    return true;
  }

  /** Returns the items that fit, up to the first that does not. */
  taken<Item extends object>(items: readonly Item[]): Item[] {
    const end = items.findIndex((item) => !this.take(item));
    return items.slice(0, end < 0 ? items.length : end);
  }

  /**
   * Returns how many rows to read, by the bytes of their texts. JSON takes at least the bytes of
   * the texts, so that a row that is not read would not have fitted.
   */
  fitting(octets: readonly number[]): number {
    let count = 0;
    let sum = 0;
    while (count < octets.length && sum <= MAX_ANSWER) {
      sum += octets[count]!;
      count += 1;
    }
    // One more row shows that there is a next page, even if one row takes all the room.
    count = Math.min(count + 1, octets.length);
    this.wasCut = count < octets.length;
    return count;
  }
}

const bytesOf = (item: unknown): number => Buffer.byteLength(JSON.stringify(item)) + 1;

function maxBytesOf(item: object): number {
  let bytes = 0;
  for (const value of Object.values(item)) {
    bytes += BYTES_OF_VALUE;
    if (typeof value === "string") bytes += BYTES_OF_UNIT * value.length;
    else if (typeof value === "object" && value !== null) bytes += bytesOf(value);
  }
  return bytes;
}

/** A part of a list, and where the list goes on. */
export interface ListPart<Row, Item> {
  data: Item[];
  /** The last row of the part; undefined if the part is empty. */
  last: Row | undefined;
  /** Whether the list ends with it. */
  isLast: boolean;
}

/**
 * Returns a page of a list: `limit` rows, or fewer if the room is full. `read` returns the rows
 * after one; `present` returns the item of each row, or undefined to leave it out. Other agents get
 * their turns between two reads.
 */
export async function pageWithin<Row, Item extends object>(
  agent: Agent,
  room: AnswerRoom,
  limit: number | undefined,
  read: (limit: number, after: Row | undefined) => readonly Row[],
  present: (rows: readonly Row[]) => readonly (Item | undefined)[],
): Promise<ListPart<Row, Item>> {
  const data: Item[] = [];
  let last: Row | undefined;
  for (let wanted = limit ?? Infinity; ; ) {
    const max = Math.min(wanted, ROWS_AT_ONCE);
    room.wasCut = false;
    const { rows, items, isAll } = agent.read(() => {
      const found = read(max + 1, last);
      const rows = found.slice(0, max);
      return { rows, items: present(rows), isAll: found.length <= max && !room.wasCut };
    });
    for (const [place, row] of rows.entries()) {
      const item = items[place];
      if (item !== undefined && !room.take(item)) return { data, last, isLast: false };
      if (item !== undefined) data.push(item);
      last = row;
    }
    wanted -= rows.length;
    if (isAll) return { data, last, isLast: true };
    if (wanted <= 0) return { data, last, isLast: false };
    await agent.giveWay();
  }
}

/** This many memories are read whatever their size. */
const FEW = 10;

/** Returns the first of these memories, as many as fit into an answer. */
export function fittingAmong({ storage }: Agent, ids: readonly string[]): readonly string[] {
  if (ids.length <= FEW) return ids;
  const octets = storage.nodes.octets(ids);
  return ids.slice(0, new AnswerRoom().fitting(ids.map((id) => octets.get(id) ?? 0)));
}
