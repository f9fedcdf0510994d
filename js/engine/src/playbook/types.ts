// Playbooks, events and matches as callers pass and get them.

/**
 * What a playbook's body holds. What is missing or null has its default; what does not parse is a
 * problem, not an error.
 */
export interface PlaybookBody {
  /** A `PlaybookTrigger`. Without one the playbook never matches. */
  trigger?: unknown;
  /** What to do. Default: nothing. */
  action?: string | null | undefined;
  /** `long`, `short`, or `either`, the default. */
  direction?: string | null | undefined;
  /** Trades that followed it and made money. Whole; default 0. */
  success_count?: number | null | undefined;
  /** Trades that followed it. Whole; default 0. */
  sample_size?: number | null | undefined;
}

interface PlaybookHead {
  id: string;
  /** Only ACTIVE ones match. Default ACTIVE. */
  state_lifecycle?: string | null | undefined;
}

/** A playbook as an object. */
export interface Playbook extends PlaybookHead, PlaybookBody {
  title?: string | null | undefined;
}

/** A playbook as its memory is stored: the body is JSON text. */
export interface PlaybookRow extends PlaybookHead {
  content_title?: string | null | undefined;
  content_body: string | null;
}

/** What calls a playbook up. */
export interface PlaybookTrigger {
  /** Kinds of anomalies; none: nothing calls it up. */
  anomaly_types?: readonly string[] | null | undefined;
  /** In any case of ASCII; none: all, and events without a symbol. */
  symbols?: readonly string[] | null | undefined;
  /** Default 0. */
  min_severity?: number | null | undefined;
  conditions?: PlaybookCondition | null | undefined;
}

/** A tree of conditions on the market: at most 32 deep, with at most 256 comparisons. */
export type PlaybookCondition =
  | { all: readonly PlaybookCondition[] }
  | { any: readonly PlaybookCondition[] }
  | { not: PlaybookCondition }
  | { var: string; op: "<" | "<=" | "≤" | ">" | ">=" | "≥" | "=" | "!=" | "≠"; value: number }
  /** Both ends included. */
  | { var: string; op: "between"; value: readonly [low: number, high: number] }
  /** Over that many of the last values, at least 2. */
  | { var: string; op: "rising" | "falling"; window: number };

/** An anomaly. */
export interface AnomalyEvent {
  type: string;
  symbol?: string | null | undefined;
  /** In [0, 1]. */
  severity: number;
}

/** Named numbers of a market. Of several values the last is the present one. */
export type MarketSnapshot = Readonly<
  Record<string, number | readonly number[] | null | undefined>
>;

/** A playbook that an event has called up. */
export interface PlaybookMatch {
  id: string;
  title: string;
  action: string;
  direction: string;
  success_count: number;
  sample_size: number;
  /** Of the first event that matches; so are symbol and severity. */
  type: string;
  symbol: string | null;
  severity: number;
  /** Successes over samples; 0 without samples. */
  success_rate: number;
  /** Success rate times severity, less for fewer than ten samples. */
  relevance: number;
}

/** A variable that conditions asked for, where the snapshot has none, or too few of its values. */
export interface MissingVariable {
  id: string;
  var: string;
}

/** Why a playbook is put aside. */
export type PlaybookProblem =
  | "malformed_body"
  | "malformed_trigger"
  | "trigger_too_large"
  | "malformed_condition"
  | "condition_too_deep"
  | "condition_too_large";

/** What `applyOutcome` reads of a playbook. */
export interface PlaybookRecord {
  success_count: number;
  sample_size: number;
  /** Days. */
  stability: number;
  /** In [0, 1]. Default: the section's. */
  difficulty?: number | null | undefined;
}

/** A playbook's record after a trade. */
export interface AppliedPlaybook {
  success_count: number;
  sample_size: number;
  /** ISO 8601 in UTC, with milliseconds. */
  last_applied: string;
  /** Days. */
  stability: number;
  /** What the edge to the trade gains. */
  strengthened: number;
}
