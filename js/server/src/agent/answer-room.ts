// How much one answer holds: pages end early, and other answers leave out, where it would be more.

import { MOST_ANSWER } from "../api/limits.ts";
import type { ReadRoom } from "../storage/sql.ts";
import type { Agent } from "./agent.ts";

/** The most bytes of JSON that a UTF-16 unit takes: of a control character. */
const BYTES_OF_UNIT = 6;
/**
 * The most bytes of JSON that a value takes which is neither text nor an object, with its field's
 * name.
 */
const BYTES_OF_VALUE = 64;
/** Rows that are read at once. */
const ROWS_AT_ONCE = 1_000;

/** The room of one answer, for what is put into it one after another. */
export class AnswerRoom implements ReadRoom {
  /** What was put into it, as long as its bytes need not be known. */
  #items: unknown[] | undefined = [];
  /** Bytes at most, and exactly once they count. */
  #atMost = 0;
  #bytes = 0;
  #isEmpty = true;
  /** Whether rows were left out of the last read. */
  wasCut = false;

  /** Puts an item into it, where there is room; the first one always has. Whether it did. */
  take(item: object): boolean {
    this.#atMost += mostBytesOf(item);
    if (this.#items !== undefined && this.#atMost <= MOST_ANSWER) {
      this.#items.push(item);
      this.#isEmpty = false;
      return true;
    }
    for (const before of this.#items ?? []) this.#bytes += bytesOf(before);
    this.#items = undefined;
    const bytes = bytesOf(item);
    if (!this.#isEmpty && this.#bytes + bytes > MOST_ANSWER) return false;
    this.#bytes += bytes;
    this.#isEmpty = false;
    return true;
  }

  /** Returns the items for which there is room, up to the first for which there is none. */
  taken<Item extends object>(items: readonly Item[]): Item[] {
    const end = items.findIndex((item) => !this.take(item));
    return items.slice(0, end < 0 ? items.length : end);
  }

  /**
   * JSON takes no fewer bytes than the texts of a row, so that what is cut here would not have been
   * taken.
   */
  fitting(octets: readonly number[]): number {
    let count = 0;
    let sum = 0;
    while (count < octets.length && sum <= MOST_ANSWER) {
      sum += octets[count]!;
      count += 1;
    }
    // One more tells that there is a next page, even where one row takes all the room.
    count = Math.min(count + 1, octets.length);
    this.wasCut = count < octets.length;
    return count;
  }
}

const bytesOf = (item: unknown): number => Buffer.byteLength(JSON.stringify(item)) + 1;

function mostBytesOf(item: object): number {
  let bytes = 0;
  for (const value of Object.values(item)) {
    bytes += BYTES_OF_VALUE;
    if (typeof value === "string") bytes += BYTES_OF_UNIT * value.length;
    else if (typeof value === "object" && value !== null) bytes += bytesOf(value);
  }
  return bytes;
}

/** A part of a list: what it holds, and where it goes on. */
export interface ListPart<Row, Item> {
  data: Item[];
  /** The last row of it; undefined where it has none. */
  last: Row | undefined;
  /** Whether the list ends with it. */
  isLast: boolean;
}

/**
 * A page of a list: `limit` rows, or fewer where the room ends before. `read` gives rows that come
 * after one, `present` what is answered of each; undefined is left out. Others get their turns
 * meanwhile.
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
    const most = Math.min(wanted, ROWS_AT_ONCE);
    room.wasCut = false;
    const { rows, items, isAll } = agent.read(() => {
      const found = read(most + 1, last);
      const rows = found.slice(0, most);
      return { rows, items: present(rows), isAll: found.length <= most && !room.wasCut };
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

/** Few memories are read whatever they hold. */
const FEW = 10;

/** As many of some memories as there is room for, in their order. */
export function fittingAmong({ storage }: Agent, ids: readonly string[]): readonly string[] {
  if (ids.length <= FEW) return ids;
  const octets = storage.nodes.octets(ids);
  return ids.slice(0, new AnswerRoom().fitting(ids.map((id) => octets.get(id) ?? 0)));
}
