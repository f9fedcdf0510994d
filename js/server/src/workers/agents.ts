// The agents of a thread. Each does one thing after another, in the order of the requests; while one waits for something the
// others go on.

import type { Agent } from "../agent/agent.ts";
import { Refusal } from "../agent/errors.ts";
import { StorageError } from "../storage/errors.ts";

/** How long soft state may be ahead of the database, in milliseconds. */
const FLUSH_AFTER = 1_000;

/** How long another program is waited for by a flush, in milliseconds: requests wait behind it. */
const FLUSH_PATIENCE = 20;
/** How long an agent that cannot be opened is not tried again, in milliseconds. */
const REFUSED_FOR = 5_000;

/** What opens agents. */
export interface Opening {
  /** Opens an agent, or makes one. */
  open(name: string): Agent;
  /** Whether there is such an agent. */
  exists(name: string): boolean;
  /** One without memories, in no file. */
  openEmpty(): Agent;
}

/** An agent that is open, and the end of what it has been given to do. */
interface Resident {
  agent: Agent;
  last: Promise<unknown>;
  flush: NodeJS.Timeout | undefined;
}

/** Told of an agent of which soft state could not be flushed, or that could not be closed properly. */
export type TellFailure = (agent: string, what: string, error: unknown) => void;

export class Agents {
  readonly #opening: Opening;
  readonly #tellFailure: TellFailure;
  readonly #residents = new Map<string, Resident>();
  /** Agents that could not be opened: why, and when they are tried again. */
  readonly #refused = new Map<string, { why: string; until: number }>();
  /** What agents that are not there are for those who ask. */
  #nobody: Resident | undefined;
  #isClosing = false;

  constructor(opening: Opening, tellFailure: TellFailure) {
    this.#opening = opening;
    this.#tellFailure = tellFailure;
  }

  /**
   * Does something with an agent once it has done everything before. Opens it where it is not; one that is not there comes to
   * be where `creates` says so, and is empty else.
   */
  async do<T>(name: string, work: (agent: Agent) => T | Promise<T>, { creates = true } = {}): Promise<T> {
    if (this.#isClosing) throw new Refusal(503, "the server is stopping");
    const resident = this.#of(name, creates);
    const turn = resident.last.then(() => work(resident.agent));
    const done = () => this.#flushSoon(name, resident);
    resident.last = turn.then(done, done);
    return turn;
  }

  #of(name: string, creates: boolean): Resident {
    const resident = this.#residents.get(name);
    if (resident !== undefined) return resident;
    if (!creates && !this.#opening.exists(name)) {
      this.#nobody ??= residentOf(this.#opening.openEmpty());
      return this.#nobody;
    }
    const opened = residentOf(this.#tryOpen(name));
    this.#residents.set(name, opened);
    return opened;
  }

  #tryOpen(name: string): Agent {
    const refused = this.#refused.get(name);
    if (refused !== undefined && performance.now() < refused.until) throw new Refusal(503, refused.why);
    this.#refused.delete(name);
    try {
      return this.#opening.open(name);
    } catch (error) {
      if (!(error instanceof StorageError)) throw error;
      this.#refused.set(name, { why: error.message, until: performance.now() + REFUSED_FOR });
      this.#tellFailure(name, "The agent cannot be opened", error);
      throw new Refusal(503, error.message);
    }
  }

  #flushSoon(name: string, resident: Resident): void {
    if (!resident.agent.isAhead || resident.flush !== undefined || this.#isClosing) return;
    const flush = () => {
      resident.flush = undefined;
      this.do(name, (agent) => agent.flush(FLUSH_PATIENCE)).catch((error: unknown) =>
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
    this.#nobody?.agent.close();
  }
}

const residentOf = (agent: Agent): Resident => ({ agent, last: Promise.resolve(), flush: undefined });
