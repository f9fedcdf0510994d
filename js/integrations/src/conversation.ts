// A conversation whose turns are memories, and come back exactly as they were.
//
// `remember({ messages })` stores what is worth remembering, and leaves out greetings and repeats. A
// framework needs all it has stored, in order: so each of its items is one memory of the session, with
// the item as it is in its body. Items without words of a person or a model, such as calls of tools, are
// stored, too, and no search finds them.

import type { Filter, MemoryNode, NewNode, NousClient } from "nous-server/client";
import { nodesOf } from "./pages.ts";
import { textsOf, unlessGone } from "./texts.ts";

const MAX_MADE = 100;

/** An item of a conversation. */
export interface Turn {
  /** Its words; empty if no search is to find it. */
  text: string;
  speaker: string;
  /** What the framework gets back: anything that JSON can hold. */
  item: unknown;
}

interface Place {
  session: string;
  order: number;
}

/** The turns of one session. `source` tells conversations of several frameworks apart. */
export class Conversation {
  #last = 0;

  constructor(
    readonly memory: NousClient,
    readonly session: string,
    readonly source: string,
    readonly user?: string,
  ) {}

  /**
   * Adds turns at the end: all, or after an error none. It is no transaction. Other programs may read the
   * first of more than `MAX_MADE` turns before the last are stored, and turns stay if the server answers
   * no more.
   */
  async append(turns: readonly Turn[]): Promise<void> {
    // Microseconds: JavaScript keeps them exactly. Turns of one call follow each other.
    this.#last = Math.max(Date.now() * 1000, this.#last + 1);
    const items = turns.map((turn, place) => this.#node(turn, this.#last + place));
    this.#last += turns.length;
    const ids: string[] = [];
    try {
      for (let at = 0; at < items.length; at += MAX_MADE) {
        const part = items.slice(at, at + MAX_MADE);
        ids.push(...part.map(({ id }) => id!));
        const { results } = await this.memory.createNodes({ items: part });
        const refused = results.find((result) => "error" in result);
        if (refused !== undefined && "error" in refused)
          throw Object.assign(new Error(refused.error), { status: refused.status });
      }
    } catch (error) {
      // Their ids are ours: after a lost answer they name what may be there.
      if (ids.length > 0) await this.memory.deleteNodes({ filter: { ids } }).catch(() => {});
      throw error;
    }
  }

  #node(turn: Turn, order: number): NewNode {
    const words = turn.text.trim() === "" ? "" : `${turn.speaker}: ${turn.text}`;
    const id = globalThis.crypto.randomUUID().replaceAll("-", "");
    return {
      id,
      type: "episode",
      ...textsOf(words, "item", turn.item, { id, session: this.session }),
      metadata: { conversation: { session: this.session, order } satisfies Place },
      source: this.source,
      ...(this.user === undefined ? {} : { user: this.user }),
    };
  }

  /** Returns all items, or the last ones, the oldest first. */
  async read(limit?: number): Promise<unknown[]> {
    const items = (await this.#nodes()).map(itemOf);
    return limit === undefined ? items : limit <= 0 ? [] : items.slice(-limit);
  }

  async #nodes(): Promise<MemoryNode[]> {
    const found: MemoryNode[] = [];
    for await (const node of nodesOf(this.memory, this.#filter)) found.push(node);
    return found.sort((a, b) => orderOf(a) - orderOf(b));
  }

  get #filter(): Filter {
    return { source: this.source, metadata: { "conversation.session": this.session } };
  }

  /** Deletes the last item, and returns it; undefined if there is none. */
  async pop(): Promise<unknown> {
    for (;;) {
      const last = (await this.#nodes()).at(-1);
      if (last === undefined) return undefined;
      // Another program may have taken it.
      if ((await unlessGone(this.memory.deleteNode(last.id))) !== undefined) return itemOf(last);
    }
  }

  /** Deletes all items. */
  async clear(): Promise<void> {
    await this.memory.deleteNodes({ filter: this.#filter });
  }
}

const orderOf = ({ metadata }: MemoryNode): number =>
  (metadata as { conversation: Place }).conversation.order;

const itemOf = ({ content_body }: MemoryNode): unknown =>
  (JSON.parse(content_body ?? "{}") as { item?: unknown }).item;
