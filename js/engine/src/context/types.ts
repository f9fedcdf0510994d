// What preparing a prompt takes and gives. Data is in snake_case, options are in camelCase.

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
 * A memory that was found, as much of it as a prompt shows or goes by. `contextMemory` makes one of
 * a stored row.
 */
export interface ContextMemory {
  id: string;
  /** Default: the type that was asked for. One that was not asked for is left out. */
  type?: MemoryType | null | undefined;
  /** How well it fits, such as its score in a search. Finite. */
  score: number;
  /** A decision's description, a fact's content, a procedure's name, an episode's summary. */
  text: string;
  /** What came of a decision or an episode. Abandoned episodes are left out. */
  outcome?: string | null | undefined;
  /** How sure a decision or a fact is, in [0, 1]. */
  confidence?: number | null | undefined;
  /** What a fact is about; at most two facts of one subject are shown. */
  subject?: string | null | undefined;
  /** What kind of decision it is; at most three of one category are shown. */
  category?: string | null | undefined;
  /** What a procedure is for. */
  domain?: string | null | undefined;
  /** How often a procedure was followed: whole. Default 0. */
  activations?: number | null | undefined;
  /** How often that had success, in [0, 1]. */
  effectiveness?: number | null | undefined;
  /** At most two episodes with the same first tag are shown. */
  tags?: readonly string[] | null | undefined;
  /** When it was stored. */
  created_at?: Instant | null | undefined;
  /** The frame in which it was stored. */
  frame?: string | null | undefined;
  /** Ids of the censors that were active then. */
  censors?: readonly string[] | null | undefined;
}

/** A fact about the user. */
export interface ProfileFact {
  id: string;
  text: string;
  /** Those of the categories `preference`, `person` and `rule` are shown. */
  category: string;
}

/** Something that the agent must not do. */
export interface Censor {
  id: string;
  text: string;
  /** In the order in which they are shown. */
  action: "absolute" | "block" | "warn";
}

/** What the agent is at. */
export interface WorkingMemory {
  current_task?: string | null | undefined;
  /** Id of the frame that it was last brought up to date in. */
  current_frame?: string | null | undefined;
  /** What is talked about; without a plan it is searched for, too. */
  current_topic?: string | null | undefined;
  open_threads?: readonly string[] | null | undefined;
  /** Those of a relevance of at least 0.7 are shown. */
  items?: readonly { text: string; relevance: number }[] | null | undefined;
}

/** A conversation of the last days. */
export interface RecentConversation {
  id: string;
  title: string;
  /** Shown when the turn means something recent. */
  summary?: string | null | undefined;
  /** One that is dated ahead counts as recent, too. */
  created_at: Instant;
}

/** What was said before this turn, the oldest first. */
export interface ConversationMessage {
  /** `user` and `assistant` count. */
  role: string;
  content: string;
}

/** The frame of a turn, as much of it as a prompt shows. */
export type TurnFrame = Pick<FrameSelection, "frame_id"> &
  Partial<Pick<FrameSelection, "frame_name" | "description" | "questions_to_ask">>;

/** Something itself, or a function that gets it. */
export type Given<T> = T | ((options: SeamOptions) => T | PromiseLike<T>);

/** A section of a prompt. */
export type SectionName =
  | "identity"
  | "user_profile"
  | "censors"
  | "frame"
  | "working_memory"
  | BudgetName
  | "recent_conversations";

/**
 * Tokens of a prompt and of its sections, and how far back its memories are compared with the
 * conversation.
 */
export type ContextBudget = Record<
  "total" | Exclude<SectionName, "recent_conversations">,
  number
> & {
  /** Turns of the user, and as many of the answers to them. */
  conversation_window: number;
};

/** What a prompt is made of. */
export interface BuildContextOptions {
  /** What the user says. */
  input: string;
  /**
   * Who the agent is: in every prompt, whatever fails. Where it is longer than its budget, it ends
   * with a word and "...".
   */
  identity: string;
  /** The memories that a query finds. Asked for all types at once. */
  retrieve: (
    query: RetrievalQuery,
    options: SeamOptions,
  ) => readonly ContextMemory[] | PromiseLike<readonly ContextMemory[]>;
  /** Default: the clock. */
  now?: Instant | undefined;
  /** Default `default`. */
  mode?: ContextMode | undefined;
  /** Id of a frame, or all of it. Default: that of `selectFrame`. */
  frame?: string | TurnFrame | null | undefined;
  /** What to retrieve. Default: the plan of `planTurn`; null: five memories of each type. */
  plan?: RetrievalPlan | null | undefined;
  profile?: Given<readonly ProfileFact[] | null | undefined>;
  censors?: Given<readonly Censor[] | null | undefined>;
  workingMemory?: Given<WorkingMemory | null | undefined>;
  /** What was said before; memories that it says already are left out. */
  messages?: readonly ConversationMessage[] | null | undefined;
  /** Conversations of the last 48 hours; without it the prompt has no section of them. */
  recent?:
    | ((
        options: SeamOptions & { since: number; limit: number },
      ) => readonly RecentConversation[] | PromiseLike<readonly RecentConversation[]>)
    | null
    | undefined;
  /**
   * Compares memories with messages by meaning; asked once at most. Without it words are compared.
   */
  embed?: Embed | null | undefined;
  /** What has been of use before. */
  usage?: Pick<UsageTracker, "boost"> | null | undefined;
  /**
   * Tokens of a text. Default: one for four code points, and at least one. In seed-compatible mode
   * it is reported alone: sections are cut at four code points for each token of their budgets,
   * as the original cuts them.
   */
  countTokens?: ((text: string) => number) | null | undefined;
  /** In place of the frame's, and of the plan's. Whole, at least 0. */
  budgets?: Partial<ContextBudget> | null | undefined;
  /**
   * The least score of a memory by type. Default, where there is an embedder, so that scores are
   * cosines: 0.20 of a decision, 0.25 of a fact, 0.30 of others; else none.
   */
  minScores?: Partial<Record<MemoryType, number>> | null | undefined;
  /**
   * Time for everything that is asked of the caller, in seconds: above 0. Default: as for
   * retrieval, 3.
   */
  timeoutSeconds?: number | undefined;
  /** Ends the work. */
  signal?: CancelSignal | null | undefined;
}

/** A section as it stands in the prompt. */
export interface ContextSection {
  name: SectionName;
  /** 1 comes first and is trimmed last, 8 the other way round. */
  priority: number;
  /** The heading. */
  label: string;
  content: string;
  token_estimate: number;
  /** Tokens that it may have; null for those that the whole may have. */
  budget: number | null;
}

/** Why something is not in the prompt. */
export type LeftOutReason =
  /** Its type was not asked for. */
  | "not_asked"
  /** The profile or the recent conversations tell it. */
  | "known"
  /** Its score is too low. */
  | "threshold"
  /** A newer decision says the same. */
  | "near_duplicate"
  /** Enough others are about the same. */
  | "diversity"
  /** The conversation says it already. */
  | "conversation"
  /** Better ones are as many as were asked for. */
  | "limit"
  /** It says nothing. */
  | "empty"
  /** An abandoned episode, an item that is not in mind, a fact that belongs into no profile. */
  | "unwanted"
  /** It does not fit into its section. */
  | "budget"
  /** It does not fit into the prompt. */
  | "total";

/** Why the module does not select a memory. @internal */
export type Unselected =
  | "repeated"
  | Extract<LeftOutReason, "threshold" | "near_duplicate" | "diversity">;
/** Why the module does not write an entry. @internal */
export type Omitted = Extract<LeftOutReason, "empty" | "unwanted" | "budget" | "total">;

/** Something that is not in the prompt. */
export interface LeftOut {
  /** Null for what has no id. */
  id: string | null;
  section: SectionName;
  reason: LeftOutReason;
}

/** Something that failed, and was done without. */
export interface ContextFailure {
  /**
   * A section; what helps them: `embed`, `conversation` (the comparison with it), `usage`,
   * `count_tokens`; or `prompt`: it is the identity alone.
   */
  part: SectionName | "embed" | "conversation" | "usage" | "count_tokens" | "prompt";
  reason: string;
}

/** A prompt, and how it came about. */
export interface BuiltContext {
  prompt: string;
  /** Of the whole prompt. */
  tokens: number;
  /** In the order of the prompt. */
  sections: ContextSection[];
  /** Ids of the memories that the prompt has, by type, as they stand there. */
  recalled_ids: Record<MemoryType, string[]>;
  /** Their texts by id, for `UsageTracker.feedback`. */
  recalled_content: Record<string, string>;
  /** Ids of the censors, to be stored with new memories. */
  active_censors: string[];
  frame: TurnFrame;
  signals: TurnSignals;
  plan: RetrievalPlan;
  /** Whether the turn means something recent, so that summaries of conversations are shown. */
  temporal_boost: boolean;
  /** Whether the working memory is missing, of another frame, or failed. */
  refresh_needed: boolean;
  /** What is not in the prompt, in the order in which that was found. */
  left_out: LeftOut[];
  failed: ContextFailure[];
}
