// The replica of the times at which memories expire. It knows the earliest of them, so that a request
// need not ask the database whether a memory has expired.

import { oneStep, parseInstant, type Steps } from "nous-memory";
import type { Storage } from "../../storage/storage.ts";
import type { Consumer, Taken } from "./follower.ts";

export class Expiries implements Consumer {
  readonly name = "expiries";
  #next = Number.POSITIVE_INFINITY;

  /**
   * No memory expires earlier, in milliseconds since 1970. It may lie before the earliest expiry: the
   * memory with that time may have been deleted or changed.
   */
  get next(): number {
    return this.#next;
  }

  load(storage: Storage): Steps<Record<string, unknown>> {
    return oneStep(() => {
      this.reload(storage);
      return {};
    });
  }

  /** Reads the earliest expiry from the database. */
  reload(storage: Storage): void {
    this.#next = parseInstant(storage.nodes.nextExpiry() ?? "") ?? Number.POSITIVE_INFINITY;
  }

  take({ nodes }: Taken): boolean {
    for (const { expires_at } of nodes) {
      const at = parseInstant(expires_at ?? "");
      if (at !== undefined && at < this.#next) this.#next = at;
    }
    return true;
  }

  remove(): void {}

  forget(): void {
    this.#next = Number.POSITIVE_INFINITY;
  }
}
