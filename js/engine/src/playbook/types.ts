// Types of playbooks: what callers pass (playbooks, events, snapshots) and get (matches, problems).

/**
 * Fields of a playbook's body. A field that is missing or null has its default. A body that cannot
 * be parsed is reported as a problem and throws no error.
 */
export interface PlaybookBody {
  /** A `PlaybookTrigger`. A playbook without a trigger never matches. */
  trigger?: unknown;
  /** What to do, as text. Default "". */
  action?: string | null | undefined;
  /** `long`, `short` or `either`. Default `either`. */
  direction?: string | null | undefined;
  /** Number of profitable trades that followed the playbook. Whole; default 0. */
  success_count?: number | null | undefined;
  /** Number of trades that followed the playbook. Whole; default 0. */
  sample_size?: number | null | undefined;
}

interface PlaybookHead {
  /** Id of the playbook's memory. Not empty. */
  id: string;
  /** Lifecycle state. Only ACTIVE playbooks match. Default ACTIVE. */
  state_lifecycle?: string | null | undefined;
}

/**
 * A playbook as an object.
 *
 * @example
 * ```ts
 * const playbook = {
 *   id: "p1",
 *   title: "Fade the funding spike",
 *   trigger: { anomaly_types: ["funding_spike"], symbols: ["BTC"], min_severity: 0.5 },
 *   action: "Short with half size",
 *   direction: "short",
 * };
 * ```
 */
export interface Playbook extends PlaybookHead, PlaybookBody {
  /** Title. Default "Untitled". */
  title?: string | null | undefined;
}

/** A playbook as the row of its memory. The body is JSON text. */
export interface PlaybookRow extends PlaybookHead {
  /** Title of the memory. Default "Untitled". */
  content_title?: string | null | undefined;
  /** A `PlaybookBody` as JSON text. Null never matches. */
  content_body: string | null;
}

/** The condition under which a playbook fires. */
export interface PlaybookTrigger {
  /** Types of anomalies. An empty or missing list never matches. */
  anomaly_types?: readonly string[] | null | undefined;
  /**
   * Symbols, compared without regard to ASCII case. An empty or missing list matches every event,
   * also events without a symbol.
   */
  symbols?: readonly string[] | null | undefined;
  /** The least severity of an event. Default 0. */
  min_severity?: number | null | undefined;
  /** Conditions on the market snapshot. Default: none. */
  conditions?: PlaybookCondition | null | undefined;
}

/**
 * A tree of conditions on the market: at most 32 levels, at most 256 comparisons.
 *
 * @example
 * ```ts
 * const condition = {
 *   all: [
 *     { var: "funding", op: ">", value: 0.05 },
 *     { var: "open_interest", op: "rising", window: 4 },
 *   ],
 * };
 * ```
 */
export type PlaybookCondition =
  | {
      /** All of these hold. An empty list holds. */
      all: readonly PlaybookCondition[];
    }
  | {
      /** At least one of these holds. An empty list does not hold. */
      any: readonly PlaybookCondition[];
    }
  | {
      /** This does not hold. */
      not: PlaybookCondition;
    }
  | {
      /** Name of the variable. */
      var: string;
      /** Comparison of the variable's present value with `value`. */
      op: "<" | "<=" | "≤" | ">" | ">=" | "≥" | "=" | "!=" | "≠";
      /** The bound. */
      value: number;
    }
  | {
      /** Name of the variable. */
      var: string;
      /** The present value is within a range. */
      op: "between";
      /** The ends of the range, both included. */
      value: readonly [low: number, high: number];
    }
  | {
      /** Name of the variable. */
      var: string;
      /** Each of the last values is above (`rising`) or below (`falling`) the one before. */
      op: "rising" | "falling";
      /** Number of the last values to compare, at least 2. */
      window: number;
    };

/** An anomaly of a market. */
export interface AnomalyEvent {
  /** Type of the anomaly, such as `funding_spike`. */
  type: string;
  /** Symbol of the market. Default: none. */
  symbol?: string | null | undefined;
  /** Severity in [0, 1]. */
  severity: number;
}

/** Numbers of a market by name. The last number of an array is the present one. */
export type MarketSnapshot = Readonly<
  Record<string, number | readonly number[] | null | undefined>
>;

/** A playbook that an event triggered. */
export interface PlaybookMatch {
  /** Id of the playbook's memory. */
  id: string;
  /** Title of the playbook. */
  title: string;
  /** What to do. */
  action: string;
  /** `long`, `short` or `either`. */
  direction: string;
  /** Number of profitable trades that followed the playbook. */
  success_count: number;
  /** Number of trades that followed the playbook. */
  sample_size: number;
  /** Type of the first event that matches. */
  type: string;
  /** Symbol of the first event that matches; null if it has none. */
  symbol: string | null;
  /** Severity of the first event that matches, in [0, 1]. */
  severity: number;
  /** `success_count / sample_size`; 0 without samples. */
  success_rate: number;
  /** Success rate times severity, lower if there are fewer than ten samples. */
  relevance: number;
}

/** A variable of a condition that the snapshot lacks, or has too few values of. */
export interface MissingVariable {
  /** Id of the playbook. */
  id: string;
  /** Name of the variable. */
  var: string;
}

/** Why a playbook cannot match. */
export type PlaybookProblem =
  | "malformed_body"
  | "malformed_trigger"
  | "trigger_too_large"
  | "malformed_condition"
  | "condition_too_deep"
  | "condition_too_large";

/** The fields of a playbook that `applyOutcome` reads. */
export interface PlaybookRecord {
  /** Number of profitable trades so far. Whole. */
  success_count: number;
  /** Number of trades so far. Whole. */
  sample_size: number;
  /** Stability in days. */
  stability: number;
  /** Difficulty in [0, 1]. Default: the section's `base_difficulty`. */
  difficulty?: number | null | undefined;
}

/** Result of `applyOutcome`: the playbook's record after a trade. */
export interface AppliedPlaybook {
  /** Number of profitable trades, this one included. */
  success_count: number;
  /** Number of trades, this one included. */
  sample_size: number;
  /** Time of this trade: ISO 8601 in UTC, with milliseconds. */
  last_applied: string;
  /** Stability in days. */
  stability: number;
  /** The amount by which the edge to the trade gets stronger. */
  strengthened: number;
}
