// The open agents of a thread. Each agent does one request after another, in the order of their
// arrival. While one waits for I/O, the others continue.

import type { Agent } from "../agent/agent.ts";
import { dropExpired } from "../agent/expiry.ts";
import { compareNext } from "../agent/writes/comparing.ts";
import { noRoom, Refusal, readOnly } from "../refusal.ts";
import { AgentDeleted, Held, isNoRoom, isReadOnly, StorageError } from "../storage/errors.ts";
import { type Asker, AskerGone, Shares } from "./shares.ts";

/** The delay between a change of soft state and its flush, in milliseconds. */
const FLUSH_AFTER = 1_000;

/**
 * How long a flush waits for the write lock, in milliseconds. It is short because requests wait
 * behind the flush.
 */
const FLUSH_PATIENCE = 20;
/**
 * How long a transaction waits for a writer of another program, in milliseconds: the other agents of
 * the thread wait with it. Then they get their turns, for `HELD_PAUSE`, and the request is tried
 * again, for `HELD_PATIENCE`. While the server stops, a transaction waits for `HELD_PATIENCE`.
 */
const MOMENT = 20;
const HELD_PAUSE = 50;
const HELD_PATIENCE = 5_000;
/** The delay before the next flush after the database proved read-only, in milliseconds. */
const FLUSH_AFTER_READ_ONLY = 60_000;
/** How long an agent that could not be opened is refused without another try, in milliseconds. */
const REFUSED_FOR = 5_000;
/**
 * How long an agent is not asked before a new memory is compared with those that it may replace.
 * While requests follow each other, one comparison is made after each longest delay. In
 * milliseconds.
 */
const COMPARE_AFTER = 25;
const COMPARE_AFTER_MAX = 1_000;
/** Memories whose vectors are made in one turn, between requests of the agent. */
const EMBEDDED_IN_A_TURN = 500;
/** How often the log tells how far this is, in milliseconds. */
const TELL_EVERY = 5_000;
/**
 * How often idle agents are looked for, and how often an open agent writes snapshots at least, in
 * milliseconds.
 */
const TIDY_EVERY = 1_000;
const KEEP_EVERY = 300_000;

/** When open agents are closed. */
export interface Residence {
  /** Milliseconds without a request after which an agent is closed. */
  idle: number;
  /** Bytes of all open agents above which the least recently used ones are closed. */
  maxBytes: number;
}

/** The number of open agents, of their memories, bytes and unfinished requests. */
export interface Occupancy {
  agents: number;
  nodes: number;
  bytes: number;
  turns: number;
}

/**
 * How a request for an agent that does not exist is handled: the agent is created, an empty agent
 * answers, or the request is refused.
 */
export type IfAbsent = "create" | "empty" | "refuse";

/** The asker of the server's own work, which never goes away. */
const STAYING: Asker = { isGone: false };

/** Opens agents for `Agents`. */
export interface Opening {
  /** Opens an agent, and creates it if it does not exist. */
  open(name: string): Agent;
  /** Returns whether an agent exists. */
  exists(name: string): boolean;
  /** Opens an agent without memories, in memory only. */
  openEmpty(): Agent;
}

/** An open agent, and the end of its queue of requests. */
interface OpenAgent {
  agent: Agent;
  last: Promise<unknown>;
  flush: NodeJS.Timeout | undefined;
  compare: NodeJS.Timeout | undefined;
  /** Whether the last flush failed because the database is read-only. */
  isReadOnly: boolean;
  /** Requests that are not done. */
  turns: number;
  /** Bytes of the agent after the last request. */
  bytes: number;
  /** The times of the last request, answer and snapshot, by `performance.now()`. */
  askedAt: number;
  answeredAt: number;
  keptAt: number;
}

/** Logs an agent that could not be opened, flushed or closed. */
export type LogFailure = (agent: string, what: string, error: unknown) => void;

export class Agents {
  readonly #opening: Opening;
  readonly #logFailure: LogFailure;
  readonly #residence: Residence;
  readonly #tidying: NodeJS.Timeout;
  /** By name, the least recently used first. */
  readonly #openAgents = new Map<string, OpenAgent>();
  /** Agents that could not be opened: why, and until when they are refused. */
  readonly #refused = new Map<string, { why: string; until: number }>();
  /** The empty agent that answers for agents that do not exist. */
  #empty: OpenAgent | undefined;
  /** Agents that are held closed, and the end of the work on their files. */
  readonly #heldClosed = new Map<string, Promise<unknown>>();
  #isClosing = false;
  readonly #shares = new Shares<OpenAgent>();

  constructor(opening: Opening, logFailure: LogFailure, residence: Residence) {
    this.#opening = opening;
    this.#logFailure = logFailure;
    this.#residence = residence;
    this.#tidying = setInterval(() => this.#tidy(), TIDY_EVERY);
    this.#tidying.unref();
  }

  /**
   * Runs `work` with an agent after all earlier requests, and opens the agent if it is closed. The
   * promise resolves before the replicas apply the changes, so that the client need not wait for
   * that. Agents take turns; see `Agent.giveWay` for long work.
   *
   * @throws {AskerGone} If the asker went away before the start, or between two slices.
   */
  async do<T>(
    name: string,
    work: (agent: Agent) => T | Promise<T>,
    ifAbsent: IfAbsent = "create",
    asker: Asker = STAYING,
  ): Promise<T> {
    while (this.#heldClosed.has(name)) await this.#heldClosed.get(name);
    if (this.#isClosing) throw new Refusal(503, "the server is stopping");
    const openAgent = this.#of(name, ifAbsent);
    openAgent.askedAt = performance.now();
    if (this.#openAgents.delete(name)) this.#openAgents.set(name, openAgent);
    try {
      const untilFree = () => this.#untilFree(openAgent, asker, work);
      return await this.#turn(name, openAgent, untilFree, asker);
    } catch (error) {
      if (error instanceof AgentDeleted) return this.do(name, work, ifAbsent, asker);
      throw error;
    } finally {
      openAgent.answeredAt = performance.now();
    }
  }

  #turn<T>(
    name: string,
    openAgent: OpenAgent,
    work: (agent: Agent) => T | Promise<T>,
    asker: Asker = STAYING,
  ): Promise<T> {
    openAgent.turns += 1;
    const turn = openAgent.last.then(async () => {
      // Work without an asker must take no slice from others.
      if (asker.isGone) throw new AskerGone();
      await this.#shares.next(openAgent);
      if (asker.isGone) throw new AskerGone();
      // The next requests need it too: it is opened even if this asker goes away meanwhile.
      await openAgent.agent.openInTurns(this.#shares.paceOf(openAgent, STAYING));
      if (asker.isGone) throw new AskerGone();
      openAgent.agent.giveWay = this.#shares.paceOf(openAgent, asker);
      openAgent.agent.storage.patience = MOMENT;
      dropExpiredOf(openAgent.agent);
      return work(openAgent.agent);
    });
    const done = async () => {
      await openAgent.agent.applyInTurns(this.#shares.paceOf(openAgent, STAYING));
      openAgent.turns -= 1;
      if (openAgent === this.#empty) this.#replaceEmpty(openAgent);
      openAgent.bytes = openAgent.agent.bytes;
      this.#flushSoon(name, openAgent);
      this.#compareSoon(name, openAgent);
      this.#makeRoom(openAgent);
    };
    openAgent.last = turn.then(done, (error: unknown) =>
      error instanceof AgentDeleted ? this.#forget(name, openAgent) : done(),
    );
    return turn;
  }

  /**
   * Runs `work`, and runs it again while another program is writing the memory. The other agents
   * get their turns in between.
   *
   * @throws {Held} If the other program still writes after `HELD_PATIENCE`, or if `work` has
   * committed a transaction before it met that.
   */
  async #untilFree<T>(
    openAgent: OpenAgent,
    asker: Asker,
    work: (agent: Agent) => T | Promise<T>,
  ): Promise<T> {
    const { agent } = openAgent;
    const { commits } = agent.storage;
    const until = performance.now() + HELD_PATIENCE;
    for (;;) {
      agent.storage.patience = MOMENT;
      try {
        return await work(agent);
      } catch (error) {
        const isOver = performance.now() > until || agent.storage.commits !== commits;
        if (!(error instanceof Held) || isOver) throw error;
      }
      await new Promise((resolve) => setTimeout(resolve, HELD_PAUSE));
      await this.#shares.next(openAgent);
      if (asker.isGone) throw new AskerGone();
    }
  }

  /** Closes an agent that another server has deleted. The next request opens it anew. */
  #forget(name: string, openAgent: OpenAgent): void {
    clearTimeout(openAgent.flush);
    clearTimeout(openAgent.compare);
    if (this.#openAgents.get(name) === openAgent) this.#openAgents.delete(name);
    openAgent.agent.discard();
  }

  /**
   * Closes an agent after its last request, without flushing it, and runs `work` while the agent
   * stays closed. Requests wait meanwhile.
   */
  async whileClosed<T>(name: string, work: () => T): Promise<T> {
    while (this.#heldClosed.has(name)) await this.#heldClosed.get(name);
    const openAgent = this.#openAgents.get(name);
    this.#openAgents.delete(name);
    clearTimeout(openAgent?.flush);
    clearTimeout(openAgent?.compare);
    const turn = (openAgent?.last ?? Promise.resolve()).then(() => {
      openAgent?.agent.discard();
      return work();
    });
    const over = () => this.#heldClosed.delete(name);
    this.#heldClosed.set(name, turn.then(over, over));
    return turn;
  }

  occupancy(): Occupancy {
    const sum: Occupancy = { agents: this.#openAgents.size, nodes: 0, bytes: 0, turns: 0 };
    for (const { agent, bytes, turns } of this.#openAgents.values()) {
      sum.nodes += agent.size;
      sum.bytes += bytes;
      sum.turns += turns;
    }
    return sum;
  }

  /**
   * Closes least recently used agents until the rest fits into `mostBytes`. The agent of the last
   * request stays open in any case.
   */
  #makeRoom(last: OpenAgent): void {
    let { bytes } = this.occupancy();
    for (const [name, openAgent] of this.#openAgents) {
      if (bytes <= this.#residence.maxBytes) return;
      if (openAgent === last || openAgent.turns > 0) continue;
      if (this.#closeNow(name, openAgent)) bytes -= openAgent.bytes;
    }
  }

  #tidy(): void {
    const now = performance.now();
    for (const [name, openAgent] of this.#openAgents) {
      if (openAgent.turns > 0) continue;
      if (now - openAgent.askedAt > this.#residence.idle) this.#closeInTurns(name, openAgent);
      else if (now - openAgent.keptAt > KEEP_EVERY) this.#keep(name, openAgent, now);
    }
  }

  #keep(name: string, openAgent: OpenAgent, now: number): void {
    openAgent.keptAt = now;
    this.#turn(name, openAgent, (agent) => agent.keepInTurns()).catch((error: unknown) =>
      this.#logFailure(name, "Snapshots could not be written", error),
    );
  }

  /**
   * Closes an idle agent after its snapshots were written in steps that give way to other agents,
   * unless a request comes meanwhile.
   */
  #closeInTurns(name: string, openAgent: OpenAgent): void {
    const { askedAt } = openAgent;
    // Closing meets the same error again, and tells it.
    this.#turn(name, openAgent, (agent) => agent.keepInTurns()).catch(() => {});
    openAgent.last = openAgent.last.then(() => {
      const isAsked = openAgent.turns > 0 || openAgent.askedAt !== askedAt;
      if (isAsked || this.#isClosing || this.#openAgents.get(name) !== openAgent) return;
      this.#closeNow(name, openAgent);
    });
  }

  /**
   * Closes an agent without requests. Returns false, and leaves it open, if its soft state cannot
   * be written now. A read-only database loses its soft state instead: agents that cannot be closed
   * would exceed the memory limit.
   */
  #closeNow(name: string, openAgent: OpenAgent): boolean {
    try {
      openAgent.agent.flushAll();
      // If the file was moved or deleted, memory may hold the only copy of the data.
      openAgent.agent.storage.checkPlace();
    } catch (error) {
      if (!isReadOnly(error) && !(error instanceof AgentDeleted)) {
        this.#logFailure(name, "The agent stays open: its soft state cannot be written", error);
        return false;
      }
    }
    clearTimeout(openAgent.flush);
    clearTimeout(openAgent.compare);
    this.#openAgents.delete(name);
    this.#closeAgent(name, openAgent.agent);
    return true;
  }

  #closeAgent(name: string, agent: Agent): void {
    agent.storage.patience = HELD_PATIENCE;
    try {
      agent.close();
    } catch (error) {
      this.#logFailure(name, "The agent could not be closed properly", error);
    }
  }

  #of(name: string, ifAbsent: IfAbsent): OpenAgent {
    const openAgent = this.#openAgents.get(name);
    if (openAgent !== undefined) return openAgent;
    if (ifAbsent !== "create" && !this.#opening.exists(name)) {
      if (ifAbsent === "refuse") throw new Refusal(403, "the key does not create agents");
      this.#empty ??= openAgentOf(this.#opening.openEmpty());
      return this.#empty;
    }
    const opened = openAgentOf(this.#tryOpen(name));
    // Requests wait until interrupted purges are finished.
    opened.last = opened.agent
      .finishPurges()
      .catch((error: unknown) =>
        this.#logFailure(name, "Interrupted purges could not be read", error),
      );
    this.#openAgents.set(name, opened);
    if (opened.agent.vectors.mayNeedMending)
      this.#embedOlder(name, opened, { embedded: 0, since: performance.now() });
    return opened;
  }

  /** Makes missing vectors of an agent that was just opened, in turns between its requests. */
  #embedOlder(
    name: string,
    openAgent: OpenAgent,
    { embedded, since, told = since }: { embedded: number; since: number; told?: number },
  ): void {
    const embed = async (agent: Agent) => {
      agent.leaveTable();
      const made = await agent.embedOlder(EMBEDDED_IN_A_TURN);
      if (made === undefined) return undefined;
      const vectors = embedded + made.embedded;
      const figures = { vectors, ms: Math.round(performance.now() - since) };
      if (made.done < EMBEDDED_IN_A_TURN) {
        if (vectors > 0) agent.tell("Made missing vectors", figures);
        return undefined;
      }
      const isDue = performance.now() - told > TELL_EVERY;
      if (isDue) agent.tell("Makes missing vectors", figures);
      return { embedded: vectors, since, told: isDue ? performance.now() : told };
    };
    const turn = this.#turn(name, openAgent, () => this.#untilFree(openAgent, STAYING, embed));
    turn.then(
      (next) => {
        if (next !== undefined && this.#openAgents.get(name) === openAgent && !this.#isClosing)
          this.#embedOlder(name, openAgent, next);
      },
      (error: unknown) => this.#logFailure(name, "Missing vectors could not be made", error),
    );
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
      // It is tried again with the next request: room may be made at any time.
      if (isNoRoom(error)) throw noRoom();
      const refusal = isReadOnly(error) ? readOnly() : new Refusal(503, error.message);
      this.#refused.set(name, { why: refusal.message, until: performance.now() + REFUSED_FOR });
      this.#logFailure(name, "The agent cannot be opened", error);
      throw refusal;
    }
  }

  /**
   * Replaces the empty agent if a request wrote to it: all absent agents share it, and one must not
   * see the writes of another.
   */
  #replaceEmpty(empty: OpenAgent): void {
    if (!empty.agent.storage.hasChanged) return;
    empty.agent.discard();
    empty.agent = this.#opening.openEmpty();
  }

  #flushSoon(name: string, openAgent: OpenAgent): void {
    if (!openAgent.agent.isAhead || openAgent.flush !== undefined || this.#isClosing) return;
    const flush = () => {
      openAgent.flush = undefined;
      const flushed = this.#turn(name, openAgent, (agent) => {
        openAgent.isReadOnly = false;
        try {
          agent.flush(FLUSH_PATIENCE);
        } catch (error) {
          openAgent.isReadOnly = isReadOnly(error);
          throw error;
        }
      });
      flushed.catch((error: unknown) =>
        // Soft state stays pending until it is written.
        this.#logFailure(name, "Soft state could not be flushed; the flush is tried again", error),
      );
    };
    openAgent.flush = setTimeout(flush, openAgent.isReadOnly ? FLUSH_AFTER_READ_ONLY : FLUSH_AFTER);
  }

  /**
   * Compares a new memory with those that it may replace, a while after the client has its answer.
   * The turn's end plans the next one if memories are left. A comparison takes as long as a search,
   * and a request that comes meanwhile waits for it: while requests follow each other, few are made.
   */
  #compareSoon(name: string, openAgent: OpenAgent, since = performance.now()): void {
    const isPlanned = openAgent.compare !== undefined || this.#openAgents.get(name) !== openAgent;
    if (openAgent.agent.uncompared.size === 0 || isPlanned || this.#isClosing) return;
    openAgent.compare = setTimeout(() => {
      openAgent.compare = undefined;
      const now = performance.now();
      const isAsked = openAgent.turns > 0 || now - openAgent.answeredAt < COMPARE_AFTER;
      if (isAsked && now - since < COMPARE_AFTER_MAX) {
        this.#compareSoon(name, openAgent, since);
        return;
      }
      this.#turn(name, openAgent, compareNext).catch((error: unknown) =>
        this.#logFailure(name, "A new memory could not be compared", error),
      );
    }, COMPARE_AFTER);
  }

  /** Finishes all requests, flushes, and closes all agents. Later requests are refused. */
  async close(): Promise<void> {
    this.#isClosing = true;
    clearInterval(this.#tidying);
    await Promise.all(this.#heldClosed.values());
    for (const [name, { agent, last, flush, compare }] of this.#openAgents) {
      clearTimeout(flush);
      clearTimeout(compare);
      await last;
      this.#closeAgent(name, agent);
    }
    this.#openAgents.clear();
    this.#empty?.agent.close();
  }
}

/** Deletes the memories that have expired. A database that cannot be written now keeps them. */
function dropExpiredOf(agent: Agent): void {
  try {
    dropExpired(agent);
  } catch (error) {
    if (!isReadOnly(error) && !isNoRoom(error) && !(error instanceof Held)) throw error;
  }
}

function openAgentOf(agent: Agent): OpenAgent {
  const now = performance.now();
  return {
    agent,
    last: Promise.resolve(),
    flush: undefined,
    compare: undefined,
    isReadOnly: false,
    turns: 0,
    bytes: 0,
    askedAt: now,
    answeredAt: now,
    keptAt: now,
  };
}
