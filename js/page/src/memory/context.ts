// Builds the prompt of a turn over the memory that is open, by the rules of the server.

import {
  type BuiltContext,
  type ContextBudget,
  type ContextMemory,
  contextBudget,
  type LeftOut,
  type MemorySection,
  type MemoryType,
  type ProfileFact,
  type RecentConversation,
  type RetrievalQuery,
  type SectionName,
} from "nous-wasm";
import { fadedNow, presentNode, presentNow } from "../../../server/src/agent/present.ts";
import { createdAtOf } from "../../../server/src/agent/replica/index-rows.ts";
import { PROFILE_CATEGORIES } from "../../../server/src/agent/rules/profile.ts";
import {
  CONVERSATIONS,
  isAtHand,
  LEAST_PROBABILITY,
  MOST_PROFILE,
  soughtFor,
  subtypesByType,
} from "../../../server/src/agent/rules/prompt.ts";
import { rounded } from "../../../server/src/agent/search/rows.ts";
import type { IndexedNodeRow } from "../../../server/src/storage/rows.ts";
import { titleOf } from "./ask.ts";
import type { Held } from "./held.ts";

/** A turn that needs a prompt. */
export interface ContextRequest {
  input: string;
  identity: string;
  /** Budgets in place of the usual ones, in tokens. */
  budgets: Partial<ContextBudget>;
}

/** A memory that was found for a prompt. */
export interface Found {
  id: string;
  title: string;
  section: MemorySection;
  created: number;
  /** The probability that it has to do with the turn; undefined if it was not searched for. */
  score: number | undefined;
}

/** A prompt, and how it came about. */
export interface Prompt
  extends Pick<BuiltContext, "prompt" | "tokens" | "sections" | "failed" | "frame"> {
  queries: RetrievalQuery[];
  /** The memories in the prompt, in its order. */
  recalled: (Found & { type: MemoryType })[];
  /** The memories that were found and are not in the prompt; `block` is the section of the prompt. */
  left: (Found & Pick<LeftOut, "reason"> & { block: SectionName })[];
  budgets: ContextBudget;
  /** The budgets that the turn has if none is changed. */
  usual: ContextBudget;
  milliseconds: number;
}

/** A memory of the page has no accesses that wait to be stored. */
const NOTHING_SOFT = { lastAccess: () => null };

/** Returns the prompt of a turn. */
export async function buildContext(
  held: Held,
  { input, identity, budgets }: ContextRequest,
): Promise<Prompt> {
  const { engine, now } = held;
  const scores = new Map<string, number>();
  const start = performance.now();
  const built = await engine.buildContext({
    ...{ input, identity, budgets, now },
    retrieve: retrieverOf(held, scores),
    profile: () => profileOf(held),
    recent: ({ since, limit }) => conversationsSince(held, since, limit),
  });
  const milliseconds = performance.now() - start;
  const { prompt, tokens, sections, failed, frame, plan, recalled_ids, left_out } = built;
  const found = (id: string): Found => {
    const row = held.row(id)!;
    return {
      id,
      title: titleOf(held, id),
      section: held.sectionOf(row),
      created: createdAtOf(row) ?? 0,
      score: scores.get(id),
    };
  };
  const usual = contextBudget(frame.frame_id, plan.budget_overrides);
  return {
    ...{ prompt, tokens, sections, failed, frame, milliseconds, usual },
    queries: plan.queries,
    recalled: (Object.entries(recalled_ids) as [MemoryType, string[]][]).flatMap(([type, ids]) =>
      ids.map((id) => ({ ...found(id), type })),
    ),
    left: left_out.flatMap(({ id, section, reason }) =>
      id === null || held.row(id) === undefined ? [] : { ...found(id), block: section, reason },
    ),
    budgets: { ...usual, ...budgets },
  };
}

/** Returns the function that finds memories of a type, and notes their probabilities. */
function retrieverOf(held: Held, scores: Map<string, number>) {
  const { engine, index, rows, now } = held;
  const present = { index, engine, soft: NOTHING_SOFT, compat: "none" } as const;
  // Null stands for memories without a subtype.
  const used = new Set([null, ...[...rows.nodes.values()].map(({ subtype }) => subtype)]);
  const byType = subtypesByType(used, engine);
  return ({ memory_type, query_text, limit }: RetrievalQuery): ContextMemory[] => {
    const subtypes = byType.get(memory_type)?.map((name) => name ?? "");
    if (subtypes === undefined || query_text.trim() === "") return [];
    const answers = index.ask(query_text, {
      limit: soughtFor(limit),
      min_score: LEAST_PROBABILITY,
      now,
      filters: { subtypes },
    });
    const nodes = presentNow(
      answers.map(({ id }) => held.row(id)!),
      present,
      now,
    );
    return nodes.map((node, place) => {
      const score = rounded(answers[place]!.score);
      scores.set(node.id, score);
      const { frame, censors } = node;
      return { ...engine.contextMemory({ ...node, score }), frame, censors };
    });
  };
}

/** Returns the memories of these subtypes, newest first. */
function newestOf(held: Held, subtypes: readonly string[]): [row: IndexedNodeRow, at: number][] {
  const those = [...held.rows.nodes.values()].filter((row) => subtypes.includes(row.subtype ?? ""));
  return those
    .map((row): [IndexedNodeRow, number] => [row, createdAtOf(row) ?? -Infinity])
    .sort(([a, atA], [b, atB]) => atB - atA || b.sequence - a.sequence);
}

function profileOf(held: Held): ProfileFact[] {
  const { engine, index, now } = held;
  const rows = newestOf(held, Object.keys(PROFILE_CATEGORIES)).slice(0, MOST_PROFILE);
  const states = fadedNow(
    rows.map(([{ id }]) => id),
    index,
    engine,
    now,
  );
  const shown = rows.filter((_, place) => isAtHand(states[place]?.lifecycle));
  return shown.map(([row]) => ({
    id: row.id,
    text: engine.contextMemory(presentNode(row, undefined, { soft: NOTHING_SOFT, engine })).text,
    category: PROFILE_CATEGORIES[row.subtype ?? ""]!,
  }));
}

function conversationsSince(held: Held, since: number, limit: number): RecentConversation[] {
  return newestOf(held, CONVERSATIONS)
    .filter(([, at]) => at >= since)
    .slice(0, limit)
    .map(([{ id, content_title, content_summary }, at]) => ({
      ...{ id, title: content_title, summary: content_summary, created_at: at },
    }));
}
