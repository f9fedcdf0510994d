// Theses: claims about the next days or weeks, with a level that confirms and a level that refutes
// them. The prices decide, and the agent records the verdict.

import { COINS, type Coin, DAY, HOUR, level, round } from "./market.ts";
import type { SampleNode, ThesisTruth } from "./types.ts";
import { date, duration, fill, signed, snapshot, stateSentence, usd } from "./vocabulary.ts";
import { MINUTE, type World } from "./world.ts";

type Direction = ThesisTruth["direction"];

const TITLES: Record<Direction, readonly string[]> = {
  up: [
    "{sym} to {target} within {days} days",
    "{sym} has a floor at {invalidation}, {target} next",
    "Spot demand takes {sym} to {target}",
    "Higher {sym}: {target} before {invalidation}",
  ],
  down: [
    "{sym} down to {target} within {days} days",
    "{sym} rallies are for sale below {invalidation}",
    "Supply takes {sym} to {target}",
    "Lower {sym}: {target} before {invalidation}",
  ],
  range: [
    "{sym} stays between {low} and {high}",
    "No trend in {sym} for {days} days: {low} to {high}",
    "{sym} range {low}–{high} holds",
    "Volatility in {sym} dies, {low} to {high}",
  ],
  outperform: [
    "{sym} beats BTC over {days} days",
    "{sym}/BTC turns up",
    "Rotation into {sym} against BTC",
    "{sym} is the stronger half of the pair with BTC",
  ],
};

const REASONS: Record<Direction, readonly string[]> = {
  up: [
    "Spot buys every dip in New York hours while perps pay almost nothing for leverage.",
    "Exchange balances of {sym} fall for the third week and dips are shallow.",
    "The funds have been net buyers for a week, and their hedges come with a delay.",
    "Shorts keep adding at the same level and get nothing for it.",
    "The unlock that everybody feared is behind us and was absorbed.",
    "Fee revenue of the network rises and buybacks follow it mechanically.",
    "The last flush took the leverage out; what is left owns coins.",
    "Dollar liquidity improves and {sym} reacts to it with a lag of some weeks.",
    "Basis is low for a market this close to its highs: there is nobody to liquidate.",
  ],
  down: [
    "Each rally in {sym} is led by perps and sold by spot.",
    "An unlock is due and the last two were sold into for a week.",
    "Stablecoin supply has stopped growing, and without it rallies starve.",
    "Funding stays positive while price makes lower highs: longs hope and pay.",
    "Open interest sits near its peak with price five percent under it. That is trapped size.",
    "ETF outflows on four of the last five days.",
    "The treasury companies that bought all summer trade under their holdings now.",
    "Network activity is back where it was before the rally, price is not.",
  ],
  range: [
    "Options dealers are long gamma on both sides and sell every move.",
    "Realised volatility falls and nobody pays for wings.",
    "No macro dates in the window and the last two breaks failed.",
    "Bids and offers are stacked at the edges and refilled when hit.",
    "Open interest builds on both sides; both will be bored out of it.",
  ],
  outperform: [
    "{sym} holds its level through BTC dips, volume is rising in the pair.",
    "Funding on {sym} is lower than on BTC although it did better: unloved strength.",
    "Builders and fees move there, the token has not followed yet.",
    "The pair with BTC has based for a month and broke its downtrend.",
    "Rotation runs from majors to second-line coins and {sym} is the deepest of those.",
  ],
};

const TERMS: Record<Direction, readonly string[]> = {
  up: [
    "Confirmed at {target}, broken under {invalidation}, void after {days} days.",
    "I am right at {target} and wrong at {invalidation}.",
    "Invalidation is {invalidation}. Target {target}, time {days} days.",
  ],
  down: [
    "Confirmed at {target}, broken over {invalidation}, void after {days} days.",
    "I am right at {target} and wrong at {invalidation}.",
    "Invalidation is {invalidation}. Target {target}, time {days} days.",
  ],
  range: [
    "Broken by any hour outside {low} to {high} in the next {days} days.",
    "Valid while {low} and {high} both hold, for {days} days.",
  ],
  outperform: [
    "Measured after {days} days against BTC from {price}.",
    "Right if {sym} is ahead of BTC in {days} days, by whatever margin.",
  ],
};

const USES: Record<Direction, readonly string[]> = {
  up: [
    "I take long setups with full size and shorts as scalps.",
    "Dips into the lower half of the week’s range are for buying.",
    "No shorts in {sym} as long as this stands.",
  ],
  down: [
    "I take short setups with full size and longs as scalps.",
    "Rallies into the upper half of the week’s range are for selling.",
    "No longs in {sym} beyond a scalp.",
  ],
  range: ["Fade the edges, half off in the middle.", "No breakout trades here until it is broken."],
  outperform: ["Long exposure goes to {sym} first.", "If I need a hedge it is BTC, not {sym}."],
};

const VERDICTS = {
  confirmed: [
    "Thesis check on {sym}: confirmed after {age}. “{title}” came true with {sym} at {price} ({move} since).",
    "Reviewed “{title}”: confirmed. {sym} is at {price}, {move} from where it was written, {age} ago.",
    "The {sym} thesis of {date} did what it said within {age}: {price}, {move}. Marked as confirmed.",
  ],
  broken: [
    "Thesis check on {sym}: broken after {age}. “{title}” is off with price at {price} ({move} since).",
    "Reviewed “{title}”: broken. {sym} at {price}, {move} since {date}; no more trades on it.",
    "The {sym} thesis of {date} is wrong: {price}, {move}. Marked as broken, exposure on it closed or reduced.",
  ],
  expired: [
    "Thesis check on {sym}: expired after {age}. “{title}” met neither of its levels, {price} now ({move}).",
    "Reviewed “{title}”: time ran out with {sym} at {price} ({move}). Neither right nor wrong.",
  ],
} as const;

const VERDICT_AFTER = {
  confirmed: [
    "The reason given was the right one as far as I can see.",
    "Right, though the path was rougher than I had thought.",
    "I take the part about timing with caution, the level was good.",
  ],
  broken: [
    "What I had read as demand was leverage.",
    "The invalidation did its work, the cost was small.",
    "I had weighed one argument too heavily.",
    "The tide moved and the idea had no answer to it.",
  ],
  expired: [
    "A claim without a catalyst needs more time than I gave it.",
    "Next time a shorter window or a closer level.",
  ],
} as const;

interface Claim {
  direction: Direction;
  target: number | null;
  invalidation: number | null;
  low: number;
  high: number;
  days: number;
}

function claim(
  coin: Coin,
  direction: Direction,
  price: number,
  days: number,
  stretch: number,
): Claim {
  const near = coin.pace * 2.6 * stretch;
  const far = coin.pace * 4.4 * stretch;
  const at = (percent: number) => level(coin, price * (1 + percent / 100));
  const up = direction === "up";
  const trending = up || direction === "down";
  return {
    direction,
    target: trending ? at(up ? far : -far) : null,
    invalidation: trending ? at(up ? -near * 1.5 : near * 1.5) : null,
    low: at(-near * 3),
    high: at(near * 3),
    days,
  };
}

/** Returns when and how the prices decide a claim. */
function verdict(
  world: World,
  symbol: string,
  at: number,
  made: Claim,
): { status: ThesisTruth["status"]; at: number | null } {
  const { market } = world;
  const until = at + made.days * DAY;
  for (const candle of market.candles(symbol, at, Math.min(until, market.end))) {
    if (candle.at - HOUR < at) continue;
    if (made.direction === "range") {
      if (candle.close > made.high || candle.close < made.low)
        return { status: "broken", at: candle.at };
    } else if (made.target !== null && made.invalidation !== null) {
      const sign = made.direction === "up" ? 1 : -1;
      if (sign * (candle.close - made.invalidation) < 0) return { status: "broken", at: candle.at };
      if (sign * (candle.close - made.target) > 0) return { status: "confirmed", at: candle.at };
    }
  }
  if (until > market.end) return { status: "open", at: null };
  if (made.direction === "range") return { status: "confirmed", at: until };
  if (made.direction === "outperform") {
    const ahead = market.move(symbol, at, until) > market.move("BTC", at, until);
    return { status: ahead ? "confirmed" : "broken", at: until };
  }
  return { status: "expired", at: until };
}

/** Writes the theses, each with its verdict if there is one by the end. */
export function writeTheses(world: World): void {
  const { market, journal, truth, quota } = world;
  const random = world.random.fork("theses");
  const span = market.end - market.start - 2 * DAY;
  for (let i = 0; i < quota.theses; i++) {
    const raw = market.start + DAY + ((i + random.unit()) / quota.theses) * span;
    const at = raw - (raw % MINUTE);
    const direction = random.weighted(
      ["up", "down", "range", "outperform"] as const,
      (one) => ({ up: 4, down: 3, range: 2, outperform: 2 })[one],
    );
    const coin = random.weighted(
      COINS.filter((one) => direction !== "outperform" || one.symbol !== "BTC"),
      (one) => one.weight,
    );
    const { symbol } = coin;
    const state = snapshot(market, symbol, at);
    const made = claim(
      coin,
      direction,
      state.price,
      random.whole(6, 21),
      random.between(0.85, 1.2),
    );
    const slots = {
      sym: symbol,
      price: usd(symbol, state.price),
      target: usd(symbol, made.target ?? state.price),
      invalidation: usd(symbol, made.invalidation ?? state.price),
      low: usd(symbol, made.low),
      high: usd(symbol, made.high),
      days: made.days,
    };
    const first = fill(random.deal(REASONS[direction]), slots);
    const node = journal.add({
      subtype: "custom:thesis",
      at,
      title: fill(random.deal(TITLES[direction]), slots),
      body: [
        first,
        stateSentence(state, at, random),
        fill(random.deal(REASONS[direction]), slots),
        fill(random.deal(TERMS[direction]), slots),
        fill(random.deal(USES[direction]), slots),
      ].join(" "),
      summary: first,
      tags: [symbol, direction, "thesis"],
    });
    const decided = verdict(world, symbol, at, made);
    const thesis: ThesisTruth = {
      id: node.id,
      symbol,
      claim: node.content_title,
      direction,
      target: made.target,
      invalidation: made.invalidation,
      status: decided.status,
      resolved_at: decided.at,
      resolution_id: null,
    };
    truth.theses.push(thesis);
    if (decided.at !== null && decided.at + 3 * HOUR < market.end) {
      thesis.resolution_id = writeVerdict(world, thesis, node, decided.at, random).id;
    }
  }
}

function writeVerdict(
  world: World,
  thesis: ThesisTruth,
  node: SampleNode,
  decided: number,
  random: World["random"],
): SampleNode {
  const { journal, market, truth } = world;
  const at = decided + random.whole(5, 150) * MINUTE;
  const status =
    thesis.status === "confirmed" || thesis.status === "broken" ? thesis.status : "expired";
  const move = round(market.move(thesis.symbol, node.created_at, at), 2);
  const verdictNode = journal.add({
    subtype: "custom:turn_summary",
    at,
    title: `Thesis ${status}: ${node.content_title}`,
    body: [
      fill(random.deal(VERDICTS[status]), {
        sym: thesis.symbol,
        title: node.content_title,
        date: date(node.created_at),
        age: duration(at - node.created_at),
        price: usd(thesis.symbol, market.price(thesis.symbol, at)),
        move: signed(move),
      }),
      random.deal(VERDICT_AFTER[status]),
    ].join(" "),
    tags: [thesis.symbol, "thesis", status],
  });
  journal.link(status === "broken" ? "contradicts" : "relates_to", verdictNode, node);
  truth.turns.push({ id: verdictNode.id, kind: `thesis_${status}`, about_ids: [node.id] });
  return verdictNode;
}
