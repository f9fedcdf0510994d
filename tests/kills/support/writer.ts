// A client that sends every kind of write, one request after another, and records the
// acknowledgements in a ledger.

import {
  edgeKey,
  type Ledger,
  memberKey,
  nodeKey,
} from "../../server/support/acknowledged-writes.ts";
import type { Answer, Running } from "../../server/support/server-process.ts";
import { LESSON } from "../../server/support/shared-server.ts";

/** Memories of a batch. */
const BATCH = 5;
const STRENGTH = 0.5;
const STRENGTHENING = 0.05;

interface Tie {
  id: string;
  source: string;
  target: string;
  strength: number;
}

export class Writer {
  readonly #ask: Running["ask"];
  readonly #ledger: Ledger;
  readonly #name: string;
  readonly #cluster: string;
  /** Its own existing memories and edges. */
  readonly #nodes: string[] = [];
  readonly #ties: Tie[] = [];
  #made = 0;
  /** Answers that a sound server does not give, as sentences. */
  readonly problems: string[] = [];
  /** Words that no file of the agent may contain any more. */
  readonly purged: string[] = [];
  answers = 0;

  /** Each writer has a unique name, which begins the names of its memories. */
  constructor(ask: Running["ask"], ledger: Ledger, name: string, cluster: string) {
    this.#ask = ask;
    this.#ledger = ledger;
    this.#name = name;
    this.#cluster = cluster;
  }

  /** Writes until it is stopped, or the server is gone. */
  async run(isOver: () => boolean = () => false): Promise<void> {
    const turns = [
      () => this.#create(),
      () => this.#createMany(),
      () => this.#tie(),
      () => this.#rename(),
      () => this.#tieMany(),
      () => this.#strengthen(),
      () => this.#join(),
      () => this.#search(),
      () => this.#delete(),
      () => this.#create({ "idempotency-key": `${this.#name}-${this.#made}` }),
      () => this.#untie(),
      () => this.#purge(),
    ];
    try {
      for (let turn = 0; !isOver(); turn++) await turns[turn % turns.length]!();
    } catch (error) {
      // A fetch throws if the server has ended; other errors belong to the test.
      if (!(error instanceof TypeError) && (error as Error).name !== "AbortError") throw error;
    }
  }

  async #answerTo(
    call: string,
    body?: unknown,
    headers?: Record<string, string>,
  ): Promise<Answer["body"]> {
    const answer = await this.#ask(call, body, headers);
    this.answers += 1;
    if (answer.status >= 300)
      this.problems.push(`${call}: ${answer.status} ${JSON.stringify(answer.body)}`);
    return answer.body;
  }

  #newNode(): { id: string; content_title: string; embedding: number[] } {
    this.#made += 1;
    const id = `${this.#name}n${this.#made}`;
    return { ...LESSON, id, content_title: `${id} as made`, embedding: [this.#made, 1] };
  }

  async #create(headers?: Record<string, string>): Promise<void> {
    const node = this.#newNode();
    await this.#ledger.write(new Map([[nodeKey(node.id), node.content_title]]), async () => {
      await this.#answerTo("POST /nodes", node, headers);
    });
    this.#nodes.push(node.id);
  }

  async #createMany(): Promise<void> {
    const items = Array.from({ length: BATCH }, () => this.#newNode());
    const change = new Map(items.map(({ id, content_title }) => [nodeKey(id), content_title]));
    await this.#ledger.write(change, async () => {
      const { failed } = await this.#answerTo("POST /nodes/batch", { items });
      if (failed !== 0) this.problems.push(`${failed} memories of a batch were refused`);
    });
    this.#nodes.push(...items.map(({ id }) => id));
  }

  async #tie(): Promise<void> {
    const [source, target] = this.#nodes.slice(-2) as [string, string];
    let id = "";
    await this.#ledger.write(
      new Map([[edgeKey(source, target), STRENGTH.toFixed(4)]]),
      async () => {
        ({ id } = await this.#answerTo("POST /edges", tieOf(source, target)));
      },
    );
    this.#ties.push({ id, source, target, strength: STRENGTH });
  }

  async #tieMany(): Promise<void> {
    const [first, ...others] = this.#nodes.slice(-4) as [string, ...string[]];
    const items = others.map((other) => tieOf(first, other));
    const change = new Map(others.map((other) => [edgeKey(first, other), STRENGTH.toFixed(4)]));
    let results: { id: string }[] = [];
    await this.#ledger.write(change, async () => {
      ({ results } = await this.#answerTo("POST /edges/batch", { items }));
    });
    for (const [place, target] of others.entries()) {
      this.#ties.push({ id: results[place]!.id, source: first, target, strength: STRENGTH });
    }
  }

  async #strengthen(): Promise<void> {
    const tie = this.#ties.at(-1)!;
    const strength = tie.strength + STRENGTHENING;
    await this.#ledger.write(
      new Map([[edgeKey(tie.source, tie.target), strength.toFixed(4)]]),
      async () => {
        await this.#answerTo(`POST /edges/${tie.id}/strengthen`, { amount: STRENGTHENING });
      },
    );
    tie.strength = strength;
  }

  async #untie(): Promise<void> {
    const tie = this.#ties.pop()!;
    await this.#ledger.write(new Map([[edgeKey(tie.source, tie.target), null]]), async () => {
      await this.#answerTo(`DELETE /edges/${tie.id}`);
    });
  }

  async #rename(): Promise<void> {
    const id = this.#nodes[0]!;
    const content_title = `${id} as changed ${this.#made}`;
    await this.#ledger.write(new Map([[nodeKey(id), content_title]]), async () => {
      await this.#answerTo(`PATCH /nodes/${id}`, { content_title });
    });
  }

  async #join(): Promise<void> {
    const node_id = this.#nodes[0]!;
    await this.#ledger.write(new Map([[memberKey(this.#cluster, node_id), ""]]), async () => {
      await this.#answerTo(`POST /clusters/${this.#cluster}/members`, { node_id });
    });
  }

  async #search(): Promise<void> {
    const id = this.#nodes.at(-1)!;
    const { data } = await this.#answerTo("POST /search", { query: id });
    const isFound = data.some((found: { id: string }) => found.id === id);
    if (!isFound) this.problems.push(`a search for ${id} does not find it`);
  }

  async #delete(): Promise<void> {
    const id = this.#nodes[0]!;
    await this.#ledger.write(this.#without(id), async () => {
      await this.#answerTo(`DELETE /nodes/${id}`);
    });
    this.#forget(id);
  }

  async #purge(): Promise<void> {
    const id = this.#nodes.at(-1)!;
    await this.#ledger.write(this.#without(id), async () => {
      await this.#answerTo(`POST /nodes/${id}/purge`);
    });
    this.#forget(id);
    this.purged.push(`${id} as made`);
  }

  /** Deleting a memory deletes its edges and memberships. */
  #without(id: string): Map<string, null> {
    const ties = this.#ties.filter(({ source, target }) => source === id || target === id);
    const keys = [
      nodeKey(id),
      memberKey(this.#cluster, id),
      ...ties.map((tie) => edgeKey(tie.source, tie.target)),
    ];
    return new Map(keys.map((key) => [key, null]));
  }

  #forget(id: string): void {
    this.#nodes.splice(this.#nodes.indexOf(id), 1);
    const left = this.#ties.filter(({ source, target }) => source !== id && target !== id);
    this.#ties.splice(0, this.#ties.length, ...left);
  }
}

const tieOf = (source_id: string, target_id: string) => ({
  source_id,
  target_id,
  type: "precedes",
  strength: STRENGTH,
});
