// The room that the quota of a key leaves to one operation.

import type { Quota } from "../api/operation.ts";
import { Refusal } from "../refusal.ts";
import type { Holding } from "../storage/storage.ts";

/** Counts the memories that one operation adds. */
export class Room {
  readonly #max: number;
  #left: number;

  /** @throws {Refusal} If what is there takes all bytes already. */
  constructor({ max_memories, max_bytes, elsewhere }: Quota, here: Holding) {
    this.#max = max_memories;
    this.#left = max_memories === 0 ? Infinity : max_memories - elsewhere.memories - here.memories;
    const bytes = elsewhere.bytes + here.bytes;
    if (max_bytes > 0 && bytes >= max_bytes)
      throw usedUp("max_bytes", max_bytes, `${bytes} are in use`);
  }

  /** @throws {Refusal} If there is no room for another memory. */
  take(): void {
    if (this.#left <= 0) throw usedUp("max_memories", this.#max, "as many are stored");
    this.#left -= 1;
  }
}

const usedUp = (limit: string, max: number, found: string): Refusal =>
  new Refusal(429, "the quota of the key is used up", [
    { path: limit, message: `is ${max}, and ${found}: delete memories, or ask for a larger quota` },
  ]);
