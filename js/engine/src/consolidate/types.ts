// Types of consolidation: what callers pass (episodes, edges, options) and get (groups, patterns,
// plans, reports). Data is in snake_case, options are in camelCase.

import type { SeamOptions } from "../caller-calls.ts";
import type { CancelSignal, Instant } from "../types.ts";

/** The text fields of a memory. */
export interface MemoryText {
  /** Title of the memory. */
  content_title?: string | null | undefined;
  /** Plain text, or JSON with `text` and `signals`. */
  content_body?: string | null | undefined;
}

/** An episode as the store holds it. */
export interface EpisodeRow extends MemoryText {
  /** Id of the memory. Not empty. */
  id: string;
  /** Subtype, such as `custom:trade_close`. */
  subtype?: string | null | undefined;
  /**
   * Lifecycle state. Only ACTIVE episodes are reviewed; statistics count the others, too. Default
   * ACTIVE.
   */
  state_lifecycle?: string | null | undefined;
  /** Time at which the memory was stored. */
  created_at?: Instant | null | undefined;
  /** Time at which the memory was made. It has precedence over `created_at`. */
  provenance_created_at?: Instant | null | undefined;
}

/** An edge between two memories, as the store holds it. */
export interface LinkRow {
  /** Id of the memory that the edge leads from. */
  source_id: string;
  /** Id of the memory that the edge leads to. */
  target_id: string;
  /** Type of the edge, such as `part_of`. */
  type: string;
}

/** Episodes about one symbol, newest first. */
export interface EpisodeGroup<Row = EpisodeRow> {
  /** The symbol in capitals; `_general` for episodes without a symbol. */
  symbol: string;
  /** The same objects that were passed in. */
  episodes: Row[];
}

/** Options of `groupEpisodes`. */
export interface GroupEpisodesOptions {
  /** The present. Default: the clock. */
  now?: Instant | undefined;
}

/** A prompt for a language model that looks for a pattern in a group. */
export interface PatternPrompt {
  /** The instructions, the same for all groups. */
  system: string;
  /** The episodes of the group. */
  user: string;
}

/** A pattern in words. Both fields are null if there is no pattern. */
export interface PatternOutput {
  /** Title of the pattern. */
  title: string | null;
  /** Description of the pattern. */
  body: string | null;
}

/** A trigger as a language model wrote it, with its other fields unchanged. */
export interface ExtractedTrigger {
  [field: string]: unknown;
  /** Types of anomalies. */
  anomaly_types: string[];
}

/** A fact that was known about a trade at its entry. */
export type TradeCondition =
  | {
      /** What the fact is about. */
      kind: "anomaly_type" | "direction" | "trade_type" | "weekday" | "hours" | "funding";
      /** The fact, such as `long`, `Monday`, or a range of hours in UTC. */
      value: string;
    }
  /** A signal of the entry, text or boolean. */
  | {
      /** A signal. */
      kind: "signal";
      /** Name of the signal. */
      field: string;
      /** Value of the signal as text. */
      value: string;
    };

/** Statistics of the trades under a condition, and of the other trades of the group. */
export interface PatternFigures {
  /** Number of trades under the condition, at least 5. */
  n: number;
  /** Number of these that were profitable. */
  wins: number;
  /** `wins / n`. */
  rate: number;
  /** The 95 % confidence interval of `rate`, by Wilson. */
  interval: [low: number, high: number];
  /** Number of the other trades of the group, at least 5. */
  rest_n: number;
  /** Number of these that were profitable. */
  rest_wins: number;
  /** `rest_wins / rest_n`. */
  rest_rate: number;
  /** `rate / rest_rate`; null if `rest_rate` is 0. */
  lift: number | null;
  /** Mean return of the trades under the condition, in percent. */
  mean_return_pct: number;
  /**
   * The larger p value of two tests: the exact binomial test against `rest_rate`, and Fisher's
   * exact test.
   */
  p_value: number;
  /**
   * The lowest false discovery rate at which the pattern would be kept, by Benjamini and Hochberg
   * over all tests. The number of true null hypotheses is estimated as twice the number of p values
   * above 0.5 (Storey).
   */
  q_value: number;
}

/** A tested condition, with all numbers of the test. */
export interface TestedPattern extends PatternFigures {
  /** Symbol of the group. */
  symbol: string;
  /**
   * The condition. Several conditions that hold for exactly the same trades are one test, in the
   * order of their first appearance.
   */
  conditions: TradeCondition[];
  /** Ids of the closes under the condition, by time. */
  trade_ids: string[];
  /** Whether the pattern is significant: `q_value` is at most 0.1. */
  kept: boolean;
}

/** Options of `findPatterns`. */
export interface FindPatternsOptions {
  /** Symbols of the groups to test, as `groupEpisodes` names them. Default: all. */
  symbols?: readonly string[] | null | undefined;
}

/** Result of `findPatterns`. */
export interface FoundPatterns {
  /** The significant patterns of `tested`. */
  patterns: TestedPattern[];
  /**
   * Every test: each division of a group's trades once, by group and by the first appearance of its
   * condition among the closes.
   */
  tested: TestedPattern[];
}

/** An edge with its id. Edges of type `generalizes` need the id. */
export interface EdgeRow extends LinkRow {
  /** Id of the edge. */
  id?: string | null | undefined;
}

/** A stored lesson or playbook. */
export interface ExistingRow extends MemoryText {
  /** Id of the memory. Not empty. */
  id: string;
}

/** A lesson or playbook before it is written, as a search for similar memories reads it. */
export interface PatternDraft {
  /** Title of the new memory. */
  title: string;
  /** The pattern in words. */
  body: string;
  /** Whether it becomes a lesson or a playbook. */
  subtype: "custom:lesson" | "custom:playbook";
}

/** Memories that are similar to a draft, as `POST /nodes/check-similar` answers. */
export interface SimilarAnswer {
  /** Verdict on the draft: a duplicate, similar memories, or neither. */
  recommendation: "duplicate_found" | "similar_found" | "unique";
  /**
   * Similar memories, best first. If `action` does not say whether a match is a duplicate,
   * `recommendation` decides.
   */
  matches?:
    | readonly {
        /** Id of the similar memory. */
        node_id: string;
        /** Whether it says the same as the draft (`duplicate`) or is only similar (`connect`). */
        action?: "duplicate" | "connect" | (string & {}) | null | undefined;
      }[]
    | null
    | undefined;
}

/** Asks a language model and returns the text of its answer. */
export type AnalyzePattern<Row = EpisodeRow> = (
  prompt: PatternPrompt,
  group: EpisodeGroup<Row>,
  options: SeamOptions,
) => string | PromiseLike<string>;

/** Searches for memories that say the same as a draft. */
export type FindSimilar = (
  draft: PatternDraft,
  options: SeamOptions,
) => SimilarAnswer | PromiseLike<SimilarAnswer>;

/**
 * Options of `planConsolidation`.
 *
 * @example
 * ```ts
 * const plan = await planConsolidation(episodes, existing, {
 *   edges,
 *   agent: "trader-1",
 *   analyze: async ({ system, user }) => await model.complete(system, user),
 *   timeoutSeconds: 30,
 * });
 * ```
 */
export interface PlanConsolidationOptions<Row = EpisodeRow> {
  /** Edges between episodes, and edges of type `generalizes` that lead to them. Default: none. */
  edges?: readonly EdgeRow[] | null | undefined;
  /** The present. Default: the clock. */
  now?: Instant | undefined;
  /** Name of the agent. Patterns of different agents are different patterns. Default "". */
  agent?: string | null | undefined;
  /** Asks a language model about each group. Default: the statistics of `findPatterns` decide. */
  analyze?: AnalyzePattern<Row> | null | undefined;
  /** Searches for similar memories. Default: nothing is similar. */
  findSimilar?: FindSimilar | null | undefined;
  /**
   * Time limit of each call of `analyze` and `findSimilar`, in seconds: above 0, at most 2,147,483.
   * Default 60.
   */
  timeoutSeconds?: number | undefined;
  /** Aborts the planning. */
  signal?: CancelSignal | null | undefined;
}

/** A memory to create, with the edges that lead from it. */
export interface PlannedNode {
  /** Type of the node. */
  type: "concept";
  /** Whether it is a lesson or a playbook. */
  subtype: PatternDraft["subtype"];
  /** Title of the memory. */
  content_title: string;
  /** The beginning of the text; null if the text is short. */
  content_summary: string | null;
  /** JSON with `text`, `consolidation` and, in a playbook, the fields that `PlaybookBook` reads. */
  content_body: string;
  /** Source of the event time. */
  temporal_event_source: "consolidation";
  /** Edges from the new memory to stored ones. */
  edges: {
    /** `generalizes` for its episodes, `relates_to` for similar memories. */
    type: "generalizes" | "relates_to";
    /** Id of the stored memory. */
    target_id: string;
  }[];
}

/** New values of a stored lesson or playbook. */
export interface PlannedUpdate {
  /** Id of the memory. */
  id: string;
  /** Title of the memory. */
  content_title: string;
  /** The beginning of the text; null if the text is short. */
  content_summary: string | null;
  /** JSON, as in {@link PlannedNode}. */
  content_body: string;
}

/** Changes for one group. Apply all of them in one transaction. */
export interface GroupPlan {
  /** Symbol of the group. */
  symbol: string;
  /** Memories to create. */
  create: PlannedNode[];
  /** Memories to update. */
  update: PlannedUpdate[];
  /** Edges to add between stored memories. */
  link: {
    /** Id of the lesson or playbook. */
    source_id: string;
    /** Id of the episode. */
    target_id: string;
    /** Type of the edge. */
    type: "generalizes";
  }[];
  /** Edges to strengthen: add `amount` to the strength, up to 1. */
  strengthen: {
    /** Id of the edge. */
    edge_id: string;
    /** The amount to add to its strength. */
    amount: number;
  }[];
}

/** An error that left a group unchanged. */
export interface ConsolidationError {
  /** Symbol of the group. */
  symbol: string;
  /** The call that failed, exceeded its time limit, or returned an answer that cannot be read. */
  stage: "analyze" | "find_similar";
  /** The reason, in words. */
  message: string;
}

/** Counters and errors of a consolidation. */
export interface ConsolidationReport {
  /** Number of episodes in the groups. */
  episodes_reviewed: number;
  /** Number of groups with enough episodes, including those beyond the limit of groups. */
  groups_found: number;
  /** Number of groups whose analysis was completed, with or without a pattern. */
  groups_analyzed: number;
  /** Number of lessons and playbooks to create. */
  patterns_created: number;
  /** Number of stored lessons and playbooks that are updated, linked or strengthened. */
  patterns_strengthened: number;
  /** Errors, one for each group that failed. */
  errors: ConsolidationError[];
}

/** Result of `planConsolidation`: all changes that it proposes. */
export interface ConsolidationPlan {
  /** One entry for each group with changes. */
  groups: GroupPlan[];
  /** Counters and errors. */
  report: ConsolidationReport;
}
