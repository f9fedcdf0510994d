// The life of an agent under load: all kinds of requests in turn, with as many memories at the end
// as at the beginning.

import { setTimeout } from "node:timers/promises";
import type { Client } from "./shared-server.ts";

/** Memories of an agent: enough for its index to be kept in a file. */
export const MEMORIES = 1_100;
/** Memories per creation batch. */
const BATCH = 100;
/** Milliseconds between two rests, and of a rest: long enough for the agent to be closed. */
const STRETCH = 15_000;
const REST = 2_500;

const WORDS =
  "funding basis gold squeeze breakout carry roll perp delta hedge skew friday reversal liquidity volume momentum".split(
    " ",
  );
const SYMBOLS = ["BTC", "ETH", "SOL"];

/** An answer's time, and the request. */
export interface Asked {
  at: number;
  ms: number;
}

/** One agent and its client, which sends one request after another. */
export class Life {
  /** The arrival of each answer, in milliseconds from the beginning, and its duration. */
  readonly asked: Asked[] = [];
  /** Answers with an error status. */
  readonly failures: string[] = [];
  readonly #client: Client;
  /** Its memories, the oldest first. */
  readonly #ids: string[] = [];
  #random: number;
  #turn = 0;

  constructor(client: Client, seed: number) {
    this.#client = client;
    this.#random = seed % 2 ** 32;
  }

  /** Creates all of its memories. */
  async begin(): Promise<void> {
    while (this.#ids.length < MEMORIES) await this.#createMany(BATCH);
  }

  /**
   * Runs until the given time, in milliseconds by `performance.now()`; with pauses, two thirds of
   * the time pass between the steps.
   */
  async go(start: number, end: number, hasPauses: boolean): Promise<void> {
    let rested = start;
    while (performance.now() < end) {
      const took = await this.#step(start);
      if (hasPauses) await setTimeout(2 * took);
      if (performance.now() < rested + STRETCH) continue;
      await setTimeout(REST);
      rested = performance.now();
    }
  }

  /** Takes the next step; returns its duration in milliseconds. */
  async #step(start: number): Promise<number> {
    this.#turn += 1;
    const begun = performance.now();
    await STEPS[this.#turn % STEPS.length]!(this);
    const now = performance.now();
    this.asked.push({ at: now - start, ms: now - begun });
    return now - begun;
  }

  // ---- steps ------------------------------------------------------------------------------------

  async create(): Promise<void> {
    const isTrade = this.#turn % 3 === 0;
    const { id } = await this.#ask("POST /nodes", isTrade ? this.#trade() : this.#note());
    this.#ids.push(id);
    if (isTrade)
      await this.#ask("POST /edges", {
        source_id: id,
        target_id: this.#other(id),
        type: "part_of",
      });
    const oldest = this.#ids.length > MEMORIES ? this.#ids.shift() : undefined;
    if (oldest !== undefined) await this.#ask(`DELETE /nodes/${oldest}`);
  }

  async update(): Promise<void> {
    await this.#ask(`PATCH /nodes/${this.#one()}`, { content_body: this.#text(30) });
  }

  async link(): Promise<void> {
    const source_id = this.#one();
    const edge = { source_id, target_id: this.#other(source_id), type: "relates_to" };
    const { id } = await this.#ask("POST /edges", edge);
    await this.#ask(`POST /edges/${id}/strengthen`, {});
  }

  async search(): Promise<void> {
    await this.#ask("POST /search", { query: this.#text(4), limit: 20 });
  }

  async recall(): Promise<void> {
    await this.#ask(`GET /nodes/${this.#one()}`);
    await this.#ask("POST /nodes/batch-get", { ids: [this.#one(), this.#one()] });
  }

  async retrieve(): Promise<void> {
    await this.#ask("POST /retrieve", { query: `what did I learn about ${this.#text(2)}?` });
  }

  async converse(): Promise<void> {
    const { context_id, recalled_content } = await this.#ask("POST /context", {
      input: `What of ${this.#text(3)}?`,
    });
    await this.#ask("POST /context/feedback", {
      context_id,
      recalled_content,
      response: this.#text(40),
    });
  }

  async compare(): Promise<void> {
    await this.#ask("POST /nodes/check-similar", { content: this.#text(12) });
  }

  async quarrel(): Promise<void> {
    const [old_node_id, new_node_id] = [this.#ids[0]!, this.#ids.at(-1)!];
    const { id } = await this.#ask("POST /contradiction/queue", { old_node_id, new_node_id });
    await this.#ask("POST /contradiction/resolve", { conflict_id: id, resolution: "keep_both" });
  }

  async group(): Promise<void> {
    const { id } = await this.#ask("POST /clusters", { name: this.#text(2) });
    await this.#ask(`POST /clusters/${id}/members`, { node_id: this.#one() });
    await this.#ask(`DELETE /clusters/${id}`);
  }

  /** At intervals: sweeps and consolidations read everything. */
  async maintain(): Promise<void> {
    if (this.#turn % 7 === 0) await this.#ask("POST /decay");
    else if (this.#turn % 5 === 0) await this.#ask("POST /consolidate");
    else await this.#ask("GET /health");
  }

  // ---- requests ---------------------------------------------------------------------------------

  async #ask(call: string, body?: object): Promise<Awaited<ReturnType<Client["ask"]>>["body"]> {
    const answer = await this.#client.ask(call, body);
    if (answer.status >= 300)
      this.failures.push(`${call}: ${answer.status} ${JSON.stringify(answer.body)}`);
    return answer.body;
  }

  async #createMany(count: number): Promise<void> {
    const items = Array.from({ length: count }, () => this.#note());
    const { results } = await this.#ask("POST /nodes/batch", { items });
    this.#ids.push(...results.map(({ id }: { id: string }) => id));
  }

  #note(): object {
    return {
      type: "concept",
      subtype: "custom:lesson",
      content_title: this.#text(4),
      content_body: this.#text(25),
    };
  }

  #trade(): object {
    const signals = {
      symbol: this.#of(SYMBOLS),
      side: "long",
      anomaly_type: "funding_extreme",
      pnl_pct: this.#below(9) - 3,
    };
    const content_body = JSON.stringify({ text: this.#text(10), signals });
    return {
      type: "episode",
      subtype: "custom:trade_close",
      content_title: `Closed ${signals.symbol}`,
      content_body,
    };
  }

  /** A memory that stays for a while. */
  #one(): string {
    return this.#ids[10 + this.#below(this.#ids.length - 10)]!;
  }

  /** Returns a memory other than one. */
  #other(than: string): string {
    const place = 10 + this.#below(this.#ids.length - 10);
    return this.#ids[this.#ids[place] === than ? place - 1 : place]!;
  }

  #text(words: number): string {
    return Array.from({ length: words }, () => this.#of(WORDS)).join(" ");
  }

  #of<T>(values: readonly T[]): T {
    return values[this.#below(values.length)]!;
  }

  /** The next number of a linear congruential generator, below `most`. */
  #below(max: number): number {
    this.#random = (this.#random * 1_664_525 + 1_013_904_223) % 2 ** 32;
    return Math.floor((this.#random / 2 ** 32) * max);
  }
}

/** In turn; frequent steps are listed several times. */
const STEPS: readonly ((life: Life) => Promise<void>)[] = [
  (life) => life.create(),
  (life) => life.search(),
  (life) => life.recall(),
  (life) => life.update(),
  (life) => life.search(),
  (life) => life.create(),
  (life) => life.link(),
  (life) => life.retrieve(),
  (life) => life.search(),
  (life) => life.converse(),
  (life) => life.compare(),
  (life) => life.recall(),
  (life) => life.group(),
  (life) => life.quarrel(),
  (life) => life.maintain(),
];

// ---- results ------------------------------------------------------------------------------------

export function quantile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))]!;
}

export const median = (values: readonly number[]): number => quantile(values, 0.5);

/**
 * The median of the slopes between all pairs of points (Theil and Sen), which is robust against
 * outliers.
 */
export function slopeOf(points: readonly { at: number; value: number }[]): number {
  const slopes = points.flatMap((a, place) =>
    points.slice(place + 1).map((b) => (b.value - a.value) / (b.at - a.at)),
  );
  return median(slopes);
}
