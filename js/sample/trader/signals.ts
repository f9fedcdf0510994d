// Signals of the scanner, and watchpoints: price levels to wait for, of which about half are
// reached.

import { COINS, DAY, HOUR, level, round } from "./market.ts";
import type { Reading } from "./scanner.ts";
import type { SampleNode } from "./types.ts";
import {
  clock,
  date,
  duration,
  fill,
  signed,
  size,
  snapshot,
  snapshotSignals,
  stateSentence,
  usd,
  weekdayName,
} from "./vocabulary.ts";
import { MINUTE, type World } from "./world.ts";

/** The most days between signals of one kind on one coin that are linked. */
const ALIKE_DAYS = 30;

/** Writes the signal of one reading. */
export function writeSignal(world: World, reading: Reading): SampleNode {
  const { journal, random, truth } = world;
  const { occurrence, slots, signals, state } = reading;
  const { setup, coin, at, severity } = occurrence;
  const node = journal.add({
    subtype: "custom:signal",
    at,
    title: fill(random.deal(setup.signalTitles), slots),
    body: {
      text: [
        fill(random.deal(setup.saw), slots),
        stateSentence(state, at, random),
        fill(random.deal(setup.means), slots),
      ].join(" "),
      signals,
    },
    tags: [coin.symbol, setup.key, setup.anomaly, severity >= 0.75 ? "severe" : "watch"],
  });
  const alike = truth.signals.findLast(
    (one) => one.symbol === coin.symbol && one.anomaly_type === setup.anomaly,
  );
  if (alike && at - alike.at < ALIKE_DAYS * DAY)
    journal.link("similar_to", node, journal.get(alike.id));
  truth.signals.push({
    id: node.id,
    symbol: coin.symbol,
    anomaly_type: setup.anomaly,
    severity,
    at,
    watchpoint_id: null,
    entry_id: null,
  });
  return node;
}

const WATCH_TITLES = {
  price_above: [
    "Watch {sym} above {level}",
    "Alert: {sym} reclaims {level}",
    "{sym} {level} is the line on the upside",
    "Wake me if {sym} trades over {level}",
  ],
  price_below: [
    "Watch {sym} under {level}",
    "Alert: {sym} loses {level}",
    "{sym} {level} must hold",
    "Wake me if {sym} trades below {level}",
  ],
} as const;

const WATCH_REASONS = {
  price_above: [
    "Above {level} the shorts of the last days are under water and I would look for a retest to buy.",
    "That is where {sym} failed before; acceptance above it changes the structure on the 4-hour chart.",
    "A close over {level} clears the weekly open and invalidates every short idea I have on {sym}.",
    "Stops rest above {level}. I expect a quick run through them and want to see who sells it.",
    "If {sym} takes {level} without funding rising, spot is buying and I should stop leaning short.",
    "Over {level} I have no reason left to wait with the position I had planned.",
  ],
  price_below: [
    "Below {level} the last higher low is gone, and with it the reason to be long {sym}.",
    "Bids under {level} are thin until {next}; a break should travel.",
    "I would like to buy {sym} into a flush below {level}, not the slow drift towards it.",
    "Losing {level} means the range has failed and the low of the week comes into play.",
    "Long liquidations cluster under {level}; either a cascade to buy or a trend to respect.",
    "If {sym} goes below {level} while open interest rises, new shorts are in control.",
  ],
} as const;

const WATCH_PLANS = [
  "Good until {expiry}.",
  "Expires {expiry}, after that the level means little.",
  "Kept until {expiry}; renew only when the structure is the same.",
  "Valid through {expiry}.",
  "If nothing has happened by {expiry}, drop it.",
];

const HIT_TITLES = [
  "Watchpoint hit: {sym} {beyond} {level}",
  "{sym} trades {beyond} {level}, as watched for",
  "{level} reached on {sym}",
  "Alert fired on {sym} at {level}",
];

const HIT_TEXTS = [
  "The level set {age} ago was reached at {clock} UTC on {weekday}.",
  "{sym} took {age} to get {beyond} {level}.",
  "{sym} is {beyond} {level}; the watchpoint of {date} fired.",
  "The alert from {date} went off with {sym} {d1} in the last hour.",
];

const HIT_NEXT = [
  "Next: wait for the hourly close before anything else.",
  "No position on it yet, first the retest.",
  "Open interest decides whether this is new money or stops.",
  "I check funding and spot flow before I act on it.",
  "The plan that belonged to it is still valid.",
  "Too fast to act on at once; the retest is the trade.",
];

/** Writes watchpoints over the whole period, and the signal of each that is reached. */
export function writeWatchpoints(world: World): void {
  const { market, journal, truth, quota } = world;
  const random = world.random.fork("watchpoints");
  const span = market.end - market.start;
  for (let i = 0; i < quota.watchpoints; i++) {
    const at =
      Math.floor(
        (market.start + ((i + random.unit()) / quota.watchpoints) * (span - DAY) + 6 * HOUR) /
          MINUTE,
      ) * MINUTE;
    const coin = random.weighted(COINS, (one) => one.weight);
    const { symbol } = coin;
    const above = random.chance(0.5);
    const condition = above ? "price_above" : "price_below";
    const sign = above ? 1 : -1;
    const state = snapshot(market, symbol, at);
    const raw = state.price * (1 + (sign * coin.pace * random.between(0.9, 3.2)) / 100);
    const set = level(coin, raw);
    const expires = at + random.whole(2, 7) * DAY;
    const slots = {
      sym: symbol,
      level: usd(symbol, set),
      next: usd(symbol, level(coin, set * (1 - (coin.pace * 2.2) / 100))),
      expiry: `${weekdayName(expires)}, ${date(expires)}`,
    };
    const node = journal.add({
      subtype: "custom:watchpoint",
      at,
      title: fill(random.deal(WATCH_TITLES[condition]), slots),
      body: {
        text: [
          fill(random.deal(WATCH_REASONS[condition]), slots),
          stateSentence(state, at, random),
          fill(random.deal(WATCH_PLANS), slots),
        ].join(" "),
        trigger: { condition, symbol, value: set, expiry: new Date(expires).toISOString() },
        signals: { symbol, ...snapshotSignals(state) },
      },
      tags: [symbol, "level", above ? "upside" : "downside"],
    });
    let hit: number | null = null;
    for (const candle of market.candles(symbol, at, Math.min(expires, market.end - 10 * MINUTE))) {
      if (candle.at - HOUR < at) continue;
      if (above ? candle.high >= set : candle.low <= set) {
        hit = candle.at - random.whole(5, 50) * MINUTE;
        break;
      }
    }
    let signalId: string | null = null;
    if (hit !== null && truth.signals.length < quota.signals / 2) {
      const then = snapshot(market, symbol, hit);
      const severity = round(random.between(0.4, 0.8), 2);
      const hitSlots = {
        ...slots,
        beyond: above ? "above" : "below",
        age: duration(hit - at),
        date: date(at),
        clock: clock(hit),
        weekday: weekdayName(hit),
        d1: signed(then.change1h),
      };
      const signal = journal.add({
        subtype: "custom:signal",
        at: hit,
        title: fill(random.deal(HIT_TITLES), hitSlots),
        body: {
          text: [
            fill(random.deal(HIT_TEXTS), hitSlots),
            `It was ${size((set / state.price - 1) * 100)} away when it was set.`,
            stateSentence(then, hit, random),
            fill(random.deal(HIT_NEXT), hitSlots),
          ].join(" "),
          signals: {
            ...snapshotSignals(then),
            symbol,
            anomaly_type: "level_hit",
            severity,
            level: set,
          },
        },
        tags: [symbol, "level_hit", above ? "upside" : "downside"],
      });
      journal.link("causes", node, signal);
      signalId = signal.id;
      truth.signals.push({
        id: signal.id,
        symbol,
        anomaly_type: "level_hit",
        severity,
        at: hit,
        watchpoint_id: node.id,
        entry_id: null,
      });
    }
    truth.watchpoints.push({
      id: node.id,
      symbol,
      condition,
      level: set,
      expires_at: expires,
      triggered_at: hit,
      signal_id: signalId,
    });
  }
}
