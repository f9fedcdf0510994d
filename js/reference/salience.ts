// Salience: how much was at stake when a memory was created, and the stability that follows. The
// salience rules, in full. Plain on purpose: this is the yardstick of the parity tests.

import {
  getInitialStabilityForSubtype,
  getSectionForSubtype,
  SECTION_PROFILES,
} from "./sections.ts";

/**
 * Numbers of an event. Null and undefined count as absent; fields that no rule reads may be
 * anything.
 */
export type Signals = Readonly<Record<string, unknown>>;

/** How the salience of a subtype follows from one of its signals. */
export interface SalienceSource {
  field: string;
  /** The absolute value at which salience is at its maximum. */
  scale: number;
  /** The addition for a full value. */
  weight: number;
  /** The further addition for a value below 0. */
  lossBonus?: number | undefined;
}

/** The salience part of a configuration. */
export interface SalienceOptions {
  /** By subtype; a subtype of the built-in table uses its given source instead. */
  sources?: Readonly<Record<string, SalienceSource>> | undefined;
  /** The distance of an event from its history: `z_score`. Off with a weight of 0, the default. */
  rarity?: { weight?: number | undefined } | undefined;
  /** The distance of the `outcome` from the `expectation`. Off with a weight of 0, the default. */
  surprise?: { weight?: number | undefined } | undefined;
  /** Whether, or how far, it led to action: `led_to_action`. */
  consequence?: { weight?: number | undefined } | undefined;
}

/** Neutral salience. */
const NEUTRAL = 0.5;
/** The starting value of an event with a source of salience. */
const BASE = 0.3;
const MIN = 0.1;
const MAX = 1;

/** A price move, in percent, at which salience is at its maximum. */
const FULL_MOVE = 10;
const MOVE_WEIGHT = 0.55;
const LOSS_BONUS = 0.15;
const MISSED_WEIGHT = 0.7;
const CONFIDENCE_WEIGHT = 0.5;
const UNKNOWN_CONFIDENCE = 0.5;
const FULL_RATIO = 3;
const RATIO_WEIGHT = 0.2;

const Z_SCALE = 2;

/** Closer to neutral than this, a salience changes nothing. */
const TOLERANCE = 0.01;
const MIN_MULTIPLIER = 0.2;

/** A signal's number, or the default for an absent one. */
const numberIn = <Absent>(signals: Signals, field: string, absent: Absent): number | Absent =>
  (signals[field] as number | null | undefined) ?? absent;

function byMove(signals: Signals, { field, scale, weight, lossBonus = 0 }: SalienceSource): number {
  const value = numberIn(signals, field, 0);
  return BASE + Math.min(1, Math.abs(value) / scale) * weight + (value < 0 ? lossBonus : 0);
}

const moveOf = (weight: number, lossBonus = 0): SalienceSource => ({
  field: "pnl_pct",
  scale: FULL_MOVE,
  weight,
  lossBonus,
});

/** The salience by the subtype alone, unclamped. */
function ownStakes(
  subtype: string,
  signals: Signals,
  sources: Readonly<Record<string, SalienceSource>>,
): number {
  if (Object.hasOwn(sources, subtype)) return byMove(signals, sources[subtype]!);
  switch (subtype) {
    case "custom:trade_close":
      return byMove(signals, moveOf(MOVE_WEIGHT, LOSS_BONUS));
    case "custom:trade_entry": {
      const confidence = numberIn(signals, "confidence", UNKNOWN_CONFIDENCE);
      const ratio = numberIn(signals, "rr_ratio", 0);
      return BASE + confidence * CONFIDENCE_WEIGHT + Math.min(1, ratio / FULL_RATIO) * RATIO_WEIGHT;
    }
    case "custom:trade_modify":
      return numberIn(signals, "pnl_pct", 0) === 0 ? NEUTRAL : byMove(signals, moveOf(MOVE_WEIGHT));
    case "custom:missed_opportunity":
    case "custom:good_pass":
      return byMove(signals, moveOf(MISSED_WEIGHT));
    default:
      return NEUTRAL;
  }
}

/** In [0, 1): 0 for a usual event, or one without a history. */
function rarityOf(signals: Signals): number {
  const z = numberIn(signals, "z_score", 0);
  return 1 - Math.exp(-Math.abs(z) / Z_SCALE);
}

/** In [0, 1]: 0 for an expected outcome, or without an expectation. */
function surpriseOf(signals: Signals): number {
  const outcome = numberIn(signals, "outcome", null);
  const expectation = numberIn(signals, "expectation", null);
  return outcome === null || expectation === null
    ? 0
    : Math.min(1, Math.abs(outcome - expectation));
}

const salienceEnabled = (subtype: string): boolean =>
  SECTION_PROFILES[getSectionForSubtype(subtype)].encoding.salience_enabled;

/**
 * The salience, in [0.1, 1]; 0.5 is neutral, and the result without subtype, without signals, or
 * with salience off.
 */
export function calculateSalience(
  subtype: string | null | undefined,
  signals: Signals | null | undefined,
  { sources = {}, rarity = {}, surprise = {}, consequence = {} }: SalienceOptions = {},
): number {
  if (!subtype || !salienceEnabled(subtype)) return NEUTRAL;
  if (signals == null || Object.keys(signals).length === 0) return NEUTRAL;
  const salience =
    ownStakes(subtype, signals, sources) +
    rarityOf(signals) * (rarity.weight ?? 0) +
    surpriseOf(signals) * (surprise.weight ?? 0) +
    Number(signals.led_to_action ?? 0) * (consequence.weight ?? 0);
  return Math.max(MIN, Math.min(MAX, salience));
}

/** Two decimals of a value that is not negative, half to even on the exact binary value. */
export function roundToHundredths(value: number): number {
  // A double is exactly half-way between two 2-decimal numbers only when it is an odd multiple of
  // 1/8; toFixed takes the upper.
  const eighths = value * 8;
  if (Number.isInteger(eighths) && eighths % 2 !== 0) {
    const below = (BigInt(eighths) * 100n) / 8n;
    return Number(`${below + (below % 2n)}e-2`);
  }
  return Number(value.toFixed(2));
}

/** Initial stability in days at a salience in [0.1, 1]; null leaves the subtype's own. */
export function modulateStability(
  subtype: string | null | undefined,
  salience: number,
): number | null {
  if (!subtype || !salienceEnabled(subtype)) return null;
  if (Math.abs(salience - NEUTRAL) <= TOLERANCE) return null;
  const { max_salience_multiplier } = SECTION_PROFILES[getSectionForSubtype(subtype)].encoding;
  const multiplier =
    salience >= NEUTRAL
      ? 1 + ((salience - NEUTRAL) / NEUTRAL) * (max_salience_multiplier - 1)
      : MIN_MULTIPLIER + (salience / NEUTRAL) * (1 - MIN_MULTIPLIER);
  return roundToHundredths(getInitialStabilityForSubtype(subtype) * multiplier);
}
