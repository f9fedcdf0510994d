// What is to be done about one group: nodes to create and to update, edges to add and to
// strengthen.

import { moduleConstants } from "../generated/constants.ts";
import type { Draft } from "./drafts.ts";
import type { Generalized } from "./generalized.ts";
import { isSameRecord, type Known } from "./known.ts";
import { GENERALIZES } from "./patterns.ts";
import { firstCharacters } from "./text.ts";
import type { GroupPlan, PatternDraft, PlannedUpdate } from "./types.ts";

/** The most characters of a summary. */
const LONGEST_SUMMARY = 300;

/** The subtype of a draft. @internal */
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

/** Collects what is to be done about a group. @internal */
export class Changes {
  readonly plan: GroupPlan;
  /** Lessons and playbooks that are there and gain. */
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

  /** A new node, with edges to its episodes and to what only resembles it. */
  create(draft: Draft, related: readonly string[]): void {
    this.plan.create.push({
      type: "concept",
      subtype: subtypeOf(draft),
      // The text comes first, whatever it will be.
      ...fieldsOf(draft, { text: "", ...draft.playbook }),
      temporal_event_source: "consolidation",
      edges: [
        ...draft.episodes.map((target_id) => ({ type: GENERALIZES, target_id }) as const),
        ...[...new Set(related)].map((target_id) => ({ type: "relates_to", target_id }) as const),
      ],
    });
  }

  /**
   * The figures of a pattern that is known, and its new episodes; nothing where it rests on the
   * same ones.
   */
  update(draft: Draft, known: Known): void {
    if (isSameRecord(draft.record, known.record)) return;
    this.plan.update.push({ id: known.id, ...fieldsOf(draft, known.body) });
    this.#link(known.id, draft);
    this.strengthened++;
  }

  /**
   * The edges of a node that says the same as a draft, unless it generalizes all those episodes
   * already.
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
