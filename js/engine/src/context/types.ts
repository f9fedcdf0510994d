// Types of prompt building: what callers pass (memories, profile, options) and get (prompt,
// sections, failures). Data is in snake_case, options are in camelCase.

import type { SeamOptions } from "../caller-calls.ts";
import type { CancelSignal, Instant } from "../types.ts";
import type { Embed } from "./dedup.ts";
import type {
  BudgetName,
  ContextMode,
  FrameSelection,
  MemoryType,
  RetrievalPlan,
  RetrievalQuery,
  TurnSignals,
} from "./turn.ts";
import type { UsageTracker } from "./usage.ts";

/**
 * A memory that was retrieved for a prompt. `contextMemory` converts a stored row.
 *
 * @example
 * ```ts
 * const memory = { id: "m1", type: "fact", score: 0.82, text: "BTC funding is paid hourly." };
 * ```
 */
export interface ContextMemory {
  /** Id of the memory. Not empty. */
  id: string;
  /**
   * Memory type. Default: the type that was asked for. A type that was not asked for is left out.
   */
  type?: MemoryType | null | undefined;
  /** Relevance, such as the score of a search. Finite. */
  score: number;
  /**
   * The text to show: the description of a decision, the content of a fact, the name of a
   * procedure, the summary of an episode.
   */
  text: string;
  /** Outcome of a decision or an episode. Abandoned episodes are left out. */
  outcome?: string | null | undefined;
  /** Confidence in a decision or a fact, in [0, 1]. */
  confidence?: number | null | undefined;
  /** Subject of a fact. At most two facts of one subject are shown. */
  subject?: string | null | undefined;
  /** Category of a decision. At most three decisions of one category are shown. */
  category?: string | null | undefined;
  /** Domain of a procedure. */
  domain?: string | null | undefined;
  /** How often a procedure was followed: whole, at least 0. Default 0. */
  activations?: number | null | undefined;
  /** Share of successes of a procedure, in [0, 1]. */
  effectiveness?: number | null | undefined;
  /** Tags. At most two episodes with the same first tag are shown. */
  tags?: readonly string[] | null | undefined;
  /** Time at which the memory was stored. */
  created_at?: Instant | null | undefined;
  /**
   * Time of the event that the memory tells of. Lines of episodes and signals show its day in place
   * of that of storing; lines of decisions, facts and procedures begin with it.
   */
  event_time?: Instant | null | undefined;
  /** Id of the frame in which the memory was stored. */
  frame?: string | null | undefined;
  /** Ids of the censors that were active when the memory was stored. */
  censors?: readonly string[] | null | undefined;
}

/** A fact about the user. */
export interface ProfileFact {
  /** Id of the fact. */
  id: string;
  /** The fact in words. */
  text: string;
  /** Category. Facts of the categories `preference`, `person` and `rule` are shown. */
  category: string;
}

/** A rule about what the agent must not do. */
export interface Censor {
  /** Id of the censor. */
  id: string;
  /** The rule in words. */
  text: string;
  /** Strictness. Censors are shown in the order absolute, block, warn. */
  action: "absolute" | "block" | "warn";
}

/** The current state of the agent's work. */
export interface WorkingMemory {
  /** The current task. */
  current_task?: string | null | undefined;
  /** Id of the frame in which the working memory was last updated. */
  current_frame?: string | null | undefined;
  /** The current topic. Without a plan it is searched for, too. */
  current_topic?: string | null | undefined;
  /** Questions and tasks that are still open. */
  open_threads?: readonly string[] | null | undefined;
  /** Items in mind, with a relevance in [0, 1]. Items of at least 0.7 are shown. */
  items?:
    | readonly {
        /** The item in words. */
        text: string;
        /** Relevance in [0, 1]. */
        relevance: number;
      }[]
    | null
    | undefined;
}

/** A recent conversation. */
export interface RecentConversation {
  /** Id of the conversation. */
  id: string;
  /** Title of the conversation. */
  title: string;
  /** Summary. Shown if the turn means something recent. */
  summary?: string | null | undefined;
  /** Time of the conversation. A time in the future counts as recent. */
  created_at: Instant;
}

/** A message of the conversation before this turn. */
export interface ConversationMessage {
  /** Author of the message. `user` and `assistant` count; others are skipped. */
  role: string;
  /** Text of the message. */
  content: string;
}

/** The fields of a frame that a prompt shows. */
export type TurnFrame = Pick<FrameSelection, "frame_id"> &
  Partial<Pick<FrameSelection, "frame_name" | "description" | "questions_to_ask">>;

/** A value, or a function that returns it. */
export type Given<T> = T | ((options: SeamOptions) => T | PromiseLike<T>);

/** Name of a section of a prompt. */
export type SectionName =
  | "identity"
  | "user_profile"
  | "censors"
  | "frame"
  | "working_memory"
  | BudgetName
  | "recent_conversations";

/**
 * Token budgets of a prompt and its sections, and the number of turns that memories are compared
 * with. Whole numbers of at least 0.
 */
export type ContextBudget = Record<
  "total" | Exclude<SectionName, "recent_conversations">,
  number
> & {
  /** Number of the user's last turns that memories are compared with, and of the last answers. */
  conversation_window: number;
};

/**
 * Options of `buildContext`.
 *
 * @example
 * ```ts
 * const { prompt, left_out } = await buildContext({
 *   input: "Why did we decide to short ETH?",
 *   identity: "You are a careful trading assistant.",
 *   retrieve: ({ query_text, limit, memory_type }) => search(query_text, limit, memory_type),
 *   messages: [{ role: "user", content: "Let's review the week." }],
 *   budgets: { total: 4000, decisions: 800 },
 *   timeoutSeconds: 2,
 * });
 * ```
 */
export interface BuildContextOptions {
  /** The user's message. */
  input: string;
  /**
   * Description of the agent. It is in every prompt, whatever fails. A text above its budget is cut
   * after a word and ends in "...".
   */
  identity: string;
  /** Returns the memories for a query. Called for all types at once. */
  retrieve: (
    query: RetrievalQuery,
    options: SeamOptions,
  ) => readonly ContextMemory[] | PromiseLike<readonly ContextMemory[]>;
  /** The present. Default: the clock. */
  now?: Instant | undefined;
  /** Rules to apply. Default `default`. */
  mode?: ContextMode | undefined;
  /** Id of a frame, or its fields. Default: the frame of `selectFrame`. */
  frame?: string | TurnFrame | null | undefined;
  /** The retrieval plan. Default: the plan of `planTurn`. Null: five memories of each type. */
  plan?: RetrievalPlan | null | undefined;
  /** Facts about the user. Default: none. */
  profile?: Given<readonly ProfileFact[] | null | undefined>;
  /** Rules about what the agent must not do. Default: none. */
  censors?: Given<readonly Censor[] | null | undefined>;
  /** The current state of the agent's work. Default: none. */
  workingMemory?: Given<WorkingMemory | null | undefined>;
  /** Messages before this turn, oldest first. Memories that repeat them are left out. */
  messages?: readonly ConversationMessage[] | null | undefined;
  /**
   * Returns the conversations since `since` (milliseconds since 1970), 48 hours ago, at most
   * `limit`. Without it the prompt has no section of recent conversations.
   */
  recent?:
    | ((
        options: SeamOptions & { since: number; limit: number },
      ) => readonly RecentConversation[] | PromiseLike<readonly RecentConversation[]>)
    | null
    | undefined;
  /**
   * Returns embeddings, by which memories are compared with messages. Called at most once. Default:
   * words are compared.
   */
  embed?: Embed | null | undefined;
  /** The usage of memories in earlier prompts. Default: none. */
  usage?: Pick<UsageTracker, "boost"> | null | undefined;
  /**
   * Returns the number of tokens of a text. Default: one per four code points, at least one. In the
   * seed-compatible mode it affects only the reported numbers: sections are cut at four code points
   * per token of their budgets.
   */
  countTokens?: ((text: string) => number) | null | undefined;
  /** Budgets in place of those of the frame and the plan. Whole, at least 0. */
  budgets?: Partial<ContextBudget> | null | undefined;
  /**
   * The lowest score of a memory, by type. Default with `embed`, where scores are cosines: 0.20 for
   * decisions, 0.25 for facts, 0.30 for the others. Default without it: none.
   */
  minScores?: Partial<Record<MemoryType, number>> | null | undefined;
  /**
   * Time limit of all calls of the caller's functions together, in seconds: above 0. Default:
   * `orchestrator.timeoutSeconds`, 3.
   */
  timeoutSeconds?: number | undefined;
  /** Aborts the call. */
  signal?: CancelSignal | null | undefined;
}

/** A section of the prompt. */
export interface ContextSection {
  /** Name of the section. */
  name: SectionName;
  /** Priority from 1 to 8. 1 comes first and is trimmed last; 8 comes last and is trimmed first. */
  priority: number;
  /** The heading. */
  label: string;
  /** The text below the heading. */
  content: string;
  /** Tokens of the section. */
  token_estimate: number;
  /** Budget of the section in tokens; null if only the budget of the whole prompt applies. */
  budget: number | null;
}

/** Why an entry is not in the prompt. */
export type LeftOutReason =
  /** Its type was not asked for. */
  | "not_asked"
  /** The profile or the recent conversations contain it. */
  | "known"
  /** Its score is too low. */
  | "threshold"
  /** A newer decision says the same. */
  | "near_duplicate"
  /** Enough other entries have the same topic. */
  | "diversity"
  /** The conversation contains it. */
  | "conversation"
  /** The limit of its type was reached by better entries. */
  | "limit"
  /** It has no text. */
  | "empty"
  /**
   * An abandoned episode, an item of low relevance, or a fact of a category that no profile shows.
   */
  | "unwanted"
  /** It does not fit into its section. */
  | "budget"
  /** It does not fit into the prompt. */
  | "total";

/** Reasons for which the module does not select a memory. @internal */
export type Unselected =
  | "repeated"
  | Extract<LeftOutReason, "threshold" | "near_duplicate" | "diversity">;
/** Reasons for which the module does not write an entry. @internal */
export type Omitted = Extract<LeftOutReason, "empty" | "unwanted" | "budget" | "total">;

/** An entry that is not in the prompt. */
export interface LeftOut {
  /** Id of the entry; null if it has no id. */
  id: string | null;
  /** Section in which the entry would be. */
  section: SectionName;
  /** The reason. */
  reason: LeftOutReason;
}

/** A failure that the prompt was built without. */
export interface ContextFailure {
  /**
   * The part that failed: a section; a helper of sections (`embed`, `conversation` for the
   * comparison with it, `usage`, `count_tokens`); or `prompt`, in which case the prompt is the
   * identity alone.
   */
  part: SectionName | "embed" | "conversation" | "usage" | "count_tokens" | "prompt";
  /** The reason, in words. */
  reason: string;
}

/** Result of `buildContext`: the prompt, and the record of how it was built. */
export interface BuiltContext {
  /** The text of the prompt. */
  prompt: string;
  /** Tokens of the whole prompt. */
  tokens: number;
  /** The sections, in the order of the prompt. */
  sections: ContextSection[];
  /** Ids of the memories in the prompt, by type, in the order of the prompt. */
  recalled_ids: Record<MemoryType, string[]>;
  /** Texts of these memories by id, for `UsageTracker.feedback`. */
  recalled_content: Record<string, string>;
  /** Ids of the censors. Store them with new memories. */
  active_censors: string[];
  /** The frame of the turn. */
  frame: TurnFrame;
  /** The signals of the turn. */
  signals: TurnSignals;
  /** The retrieval plan that was used. */
  plan: RetrievalPlan;
  /** Whether the turn means something recent. Summaries of recent conversations are shown then. */
  temporal_boost: boolean;
  /** Whether the working memory is missing, belongs to another frame, or failed. */
  refresh_needed: boolean;
  /** The entries that are not in the prompt, in the order in which that was decided. */
  left_out: LeftOut[];
  /** The failures that the prompt was built without. */
  failed: ContextFailure[];
}
