// The agent's style: numbers, dates and prices, templates with slots, and sentences about the state
// of the market that many kinds of memories contain.

import { coinOf, DAY, HOUR, hourOf, isWeekend, type Market, round, weekday } from "./market.ts";
import type { Random } from "./random.ts";

const MONTHS = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];
const WEEKDAYS = ["Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"];

const SLOT = /\{(\w+)\}/g;

/** Fills the slots of a template. Throws if a slot has no value. */
export function fill(template: string, slots: Readonly<Record<string, string | number>>): string {
  const text = template.replace(SLOT, (_, slot: string) => {
    const value = slots[slot];
    if (value === undefined) throw new RangeError(`no value for {${slot}} in "${template}"`);
    return String(value);
  });
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** Returns digits in groups of three. */
function grouped(digits: string): string {
  const [whole = "", rest] = digits.split(".");
  const groups = whole.replace(/\B(?=(\d{3})+$)/g, ",");
  return rest === undefined ? groups : `${groups}.${rest}`;
}

export const usd = (symbol: string, price: number): string =>
  `$${grouped(price.toFixed(coinOf(symbol).digits))}`;

export const dollars = (amount: number): string =>
  `${amount < 0 ? "−" : ""}$${grouped(Math.abs(amount).toFixed(0))}`;

export const signedDollars = (amount: number): string =>
  `${amount < 0 ? "" : "+"}${dollars(amount)}`;

/** Returns a percentage with its sign, for example +2.3%. */
export const signed = (percent: number, digits = 1): string => {
  const figures = Math.abs(percent).toFixed(digits);
  return `${Number(figures) === 0 ? "" : percent < 0 ? "−" : "+"}${figures}%`;
};

/** Returns a percentage without its sign. */
export const size = (percent: number, digits = 1): string =>
  `${Math.abs(percent).toFixed(digits)}%`;

export const rate = (funding: number): string =>
  `${funding < 0 ? "−" : "+"}${Math.abs(funding).toFixed(4)}%`;

export const date = (at: number): string => {
  const day = new Date(at);
  return `${MONTHS[day.getUTCMonth()]} ${day.getUTCDate()}`;
};

export const clock = (at: number): string => new Date(at).toISOString().slice(11, 16);
export const weekdayName = (at: number): string => WEEKDAYS[weekday(at)] as string;

/** Returns a duration in words. */
export function duration(ms: number): string {
  const hours = ms / HOUR;
  if (hours < 1.5) return `${Math.max(1, Math.round(ms / 60_000))} minutes`;
  if (hours < 36) return `${Math.round(hours)} hours`;
  return `${(hours / 24).toFixed(1)} days`;
}

export function listed(items: readonly string[]): string {
  if (items.length <= 1) return items.join("");
  return `${items.slice(0, -1).join(", ")} and ${items[items.length - 1]}`;
}

export const plural = (count: number, noun: string): string =>
  `${count} ${noun}${count === 1 ? "" : "s"}`;

/** The state of a coin's market at an instant: numbers for sentences and for JSON bodies. */
export interface Snapshot {
  symbol: string;
  price: number;
  change1h: number;
  change24h: number;
  change7d: number;
  high7d: number;
  low7d: number;
  funding: number;
  btc24h: number;
  session: string;
  thin: boolean;
}

export function snapshot(market: Market, symbol: string, at: number): Snapshot {
  const { low, high } = market.range(symbol, at - 7 * DAY, at);
  const hour = hourOf(at);
  return {
    symbol,
    price: market.price(symbol, at),
    change1h: round(market.move(symbol, at - HOUR, at), 2),
    change24h: round(market.move(symbol, at - DAY, at), 2),
    change7d: round(market.move(symbol, at - 7 * DAY, at), 2),
    high7d: high,
    low7d: low,
    funding: market.funding(symbol, at),
    btc24h: round(market.move("BTC", at - DAY, at), 2),
    session: isWeekend(at)
      ? "weekend"
      : hour < 7
        ? "Asian"
        : hour < 13
          ? "London"
          : hour < 21
            ? "New York"
            : "late",
    thin: isWeekend(at) || hour >= 21 || hour < 1,
  };
}

/** Returns the numbers of a snapshot under the field names of bodies. */
export function snapshotSignals(state: Snapshot): Record<string, number> {
  return {
    price: state.price,
    change_24h_pct: state.change24h,
    funding_rate: state.funding,
    btc_change_24h_pct: state.btc24h,
  };
}

const STATE_SENTENCES = [
  "{sym} trades at {price}, {d24} on the day and {d7} on the week.",
  "{sym} {d24} with BTC {btc} over 24 hours: {whose}.",
  "{sym} sits {fromHigh} under its 7-day high of {high}.",
  "{sym} is {fromLow} above its 7-day low at {low}.",
  "The week’s range in {sym} is {low} to {high}, and price is in its {third} third.",
  "Funding on {sym} is {funding} an hour, {fundingNote}.",
  "{session} hours in {sym}, books are {books}.",
  "On the week {sym} made {d7}, on the day {d24}.",
  "{weekday} {clock} UTC, {sym} {price}, funding {funding}.",
  "{sym} last hour {d1}, last day {d24}, BTC {btc}.",
];

/** Returns words that say whether a coin moves by itself or with the market. */
function whoseMove({ symbol, change24h, btc24h }: Snapshot): string {
  if (change24h * btc24h < 0) return "against the market";
  return Math.abs(change24h) > 1.6 * Math.abs(btc24h)
    ? `${symbol}’s own move`
    : "mostly the market’s move";
}

/** Returns a sentence about the state of a coin. */
export function stateSentence(state: Snapshot, at: number, random: Random): string {
  const { symbol } = state;
  const place =
    (state.price - state.low7d) / Math.max(state.high7d - state.low7d, Number.MIN_VALUE);
  const fundingNote =
    Math.abs(state.funding) < 0.0015
      ? "close to neutral"
      : state.funding > 0
        ? "longs are paying"
        : "shorts are paying";
  const sentences =
    symbol === "BTC" ? STATE_SENTENCES.filter((text) => !text.includes("{btc}")) : STATE_SENTENCES;
  return fill(random.pick(sentences), {
    sym: symbol,
    price: usd(symbol, state.price),
    d1: signed(state.change1h),
    d24: signed(state.change24h),
    d7: signed(state.change7d),
    btc: signed(state.btc24h),
    whose: whoseMove(state),
    high: usd(symbol, state.high7d),
    low: usd(symbol, state.low7d),
    fromHigh: size((state.price / state.high7d - 1) * 100),
    fromLow: size((state.price / state.low7d - 1) * 100),
    third: place > 0.67 ? "upper" : place < 0.33 ? "lower" : "middle",
    funding: rate(state.funding),
    fundingNote,
    session: state.session,
    books: state.thin ? "thin" : "normal",
    weekday: weekdayName(at),
    clock: clock(at),
  });
}
