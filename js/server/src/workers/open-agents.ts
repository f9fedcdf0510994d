// The agents of a thread. Each does one thing after another, in the order of the requests; while
// one waits for something the others go on.

import type { Agent } from "../agent/agent.ts";
import { noRoom, Refusal, readOnly } from "../refusal.ts";
import { isNoRoom, isReadOnly, StorageError } from "../storage/errors.ts";
import { releaseHandles } from "../storage/release-handles.ts";
import { type Asker, AskerGone, Shares } from "./shares.ts";

/** How long soft state may be ahead of the database, in milliseconds. */
const FLUSH_AFTER = 1_000;

/** How long another program is waited for by a flush, in milliseconds: requests wait behind it. */
const FLUSH_PATIENCE = 20;
/** How long soft state is kept back after a memory turned out to be read-only, in milliseconds. */
const FLUSH_AFTER_READ_ONLY = 60_000;
/** How long an agent that cannot be opened is not tried again, in milliseconds. */
const REFUSED_FOR = 5_000;
/**
 * How often it is looked who is idle, in milliseconds; and how often at least what an agent that is
 * open has in memory is kept.
 */
const TIDY_EVERY = 1_000;
const KEEP_EVERY = 300_000;

/** How long agents stay open. */
export interface Residence {
  /** Milliseconds without a request after which one is closed. */
  idle: number;
  /** Bytes of all of them together above which those are closed that were asked longest ago. */
  mostBytes: number;
}

/** How many agents are open, what they hold, and what they have still to do. */
export interface Occupancy {
  agents: number;
  nodes: number;
  bytes: number;
  turns: number;
}

/**
 * What is done where an agent is not there: it comes to be, is empty for that once, or the request
 * is refused.
 */
export type IfAbsent = "create" | "empty" | "refuse";

/** Who waits for work that nobody outside asked for. */
const STAYING: Asker = { isGone: false };

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
interface OpenAgent {
  agent: Agent;
  last: Promise<unknown>;
  flush: NodeJS.Timeout | undefined;
  /** Whether the last flush failed because the memory may only be read. */
  isReadOnly: boolean;
  /** What it has been given to do and has not done. */
  turns: number;
  /** As it was after the last turn. */
  bytes: number;
  /** When it was last asked something, and when it was last kept, by `performance.now()`. */
  askedAt: number;
  keptAt: number;
}

/**
 * Told of an agent of which soft state could not be flushed, or that could not be closed properly.
 */
export type TellFailure = (agent: string, what: string, error: unknown) => void;

export class Agents {
  readonly #opening: Opening;
  readonly #tellFailure: TellFailure;
  readonly #residence: Residence;
  readonly #tidying: NodeJS.Timeout;
  /** Those asked longest ago come first. */
  readonly #residents = new Map<string, OpenAgent>();
  /** Agents that could not be opened: why, and when they are tried again. */
  readonly #refused = new Map<string, { why: string; until: number }>();
  /** What agents that are not there are for those who ask. */
  #nobody: OpenAgent | undefined;
  /** Whether agents were closed whose files and memory have not been given back. */
  #isToBeReleased = false;
  /** Agents that have to stay closed for a moment. */
  readonly #away = new Map<string, Promise<unknown>>();
  #isClosing = false;
  readonly #shares = new Shares<OpenAgent>();

  constructor(opening: Opening, tellFailure: TellFailure, residence: Residence) {
    this.#opening = opening;
    this.#tellFailure = tellFailure;
    this.#residence = residence;
    this.#tidying = setInterval(() => this.#tidy(), TIDY_EVERY);
    this.#tidying.unref();
  }

  /**
   * Does something with an agent once it has done everything before. Opens it where it is not. What
   * follows from it, as taking in what it wrote, is done afterwards: `work` answers whoever asked.
   * Agents take turns; see `Agent.giveWay` for long work.
   *
   * @throws {AskerGone} where the asker went away before it was begun, or between two slices of it.
   */
  async do<T>(
    name: string,
    work: (agent: Agent) => T | Promise<T>,
    ifAbsent: IfAbsent = "create",
    asker: Asker = STAYING,
  ): Promise<T> {
    while (this.#away.has(name)) await this.#away.get(name);
    if (this.#isClosing) throw new Refusal(503, "the server is stopping");
    const resident = this.#of(name, ifAbsent);
    resident.askedAt = performance.now();
    if (this.#residents.delete(name)) this.#residents.set(name, resident);
    return this.#turn(name, resident, work, asker);
  }

  #turn<T>(
    name: string,
    resident: OpenAgent,
    work: (agent: Agent) => T | Promise<T>,
    asker: Asker = STAYING,
  ): Promise<T> {
    resident.turns += 1;
    const turn = resident.last.then(async () => {
      // What nobody waits for takes no slice from others.
      if (asker.isGone) throw new AskerGone();
      await this.#shares.next(resident);
      if (asker.isGone) throw new AskerGone();
      // Others will ask it, too: it is opened even where this asker goes away meanwhile.
      await resident.agent.openInTurns(this.#shares.paceOf(resident, STAYING));
      if (asker.isGone) throw new AskerGone();
      resident.agent.giveWay = this.#shares.paceOf(resident, asker);
      return work(resident.agent);
    });
    const done = async () => {
      await resident.agent.applyInTurns(this.#shares.paceOf(resident, STAYING));
      resident.turns -= 1;
      if (resident === this.#nobody) this.#keepEmpty(resident);
      resident.bytes = resident.agent.bytes;
      this.#flushSoon(name, resident);
      this.#makeRoom(resident);
    };
    resident.last = turn.then(done, done);
    return turn;
  }

  /**
   * Closes an agent once it has done everything, without writing what is ahead of its database, and
   * does something while nobody can ask it.
   */
  async away<T>(name: string, work: () => Promise<T>): Promise<T> {
    while (this.#away.has(name)) await this.#away.get(name);
    const resident = this.#residents.get(name);
    this.#residents.delete(name);
    clearTimeout(resident?.flush);
    const turn = (resident?.last ?? Promise.resolve()).then(() => {
      resident?.agent.discard();
      return work();
    });
    const over = () => this.#away.delete(name);
    this.#away.set(name, turn.then(over, over));
    return turn;
  }

  occupancy(): Occupancy {
    const sum: Occupancy = { agents: this.#residents.size, nodes: 0, bytes: 0, turns: 0 };
    for (const { agent, bytes, turns } of this.#residents.values()) {
      sum.nodes += agent.size;
      sum.bytes += bytes;
      sum.turns += turns;
    }
    return sum;
  }

  /**
   * Closes agents that were asked longest ago until the others may stay; the one that was asked
   * last always may.
   */
  #makeRoom(last: OpenAgent): void {
    let { bytes } = this.occupancy();
    for (const [name, resident] of this.#residents) {
      if (bytes <= this.#residence.mostBytes) return;
      if (resident === last || resident.turns > 0) continue;
      if (this.#closeNow(name, resident)) bytes -= resident.bytes;
    }
  }

  #tidy(): void {
    const now = performance.now();
    for (const [name, resident] of this.#residents) {
      if (resident.turns > 0) continue;
      if (now - resident.askedAt > this.#residence.idle) this.#closeInTurns(name, resident);
      else if (now - resident.keptAt > KEEP_EVERY) this.#keep(name, resident, now);
    }
    if (this.#isToBeReleased) releaseHandles();
    this.#isToBeReleased = false;
  }

  #keep(name: string, resident: OpenAgent, now: number): void {
    resident.keptAt = now;
    this.#turn(name, resident, (agent) => agent.keepInTurns()).catch((error: unknown) =>
      this.#tellFailure(name, "Index and full text could not be kept", error),
    );
  }

  /**
   * Closes an idle agent after its snapshots were written in steps that give way to other agents,
   * unless it is asked something meanwhile.
   */
  #closeInTurns(name: string, resident: OpenAgent): void {
    const { askedAt } = resident;
    // Closing meets the same error again, and tells it.
    this.#turn(name, resident, (agent) => agent.keepInTurns()).catch(() => {});
    resident.last = resident.last.then(() => {
      const isAsked = resident.turns > 0 || resident.askedAt !== askedAt;
      if (isAsked || this.#isClosing || this.#residents.get(name) !== resident) return;
      this.#closeNow(name, resident);
    });
  }

  /**
   * Closes an agent that has nothing to do. It stays open where what is ahead of its database
   * cannot be written now. Where the database may only be read that is given up: agents that nobody
   * can close would take more memory than they may.
   */
  #closeNow(name: string, resident: OpenAgent): boolean {
    try {
      resident.agent.flushAll();
      // What is in memory may be all that there is.
      resident.agent.storage.checkPlace();
    } catch (error) {
      if (!isReadOnly(error)) {
        this.#tellFailure(
          name,
          "The agent stays open: what it has in memory cannot be written",
          error,
        );
        return false;
      }
    }
    clearTimeout(resident.flush);
    this.#residents.delete(name);
    this.#closeAgent(name, resident.agent);
    this.#isToBeReleased = true;
    return true;
  }

  #closeAgent(name: string, agent: Agent): void {
    try {
      agent.close();
    } catch (error) {
      this.#tellFailure(name, "The agent could not be closed properly", error);
    }
  }

  #of(name: string, ifAbsent: IfAbsent): OpenAgent {
    const resident = this.#residents.get(name);
    if (resident !== undefined) return resident;
    if (ifAbsent !== "create" && !this.#opening.exists(name)) {
      if (ifAbsent === "refuse") throw new Refusal(403, "the key does not create agents");
      this.#nobody ??= openAgentOf(this.#opening.openEmpty());
      return this.#nobody;
    }
    const opened = openAgentOf(this.#tryOpen(name));
    // It does that before anything else.
    opened.last = opened.agent
      .finishPurges()
      .catch((error: unknown) =>
        this.#tellFailure(name, "Interrupted purges could not be looked for", error),
      );
    this.#residents.set(name, opened);
    return opened;
  }

  #tryOpen(name: string): Agent {
    const refused = this.#refused.get(name);
    if (refused !== undefined && performance.now() < refused.until)
      throw new Refusal(503, refused.why);
    this.#refused.delete(name);
    try {
      return this.#opening.open(name);
    } catch (error) {
      if (!(error instanceof StorageError)) throw error;
      // It can be tried again as soon as there is room.
      if (isNoRoom(error)) throw noRoom();
      const refusal = isReadOnly(error) ? readOnly() : new Refusal(503, error.message);
      this.#refused.set(name, { why: refusal.message, until: performance.now() + REFUSED_FOR });
      this.#tellFailure(name, "The agent cannot be opened", error);
      throw refusal;
    }
  }

  /**
   * All agents that are not there are one: what was left in it for one of them must not be there
   * for another.
   */
  #keepEmpty(nobody: OpenAgent): void {
    if (!nobody.agent.storage.hasChanged) return;
    nobody.agent.discard();
    nobody.agent = this.#opening.openEmpty();
  }

  #flushSoon(name: string, resident: OpenAgent): void {
    if (!resident.agent.isAhead || resident.flush !== undefined || this.#isClosing) return;
    const flush = () => {
      resident.flush = undefined;
      const flushed = this.#turn(name, resident, (agent) => {
        resident.isReadOnly = false;
        try {
          agent.flush(FLUSH_PATIENCE);
        } catch (error) {
          resident.isReadOnly = isReadOnly(error);
          throw error;
        }
      });
      flushed.catch((error: unknown) =>
        // Nothing is forgotten before it is written.
        this.#tellFailure(name, "Soft state could not be flushed; it is tried again", error),
      );
    };
    resident.flush = setTimeout(flush, resident.isReadOnly ? FLUSH_AFTER_READ_ONLY : FLUSH_AFTER);
  }

  /** Finishes what was begun, flushes, and closes all of them. Nothing is done after it. */
  async close(): Promise<void> {
    this.#isClosing = true;
    clearInterval(this.#tidying);
    await Promise.all(this.#away.values());
    for (const [name, { agent, last, flush }] of this.#residents) {
      clearTimeout(flush);
      await last;
      this.#closeAgent(name, agent);
    }
    this.#residents.clear();
    this.#nobody?.agent.close();
  }
}

function openAgentOf(agent: Agent): OpenAgent {
  const now = performance.now();
  return {
    agent,
    last: Promise.resolve(),
    flush: undefined,
    isReadOnly: false,
    turns: 0,
    bytes: 0,
    askedAt: now,
    keptAt: now,
  };
}
