// The market behind the memories: hourly prices of twelve coins by seeded random walks with a
// common component, events that move them, and occurrences of the setups, which move prices before
// and often after. Memories read all prices here, so that trades win and lose by real price paths.

import type { Random } from "./random.ts";
import { SETUPS, type Setup } from "./setups.ts";

export const HOUR = 3_600_000;
export const DAY = 24 * HOUR;

/** A coin, and the parameters of its random walk. */
export interface Coin {
  symbol: string;
  name: string;
  start: number;
  /** Decimal places of a quoted price. */
  digits: number;
  /** The size of its moves relative to BTC's. */
  pace: number;
  /** The weight of the common component in its moves. */
  beta: number;
  /** The share of the agent's attention. */
  weight: number;
  /** Liquidity relative to BTC's. */
  depth: number;
}

export const COINS: readonly Coin[] = [
  {
    symbol: "BTC",
    name: "Bitcoin",
    start: 111_800,
    digits: 0,
    pace: 1,
    beta: 1,
    weight: 20,
    depth: 1,
  },
  {
    symbol: "ETH",
    name: "Ethereum",
    start: 4_460,
    digits: 1,
    pace: 1.35,
    beta: 1.2,
    weight: 16,
    depth: 0.6,
  },
  {
    symbol: "SOL",
    name: "Solana",
    start: 204,
    digits: 2,
    pace: 1.6,
    beta: 1.35,
    weight: 15,
    depth: 0.3,
  },
  {
    symbol: "HYPE",
    name: "Hyperliquid",
    start: 46.5,
    digits: 3,
    pace: 2,
    beta: 1.1,
    weight: 11,
    depth: 0.12,
  },
  {
    symbol: "DOGE",
    name: "Dogecoin",
    start: 0.2214,
    digits: 5,
    pace: 1.8,
    beta: 1.4,
    weight: 8,
    depth: 0.15,
  },
  {
    symbol: "LINK",
    name: "Chainlink",
    start: 23.9,
    digits: 3,
    pace: 1.6,
    beta: 1.25,
    weight: 7,
    depth: 0.08,
  },
  {
    symbol: "AVAX",
    name: "Avalanche",
    start: 24.3,
    digits: 3,
    pace: 1.7,
    beta: 1.35,
    weight: 6,
    depth: 0.07,
  },
  {
    symbol: "ARB",
    name: "Arbitrum",
    start: 0.524,
    digits: 4,
    pace: 1.8,
    beta: 1.4,
    weight: 6,
    depth: 0.05,
  },
  {
    symbol: "SUI",
    name: "Sui",
    start: 3.42,
    digits: 4,
    pace: 1.8,
    beta: 1.35,
    weight: 5,
    depth: 0.09,
  },
  {
    symbol: "OP",
    name: "Optimism",
    start: 0.713,
    digits: 4,
    pace: 1.8,
    beta: 1.4,
    weight: 3,
    depth: 0.04,
  },
  {
    symbol: "AAVE",
    name: "Aave",
    start: 318,
    digits: 2,
    pace: 1.6,
    beta: 1.2,
    weight: 2,
    depth: 0.05,
  },
  {
    symbol: "INJ",
    name: "Injective",
    start: 13.6,
    digits: 3,
    pace: 1.8,
    beta: 1.35,
    weight: 2,
    depth: 0.03,
  },
];

export type EventKind =
  | "funding_squeeze"
  | "liquidation_cascade"
  | "cpi_print"
  | "fomc"
  | "payrolls"
  | "etf_flows"
  | "exchange_outage"
  | "token_unlock"
  | "exploit"
  | "regulation"
  | "options_expiry"
  | "weekend_wick"
  | "stablecoin_wobble"
  | "listing"
  | "whale_transfer"
  | "network_halt"
  | "treasury_buy";

/** An event of the market, with the move that it caused. */
export interface Shock {
  kind: EventKind;
  symbol: string | null;
  at: number;
  hours: number;
  /** The intended move in percent at BTC's pace. The actual move is read from the prices. */
  percent: number;
}

/** One instance of a setup: `bias` 1 suggests a long, −1 a short. */
export interface Occurrence {
  setup: Setup;
  coin: Coin;
  at: number;
  bias: 1 | -1;
  /** The severity that a scanner assigns, in [0, 1]. */
  severity: number;
  /** Whether price then moves with the bias. */
  works: boolean;
  shock: Shock | null;
}

interface Impulse {
  symbol: string | null;
  from: number;
  hours: number;
  percent: number;
}

const EVENT_PLAN: readonly {
  kind: EventKind;
  per200: number;
  own: boolean;
  percent: readonly [number, number];
  hours: number;
}[] = [
  { kind: "funding_squeeze", per200: 14, own: true, percent: [1.6, 3.2], hours: 12 },
  { kind: "liquidation_cascade", per200: 14, own: true, percent: [2.6, 4.6], hours: 3 },
  { kind: "cpi_print", per200: 7, own: false, percent: [0.9, 2.2], hours: 2 },
  { kind: "fomc", per200: 5, own: false, percent: [0.8, 2.4], hours: 3 },
  { kind: "payrolls", per200: 7, own: false, percent: [0.6, 1.6], hours: 2 },
  { kind: "etf_flows", per200: 18, own: true, percent: [0.6, 1.6], hours: 8 },
  { kind: "exchange_outage", per200: 6, own: false, percent: [0.4, 1.2], hours: 3 },
  { kind: "token_unlock", per200: 10, own: true, percent: [0.8, 2.4], hours: 20 },
  { kind: "exploit", per200: 6, own: true, percent: [1.5, 3.4], hours: 5 },
  { kind: "regulation", per200: 8, own: false, percent: [0.5, 1.8], hours: 6 },
  { kind: "options_expiry", per200: 7, own: true, percent: [0.4, 1.1], hours: 8 },
  { kind: "weekend_wick", per200: 8, own: true, percent: [1.2, 2.6], hours: 2 },
  { kind: "stablecoin_wobble", per200: 3, own: false, percent: [0.5, 1.2], hours: 4 },
  { kind: "listing", per200: 6, own: true, percent: [1.4, 3], hours: 4 },
  { kind: "whale_transfer", per200: 6, own: true, percent: [0.4, 1.1], hours: 5 },
  { kind: "network_halt", per200: 2, own: true, percent: [1.2, 2.4], hours: 5 },
  { kind: "treasury_buy", per200: 6, own: true, percent: [0.6, 1.5], hours: 6 },
];

const EVENT_COINS: Partial<Record<EventKind, readonly string[]>> = {
  etf_flows: ["BTC", "BTC", "ETH", "SOL"],
  token_unlock: ["ARB", "OP", "SUI", "AVAX", "HYPE", "INJ"],
  exploit: ["SOL", "AVAX", "ARB", "SUI", "AAVE", "LINK"],
  options_expiry: ["BTC", "ETH"],
  listing: ["HYPE", "SUI", "INJ", "LINK", "AAVE", "OP"],
  whale_transfer: ["BTC", "ETH", "DOGE", "LINK"],
  network_halt: ["SOL", "SUI", "ARB"],
  treasury_buy: ["BTC", "ETH", "SOL", "HYPE"],
};

/** Kinds whose news is always bad (−1) or always good (1). */
const EVENT_SIGN: Partial<Record<EventKind, 1 | -1>> = {
  exchange_outage: -1,
  token_unlock: -1,
  exploit: -1,
  stablecoin_wobble: -1,
  network_halt: -1,
  listing: 1,
  treasury_buy: 1,
};

/** The hour of the day of scheduled events. */
const EVENT_HOUR: Partial<Record<EventKind, number>> = {
  cpi_print: 13,
  payrolls: 13,
  fomc: 19,
  etf_flows: 22,
  options_expiry: 8,
  token_unlock: 12,
};

/** The day of the week (0 is Sunday) of scheduled events. */
const EVENT_DAY: Partial<Record<EventKind, number>> = {
  cpi_print: 3,
  payrolls: 5,
  fomc: 3,
  options_expiry: 5,
  weekend_wick: 6,
};

export const weekday = (at: number): number => new Date(at).getUTCDay();
export const hourOf = (at: number): number => new Date(at).getUTCHours();
export const isWeekend = (at: number): boolean => weekday(at) === 0 || weekday(at) === 6;
export const dayText = (at: number): string => new Date(at).toISOString().slice(0, 10);

/** Prices, events and occurrences of a period. */
export class Market {
  readonly #prices = new Map<string, Float64Array>();
  readonly #wicks = new Map<string, Float64Array>();
  readonly #funding = new Map<string, Float64Array>();

  constructor(
    readonly start: number,
    readonly end: number,
    readonly shocks: readonly Shock[],
    readonly occurrences: readonly Occurrence[],
    random: Random,
  ) {
    const hours = Math.round((end - start) / HOUR) + 1;
    const tide = new Float64Array(hours);
    const flow = random.fork("tide");
    // A slow part of the common component: weeks of rise and fall, which give theses a subject.
    let swell = 0;
    for (let h = 0; h < hours; h++) {
      swell = swell * 0.995 + flow.normal() * 0.0012;
      tide[h] = flow.normal() * 0.16 + swell;
    }
    const impulses = impulsesOf(shocks, occurrences);
    for (const coin of COINS)
      this.#walk(coin, tide, impulses, start, hours, random.fork(coin.symbol));
  }

  #walk(
    coin: Coin,
    tide: Float64Array,
    impulses: readonly Impulse[],
    start: number,
    hours: number,
    random: Random,
  ): void {
    const drift = new Float64Array(hours);
    const calm = new Float64Array(hours).fill(1);
    for (const impulse of impulses) {
      if (impulse.symbol !== null && impulse.symbol !== coin.symbol) continue;
      const share = impulse.symbol === null ? coin.beta : coin.pace;
      const first = Math.ceil((impulse.from - start) / HOUR);
      for (let h = Math.max(1, first); h < Math.min(hours, first + impulse.hours); h++) {
        drift[h] = (drift[h] as number) + (impulse.percent * share) / impulse.hours;
        calm[h] = 0.45;
      }
    }
    const prices = new Float64Array(hours);
    const wicks = new Float64Array(hours);
    const funding = new Float64Array(hours);
    prices[0] = coin.start;
    let rate = 0.001;
    for (let h = 1; h < hours; h++) {
      const last = prices[h - 1] as number;
      const noise = random.normal() * 0.26 * coin.pace * (calm[h] as number);
      const back = -0.05 * (last / coin.start - 1);
      const change = (tide[h] as number) * coin.beta * 0.8 + noise + (drift[h] as number) + back;
      prices[h] = last * (1 + change / 100);
      wicks[h] = Math.abs(random.normal()) * 0.11 * coin.pace;
      rate = rate * 0.93 + 0.00007 + change * 0.00055 + random.normal() * 0.00022;
      funding[h] = rate;
    }
    for (const { setup, coin: where, at, bias, severity } of this.occurrences) {
      if (setup.key !== "funding_fade" || where !== coin) continue;
      const peak = -bias * (0.006 + 0.012 * severity) * Math.sqrt(coin.pace);
      const middle = (at - start) / HOUR;
      for (let h = Math.max(0, Math.ceil(middle - 12)); h < Math.min(hours, middle + 12); h++) {
        funding[h] = (funding[h] as number) + peak * (1 - Math.abs(h - middle) / 12);
      }
    }
    this.#prices.set(coin.symbol, prices);
    this.#wicks.set(coin.symbol, wicks);
    this.#funding.set(coin.symbol, funding);
  }

  #hours(series: Map<string, Float64Array>, symbol: string): Float64Array {
    const values = series.get(symbol);
    if (values === undefined) throw new RangeError(`no prices of ${symbol}`);
    return values;
  }

  #between(series: Map<string, Float64Array>, symbol: string, at: number): number {
    const values = this.#hours(series, symbol);
    const x = Math.min(Math.max((at - this.start) / HOUR, 0), values.length - 1);
    const low = Math.floor(x);
    const a = values[low] as number;
    const b = values[Math.min(low + 1, values.length - 1)] as number;
    return a + (b - a) * (x - low);
  }

  price(symbol: string, at: number): number {
    return quote(coinOf(symbol), this.#between(this.#prices, symbol, at));
  }

  /** Returns funding in percent an hour. */
  funding(symbol: string, at: number): number {
    return round(this.#between(this.#funding, symbol, at), 4);
  }

  /** Returns the move between two instants, in percent. */
  move(symbol: string, from: number, to: number): number {
    return (this.price(symbol, to) / this.price(symbol, from) - 1) * 100;
  }

  /** Yields the hourly candles that begin at `from` or later and end by `to`. */
  *candles(
    symbol: string,
    from: number,
    to: number,
  ): Generator<{ at: number; low: number; high: number; close: number }> {
    const prices = this.#hours(this.#prices, symbol);
    const wicks = this.#hours(this.#wicks, symbol);
    const first = Math.max(0, Math.ceil((from - this.start) / HOUR));
    const last = Math.min(prices.length - 1, Math.floor((to - this.start) / HOUR));
    for (let h = first + 1; h <= last; h++) {
      const a = prices[h - 1] as number;
      const close = prices[h] as number;
      const wick = (wicks[h] as number) / 100;
      yield {
        at: this.start + h * HOUR,
        low: Math.min(a, close) * (1 - wick),
        high: Math.max(a, close) * (1 + wick),
        close,
      };
    }
  }

  /** Returns the lowest and highest price between two instants. */
  range(symbol: string, from: number, to: number): { low: number; high: number } {
    const coin = coinOf(symbol);
    const prices = this.#hours(this.#prices, symbol);
    const wicks = this.#hours(this.#wicks, symbol);
    let low = this.price(symbol, to);
    let high = low;
    const first = Math.max(1, Math.ceil((from - this.start) / HOUR) + 1);
    const last = Math.min(prices.length - 1, Math.floor((to - this.start) / HOUR));
    for (let h = first; h <= last; h++) {
      const a = prices[h - 1] as number;
      const b = prices[h] as number;
      const wick = (wicks[h] as number) / 100;
      low = Math.min(low, Math.min(a, b) * (1 - wick));
      high = Math.max(high, Math.max(a, b) * (1 + wick));
    }
    return { low: quote(coin, low), high: quote(coin, high) };
  }
}

const POWERS_OF_TEN = [1, 10, 100, 1000, 10_000, 100_000];

/** Rounds to a number of decimals, at most five. */
export function round(value: number, digits: number): number {
  const scale = POWERS_OF_TEN[digits];
  if (scale === undefined) throw new RangeError(`cannot round to ${digits} decimals`);
  return Math.round(value * scale) / scale;
}

/** Returns a price as the exchange quotes it. */
export function quote(coin: Coin, price: number): number {
  return round(price, coin.digits);
}

/** Returns a price level as users set it: three or four digits, then zeros or fives. */
export function level(coin: Coin, price: number): number {
  let step = Number(`1e-${coin.digits}`);
  while (step * 600 < price) step *= 10;
  return quote(coin, Math.round(price / (step / 2)) * (step / 2));
}

const COIN_BY_SYMBOL = new Map(COINS.map((coin) => [coin.symbol, coin]));

export function coinOf(symbol: string): Coin {
  const coin = COIN_BY_SYMBOL.get(symbol);
  if (coin === undefined) throw new RangeError(`no coin ${symbol}`);
  return coin;
}

function impulsesOf(shocks: readonly Shock[], occurrences: readonly Occurrence[]): Impulse[] {
  const impulses: Impulse[] = shocks.map((shock) => ({
    symbol: shock.symbol,
    from: shock.at,
    hours: shock.hours,
    percent: shock.percent,
  }));
  for (const { setup, coin, at, bias, severity, works, shock } of occurrences) {
    const { before, after } = setup;
    const strength = 0.7 + 0.5 * severity;
    const mid = (range: readonly [number, number]) => range[0] + (range[1] - range[0]) * severity;
    if (shock === null) {
      impulses.push({
        symbol: coin.symbol,
        from: at - before.hours * HOUR,
        hours: before.hours,
        percent: bias * mid(before.percent) * strength,
      });
    }
    impulses.push({
      symbol: coin.symbol,
      from: at + HOUR,
      hours: after.hours,
      percent: bias * mid(after.percent) * strength * (works ? 1 : -0.75),
    });
  }
  return impulses;
}

function planShocks(start: number, end: number, count: number, random: Random): Shock[] {
  const total = EVENT_PLAN.reduce((sum, plan) => sum + plan.per200, 0);
  const shocks: Shock[] = [];
  const days = Math.floor((end - start) / DAY);
  let owed = 0;
  for (const plan of EVENT_PLAN) {
    owed += (plan.per200 / total) * count;
    const n = Math.round(owed);
    owed -= n;
    for (let i = 0; i < n; i++) {
      // One occurrence in each stretch of days, so that a kind is spread evenly.
      const stretch = (days - 4) / n;
      let day = Math.floor(2 + i * stretch + random.unit() * Math.max(stretch, 1));
      const midnight = start - (start % DAY) + day * DAY;
      const onDay = EVENT_DAY[plan.kind];
      if (onDay !== undefined) day += (onDay - weekday(midnight) + 7) % 7;
      if (plan.kind === "etf_flows" && isWeekend(midnight)) day += 2;
      const hour = EVENT_HOUR[plan.kind] ?? random.whole(0, 23);
      const at = start - (start % DAY) + day * DAY + hour * HOUR + random.whole(0, 59) * 60_000;
      if (at > end - (plan.hours + 2) * HOUR || at < start + DAY) continue;
      const choices = EVENT_COINS[plan.kind];
      const coin = choices ? random.pick(choices) : random.weighted(COINS, (c) => c.weight).symbol;
      const sign = EVENT_SIGN[plan.kind] ?? (random.chance(0.5) ? 1 : -1);
      shocks.push({
        kind: plan.kind,
        symbol: plan.own ? coin : null,
        at,
        hours: plan.hours,
        percent: sign * random.between(plan.percent[0], plan.percent[1]),
      });
    }
  }
  return shocks.sort((a, b) => a.at - b.at);
}

/** The setup that usually follows an event. */
const SETUP_AFTER: Partial<Record<EventKind, Setup["key"]>> = {
  funding_squeeze: "funding_fade",
  liquidation_cascade: "liquidation_bounce",
  etf_flows: "etf_flow_follow",
  cpi_print: "first_move_fade",
  fomc: "first_move_fade",
  payrolls: "first_move_fade",
};

/**
 * Returns the probability that a setup works for a coin at an instant. The deviations from the
 * setup's edge are what the agent can learn.
 */
function edgeOf(setup: Setup, coin: Coin, at: number): number {
  if (setup.key === "funding_fade" && coin.symbol === "DOGE") return 0.3;
  if (setup.key === "funding_fade" && coin.symbol === "BTC") return 0.85;
  if (setup.key === "liquidation_bounce" && coin.depth >= 0.3) return 0.82;
  if (setup.key === "breakout_retest" && isWeekend(at)) return 0.2;
  if (setup.key === "trend_pullback" && coin.symbol === "SOL") return 0.8;
  if (setup.key === "book_flip_scalp" && coin.depth < 0.1) return 0.3;
  return setup.edge;
}

function planOccurrences(
  start: number,
  end: number,
  count: number,
  shocks: readonly Shock[],
  random: Random,
): Occurrence[] {
  const found: Occurrence[] = [];
  const busy = new Map<string, number[]>();
  const gap =
    Math.max(2, Math.min(16, ((end - start) / HOUR) * 0.04 * (COINS.length / (count / 60)))) * HOUR;
  const free = (symbol: string, at: number) =>
    !(busy.get(symbol) ?? []).some((other) => Math.abs(other - at) < gap);
  const add = (setup: Setup, coin: Coin, at: number, shock: Shock | null) => {
    const bias: 1 | -1 =
      shock === null
        ? random.chance(0.56)
          ? 1
          : -1
        : setup.before.percent[0] < 0 === shock.percent < 0
          ? 1
          : -1;
    found.push({
      setup,
      coin,
      at,
      bias,
      severity: round(random.between(0.36, 0.97), 2),
      works: random.chance(edgeOf(setup, coin, at)),
      shock,
    });
    busy.set(coin.symbol, [...(busy.get(coin.symbol) ?? []), at]);
  };
  for (const shock of shocks) {
    const key = SETUP_AFTER[shock.kind];
    const setup = SETUPS.find((one) => one.key === key);
    if (setup === undefined) continue;
    const symbol = shock.symbol ?? random.pick(setup.symbols ?? ["BTC"]);
    if (setup.symbols && !setup.symbols.includes(symbol)) continue;
    const at = shock.at + shock.hours * HOUR + random.whole(4, 40) * 60_000;
    if (found.length < count && at < end - 3 * HOUR && free(symbol, at))
      add(setup, coinOf(symbol), at, shock);
  }
  const unprompted = SETUPS.filter((setup) => setup.key !== "first_move_fade");
  for (let tries = 0; found.length < count && tries < count * 40; tries++) {
    const setup = random.weighted(unprompted, (one) => one.weight);
    const coins = COINS.filter((coin) => setup.symbols?.includes(coin.symbol) ?? true);
    const coin = random.weighted(coins, (one) => one.weight);
    let at = start + random.between(DAY, end - start - 2 * HOUR);
    if (setup.key === "weekend_gap") {
      at =
        at -
        (at % DAY) +
        ((7 - weekday(at)) % 7) * DAY +
        22.2 * HOUR +
        random.whole(0, 50) * 60_000;
    } else if (setup.key === "etf_flow_follow") {
      if (isWeekend(at)) continue;
      at = at - (at % DAY) + 22.1 * HOUR + random.whole(0, 55) * 60_000;
    }
    at -= at % 60_000;
    if (at < end - 2 * HOUR && free(coin.symbol, at)) add(setup, coin, at, null);
  }
  return found.sort((a, b) => a.at - b.at);
}

/** Creates a market with the given numbers of days, events and occurrences. */
export function makeMarket(
  start: number,
  end: number,
  counts: { shocks: number; occurrences: number },
  random: Random,
): Market {
  const shocks = planShocks(start, end, counts.shocks, random.fork("shocks"));
  const occurrences = planOccurrences(
    start,
    end,
    counts.occurrences,
    shocks,
    random.fork("occurrences"),
  );
  return new Market(start, end, shocks, occurrences, random.fork("prices"));
}
