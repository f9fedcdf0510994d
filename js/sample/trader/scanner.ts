// The agent's scanner: reads the market when a setup occurs, and returns the measure that stands
// out, with words and numbers for sentences about it.

import {
  DAY,
  type EventKind,
  HOUR,
  type Market,
  type Occurrence,
  round,
  weekday,
} from "./market.ts";
import type { Random } from "./random.ts";
import type { SetupKey } from "./setups.ts";
import { rate, type Snapshot, signed, size, snapshot, snapshotSignals, usd } from "./vocabulary.ts";

/** A reading of the scanner. */
export interface Reading {
  occurrence: Occurrence;
  /** Whether the price moved before as the setup requires. Otherwise no scanner would fire. */
  clear: boolean;
  slots: Record<string, string | number>;
  /** The fields of a JSON body's `signals`. */
  signals: Record<string, string | number>;
  state: Snapshot;
}

const PRINT: Partial<Record<EventKind, readonly string[]>> = {
  cpi_print: [
    "CPI at 0.2% against 0.3% expected",
    "CPI at 0.4% against 0.3% expected",
    "core CPI in line at 0.3%",
    "core CPI at 0.2%, a tenth under",
  ],
  payrolls: [
    "payrolls 48k short of consensus",
    "payrolls 90k above consensus",
    "payrolls in line, unemployment up a tenth",
    "weak payrolls with upward revisions",
  ],
  fomc: [
    "a hold with a dovish statement",
    "a quarter-point cut that was priced",
    "a hawkish press conference",
    "dots that moved up by one",
  ],
};

/** Returns the print of a scheduled event. Equal arguments give equal texts. */
export function printText(kind: EventKind, percent: number): string {
  const texts = PRINT[kind] ?? ["the data print"];
  const good = percent > 0;
  const pick = Math.round(Math.abs(percent) * 1000) % 2;
  const order = kind === "payrolls" ? [0, 1, 2, 3] : kind === "fomc" ? [0, 2, 1, 3] : [0, 1, 3, 2];
  const index = order[(good ? 0 : 1) + 2 * pick] ?? 0;
  return texts[index] as string;
}

/** Returns the last close of the futures before a weekend: Friday, 21:00 UTC. */
function fridayClose(at: number): number {
  const back = (weekday(at) - 5 + 7) % 7;
  return at - (at % DAY) - back * DAY + 21 * HOUR;
}

interface Measure {
  text: string;
  field: string;
  value: number;
}

function measure(reading: {
  market: Market;
  occurrence: Occurrence;
  random: Random;
  state: Snapshot;
  move: number;
}): Measure {
  const { market, occurrence, random, state, move } = reading;
  const { setup, coin, at, bias, severity } = occurrence;
  const { symbol } = coin;
  switch (setup.key) {
    case "funding_fade":
      return { text: rate(state.funding), field: "funding_rate", value: state.funding };
    case "liquidation_bounce": {
      const value = round((30 + 260 * severity + random.between(0, 20)) * Math.sqrt(coin.depth), 1);
      return { text: `$${value.toFixed(value < 10 ? 1 : 0)}M`, field: "liquidated_musd", value };
    }
    case "breakout_retest": {
      const before = market.price(symbol, at - setup.before.hours * HOUR);
      const value = round(before + (state.price - before) * 0.55, coin.digits);
      return { text: usd(symbol, value), field: "level", value };
    }
    case "crowded_positioning": {
      const value = round(7 + 14 * severity + random.between(0, 2), 1);
      return { text: `+${value}%`, field: "open_interest_change_pct", value };
    }
    case "cvd_divergence": {
      const value = round(bias * (20 + 150 * severity) * Math.sqrt(coin.depth), 1);
      return {
        text: `${value < 0 ? "−" : "+"}$${Math.abs(value).toFixed(0)}M`,
        field: "spot_cvd_musd",
        value,
      };
    }
    case "spike_fade": {
      const value = round(move, 2);
      return { text: signed(value), field: "change_1h_pct", value };
    }
    case "trend_pullback": {
      const value = round(state.price * (1 - (bias * random.between(0.1, 0.5)) / 100), coin.digits);
      return { text: `the 4-hour average at ${usd(symbol, value)}`, field: "level", value };
    }
    case "etf_flow_follow": {
      const value = Math.round(bias * (90 + 520 * severity) * (symbol === "BTC" ? 1 : 0.45));
      return {
        text: `${value < 0 ? "−" : "+"}$${Math.abs(value)}M`,
        field: "etf_flow_musd",
        value,
      };
    }
    case "first_move_fade": {
      const { shock } = occurrence;
      return {
        text: printText(shock?.kind ?? "cpi_print", shock?.percent ?? 1),
        field: "change_1h_pct",
        value: round(move, 2),
      };
    }
    case "book_flip_scalp": {
      const value = round(2.1 + 2.4 * severity, 1);
      // The ratio of bids to asks: longs rely on bids, shorts on asks.
      const ratio = bias > 0 ? value : round(1 / value, 2);
      return { text: bias > 0 ? `${value}:1` : `1:${value}`, field: "depth_ratio", value: ratio };
    }
    case "weekend_gap": {
      const value = market.price(symbol, fridayClose(at));
      return { text: usd(symbol, value), field: "friday_close", value };
    }
    case "relative_strength": {
      const value = round(state.change24h - state.btc24h, 2);
      return { text: signed(value), field: "vs_btc_24h_pct", value };
    }
    case "deleveraging_reentry": {
      const value = round(8 + 13 * severity + random.between(0, 2), 1);
      return { text: `${value}%`, field: "open_interest_drop_pct", value };
    }
  }
}

/** Returns whether the measure, or the week's trend, has the direction that the setup needs. */
function sides(key: SetupKey, value: number, week: number, bias: number): boolean {
  if (key === "funding_fade") return value * bias < 0;
  if (key === "relative_strength") return value * bias > 0;
  return key !== "trend_pullback" || week * bias > 0;
}

/** Returns the scanner's reading of an occurrence at its instant. */
export function read(market: Market, occurrence: Occurrence, random: Random): Reading {
  const { setup, coin, at, bias, severity, shock } = occurrence;
  const state = snapshot(market, coin.symbol, at);
  const hours = shock?.hours ?? setup.before.hours;
  const move =
    setup.key === "weekend_gap"
      ? market.move(coin.symbol, fridayClose(at), at)
      : market.move(coin.symbol, at - (hours + 0.2) * HOUR, at);
  const value = measure({ market, occurrence, random, state, move });
  const caught = setup.crowd === "with" ? bias : -bias;
  const up = move >= 0;
  return {
    occurrence,
    clear:
      up === setup.before.percent[0] * bias > 0 &&
      sides(setup.key, value.value, state.change7d, bias),
    state,
    slots: {
      sym: coin.symbol,
      price: usd(coin.symbol, state.price),
      value: value.text,
      move: size(move),
      pushed: up ? "up" : "down",
      push: up ? "rally" : "slide",
      crowd: caught > 0 ? "longs" : "shorts",
      flow: caught > 0 ? "selling" : "buying",
      beyond: bias > 0 ? "above" : "below",
      edge: up ? "high" : "low",
      side: bias > 0 ? "long" : "short",
      hours: Math.max(hours, 2),
      days: random.whole(6, 34),
      count: random.whole(3, 5),
      minutes: 5 * random.whole(3, 10),
      ratio: round(random.between(1.6, 3.8), 1),
    },
    signals: {
      symbol: coin.symbol,
      anomaly_type: setup.anomaly,
      severity,
      ...snapshotSignals(state),
      [value.field]: value.value,
    },
  };
}
