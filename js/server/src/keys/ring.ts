// The keys of a running server, which follow the changes of their store.

import { timingSafeEqual } from "node:crypto";
import type { Logger } from "../log.ts";
import { digestOf, HOW_WITHOUT, type Key } from "./keys.ts";

/** A key, and the digest that is compared with requests. */
export interface KnownKey {
  key: Key;
  digest: Buffer;
}

export const known = (key: Key): KnownKey => ({ key, digest: Buffer.from(key.sha256, "hex") });

/** The keys of a running server. */
export interface KeyRing {
  /**
   * Returns the valid keys. Undefined while no key is needed: until the first key exists. From then on
   * keys are needed until `keys off` and a restart, even if they are lost.
   *
   * @throws {Refusal} If it is unknown for too long which keys are valid.
   */
  current(): MaybePromise<readonly KnownKey[] | undefined>;
  /**
   * Returns the valid keys as they are now, for a request whose key is not among the current ones.
   *
   * @throws {Refusal} If they cannot be read now.
   */
  newest(): MaybePromise<readonly KnownKey[] | undefined>;
  close(): Promise<void>;
}

type MaybePromise<T> = T | Promise<T>;

/**
 * Returns the key with this text; undefined if there is none. The time does not depend on which key
 * it is, or on how much of the text matches.
 */
export function keyAmong(keys: readonly KnownKey[], text: string): Key | undefined {
  const given = digestOf(text);
  let found: Key | undefined;
  for (const { key, digest } of keys) if (timingSafeEqual(digest, given)) found = key;
  return found;
}

/** Why a server refuses every request. */
export interface Reason {
  /** A clause, such as "There are no keys". */
  what: string;
  /** The details, and how to end it. */
  why: string;
}

/** The reason of a server that needs keys and has none. */
export const NONE_ARE_THERE: Reason = {
  what: "There are no keys",
  why: `create one with \`nous-server keys create\`, or ${HOW_WITHOUT}`,
};

/** Logs why every request is refused, once for each reason. */
export class Refusals {
  readonly #log: Logger;
  #why: string | undefined;

  constructor(log: Logger) {
    this.#log = log;
  }

  /** Notes that every request is refused; without a reason, that requests are accepted. */
  note(reason: Reason | undefined): void {
    if (reason !== undefined && reason.why !== this.#why)
      this.#log.error(
        { failure: { message: reason.why } },
        `${reason.what}: every request is refused`,
      );
    this.#why = reason?.why;
  }
}
