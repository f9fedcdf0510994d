// Reads events for streams, over connections of their own that only read.
//
// A stream asks several times in a second whether another process has written. It must neither keep an
// idle agent open for that, with its indexes, nor see a transaction of this thread that is not committed
// yet. A connection is closed when no stream has asked for a while.

import type { Agent } from "../agent/agent.ts";
import { eventsAfter } from "../agent/handlers/events.ts";
import type { Events } from "../api/events.ts";
import { BEGINNING, EVENTS_AT_ONCE } from "../api/pages.ts";
import { AgentDeleted } from "../storage/errors.ts";

/** How long a connection without a reader stays open, in milliseconds. */
const IDLE = 10_000;

/** Opens agents for `EventReaders`. */
export interface Reading {
  /**
   * Returns the identity of the file of an agent, which another file in its place has not; undefined if
   * there is none.
   */
  identityOf(name: string): string | undefined;
  /** Opens an agent only for reading. Returns undefined if it does not exist. */
  open(name: string): Agent | undefined;
}

interface Reader {
  agent: Agent;
  identity: string;
  closing: NodeJS.Timeout;
}

export class EventReaders {
  readonly #reading: Reading;
  readonly #readers = new Map<string, Reader>();

  constructor(reading: Reading) {
    this.#reading = reading;
  }

  /** Returns the events of an agent after a cursor. An agent that does not exist has none. */
  read(name: string, after: string): Events {
    const agent = this.#of(name);
    if (agent === undefined)
      return { data: [], count: 0, cursor: BEGINNING, reset: after !== BEGINNING };
    try {
      return eventsAfter(agent, after, EVENTS_AT_ONCE);
    } catch (error) {
      this.close(name);
      if (error instanceof AgentDeleted) return this.read(name, after);
      throw error;
    }
  }

  #of(name: string): Agent | undefined {
    const identity = this.#reading.identityOf(name);
    const known = this.#readers.get(name);
    if (known !== undefined && known.identity === identity) {
      known.closing.refresh();
      return known.agent;
    }
    this.close(name);
    if (identity === undefined) return undefined;
    const agent = this.#reading.open(name);
    if (agent === undefined) return undefined;
    const closing = setTimeout(() => this.close(name), IDLE).unref();
    this.#readers.set(name, { agent, identity, closing });
    return agent;
  }

  /** Closes the connection to an agent's database. The next `read` opens it again. */
  close(name: string): void {
    const reader = this.#readers.get(name);
    if (reader === undefined) return;
    this.#readers.delete(name);
    clearTimeout(reader.closing);
    reader.agent.discard();
  }

  closeAll(): void {
    for (const name of this.#readers.keys()) this.close(name);
  }
}
