// What consolidation takes and gives. Data is in snake_case, options are in camelCase.

import type { SeamOptions } from "../caller-calls.ts";
import type { CancelSignal, Instant } from "../types.ts";

/** As much of a memory as tells what it is about. */
export interface MemoryText {
  content_title?: string | null | undefined;
  /** Text, or JSON with `text` and `signals`. */
  content_body?: string | null | undefined;
}

/** A memory of something that happened, as a store has it. */
export interface EpisodeRow extends MemoryText {
  id: string;
  subtype?: string | null | undefined;
  /** Only ACTIVE ones are reviewed; what they were is counted all the same. Default ACTIVE. */
  state_lifecycle?: string | null | undefined;
  /** When it was stored. */
  created_at?: Instant | null | undefined;
  /** When it was made; goes before `created_at`. */
  provenance_created_at?: Instant | null | undefined;
}

/** An edge between two memories, as a store has it. */
export interface LinkRow {
  source_id: string;
  target_id: string;
  type: string;
}

/** Episodes about the same thing, newest first. */
export interface EpisodeGroup<Row = EpisodeRow> {
  /** In capitals; `_general` for episodes that name no symbol. */
  symbol: string;
  /** The very objects that were passed in. */
  episodes: Row[];
}

/** How to group episodes. */
export interface GroupEpisodesOptions {
  /** The present. Default: the clock. */
  now?: Instant | undefined;
}

/** What to ask a language model. */
export interface PatternPrompt {
  /** Its task, the same for all groups. */
  system: string;
  /** The episodes. */
  user: string;
}

/** A pattern in words; both are null for none. */
export interface PatternOutput {
  title: string | null;
  body: string | null;
}

/** A trigger as a language model wrote it, with whatever else it put there. */
export interface ExtractedTrigger {
  [field: string]: unknown;
  anomaly_types: string[];
}

/** Something that was known of a trade when it was entered. */
export type TradeCondition =
  | {
      kind: "anomaly_type" | "direction" | "trade_type" | "weekday" | "hours" | "funding";
      value: string;
    }
  /** A signal of the entry, text or boolean, by its name. */
  | { kind: "signal"; field: string; value: string };

/** How often trades were won under a condition, and how often the others of their group were. */
export interface PatternFigures {
  /** Trades for which it holds, 5 or more. */
  n: number;
  wins: number;
  /** Share won. */
  rate: number;
  /** The 95 % interval of the rate, by Wilson. */
  interval: [low: number, high: number];
  /** The other trades of the group, 5 or more. */
  rest_n: number;
  rest_wins: number;
  rest_rate: number;
  /** How many times as often as the others; null where these were never won. */
  lift: number | null;
  /** In percent. */
  mean_return_pct: number;
  /**
   * The larger of those of the exact binomial test against the rate of the others and of Fisher's
   * exact test.
   */
  p_value: number;
  /**
   * The least rate of false discoveries at which it would be told, by Benjamini and Hochberg over
   * all that was tested, of which as many mean nothing as twice those with a p value above one half
   * (Storey).
   */
  q_value: number;
}

/** A condition that was tested, with every number that the test rests on. */
export interface TestedPattern extends PatternFigures {
  symbol: string;
  /** One, or several where they hold for the very same trades, as they were first seen. */
  conditions: TradeCondition[];
  /** The closes for which it holds, by time. */
  trade_ids: string[];
  /** Whether it is told: its q value is at most 0.1. */
  kept: boolean;
}

/** Which trades to look at. */
export interface FindPatternsOptions {
  /** Groups by their symbols, as `groupEpisodes` names them. Default: all. */
  symbols?: readonly string[] | null | undefined;
}

/** What trades add up to. */
export interface FoundPatterns {
  /** What is told, of all that was tested. */
  patterns: TestedPattern[];
  /**
   * Each way to divide a group's trades once, by group and condition as they were first seen while
   * trades were closed.
   */
  tested: TestedPattern[];
}

/** An edge with its id, which those of the type `generalizes` need. */
export interface EdgeRow extends LinkRow {
  id?: string | null | undefined;
}

/** A lesson or a playbook that is there already. */
export interface ExistingRow extends MemoryText {
  id: string;
}

/** What is about to be written, as a search for similar memories reads it. */
export interface PatternDraft {
  title: string;
  /** The pattern in words. */
  body: string;
  subtype: "custom:lesson" | "custom:playbook";
}

/** What is similar to a draft, as `POST /nodes/check-similar` answers. */
export interface SimilarAnswer {
  recommendation: "duplicate_found" | "similar_found" | "unique";
  /** Best first. What `action` does not tell apart is what the recommendation says. */
  matches?:
    | readonly {
        node_id: string;
        action?: "duplicate" | "connect" | (string & {}) | null | undefined;
      }[]
    | null
    | undefined;
}

/** A language model: the text of its answer. */
export type AnalyzePattern<Row = EpisodeRow> = (
  prompt: PatternPrompt,
  group: EpisodeGroup<Row>,
  options: SeamOptions,
) => string | PromiseLike<string>;

/** A search for memories that say the same. */
export type FindSimilar = (
  draft: PatternDraft,
  options: SeamOptions,
) => SimilarAnswer | PromiseLike<SimilarAnswer>;

/** How to plan. */
export interface PlanConsolidationOptions<Row = EpisodeRow> {
  /**
   * Edges between episodes, and those of the type `generalizes` that lead to them. Default: none.
   */
  edges?: readonly EdgeRow[] | null | undefined;
  /** The present. Default: the clock. */
  now?: Instant | undefined;
  /** Whose memory it is; patterns of other agents are others. Default: the empty name. */
  agent?: string | null | undefined;
  /** Asks a language model about each group, in place of the statistics. */
  analyze?: AnalyzePattern<Row> | null | undefined;
  /** Default: nothing is similar. */
  findSimilar?: FindSimilar | null | undefined;
  /** Time for each answer of the two, in seconds: above 0, at most 2,147,483. Default 60. */
  timeoutSeconds?: number | undefined;
  /** Ends the planning. */
  signal?: CancelSignal | null | undefined;
}

/** A node to create, and the edges that lead from it. */
export interface PlannedNode {
  type: "concept";
  subtype: PatternDraft["subtype"];
  content_title: string;
  /** The beginning of a longer text. */
  content_summary: string | null;
  /** JSON: `text`, `consolidation`, and for a playbook what `PlaybookBook` reads. */
  content_body: string;
  temporal_event_source: "consolidation";
  edges: { type: "generalizes" | "relates_to"; target_id: string }[];
}

/** New fields of a lesson or a playbook that is there. */
export interface PlannedUpdate {
  id: string;
  content_title: string;
  content_summary: string | null;
  content_body: string;
}

/** What to do about one group; to be done as a whole or not at all. */
export interface GroupPlan {
  symbol: string;
  create: PlannedNode[];
  update: PlannedUpdate[];
  /** Edges to add between nodes that are there. */
  link: { source_id: string; target_id: string; type: "generalizes" }[];
  /** Edges whose strength grows by the amount, to at most 1. */
  strengthen: { edge_id: string; amount: number }[];
}

/** Why a group is left as it is. */
export interface ConsolidationError {
  symbol: string;
  /** What failed, was late, or answered what cannot be read. */
  stage: "analyze" | "find_similar";
  message: string;
}

/** What a cycle came to. */
export interface ConsolidationReport {
  episodes_reviewed: number;
  /** Groups with enough episodes, whether or not there was room for them. */
  groups_found: number;
  /** Groups whose analysis came to an end, with a pattern or without. */
  groups_analyzed: number;
  /** Lessons and playbooks to create. */
  patterns_created: number;
  /** Lessons and playbooks that are there and gain: updated, linked, strengthened. */
  patterns_strengthened: number;
  errors: ConsolidationError[];
}

/** What a cycle would change. */
export interface ConsolidationPlan {
  /** An entry for each group that changes something. */
  groups: GroupPlan[];
  report: ConsolidationReport;
}
