// Streams of server-sent events: what is written to the memory of an agent, as it is written.
//
// Idea: a stream reads the events after its cursor again and again. Streams of one agent that have
// reached its end have one cursor, and share the reading.
//
// Bounds: a stream reads on when the client has taken what was sent before, so that it holds one page of
// events at most. A client that takes nothing for `stalled` is cut off. So is one whose key is revoked.
// A stream ends when as many looks in a row failed as `MAX_FAILURES` says.

import type { ServerResponse } from "node:http";
import { setTimeout as pause } from "node:timers/promises";
import type { Events } from "../api/events.ts";
import { EVENTS_AT_ONCE } from "../api/pages.ts";
import { Refusal } from "../refusal.ts";
import type { Pool } from "../workers/pool.ts";

/** The most open streams: of all clients, of a key, and of an agent. */
const MAX_STREAMS = { all: 1_000, key: 100, agent: 32 };

/** How long a stream waits, in milliseconds. */
export interface Waits {
  /** Between two looks for new events. */
  look: number;
  /** Between two signs of life. Proxies close connections on which nothing is sent. */
  alive: number;
  /** For a client that takes nothing. */
  stalled: number;
}
const WAITS: Waits = { look: 400, alive: 15_000, stalled: 60_000 };
/** A look fails while an agent is being deleted, for example, or a database does not answer in time. */
const MAX_FAILURES = 3;
/** How long a client waits before it connects again, in milliseconds. */
const RETRY = 1_000;

/** Who follows what. */
export interface Follower {
  agent: string;
  /** The id of the key; undefined while the server has no keys. */
  key: string | undefined;
  /** Where the client goes on; undefined if it begins now. */
  after: string | undefined;
  /** The first events. */
  first: Events;
  /** Resolves to whether the client may still read the agent. */
  mayRead(): Promise<boolean>;
  response: ServerResponse | undefined;
}

/** Returns a server-sent event with the cursor as its id. */
const sent = (kind: string, cursor: string, data: object): string =>
  `id: ${cursor}\nevent: ${kind}\ndata: ${JSON.stringify(data)}\n\n`;

/** Returns the text of a page of events. */
function textOf({ data, cursor, reset }: Events): string {
  if (reset) return sent("reset", cursor, { cursor });
  return data.map((event) => sent(event.kind, event.cursor, event)).join("");
}

export class EventStreams {
  readonly #pool: Pick<Pool, "events">;
  readonly #waits: Waits;
  /** How many streams are open, by what is limited. */
  readonly #open = new Map<string, number>();
  /** The readings under way, by agent and cursor. */
  readonly #readings = new Map<string, Promise<Events>>();
  readonly #closing = new AbortController();

  constructor(pool: Pick<Pool, "events">, waits: Waits = WAITS) {
    this.#pool = pool;
    this.#waits = waits;
  }

  /** Ends all streams. */
  close(): void {
    this.#closing.abort();
  }

  /**
   * Returns the body of a stream.
   *
   * @throws {Refusal} If too many streams are open.
   */
  open(follower: Follower): ReadableStream<Uint8Array> {
    const leave = this.#enter(follower);
    let isOver = false;
    const end = () => {
      clearTimeout(stalled);
      if (!isOver) leave();
      isOver = true;
    };
    const texts = this.#texts(follower, () => isOver);
    let stalled: NodeJS.Timeout | undefined;
    const cutOff = () => {
      end();
      follower.response?.destroy();
    };
    return new ReadableStream({
      pull: async (controller) => {
        clearTimeout(stalled);
        const { done, value } = await texts.next();
        if (isOver) return;
        if (done) {
          end();
          controller.close();
          return;
        }
        controller.enqueue(Buffer.from(value));
        stalled = setTimeout(cutOff, this.#waits.stalled).unref();
      },
      cancel: end,
    });
  }

  /** Counts a stream. Returns the function that ends the counting. */
  #enter({ agent, key }: Follower): () => void {
    const limits: { name: string; max: number; of: string }[] = [
      { name: "all", max: MAX_STREAMS.all, of: "the server" },
      { name: `agent ${agent}`, max: MAX_STREAMS.agent, of: "the agent" },
    ];
    if (key !== undefined) limits.push({ name: `key ${key}`, max: MAX_STREAMS.key, of: "the key" });
    for (const { name, max, of } of limits)
      if ((this.#open.get(name) ?? 0) >= max)
        throw new Refusal(429, "too many streams of events", [
          { path: "", message: `${of} has ${max} streams open, and more are not possible` },
        ]);
    const add = (amount: number) => {
      for (const { name } of limits) {
        const count = (this.#open.get(name) ?? 0) + amount;
        if (count === 0) this.#open.delete(name);
        else this.#open.set(name, count);
      }
    };
    add(1);
    return () => add(-1);
  }

  async *#texts(
    { agent, after, first, mayRead }: Follower,
    isOver: () => boolean,
  ): AsyncGenerator<string> {
    let page = first;
    let spokeAt = performance.now();
    const start = after ?? first.cursor;
    yield `retry: ${RETRY}\n\n${sent("start", start, { cursor: start })}${textOf(first)}`;
    for (let failures = 0; ; ) {
      const isAll = page.count < EVENTS_AT_ONCE || failures > 0;
      try {
        page = await this.#next(agent, page.cursor, isAll ? this.#waits.look : 0);
        failures = 0;
      } catch {
        failures += 1;
        // The client connects again, and learns why if it still fails.
        if (failures === MAX_FAILURES || this.#closing.signal.aborted || isOver()) return;
        continue;
      }
      const text = textOf(page);
      if (isOver()) return;
      if (text === "" && performance.now() - spokeAt < this.#waits.alive) continue;
      if (!(await mayRead())) return;
      spokeAt = performance.now();
      yield text === "" ? `: still here\nid: ${page.cursor}\n\n` : text;
    }
  }

  /** Returns the events after a cursor, after a wait. */
  #next(agent: string, after: string, wait: number): Promise<Events> {
    const name = JSON.stringify([agent, after]);
    const known = this.#readings.get(name);
    if (known !== undefined) return known;
    const read = async () => {
      try {
        await pause(wait, undefined, { signal: this.#closing.signal });
        return await this.#pool.events(agent, after);
      } finally {
        this.#readings.delete(name);
      }
    };
    const reading = read();
    this.#readings.set(name, reading);
    return reading;
  }
}
