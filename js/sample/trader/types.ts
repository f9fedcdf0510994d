// The types of the sample: nodes and edges in the format of a memory server, and the truth behind
// them, from which questions with known answers are made.

import type { SetupKey } from "./setups.ts";

export const SUBTYPES = [
  "custom:trade_entry",
  "custom:trade_close",
  "custom:trade_modify",
  "custom:trade",
  "custom:turn_summary",
  "custom:session_summary",
  "custom:market_event",
  "custom:signal",
  "custom:watchpoint",
  "custom:lesson",
  "custom:thesis",
  "custom:curiosity",
  "custom:playbook",
  "custom:missed_opportunity",
  "custom:good_pass",
] as const;

export type Subtype = (typeof SUBTYPES)[number];

export type EdgeType =
  | "relates_to"
  | "part_of"
  | "causes"
  | "precedes"
  | "similar_to"
  | "mentioned_in"
  | "derived_from"
  | "contradicts"
  | "supersedes"
  | "generalizes"
  | "applied_to";

/** One memory. Instants are milliseconds since 1970; the time of creation is also there as text. */
export interface SampleNode {
  id: string;
  type: "concept" | "episode" | "note";
  subtype: Subtype;
  content_title: string;
  /** Plain text, or JSON with a `text` inside. */
  content_body: string;
  content_summary?: string;
  created_at: number;
  provenance_created_at: string;
  /** The last of `access_times`; the creation if there was no access. */
  last_accessed: number;
  access_count: number;
  /** Stability in days, after all growth so far. */
  stability: number;
  difficulty: number;
  tags: string[];
  /** The times of all recalls after the creation, ascending. */
  access_times: number[];
  /** The times of the recalls that read this node: only these grow its stability. */
  read_times: number[];
  /** Stability at creation, in days. */
  initial_stability: number;
  /**
   * A playbook's trades, in the order of their closes: they decide its stability and its counts.
   */
  feedback?: { at: number; success: boolean }[];
}

/** A typed, directed link between two memories. */
export interface SampleEdge {
  id: string;
  source_id: string;
  target_id: string;
  type: EdgeType;
  /**
   * The strength in [0, 1]: the type's default, and more for memories that are often recalled
   * together.
   */
  strength: number;
  created_at: number;
}

export type Side = "long" | "short";
export type ExitKind = "target" | "stop" | "break_even" | "trail" | "time" | "thesis_broken";
export type Outcome = "win" | "loss" | "flat" | "open";

/** A part of a position closed at a price; the fractions of a closed trade add up to 1. */
export interface Leg {
  fraction: number;
  price: number;
}

/** The truth of a trade. */
export interface TradeTruth {
  symbol: string;
  side: Side;
  setup: SetupKey;
  entry_id: string;
  modify_ids: string[];
  close_id: string | null;
  lesson_ids: string[];
  signal_id: string | null;
  playbook_id: string | null;
  thesis_id: string | null;
  opened_at: number;
  closed_at: number | null;
  entry_price: number;
  exit_price: number | null;
  stop: number;
  target: number;
  leverage: number;
  size_usd: number;
  legs: Leg[];
  /** The price move in the trade's favour over all legs, in percent. */
  pnl_pct: number | null;
  pnl_usd: number | null;
  /** The best move while open, in percent. `mae_pct` is the worst. */
  mfe_pct: number;
  mae_pct: number;
  outcome: Outcome;
  exit: ExitKind | null;
  weekend: boolean;
  /** Whether the target was reached within two days after the stop. */
  ran_without_us: boolean;
}

export interface ScalpTruth {
  id: string;
  symbol: string;
  side: Side;
  setup: SetupKey;
  entry_price: number;
  exit_price: number;
  pnl_pct: number;
  outcome: Outcome;
}

export interface SignalTruth {
  id: string;
  symbol: string;
  anomaly_type: string;
  severity: number;
  at: number;
  watchpoint_id: string | null;
  entry_id: string | null;
}

export interface WatchpointTruth {
  id: string;
  symbol: string;
  condition: "price_above" | "price_below";
  level: number;
  expires_at: number;
  triggered_at: number | null;
  signal_id: string | null;
}

export interface LessonTruth {
  id: string;
  topic: string;
  setup: SetupKey | null;
  symbols: string[];
  source_ids: string[];
  supersedes: string | null;
}

export interface ThesisTruth {
  id: string;
  symbol: string;
  claim: string;
  direction: "up" | "down" | "range" | "outperform";
  target: number | null;
  invalidation: number | null;
  status: "confirmed" | "broken" | "expired" | "open";
  resolved_at: number | null;
  resolution_id: string | null;
}

export interface PlaybookTruth {
  id: string;
  setup: SetupKey;
  symbols: string[] | null;
  entry_ids: string[];
  success_count: number;
  sample_size: number;
}

export interface PassTruth {
  id: string;
  symbol: string;
  setup: SetupKey;
  side: Side;
  signal_id: string | null;
  /** The hypothetical result of the trade, in percent. */
  pnl_pct: number;
}

export interface EventTruth {
  id: string;
  kind: string;
  symbol: string | null;
  at: number;
  move_pct: number;
}

export interface CuriosityTruth {
  id: string;
  topic: string;
  symbol: string | null;
  answered_by: string | null;
}

export interface SessionTruth {
  id: string;
  /** The day of the summary, for example 2026-01-31. */
  day: string;
  entry_ids: string[];
  close_ids: string[];
  event_ids: string[];
  pnl_usd: number;
}

export interface TurnTruth {
  id: string;
  kind: string;
  about_ids: string[];
}

/** The truth behind all memories of a sample, by kind. */
export interface SampleTruth {
  seed: number;
  start: number;
  end: number;
  trades: TradeTruth[];
  scalps: ScalpTruth[];
  signals: SignalTruth[];
  watchpoints: WatchpointTruth[];
  lessons: LessonTruth[];
  theses: ThesisTruth[];
  playbooks: PlaybookTruth[];
  missed: PassTruth[];
  passes: PassTruth[];
  events: EventTruth[];
  curiosities: CuriosityTruth[];
  sessions: SessionTruth[];
  turns: TurnTruth[];
}

/** A sample: memories, edges, and the truth behind them. */
export interface Sample {
  nodes: SampleNode[];
  edges: SampleEdge[];
  truth: SampleTruth;
}
