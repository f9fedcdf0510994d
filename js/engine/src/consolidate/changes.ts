// Changes for one group: nodes to create and to update, edges to add and to strengthen.

import { moduleConstants } from "../generated/constants.ts";
import type { Draft } from "./drafts.ts";
import type { Generalized } from "./generalized.ts";
import { isSameRecord, type Known } from "./known.ts";
import { GENERALIZES } from "./patterns.ts";
import { firstCharacters } from "./text.ts";
import type { GroupPlan, PatternDraft, PlannedUpdate } from "./types.ts";

/** The most characters of a summary. */
const LONGEST_SUMMARY = 300;

/** Returns the subtype of a draft. @internal */
export const subtypeOf = ({ playbook }: Draft): PatternDraft["subtype"] =>
  playbook === null ? "custom:lesson" : "custom:playbook";

function fieldsOf({ title, text, record }: Draft, body: object): Omit<PlannedUpdate, "id"> {
  const beginning = firstCharacters(text, LONGEST_SUMMARY);
  return {
    content_title: title,
    content_summary: beginning === text ? null : beginning,
    content_body: JSON.stringify({ ...body, text, consolidation: record }),
  };
}

/** Collects the changes for a group. @internal */
export class Changes {
  readonly plan: GroupPlan;
  /** Number of known lessons and playbooks that change. */
  strengthened = 0;

  constructor(
    symbol: string,
    readonly generalized: Generalized,
  ) {
    this.plan = { symbol, create: [], update: [], link: [], strengthen: [] };
  }

  get isEmpty(): boolean {
    const { create, update, link, strengthen } = this.plan;
    return create.length + update.length + link.length + strengthen.length === 0;
  }

  /** Adds a new node, with edges to its episodes and to similar nodes. */
  create(draft: Draft, related: readonly string[]): void {
    this.plan.create.push({
      type: "concept",
      subtype: subtypeOf(draft),
      // `text` is the first key; its value is set by `fieldsOf`.
      ...fieldsOf(draft, { text: "", ...draft.playbook }),
      temporal_event_source: "consolidation",
      edges: [
        ...draft.episodes.map((target_id) => ({ type: GENERALIZES, target_id }) as const),
        ...[...new Set(related)].map((target_id) => ({ type: "relates_to", target_id }) as const),
      ],
    });
  }

  /**
   * Updates the figures of a known pattern and links its new episodes. Does nothing if the record
   * is the same.
   */
  update(draft: Draft, known: Known): void {
    if (isSameRecord(draft.record, known.record)) return;
    this.plan.update.push({ id: known.id, ...fieldsOf(draft, known.body) });
    this.#link(known.id, draft);
    this.strengthened++;
  }

  /**
   * Strengthens the edges of a node that says the same as a draft, and links the missing episodes.
   * Does nothing if the node generalizes all episodes already.
   */
  strengthen(id: string, draft: Draft): void {
    const from = this.generalized.from(id);
    if (draft.episodes.every((episode) => from.has(episode))) return;
    for (const episode of draft.episodes) {
      const edge = from.get(episode);
      if (edge == null) continue;
      this.plan.strengthen.push({ edge_id: edge, amount: moduleConstants.relearned });
      from.set(episode, null);
    }
    this.#link(id, draft);
    this.strengthened++;
  }

  #link(source_id: string, { episodes }: Draft): void {
    const from = this.generalized.from(source_id);
    for (const target_id of episodes) {
      if (from.has(target_id)) continue;
      this.plan.link.push({ source_id, target_id, type: GENERALIZES });
      from.set(target_id, null);
    }
  }
}
