// The agent's journal: collects every memory and edge while the sample is written, and assigns ids,
// first stabilities and difficulties.

import {
  EDGE_STRENGTH,
  firstDifficulty,
  firstStability,
  type Stakes,
  SUBTYPE_MODEL,
} from "./memory-model.ts";
import type { Random } from "./random.ts";
import type { EdgeType, SampleEdge, SampleNode, Subtype } from "./types.ts";

const ALPHABET = "0123456789abcdefghijklmnopqrstuvwxyz";

/** A memory to be written. */
export interface Draft {
  subtype: Subtype;
  at: number;
  title: string;
  /** Text, or the object whose JSON is stored. */
  body: string | { text: string; [field: string]: unknown };
  summary?: string;
  tags: readonly string[];
  stakes?: Stakes;
}

/** The memories and edges written so far. */
export class Journal {
  readonly nodes: SampleNode[] = [];
  readonly edges: SampleEdge[] = [];
  readonly #byId = new Map<string, SampleNode>();
  readonly #links = new Set<string>();
  readonly #ids = new Set<string>();

  constructor(readonly random: Random) {}

  #id(prefix: string): string {
    for (;;) {
      let id = prefix;
      for (let i = 0; i < 12; i++) id += ALPHABET[this.random.whole(0, 35)];
      if (this.#ids.has(id)) continue;
      this.#ids.add(id);
      return id;
    }
  }

  add(draft: Draft): SampleNode {
    const { subtype, at } = draft;
    const body = typeof draft.body === "string" ? draft.body : JSON.stringify(draft.body);
    const stability = firstStability(subtype, draft.stakes ?? {});
    const node: SampleNode = {
      id: this.#id("n_"),
      type: SUBTYPE_MODEL[subtype].type,
      subtype,
      content_title: draft.title,
      content_body: body,
      ...(draft.summary === undefined ? {} : { content_summary: draft.summary }),
      created_at: at,
      provenance_created_at: new Date(at).toISOString(),
      last_accessed: at,
      access_count: 0,
      stability,
      difficulty: firstDifficulty(subtype, body.length),
      tags: [...new Set(draft.tags)],
      access_times: [],
      read_times: [],
      initial_stability: stability,
    };
    this.nodes.push(node);
    this.#byId.set(node.id, node);
    return node;
  }

  get(id: string): SampleNode {
    const node = this.#byId.get(id);
    if (node === undefined) throw new RangeError(`no memory ${id}`);
    return node;
  }

  /** Links two memories, once for each edge type. The edge is as old as the younger memory. */
  link(type: EdgeType, source: SampleNode, target: SampleNode): void {
    const key = `${type} ${source.id} ${target.id}`;
    if (source === target || this.#links.has(key)) return;
    this.#links.add(key);
    this.edges.push({
      id: this.#id("e_"),
      source_id: source.id,
      target_id: target.id,
      type,
      strength: EDGE_STRENGTH[type],
      created_at: Math.max(source.created_at, target.created_at),
    });
  }
}
