// Memories of closed trades with planted regularities, so that the correct result of consolidation
// is known: conditions whose trades are won more or less often than the others of their symbol, and
// as many conditions without an effect.

import { SAMPLE_DEFAULTS } from "./index.ts";
import { Journal } from "./journal.ts";
import { DAY, round } from "./market.ts";
import { Random } from "./random.ts";
import { SETUPS } from "./setups.ts";
import type { SampleEdge, SampleNode, Side } from "./types.ts";
import { duration, rate as funding, signed } from "./vocabulary.ts";
import { MINUTE } from "./world.ts";

/** Options of a planted memory. */
export interface PlantedOptions {
  seed?: number;
  symbols?: readonly string[];
  /**
   * The effect of each regularity of a symbol: the win rate of its trades less that of the symbol's
   * other trades, in percentage points. The effects add up to 0, so that a condition without an
   * effect has exactly 0. All 0: a memory without regularities.
   */
  effects?: readonly number[];
  /** The number of trades of each condition, planted or not. */
  trades?: number;
}

export const PLANTED_DEFAULTS = {
  seed: 1,
  symbols: ["BTC", "ETH"],
  effects: [15, -15, 25, -25, 35, -35, 15, -15, 25, -25, 35, -35],
  trades: 40,
} as const;

/** The condition of a trade: an anomaly, or a signal of the entry. */
export type Reason = { anomaly_type: string } | { field: string; value: string | boolean };

/** A condition of trades, and its true effect. */
export interface PlantedCondition {
  symbol: string;
  reason: Reason;
  /** The effect in percentage points; 0 for a condition without an effect. */
  effect: number;
  /** The probability that a trade of the condition is won, in [0, 1]. */
  rate: number;
}

/** A generated memory, and the truth about its conditions. */
export interface Planted {
  nodes: SampleNode[];
  edges: SampleEdge[];
  truth: PlantedCondition[];
}

const REASONS: readonly Reason[] = [
  ...SETUPS.map(({ anomaly }) => ({ anomaly_type: anomaly })),
  ...["token unlock", "listing", "rate decision", "options expiry"].map((value) => ({
    field: "catalyst",
    value,
  })),
  ...["trending", "ranging", "squeezed"].map((value) => ({ field: "regime", value })),
  ...["spot_led", "news_driven", "thin_books", "round_number", "second_try"].map((field) => ({
    field,
    value: true,
  })),
];

const DAYS = 365;
/** The least and the greatest share of won trades of a symbol. */
export const BASE_RATES = [0.4, 0.6] as const;
const LONGS = 0.55;
const SWINGS = 0.75;
/** Funding in percent an hour: mostly near its usual value, sometimes stretched. */
const FUNDING = { default: 0.001, spread: 0.002, stretched: [0.006, 0.02], share: 0.2 } as const;
/** The least and the greatest profit of a won trade, in percent. */
const WINS = [0.3, 4.2] as const;
const LOSSES = [-3, -0.3] as const;

const titled = (reason: Reason): string =>
  "anomaly_type" in reason
    ? reason.anomaly_type.replaceAll("_", " ")
    : `${reason.field.replaceAll("_", " ")}${reason.value === true ? "" : `: ${reason.value}`}`;

function check(effects: readonly number[], trades: number): void {
  if (effects.length * 2 > REASONS.length)
    throw new RangeError(
      `effects: more than ${Math.floor(REASONS.length / 2)} regularities of a symbol`,
    );
  if (effects.reduce((sum, effect) => sum + effect, 0) !== 0)
    throw new RangeError("effects: they do not add up to 0");
  if (!effects.every((effect) => Math.abs(effect) <= 100 * BASE_RATES[0]))
    throw new RangeError(`effects: beyond ${100 * BASE_RATES[0]} points`);
  if (!Number.isInteger(trades) || trades < 1)
    throw new RangeError(`trades: ${trades} is no whole number from 1 on`);
}

/** Returns the conditions of a symbol: the planted ones, and as many without an effect. */
function plant(symbol: string, effects: readonly number[], random: Random): PlantedCondition[] {
  const base = random.between(...BASE_RATES);
  const reasons = random.shuffled(REASONS);
  const all = [...effects, ...effects.map(() => 0)];
  return all.map((effect, i) => ({
    symbol,
    reason: reasons[i] as Reason,
    effect,
    // The distance from the rate of all trades that puts the other trades, which lack this
    // condition, at the distance of the effect.
    rate: base + (effect / 100) * (1 - 1 / all.length),
  }));
}

function fundingRate(random: Random): number {
  const { default: byDefault, spread, stretched, share } = FUNDING;
  if (!random.chance(share)) return round(byDefault + spread * random.normal(), 4);
  return round((random.chance(0.5) ? 1 : -1) * random.between(...stretched), 4);
}

/** Writes an entry and its close. Only the condition depends on whether the trade is won. */
function writeTrade(
  journal: Journal,
  { symbol, reason, rate }: PlantedCondition,
  start: number,
  random: Random,
): void {
  const at = start + random.whole(0, (DAYS - 2) * (DAY / MINUTE)) * MINUTE;
  const held = random.whole(20, 1800) * MINUTE;
  const side: Side = random.chance(LONGS) ? "long" : "short";
  const common = { symbol, side, trade_type: random.chance(SWINGS) ? "swing" : "macro" };
  const funding_rate = fundingRate(random);
  const won = random.chance(rate);
  const [worst, best] = won ? WINS : LOSSES;
  const pnl_pct = round(random.between(worst, best), 2);

  const entry = journal.add({
    subtype: "custom:trade_entry",
    at,
    title: `${symbol} ${side}, ${titled(reason)}`,
    body: {
      text: `Opened a ${side} in ${symbol} on ${titled(reason)}, with funding at ${funding(funding_rate)} an hour.`,
      signals: {
        action: "entry",
        ...common,
        ...("anomaly_type" in reason
          ? { anomaly_types: [reason.anomaly_type] }
          : { [reason.field]: reason.value }),
        funding_rate,
      },
    },
    tags: [symbol, side],
  });
  const close = journal.add({
    subtype: "custom:trade_close",
    at: at + held,
    title: `${symbol} ${side} closed: ${signed(pnl_pct, 2)}`,
    body: {
      text: `Closed the ${side} in ${symbol} after ${duration(held)}: ${signed(pnl_pct, 2)}.`,
      signals: { action: "close", ...common, pnl_pct, outcome: won ? "win" : "loss" },
    },
    tags: [symbol, side],
    stakes: { pnl_pct },
  });
  journal.link("part_of", close, entry);
}

/** Generates a memory. The same options give the same memory, to the byte, on every machine. */
export function generatePlanted(options: PlantedOptions = {}): Planted {
  const { seed, symbols, effects, trades } = { ...PLANTED_DEFAULTS, ...options };
  check(effects, trades);
  const random = new Random(seed, "planted");
  const journal = new Journal(random.fork("ids"));
  const start = Date.parse(SAMPLE_DEFAULTS.end) - DAYS * DAY;

  const truth = symbols.flatMap((symbol) => {
    const draws = random.fork(symbol);
    const conditions = plant(symbol, effects, draws);
    for (const condition of conditions) {
      for (let i = 0; i < trades; i++) writeTrade(journal, condition, start, draws);
    }
    return conditions;
  });
  const byCreation = (a: { created_at: number }, b: { created_at: number }) =>
    a.created_at - b.created_at;
  return { nodes: journal.nodes.sort(byCreation), edges: journal.edges.sort(byCreation), truth };
}
