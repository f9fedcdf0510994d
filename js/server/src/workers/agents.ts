// The agents of a thread. Each does one thing after another, in the order of the requests; while one waits for something the
// others go on.

import type { Agent } from "../agent/agent.ts";
import { Refusal } from "../agent/errors.ts";

/** How long soft state may be ahead of the database, in milliseconds. */
const FLUSH_AFTER = 1_000;

/** An agent that is open, and the end of what it has been given to do. */
interface Resident {
  agent: Agent;
  last: Promise<unknown>;
  flush: NodeJS.Timeout | undefined;
}

/** Told of an agent of which soft state could not be flushed, or that could not be closed properly. */
export type TellFailure = (agent: string, what: string, error: unknown) => void;

export class Agents {
  readonly #open: (name: string) => Agent;
  readonly #tellFailure: TellFailure;
  readonly #residents = new Map<string, Resident>();
  #isClosing = false;

  constructor(open: (name: string) => Agent, tellFailure: TellFailure) {
    this.#open = open;
    this.#tellFailure = tellFailure;
  }

  /** Does something with an agent once it has done everything before. Opens it where it is not. */
  async do<T>(name: string, work: (agent: Agent) => T | Promise<T>): Promise<T> {
    if (this.#isClosing) throw new Refusal(503, "the server is stopping");
    const resident = this.#of(name);
    const turn = resident.last.then(() => work(resident.agent));
    const done = () => this.#flushSoon(name, resident);
    resident.last = turn.then(done, done);
    return turn;
  }

  #of(name: string): Resident {
    let resident = this.#residents.get(name);
    if (resident === undefined) {
      resident = { agent: this.#open(name), last: Promise.resolve(), flush: undefined };
      this.#residents.set(name, resident);
    }
    return resident;
  }

  #flushSoon(name: string, resident: Resident): void {
    if (!resident.agent.isAhead || resident.flush !== undefined || this.#isClosing) return;
    const flush = () => {
      resident.flush = undefined;
      this.do(name, (agent) => agent.flush()).catch((error: unknown) =>
        // Nothing is forgotten before it is written.
        this.#tellFailure(name, "Soft state could not be flushed; it is tried again", error),
      );
    };
    resident.flush = setTimeout(flush, FLUSH_AFTER);
  }

  /** Finishes what was begun, flushes, and closes all of them. Nothing is done after it. */
  async close(): Promise<void> {
    this.#isClosing = true;
    for (const [name, { agent, last, flush }] of this.#residents) {
      clearTimeout(flush);
      await last;
      try {
        agent.close();
      } catch (error) {
        this.#tellFailure(name, "The agent could not be closed properly", error);
      }
    }
    this.#residents.clear();
  }
}
