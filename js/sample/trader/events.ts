// Market events, as the agent noted them: prints, flows, squeezes, outages, unlocks.

import { COINS, coinOf, DAY, type EventKind, HOUR, round, type Shock } from "./market.ts";
import type { Random } from "./random.ts";
import { printText } from "./scanner.ts";
import {
  fill,
  rate,
  signed,
  size,
  snapshot,
  stateSentence,
  usd,
  weekdayName,
} from "./vocabulary.ts";
import { MINUTE, type World } from "./world.ts";

interface EventWords {
  titles: readonly string[];
  texts: readonly string[];
}

const VENUES = ["Binance", "Bybit", "OKX", "Coinbase", "Hyperliquid", "Deribit"];

const WORDS: Record<EventKind, EventWords> = {
  funding_squeeze: {
    titles: [
      "{sym} funding squeeze, {move} in {hours} hours",
      "Squeeze in {sym} perps ({move})",
      "{sym}: the crowd was forced out, {move}",
    ],
    texts: [
      "Funding on {sym} reached {funding} and the other side was squeezed: {move} in {hours} hours to {price}.",
      "{sym} perps ran away from spot, {move}, until the paying side gave up. Funding peaked at {funding}.",
    ],
  },
  liquidation_cascade: {
    titles: [
      "{sym} liquidation cascade, {move}",
      "{musd} liquidated in {sym}",
      "Cascade in {sym}: {move} in {hours} hours",
    ],
    texts: [
      "About {musd} of {sym} positions were liquidated within {hours} hours and price went {move} to {price}.",
      "A cascade in {sym}: each liquidation triggered the next one, {musd} in all, {move}. The spread stood at three times its norm for twenty minutes.",
    ],
  },
  cpi_print: {
    titles: [
      "CPI print: BTC {btc}",
      "{weekday}’s CPI: {print}",
      "US inflation data, BTC {btc} in two hours",
    ],
    texts: [
      "US inflation came out with {print}. BTC went {btc} in two hours, ETH {eth}.",
      "CPI day: {print}. The first move on BTC was {btc}, alts followed with more of the same.",
    ],
  },
  fomc: {
    titles: ["FOMC: {print}", "Fed decision, BTC {btc}", "FOMC day ends with BTC {btc}"],
    texts: [
      "The Fed delivered {print}. BTC {btc}, ETH {eth} within three hours.",
      "FOMC: {print}. Volatility sellers were early, BTC moved {btc}.",
    ],
  },
  payrolls: {
    titles: ["Payrolls: {print}", "Jobs report moves BTC {btc}", "Nonfarm payrolls, {print}"],
    texts: [
      "Jobs report: {print}. BTC {btc} in two hours with the dollar going the other way.",
      "Nonfarm payrolls brought {print}; BTC {btc}, ETH {eth}.",
    ],
  },
  etf_flows: {
    titles: ["{sym} ETFs {flow} on the day", "ETF flows: {sym} {flow}", "{flow} in {sym} funds"],
    texts: [
      "US spot {sym} ETFs reported {flow} net. Price {move} since the afternoon, {price} now.",
      "The {sym} funds closed the day with {flow}. It was their largest figure of the week, price went {move}.",
    ],
  },
  exchange_outage: {
    titles: [
      "{venue} outage for {minutes} minutes",
      "{venue} matching engine down",
      "Trading halted on {venue}",
    ],
    texts: [
      "{venue} stopped matching for {minutes} minutes. Books elsewhere thinned out and BTC went {btc}.",
      "{venue} had an outage of {minutes} minutes; withdrawals stayed open. BTC {btc}, funding diverged between venues by a factor of three.",
    ],
  },
  token_unlock: {
    titles: [
      "{sym} unlock: {unlock}% of supply",
      "{sym} token unlock passes, {move}",
      "{unlock}% of {sym} unlocked",
    ],
    texts: [
      "{unlock}% of the circulating {sym} supply was unlocked today. Price {move} over {hours} hours to {price}.",
      "The {sym} unlock ({unlock}% of supply) went to team and investors; a part reached exchanges within hours, {move}.",
    ],
  },
  exploit: {
    titles: [
      "Exploit in the {sym} ecosystem, {move}",
      "{loss} drained from a {sym} protocol",
      "Bridge exploit hits {sym} ({move})",
    ],
    texts: [
      "A lending protocol on {sym} lost {loss} to a price oracle exploit. {sym} {move} within {hours} hours.",
      "{loss} were drained through a bridge in the {sym} ecosystem. Validators paused it after forty minutes; {sym} {move}, {price}.",
    ],
  },
  regulation: {
    titles: [
      "Regulatory headline, BTC {btc}",
      "Market structure bill: BTC {btc}",
      "SEC statement moves majors ({btc})",
    ],
    texts: [
      "A committee vote on the market structure bill surprised both sides. BTC {btc}, ETH {eth}.",
      "A regulator’s statement on staking products hit the wires; ETH {eth}, BTC {btc} in six hours.",
      "Headlines about a tax rule for perps came and were half denied later. BTC {btc} in between.",
    ],
  },
  options_expiry: {
    titles: [
      "{sym} options expiry: pinned near {price}",
      "Monthly {sym} expiry, {move}",
      "{sym} expiry passes with {move}",
    ],
    texts: [
      "Monthly {sym} options expired at 08:00 UTC with max pain near {price}. Price {move} in the hours around it.",
      "{sym} expiry took a quarter of the open gamma off. {move} afterwards, volatility lower by two points.",
    ],
  },
  weekend_wick: {
    titles: [
      "Weekend wick in {sym}: {move}",
      "{sym} swept on thin weekend books",
      "{weekday} wick on {sym}, {move}",
    ],
    texts: [
      "A single sweep on {weekday} moved {sym} {move} in {hours} hours. Depth was a third of a weekday’s.",
      "{sym} wicked {move} on weekend liquidity with no news at all, {price} after it.",
    ],
  },
  stablecoin_wobble: {
    titles: [
      "Stablecoin trades at 0.99{digit}",
      "Depeg scare, BTC {btc}",
      "Stablecoin wobble of {minutes} minutes",
    ],
    texts: [
      "A large stablecoin traded at 0.99{digit} for {minutes} minutes after a rumour about reserves. BTC {btc}; redemptions worked.",
      "Depeg scare: 0.99{digit} at the low, back at par after {minutes} minutes. BTC {btc}, perps with that margin traded at a premium.",
    ],
  },
  listing: {
    titles: ["{sym} listed on {venue}: {move}", "{venue} lists {sym}", "New {sym} listing, {move}"],
    texts: [
      "{venue} announced spot trading for {sym}; {move} in {hours} hours to {price}.",
      "{sym} listing on {venue}. The first hour did most of it: {move}.",
    ],
  },
  whale_transfer: {
    titles: [
      "Old {sym} wallet moves coins",
      "Whale sends {sym} to {venue}",
      "{sym}: dormant wallet wakes up, {move}",
    ],
    texts: [
      "A wallet dormant for years sent {sym} worth {musd} to {venue}. Price {move} in {hours} hours.",
      "{sym} worth {musd} moved from an old wallet; a part was on {venue} within the hour, {move}.",
    ],
  },
  network_halt: {
    titles: [
      "{sym} network halted for {minutes} minutes",
      "{sym} stops producing blocks",
      "{sym} outage, {move}",
    ],
    texts: [
      "{sym} produced no blocks for {minutes} minutes after a client bug. Price {move}, perps traded below the index all the while.",
      "Network halt on {sym}: {minutes} minutes until validators restarted. {move} to {price}.",
    ],
  },
  treasury_buy: {
    titles: [
      "Treasury company buys {sym} for {musd}",
      "{sym} treasury purchase, {move}",
      "{musd} of {sym} bought by a listed company",
    ],
    texts: [
      "A listed company disclosed the purchase of {sym} worth {musd}. Price {move} in {hours} hours.",
      "Filing: {sym} worth {musd} added to a corporate treasury at an average near {price}. {move} on the day.",
    ],
  },
};

const AFTERMATH = [
  "For scale: {after} makes an ordinary day here.",
  "Open positions were checked against it, none needed a change.",
  "No trade from it directly.",
  "Books were back to normal after about {settle} minutes.",
  "The reaction was {scale} for an event of this kind.",
  "Cross-check: the next major coin moved {other}.",
];

/** Returns the size of an event, in millions of dollars. */
function musd(shock: Shock, random: Random): number {
  const depth = coinOf(shock.symbol ?? "BTC").depth;
  return Math.max(
    3,
    Math.round(Math.abs(shock.percent) * 55 * Math.sqrt(depth) + random.between(0, 12)),
  );
}

/** Writes the market's events. */
export function writeEvents(world: World): void {
  const { market, journal, truth } = world;
  const random = world.random.fork("events");
  for (const shock of market.shocks.slice(0, world.quota.events)) {
    const subject = shock.symbol ?? "BTC";
    const at = shock.at + shock.hours * HOUR;
    const move = round(market.move(subject, shock.at, at), 2);
    const state = snapshot(market, subject, at);
    const other = COINS.find((coin) => coin.symbol !== subject)?.symbol ?? "ETH";
    const amount = musd(shock, random);
    const slots = {
      sym: subject,
      move: signed(move),
      hours: shock.hours,
      price: usd(subject, state.price),
      funding: rate(state.funding),
      btc: signed(market.move("BTC", shock.at, at)),
      eth: signed(market.move("ETH", shock.at, at)),
      other: `${signed(market.move(other, shock.at, at))} (${other})`,
      musd: `$${amount}M`,
      loss: `$${Math.max(4, Math.round(amount / 3))}M`,
      flow: `${shock.percent > 0 ? "+" : "−"}$${Math.round(120 + Math.abs(shock.percent) * 260)}M`,
      print: printText(shock.kind, shock.percent),
      venue: random.deal(VENUES),
      minutes: random.whole(14, 95),
      unlock: round(0.8 + Math.abs(shock.percent) * 0.9, 1),
      digit: random.whole(2, 7),
      weekday: weekdayName(shock.at),
      after: size(1.5 * coinOf(subject).pace),
      settle: random.whole(20, 90),
      scale: Math.abs(move) < 1.2 * coinOf(subject).pace ? "mild" : "large",
    };
    const words = WORDS[shock.kind];
    const node = journal.add({
      subtype: "custom:market_event",
      at: at + random.whole(2, 25) * MINUTE,
      title: fill(random.deal(words.titles), slots),
      body: [
        fill(random.deal(words.texts), slots),
        stateSentence(state, at, random),
        fill(random.deal(AFTERMATH), slots),
      ].join(" "),
      tags: [...(shock.symbol ? [shock.symbol] : ["BTC", "macro"]), shock.kind],
    });
    truth.events.push({
      id: node.id,
      kind: shock.kind,
      symbol: shock.symbol,
      at: shock.at,
      move_pct: move,
    });
  }
}

/**
 * Links events to the signals that fired within hours, to theses made after them, and to positions
 * open through them.
 */
export function linkEvents(world: World): void {
  const { journal, truth } = world;
  for (const event of truth.events) {
    const node = journal.get(event.id);
    for (const signal of truth.signals) {
      const gap = signal.at - event.at;
      if (signal.symbol === (event.symbol ?? "BTC") && gap >= 0 && gap < 10 * HOUR)
        journal.link("causes", node, journal.get(signal.id));
    }
    for (const thesis of truth.theses) {
      const later = journal.get(thesis.id);
      const gap = later.created_at - node.created_at;
      if (thesis.symbol === event.symbol && gap > 0 && gap < 3 * DAY)
        journal.link("derived_from", later, node);
    }
    for (const trade of truth.trades) {
      const symbol = event.symbol;
      const during =
        trade.opened_at < event.at && (trade.closed_at ?? Number.POSITIVE_INFINITY) > event.at;
      if (during && (symbol === null || symbol === trade.symbol))
        journal.link("relates_to", node, journal.get(trade.entry_id));
    }
  }
}
