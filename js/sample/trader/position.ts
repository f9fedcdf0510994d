// Simulates a position from entry to exit on hourly candles: stop, target, and the agent's changes
// in between.

import { coinOf, HOUR, type Market, quote, round } from "./market.ts";
import type { Random } from "./random.ts";
import type { ExitKind, Leg, Outcome, Side } from "./types.ts";
import { MINUTE } from "./world.ts";

export type ModifyKind = "break_even" | "partial" | "trail" | "tighten" | "reduce" | "extend";

/** A change that the agent makes to an open position. */
export interface Modify {
  kind: ModifyKind;
  at: number;
  price: number;
  /** The move in the trade's favour at that moment, in percent. */
  move_pct: number;
  stop: number;
  target: number;
  /** The share of the original size that was closed. */
  fraction: number;
}

/** The plan of a trade at its entry. */
export interface Plan {
  symbol: string;
  side: Side;
  at: number;
  entry: number;
  stop: number;
  target: number;
  /** The longest duration of the trade. */
  hours: number;
}

/** A position from entry to exit. */
export interface Position {
  modifies: Modify[];
  legs: Leg[];
  exit: ExitKind | null;
  exit_at: number | null;
  exit_price: number | null;
  pnl_pct: number | null;
  mfe_pct: number;
  mae_pct: number;
  outcome: Outcome;
  /** Whether the target was reached within two days after the stop. */
  ran_without_us: boolean;
}

const FLAT_PERCENT = 0.15;

/** Returns the move in favour of a side, in percent. */
export function favour(side: Side, entry: number, price: number): number {
  return (side === "long" ? 1 : -1) * (price / entry - 1) * 100;
}

/** Returns the profit of all legs in percent, to two decimals. */
export function profit(side: Side, entry: number, legs: readonly Leg[]): number {
  return round(
    legs.reduce((sum, leg) => sum + leg.fraction * favour(side, entry, leg.price), 0),
    2,
  );
}

export function outcomeOf(pnl: number): Outcome {
  return pnl > FLAT_PERCENT ? "win" : pnl < -FLAT_PERCENT ? "loss" : "flat";
}

/** Simulates a position. Without `random` the agent changes nothing until stop, target or time. */
export function live(market: Market, plan: Plan, random: Random | null): Position {
  const { symbol, side, at, entry } = plan;
  const coin = coinOf(symbol);
  const d = side === "long" ? 1 : -1;
  const risk = Math.abs(favour(side, entry, plan.stop));
  let { stop, target } = plan;
  let stopKind: ExitKind = "stop";
  let rest = 1;
  let mfe = 0;
  let mae = 0;
  const modifies: Modify[] = [];
  const legs: Leg[] = [];
  const done = (kind: ModifyKind) => modifies.some((one) => one.kind === kind);
  const finish = (exit: ExitKind, when: number, price: number): Position => {
    const exitPrice = quote(coin, price);
    legs.push({ fraction: round(rest, 2), price: exitPrice });
    const pnl = profit(side, entry, legs);
    const last = round(favour(side, entry, exitPrice), 2);
    return {
      modifies,
      legs,
      exit,
      exit_at: when,
      exit_price: exitPrice,
      pnl_pct: pnl,
      mfe_pct: round(Math.max(mfe, last), 2),
      mae_pct: round(Math.min(mae, last), 2),
      outcome: outcomeOf(pnl),
      ran_without_us: exit === "stop" && reaches(market, plan, when),
    };
  };

  for (const candle of market.candles(symbol, at, market.end)) {
    if (candle.at - HOUR < at) continue;
    const worst = side === "long" ? candle.low : candle.high;
    const best = side === "long" ? candle.high : candle.low;
    const within = candle.at - 25 * MINUTE;
    if (d * (stop - worst) >= 0) return finish(stopKind, within, stop);
    mae = Math.min(mae, favour(side, entry, worst));
    if (d * (best - target) >= 0) return finish("target", within, target);
    mfe = Math.max(mfe, favour(side, entry, best));
    const age = (candle.at - at) / HOUR;
    if (age >= plan.hours) return finish("time", candle.at, candle.close);
    if (random === null) continue;

    const price = quote(coin, candle.close);
    const move = favour(side, entry, price);
    const r = move / risk;
    const change = (kind: ModifyKind, fraction = 0) => {
      modifies.push({
        kind,
        at: candle.at + 6 * MINUTE,
        price,
        move_pct: round(move, 2),
        stop,
        target,
        fraction,
      });
    };
    if (candle.at + 10 * MINUTE > market.end) break;
    if (r <= -0.35 && age > 4 && random.chance(0.015))
      return finish("thesis_broken", candle.at, price);
    if (r >= 1 && stopKind === "stop" && random.chance(0.14)) {
      stop = quote(coin, entry * (1 + (d * 0.1) / 100));
      stopKind = "break_even";
      change("break_even");
    } else if (r >= 1.3 && rest === 1 && random.chance(0.16)) {
      const fraction = random.pick([0.25, 0.33, 0.4, 0.5]);
      rest = 1 - fraction;
      legs.push({ fraction, price });
      change("partial", fraction);
    } else if (r >= 1.4 && stopKind !== "stop" && random.chance(0.12)) {
      const trail = quote(coin, price * (1 - (d * risk * 0.7) / 100));
      if (d * (trail - stop) > 0) {
        stop = trail;
        stopKind = "trail";
        change("trail");
      }
    } else if (r >= 1.5 && !done("extend") && random.chance(0.04)) {
      target = quote(coin, entry * (1 + (d * Math.abs(favour(side, entry, target)) * 1.3) / 100));
      change("extend");
    } else if (
      r < 0.3 &&
      r > -0.5 &&
      age > plan.hours * 0.4 &&
      !done("tighten") &&
      stopKind === "stop" &&
      random.chance(0.03)
    ) {
      stop = quote(coin, entry * (1 - (d * risk * 0.7) / 100));
      if (d * (price - stop) > 0) change("tighten");
    } else if (r < -0.3 && rest === 1 && age > 2 && random.chance(0.035)) {
      rest = 0.5;
      legs.push({ fraction: 0.5, price });
      change("reduce", 0.5);
    }
  }
  return {
    modifies,
    legs,
    exit: null,
    exit_at: null,
    exit_price: null,
    pnl_pct: null,
    mfe_pct: round(mfe, 2),
    mae_pct: round(mae, 2),
    outcome: "open",
    ran_without_us: false,
  };
}

/** Returns whether the plan's target is reached within two days after an instant. */
function reaches(market: Market, plan: Plan, after: number): boolean {
  for (const candle of market.candles(
    plan.symbol,
    after + HOUR,
    Math.min(after + 48 * HOUR, market.end),
  )) {
    if (plan.side === "long" ? candle.high >= plan.target : candle.low <= plan.target) return true;
  }
  return false;
}
