// The limits of a key: its requests in a minute, and what its agents hold. Requests are counted here, by
// each server for itself. The thread of the agent counts memories, within the operation that adds them,
// so that concurrent requests do not exceed the quota. What the other agents of the key hold is read at
// most once in `MEASURED_FOR`.

import { LRUCache } from "lru-cache";
import type { Quota } from "../api/operation.ts";
import type { AgentOperation } from "../api/operations.ts";
import type { Caller } from "../keys/access.ts";
import { Refusal } from "../refusal.ts";
import { limitFor } from "../settings/limits.ts";
import type { Settings } from "../settings/options.ts";
import type { Pool } from "../workers/pool.ts";

const MINUTE = 60_000;
/** How long a sum of what agents hold counts, in milliseconds. */
const MEASURED_FOR = 10_000;
/** Keys whose figures are kept. */
const MAX_KEYS = 10_000;
/** Stands for the callers of a server without keys, who share their limits. */
const NOBODY = "";

/** Operations that make a database larger. */
const GROWING: ReadonlySet<string> = new Set<AgentOperation>([
  ...(["createNode", "createNodes", "putNode", "updateNode", "remember", "importRows"] as const),
  ...(["createEdge", "createEdges", "createCluster", "addMember", "queueConflict"] as const),
]);

export type LimitSettings = Pick<
  Settings,
  "max_requests_per_minute" | "max_memories" | "max_bytes"
>;

/** Counts what callers do against the limits of their keys. */
export class Limits {
  readonly #settings: LimitSettings;
  readonly #pool: Pick<Pool, "holding">;
  /** The requests of each key since its minute began. An entry lives for a minute. */
  readonly #requests = new LRUCache<string, number>({ max: MAX_KEYS, ttl: MINUTE });
  readonly #elsewhere = new LRUCache<string, Quota["elsewhere"]>({
    max: MAX_KEYS,
    ttl: MEASURED_FOR,
  });

  constructor(settings: LimitSettings, pool: Pick<Pool, "holding">) {
    this.#settings = settings;
    this.#pool = pool;
  }

  /** @throws {Refusal} If the caller sends too many requests. Those that are refused do not count. */
  count({ id = NOBODY }: Caller, requests = 1): void {
    const max = limitFor(this.#settings.max_requests_per_minute, id);
    if (max === 0) return;
    const before = this.#requests.get(id) ?? 0;
    if (before + requests > max) {
      const left = Math.max(1, Math.ceil((this.#requests.getRemainingTTL(id) || MINUTE) / 1000));
      const message = `is ${max}: try again in ${left} seconds`;
      const issue = { path: "max_requests_per_minute", message };
      throw new Refusal(429, "too many requests", [issue], left);
    }
    this.#requests.set(id, before + requests, { noUpdateTTL: true });
  }

  /**
   * Counts the requests within one that is counted.
   *
   * @throws {Refusal} As `count` does. If they are more than any minute allows, no wait is told.
   */
  countMore(caller: Caller, requests: number): void {
    const max = limitFor(this.#settings.max_requests_per_minute, caller.id);
    if (max !== 0 && requests + 1 > max) {
      const message = `is ${max}, and this request holds ${requests + 1}: send fewer at once`;
      throw new Refusal(413, "too many requests in one", [
        { path: "max_requests_per_minute", message },
      ]);
    }
    this.count(caller, requests);
  }

  /** Returns what an operation may store; undefined: anything. */
  async quotaOf(caller: Caller, agent: string, operation: string): Promise<Quota | undefined> {
    const max_memories = limitFor(this.#settings.max_memories, caller.id);
    const max_bytes = limitFor(this.#settings.max_bytes, caller.id);
    if ((max_memories === 0 && max_bytes === 0) || !GROWING.has(operation)) return undefined;
    return { max_memories, max_bytes, elsewhere: await this.#holdingBeside(caller, agent) };
  }

  /** Returns what the other agents of a key hold: nothing if it is for all agents. */
  async #holdingBeside(
    { id = NOBODY, agents }: Caller,
    agent: string,
  ): Promise<Quota["elsewhere"]> {
    const others = agents === "all" ? [] : [...new Set(agents)].filter((name) => name !== agent);
    if (others.length === 0) return { memories: 0, bytes: 0 };
    const which = JSON.stringify([id, agent]);
    const known = this.#elsewhere.get(which);
    if (known !== undefined) return known;
    const found = await this.#pool.holding(others);
    this.#elsewhere.set(which, found);
    return found;
  }
}
