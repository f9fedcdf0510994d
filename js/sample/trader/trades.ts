// Trades: which occurrences are taken, how they go, and the memories that they leave (entry,
// modifications, close, or one record for a scalp). Other occurrences become a missed opportunity,
// a good pass, or only a signal.

import { DAY, HOUR, isWeekend, quote, round } from "./market.ts";
import {
  favour,
  live,
  type Modify,
  type ModifyKind,
  type Plan,
  type Position,
} from "./position.ts";
import type { Random } from "./random.ts";
import { type Reading, read } from "./scanner.ts";
import { writeSignal } from "./signals.ts";
import type { ExitKind, PassTruth, SampleNode, Side, ThesisTruth, TradeTruth } from "./types.ts";
import {
  clock,
  date,
  dollars,
  duration,
  fill,
  rate,
  signed,
  signedDollars,
  size,
  snapshot,
  stateSentence,
  usd,
  weekdayName,
} from "./vocabulary.ts";
import { MINUTE, type World } from "./world.ts";

const EQUITY = 25_000;
const LAST_HOURS = 30;
const KEPT_FOR_LAST = 5;

const ENTRY_TITLES = [
  "{Side} {sym} at {entry}: {setup}",
  "Opened {sym} {side} at {entry} ({setup})",
  "{sym} {side} from {entry}, {setup}",
  "Entry: {side} {sym} {entry}, {leverage}x on a {setup}",
  "New {side} in {sym} at {entry} after {anomaly}",
];

const ENTRY_PLANS = [
  "Stop {stop}, target {target}, {size} at {leverage}x; that is {rr} to 1 for {riskPct} of equity.",
  "I risk {riskUsd} down to {stop} for a target of {target}; size {size}, {leverage}x.",
  "Plan: out at {stop} if wrong, {target} if right, at most {limit} hours. Size {size} with {leverage}x.",
  "{size} notional, {leverage}x, stop {stop}, target {target}, R multiple {rr}.",
  "Size {size} at {leverage}x. Wrong {wrong} {stop}, done at {target}, reviewed after {limit} hours.",
];

const ENTRY_DOUBTS = [
  "What would change my mind: {doubt}.",
  "I leave early if I see this: {doubt}.",
  "The weak spot of the idea is plain: {doubt} would end it.",
  "Exit without waiting for the stop on {doubt}.",
];

const DOUBTS = [
  "open interest rising against me for two hours",
  "funding flipping before price does",
  "BTC breaking its daily low",
  "a headline I have not seen yet",
  "spot volume drying up on my side",
  "the book being pulled on my side",
  "an hourly close back through the entry level on volume",
  "correlated coins not confirming by the next session",
  "a second push that makes a new extreme",
  "ETF numbers against the position",
];

const CONFIDENCE = [
  "Confidence {confidence}.",
  "I give it {confidence}.",
  "Confidence {confidence}, mostly for the quality of the level.",
  "Conviction {confidence}; size follows from that.",
];

const MODIFY_TITLES: Record<ModifyKind, readonly string[]> = {
  break_even: [
    "{sym} {side}: stop to break-even",
    "Risk off the table on {sym} ({move})",
    "Stop on {sym} {side} moved to {stop}",
  ],
  partial: [
    "{part} off {sym} {side} at {price}",
    "Partial on {sym}: {part} closed at {move}",
    "Took {part} of the {sym} {side} ({move})",
  ],
  trail: [
    "Trailing {sym} {side}, stop now {stop}",
    "Stop on {sym} follows to {stop}",
    "{sym} {side} at {move}: trail to {stop}",
  ],
  tighten: [
    "Tightened the {sym} stop to {stop}",
    "{sym} {side} goes nowhere: stop {stop}",
    "Less room for the {sym} {side}, stop {stop}",
  ],
  reduce: [
    "Cut half of the {sym} {side} at {price}",
    "{sym} {side} halved ({move})",
    "Reduced {sym} risk at {price}",
  ],
  extend: [
    "{sym} target moved out to {target}",
    "Letting the {sym} {side} run to {target}",
    "More room for {sym}: target {target}",
  ],
};

const MODIFY_TEXTS: Record<ModifyKind, readonly string[]> = {
  break_even: [
    "{sym} is {move} in my favour after {age}; the stop goes to {stop} so that this one cannot cost anything any more.",
    "One R reached at {price}. The stop moves to {stop}, just past the entry to cover fees.",
    "Moved the stop from the plan to {stop} with price at {price} ({move}). The idea can now work without my capital at risk.",
    "After {age} at {move} there is no reason to give this back in full: stop {stop}.",
  ],
  partial: [
    "Closed {part} at {price}, {move} from the entry, {age} in. The rest stays for {target}.",
    "{part} banked at {price}. The move has done what the setup usually does, anything more is a gift.",
    "Took {part} at {move}: funding had moved against the hold and the next level is crowded.",
    "{Sold} with {part} at {price}; the remainder runs with stop {stop}.",
  ],
  trail: [
    "Price {price}, {move}. The stop trails to {stop}, just {beyond} the last hourly swing.",
    "Another leg in my direction ({move}); giving it room to {stop} and no further.",
    "Trail to {stop} after {age}. Target {target} unchanged, but I do not insist on it.",
    "Structure has moved on, and so has the stop: {stop}.",
  ],
  tighten: [
    "After {age} the trade stands at {move} and does nothing. Stop tightened to {stop}, time is a cost as well.",
    "The reaction I wanted has not come. Stop to {stop} cuts the risk by a third while I wait.",
    "No follow-through by now; either it moves or I am out at {stop}.",
    "Tightened to {stop}: {age} without progress says the level is less important than I thought.",
  ],
  reduce: [
    "Half of it is gone at {price} ({move}): the tape does not look like the setup any more, but the level still holds.",
    "Reduced by half at {price} after {age}. I was early and do not want to be early with full size.",
    "Cut the {side} to half size at {move}. The stop for the rest stays at {stop}.",
    "Volume came in on the wrong side; half size until the hourly close proves me wrong.",
  ],
  extend: [
    "Momentum and spot flow agree, so the target goes from the plan to {target}. Stop {stop}.",
    "At {move} the move has hardly used any leverage. Target out to {target}.",
    "No reason to stop at the first target with open interest still low; new target {target}.",
    "The trend is stronger than the setup asked for: {target} instead, stop {stop}.",
  ],
};

const CLOSE_TITLES: Record<ExitKind, readonly string[]> = {
  target: [
    "{sym} {side} hit target: {pnl}",
    "Target on {sym} {side}, {pnl} ({usd})",
    "Closed {sym} at {exit}: {pnl}, target reached",
  ],
  stop: [
    "{sym} {side} stopped at {exit} ({pnl})",
    "Stopped out of {sym}: {pnl}",
    "Loss on {sym} {side}, {usd} at the stop",
  ],
  break_even: [
    "{sym} {side} out at break-even",
    "Scratch on {sym} ({pnl})",
    "{sym} {side} came back to entry, {pnl}",
  ],
  trail: [
    "Trailed out of {sym} {side}: {pnl}",
    "{sym} {side} closed by the trail at {exit}, {pnl}",
    "Trail took {sym} at {exit} ({pnl})",
  ],
  time: [
    "{sym} {side} closed on time: {pnl}",
    "Time exit on {sym} at {exit} ({pnl})",
    "{sym} went nowhere, out at {exit}: {pnl}",
  ],
  thesis_broken: [
    "Closed {sym} {side} early: idea broken ({pnl})",
    "Out of {sym} before the stop, {pnl}",
    "{sym} {side} abandoned at {exit}: {pnl}",
  ],
};

const CLOSE_TEXTS: Record<ExitKind, readonly string[]> = {
  target: [
    "Target {exit} filled after {age}. From {entry} that is {pnl}, {usd} after all parts.",
    "The {side} from {entry} reached {exit}: {pnl} in {age}, never more than {mae} under water.",
    "Closed in full at {exit}. {pnl} on the position, {roe} on margin, {usd}.",
  ],
  stop: [
    "Stopped at {exit} after {age}; {pnl} from {entry}, {usd}. Best moment was {mfe}.",
    "The stop at {exit} was hit. {usd}, {roe} on margin, as planned and no more.",
    "Wrong on {sym}: {entry} to {exit}, {pnl}. It was {mfe} in front at its best and then faded.",
  ],
  break_even: [
    "Back to the raised stop at {exit}: {pnl}, {usd} in all. It had been {mfe} in front.",
    "Out where I came in after {age}. The move gave {mfe} and took it back.",
    "Break-even stop at {exit}. No damage, but {mfe} was there to be taken.",
  ],
  trail: [
    "The trail at {exit} ended it after {age}: {pnl}, {usd}, from a best of {mfe}.",
    "Trailed out at {exit}. {pnl} kept of {mfe}, which is what a trail costs.",
    "Stop had followed to {exit}; {pnl} on the position and {roe} on margin.",
  ],
  time: [
    "The time limit came before target or stop: out at {exit} after {age}, {pnl}, {usd}.",
    "{age} were enough. Closed at {exit} for {pnl}; the setup works early or not at all.",
    "Neither level in {age}. {pnl} at {exit}, range in between {mae} to {mfe}.",
  ],
  thesis_broken: [
    "Closed at {exit} before the stop because the reason was gone: {doubt}. {pnl}, {usd}.",
    "What I had named at entry happened ({doubt}), so out at {exit}: {pnl} instead of the full stop.",
    "No reason left to be {side}: {doubt}. Left at {exit} after {age}, {usd}.",
  ],
};

const SCALP_TITLES = [
  "{sym} scalp {pnl} ({setup})",
  "Quick {side} in {sym}: {pnl}",
  "Scalped {sym} {side}, {usd}",
  "{sym} in and out: {pnl} in {age}",
];

const SCALP_TEXTS = [
  "{Side} {sym} from {entry} to {exit} in {age}: {pnl}, {usd}.",
  "In at {entry}, out at {exit}, {age} later. {pnl} before fees, size {size}.",
  "{setup} on {sym}, {side} {entry} to {exit}: {usd} ({pnl}), best {mfe}, worst {mae}.",
  "A trade of {age}: {side} at {entry}, flat at {exit}. {pnl}.",
];

const MISSED_TITLES = [
  "Missed {sym} {side}: {pnl} left on the table",
  "Did not take the {sym} {setup} ({pnl})",
  "{sym} {setup} ran {pnl} without me",
  "Passed up {sym} {side} at {entry}, would be {pnl}",
];

const MISSED_TEXTS = [
  "The {setup} on {sym} at {entry} ({date}, {clock} UTC) was there and I did not take it; {exit} came {age} later, {pnl}.",
  "Saw the {anomaly} on {sym} at {entry} and stayed out. Price went to {exit} within {age}: {pnl}.",
  "{sym} {side} from {entry} would have made {pnl} in {age}. All conditions of the {setup} were met.",
];

const MISSED_REASONS = [
  "I waited for a retest that never came.",
  "I was at the risk limit with two correlated positions and had not ranked them.",
  "The severity looked too low to me; the flow behind it was what mattered.",
  "I had just lost on {sym} and wanted to see one more confirmation. That was fear, not analysis.",
  "The alert came in {session} hours and I sized the liquidity down to nothing.",
  "I read the {btc} in BTC as a reason to wait. It was none.",
  "My limit stood a few ticks away from the fill and I did not chase.",
  "I spent the twenty minutes looking for news that did not exist.",
  "The rules allowed half size. I treated half size as no size.",
];

const PASS_TITLES = [
  "Good pass on {sym} {side} ({pnl} avoided)",
  "Stayed out of the {sym} {setup}: would be {pnl}",
  "Right to skip {sym} at {entry}",
  "{sym} {setup} passed, it went {pnl}",
];

const PASS_TEXTS = [
  "The {setup} on {sym} at {entry} ({date}) looked complete and I passed. It would have been stopped at {exit} after {age}: {pnl}.",
  "Passed on a {side} in {sym} at {entry}. {age} later price stood at {exit}, {pnl} for whoever took it.",
  "No trade on the {anomaly} in {sym}. Entry {entry}, stop {exit}: {pnl} saved.",
];

const PASS_REASONS = [
  "Books were {books}, and a severity of {severity} does not make up for that.",
  "I skipped it because spot flow did not agree with the signal.",
  "The playbook asks for a stall first, and there was none.",
  "Funding at {funding} offered no edge on that side.",
  "It was the third signal of the same kind on {sym} within days; the first ones are the good ones.",
  "BTC at {btc} on the day made it a bet on BTC, not on {sym}.",
  "The stop would have been wider than two percent of equity at any sensible size.",
  "A scheduled print was too close to the entry.",
  "It was in {session} hours, where this setup has not earned anything.",
];

/** Returns the stop and the target of a setup for a coin, from an entry price. */
function planOf(reading: Reading, at: number, entry: number, random: Random): Plan {
  const { setup, coin, bias, severity } = reading.occurrence;
  const stretch = random.between(0.9, 1.15);
  const price = (percent: number) =>
    quote(coin, entry * (1 + (percent * coin.pace * stretch) / 100));
  return {
    symbol: coin.symbol,
    side: bias > 0 ? "long" : "short",
    at,
    entry,
    stop: price(-bias * setup.plan.stop),
    target: price(bias * setup.plan.target * (0.85 + 0.3 * severity)),
    hours: setup.plan.hours,
  };
}

interface Taken {
  reading: Reading;
  plan: Plan;
  position: Position;
  scalp: boolean;
}

/** Chooses the occurrences that are traded, writes their memories, and then judges the others. */
export function writeTrades(world: World): void {
  const { market, quota } = world;
  const random = world.random.fork("trades");
  const readings = market.occurrences
    .map((one, i) => read(market, one, world.random.fork(`reading ${i}`)))
    .filter((reading) => reading.clear);

  const taken: Taken[] = [];
  const left: Reading[] = [];
  const openUntil = new Map<string, number>();
  const max = Math.max(4, Math.ceil(quota.entries / 40));
  const quickOnes = readings.map((one) => one.occurrence.setup.tradeType === "scalp");
  const wanted = { entries: quota.entries, scalps: quota.scalps };
  readings.forEach((reading, i) => {
    const { coin, at } = reading.occurrence;
    const quick = quickOnes[i] === true && wanted.scalps > 0;
    const kind = quick ? "scalps" : "entries";
    const rest = quickOnes.slice(i).filter((one) => one === quickOnes[i]).length;
    const enterAt = at + random.whole(6, 38) * MINUTE;
    const open = [...openUntil.values()].filter((until) => until > enterAt).length;
    const free = (openUntil.get(coin.symbol) ?? 0) < enterAt && open < max;
    // Some entries are reserved for the last hours, so that a few positions are still open at the
    // end.
    const last = enterAt > market.end - LAST_HOURS * HOUR;
    const room = wanted[kind] - (last || quick ? 0 : KEPT_FOR_LAST);
    const chance = last ? 0.8 : (room / rest) * 1.15;
    const late = enterAt > market.end - 2 * HOUR;
    if (!free || late || room <= 0 || !random.chance(chance)) {
      left.push(reading);
      return;
    }
    const plan = planOf(reading, enterAt, market.price(coin.symbol, enterAt), random);
    const position = live(market, plan, quick ? null : random);
    const scalp = quick && position.exit !== null;
    wanted[scalp ? "scalps" : "entries"]--;
    openUntil.set(coin.symbol, position.exit_at ?? market.end);
    taken.push({ reading, plan, position, scalp });
  });

  const signalOf = chooseSignals(world, readings, taken, random);
  for (const one of taken) {
    const signal = signalOf.get(one.reading) ?? null;
    if (one.scalp) writeScalp(world, one, signal, random);
    else writeTrade(world, one, signal, random);
  }
  judgeTheRest(world, left, signalOf, random);
}

/**
 * Chooses occurrences for signals: first those that were traded, then a spread of the rest, until
 * there are enough.
 */
function chooseSignals(
  world: World,
  readings: readonly Reading[],
  taken: readonly Taken[],
  random: Random,
): Map<Reading, SampleNode> {
  const room = Math.max(0, world.quota.signals - world.truth.signals.length);
  const traded = new Set(taken.map((one) => one.reading));
  const order = [
    ...random.shuffled(readings.filter((one) => traded.has(one))),
    ...random.shuffled(readings.filter((one) => !traded.has(one))),
  ];
  const chosen = new Set(order.slice(0, room));
  const nodes = new Map<Reading, SampleNode>();
  for (const reading of readings) {
    if (chosen.has(reading)) nodes.set(reading, writeSignal(world, reading));
  }
  return nodes;
}

function activeThesis(world: World, symbol: string, side: Side, at: number): ThesisTruth | null {
  const { truth, journal } = world;
  const direction = side === "long" ? ["up", "outperform"] : ["down"];
  return (
    truth.theses.findLast((thesis) => {
      const age = at - journal.get(thesis.id).created_at;
      return (
        thesis.symbol === symbol &&
        direction.includes(thesis.direction) &&
        age > HOUR &&
        age < 14 * DAY &&
        (thesis.resolved_at ?? Number.POSITIVE_INFINITY) > at
      );
    }) ?? null
  );
}

function writeTrade(
  world: World,
  { reading, plan, position }: Taken,
  signal: SampleNode | null,
  random: Random,
): void {
  const { market, journal, truth } = world;
  const { setup, severity } = reading.occurrence;
  const { symbol, side, at, entry, stop, target } = plan;
  const state = snapshot(market, symbol, at);
  const risk = Math.abs(favour(side, entry, stop));
  const rr = round(favour(side, entry, target) / risk, 2);
  const confidence = round(0.38 + 0.4 * severity + random.between(-0.06, 0.1), 2);
  const riskUsd = EQUITY * random.between(0.008, 0.018) * (setup.tradeType === "scalp" ? 0.6 : 1);
  const sizeUsd = Math.round(riskUsd / (risk / 100) / 100) * 100;
  const leverage = random.whole(3, setup.tradeType === "macro" ? 6 : 12);
  const thesis = activeThesis(world, symbol, side, at);
  const playbook =
    truth.playbooks.findLast(
      (one) =>
        one.setup === setup.key &&
        (one.symbols?.includes(symbol) ?? true) &&
        journal.get(one.id).created_at < at,
    ) ?? null;
  const follows = playbook !== null && random.chance(0.85) ? playbook : null;
  const doubt = random.deal(DOUBTS);
  const slots = {
    ...reading.slots,
    price: usd(symbol, state.price),
    Side: side === "long" ? "Long" : "Short",
    side,
    entry: usd(symbol, entry),
    stop: usd(symbol, stop),
    target: usd(symbol, target),
    setup: setup.label,
    anomaly: setup.anomaly.replaceAll("_", " "),
    leverage,
    size: dollars(sizeUsd),
    rr: rr.toFixed(1),
    riskPct: size((riskUsd / EQUITY) * 100),
    riskUsd: dollars(riskUsd),
    limit: plan.hours,
    wrong: side === "long" ? "below" : "above",
    doubt,
    confidence: confidence.toFixed(2),
  };
  const because = [
    follows ? `Follows the playbook “${journal.get(follows.id).content_title}”.` : "",
    thesis ? `It also expresses the thesis “${journal.get(thesis.id).content_title}”.` : "",
  ].filter(Boolean);
  const entryNode = journal.add({
    subtype: "custom:trade_entry",
    at,
    title: fill(random.deal(ENTRY_TITLES), slots),
    body: {
      text: [
        fill(random.deal(setup.why), slots),
        stateSentence(state, at, random),
        fill(random.deal(ENTRY_PLANS), slots),
        ...because,
        fill(random.deal(ENTRY_DOUBTS), slots),
        fill(random.deal(CONFIDENCE), slots),
      ].join(" "),
      signals: {
        action: "entry",
        symbol,
        side,
        trade_type: setup.tradeType,
        entry,
        stop,
        target,
        size_usd: sizeUsd,
        leverage,
        confidence,
        rr_ratio: rr,
        anomaly_types: [setup.anomaly],
        severity,
        funding_rate: state.funding,
        change_24h_pct: state.change24h,
        btc_change_24h_pct: state.btc24h,
        ...(follows ? { playbook_id: follows.id } : {}),
      },
    },
    tags: [symbol, side, setup.key, setup.anomaly, setup.tradeType],
    stakes: { confidence, rr_ratio: rr },
  });
  if (signal) {
    journal.link("causes", signal, entryNode);
    const fired = truth.signals.find((one) => one.id === signal.id);
    if (fired) fired.entry_id = entryNode.id;
  }
  if (thesis) journal.link("derived_from", entryNode, journal.get(thesis.id));

  const modifyNodes = position.modifies.map((modify) => {
    const node = writeModify(world, reading, plan, modify, random);
    journal.link("part_of", node, entryNode);
    return node;
  });
  const trade: TradeTruth = {
    symbol,
    side,
    setup: setup.key,
    entry_id: entryNode.id,
    modify_ids: modifyNodes.map((node) => node.id),
    close_id: null,
    lesson_ids: [],
    signal_id: signal?.id ?? null,
    playbook_id: follows?.id ?? null,
    thesis_id: thesis?.id ?? null,
    opened_at: at,
    closed_at: position.exit_at,
    entry_price: entry,
    exit_price: position.exit_price,
    stop,
    target,
    leverage,
    size_usd: sizeUsd,
    legs: position.legs,
    pnl_pct: position.pnl_pct,
    pnl_usd: null,
    mfe_pct: position.mfe_pct,
    mae_pct: position.mae_pct,
    outcome: position.outcome,
    exit: position.exit,
    weekend: isWeekend(at),
    ran_without_us: position.ran_without_us,
  };
  truth.trades.push(trade);
  if (follows) {
    journal.link("applied_to", journal.get(follows.id), entryNode);
    follows.entry_ids.push(entryNode.id);
  }
  const { exit, exit_at, exit_price, pnl_pct } = position;
  if (exit === null || exit_at === null || exit_price === null || pnl_pct === null) return;

  trade.pnl_usd = round((sizeUsd * pnl_pct) / 100, 2);
  const after = snapshot(market, symbol, exit_at);
  const closeSlots = {
    ...slots,
    exit: usd(symbol, exit_price),
    pnl: signed(pnl_pct, 2),
    usd: signedDollars(trade.pnl_usd),
    roe: signed(pnl_pct * leverage),
    mfe: size(position.mfe_pct),
    mae: size(position.mae_pct),
    age: duration(exit_at - at),
  };
  const closeNode = journal.add({
    subtype: "custom:trade_close",
    at: exit_at,
    title: fill(random.deal(CLOSE_TITLES[exit]), closeSlots),
    body: {
      text: [
        fill(random.deal(CLOSE_TEXTS[exit]), closeSlots),
        position.outcome === "flat"
          ? stateSentence(after, exit_at, random)
          : fill(random.deal(position.outcome === "win" ? setup.won : setup.lost), slots),
        position.ran_without_us
          ? `Price reached the old target ${usd(symbol, target)} after all, without me.`
          : "",
        position.legs.length > 1
          ? `Legs: ${position.legs.map((leg) => `${Math.round(leg.fraction * 100)}% at ${usd(symbol, leg.price)}`).join(", ")}.`
          : "",
      ]
        .filter(Boolean)
        .join(" "),
      signals: {
        action: "close",
        symbol,
        side,
        trade_type: setup.tradeType,
        entry,
        exit: exit_price,
        exit_reason: exit,
        legs: position.legs,
        size_usd: sizeUsd,
        leverage,
        pnl_pct,
        pnl_usd: trade.pnl_usd,
        roe_pct: round(pnl_pct * leverage, 2),
        mfe_pct: position.mfe_pct,
        mae_pct: position.mae_pct,
        hold_hours: round((exit_at - at) / HOUR, 1),
        outcome: position.outcome,
        funding_rate: after.funding,
      },
    },
    tags: [symbol, side, setup.key, position.outcome, exit],
    stakes: { pnl_pct },
  });
  journal.link("part_of", closeNode, entryNode);
  const chain = [entryNode, ...modifyNodes, closeNode];
  for (let i = 1; i < chain.length; i++)
    journal.link("precedes", chain[i - 1] as SampleNode, chain[i] as SampleNode);
  trade.close_id = closeNode.id;
  if (follows) {
    const success = position.outcome === "win";
    follows.sample_size++;
    if (success) follows.success_count++;
    const playbookNode = journal.get(follows.id);
    playbookNode.feedback ??= [];
    playbookNode.feedback.push({ at: exit_at, success });
  }
}

function writeModify(
  world: World,
  reading: Reading,
  plan: Plan,
  modify: Modify,
  random: Random,
): SampleNode {
  const { setup } = reading.occurrence;
  const { symbol, side } = plan;
  const state = snapshot(world.market, symbol, modify.at);
  const slots = {
    sym: symbol,
    side,
    price: usd(symbol, modify.price),
    move: signed(modify.move_pct),
    stop: usd(symbol, modify.stop),
    target: usd(symbol, modify.target),
    part:
      modify.fraction === 0.5
        ? "half"
        : modify.fraction === 0.33
          ? "a third"
          : `${Math.round(modify.fraction * 100)}%`,
    age: duration(modify.at - plan.at),
    beyond: side === "long" ? "under" : "over",
    Sold: side === "long" ? "Sold strength" : "Bought weakness",
  };
  return world.journal.add({
    subtype: "custom:trade_modify",
    at: modify.at,
    title: fill(random.deal(MODIFY_TITLES[modify.kind]), slots),
    body: {
      text: `${fill(random.deal(MODIFY_TEXTS[modify.kind]), slots)} ${stateSentence(state, modify.at, random)}`,
      signals: {
        action: modify.kind,
        symbol,
        side,
        price: modify.price,
        pnl_pct: modify.move_pct,
        stop: modify.stop,
        target: modify.target,
        ...(modify.fraction > 0 ? { closed_fraction: modify.fraction } : {}),
        funding_rate: state.funding,
      },
    },
    tags: [symbol, side, setup.key, modify.kind],
    stakes: { pnl_pct: modify.move_pct },
  });
}

function writeScalp(
  world: World,
  { reading, plan, position }: Taken,
  signal: SampleNode | null,
  random: Random,
): void {
  const { journal, truth } = world;
  const { setup } = reading.occurrence;
  const { symbol, side, at, entry } = plan;
  const { exit_at, exit_price, pnl_pct } = position;
  if (exit_at === null || exit_price === null || pnl_pct === null) return;
  const sizeUsd = 100 * random.whole(40, 120);
  const pnlUsd = round((sizeUsd * pnl_pct) / 100, 2);
  const slots = {
    ...reading.slots,
    Side: side === "long" ? "Long" : "Short",
    side,
    setup: setup.label,
    entry: usd(symbol, entry),
    exit: usd(symbol, exit_price),
    pnl: signed(pnl_pct, 2),
    usd: signedDollars(pnlUsd),
    size: dollars(sizeUsd),
    mfe: signed(position.mfe_pct),
    mae: signed(position.mae_pct),
    age: duration(exit_at - at),
  };
  const node = journal.add({
    subtype: "custom:trade",
    at: exit_at,
    title: fill(random.deal(SCALP_TITLES), slots),
    body: {
      text: [
        fill(random.deal(SCALP_TEXTS), slots),
        fill(random.deal(setup.saw), reading.slots),
        position.outcome === "flat"
          ? "Neither good nor bad, fees apart."
          : fill(random.deal(position.outcome === "win" ? setup.won : setup.lost), slots),
      ].join(" "),
      signals: {
        action: "scalp",
        symbol,
        side,
        trade_type: "scalp",
        entry,
        exit: exit_price,
        legs: position.legs,
        size_usd: sizeUsd,
        pnl_pct,
        pnl_usd: pnlUsd,
        mfe_pct: position.mfe_pct,
        mae_pct: position.mae_pct,
        opened_at: new Date(at).toISOString(),
        anomaly_types: [setup.anomaly],
        outcome: position.outcome,
      },
    },
    tags: [symbol, side, setup.key, setup.anomaly, "scalp", position.outcome],
  });
  if (signal) journal.link("causes", signal, node);
  truth.scalps.push({
    id: node.id,
    symbol,
    side,
    setup: setup.key,
    entry_price: entry,
    exit_price,
    pnl_pct,
    outcome: position.outcome,
  });
}

/**
 * Judges the occurrences that were not traded by their hypothetical result: winners were missed,
 * losers were good passes.
 */
function judgeTheRest(
  world: World,
  left: readonly Reading[],
  signalOf: ReadonlyMap<Reading, SampleNode>,
  random: Random,
): void {
  const { market, quota } = world;
  const judged = left.flatMap((reading) => {
    const at = reading.occurrence.at + 15 * MINUTE;
    const plan = planOf(reading, at, market.price(reading.occurrence.coin.symbol, at), random);
    const position = live(market, plan, null);
    const { exit_at, pnl_pct } = position;
    if (exit_at === null || pnl_pct === null || exit_at + 6 * HOUR > market.end) return [];
    return [{ reading, plan, position, exit_at, pnl_pct }];
  });
  const spread = (wins: boolean, count: number) => {
    const fit = judged.filter(
      (one) => one.position.outcome === (wins ? "win" : "loss") && Math.abs(one.pnl_pct) > 0.6,
    );
    return random
      .shuffled(fit)
      .slice(0, count)
      .sort((a, b) => a.exit_at - b.exit_at);
  };
  for (const missed of [true, false]) {
    for (const { reading, plan, position, exit_at, pnl_pct } of spread(
      missed,
      missed ? quota.missed : quota.passes,
    )) {
      const { setup, coin, severity } = reading.occurrence;
      const { symbol, side, entry } = plan;
      const at = exit_at + random.whole(20, 300) * MINUTE;
      const state = reading.state;
      const slots = {
        ...reading.slots,
        side,
        setup: setup.label,
        anomaly: setup.anomaly.replaceAll("_", " "),
        entry: usd(symbol, entry),
        exit: usd(symbol, position.exit_price ?? entry),
        pnl: signed(pnl_pct, 2),
        age: duration(exit_at - plan.at),
        date: date(plan.at),
        clock: clock(plan.at),
        weekday: weekdayName(plan.at),
        session: state.session,
        btc: signed(state.btc24h),
        books: state.thin ? "thin" : "one-sided",
        funding: rate(state.funding),
        severity: severity.toFixed(2),
      };
      const node = world.journal.add({
        subtype: missed ? "custom:missed_opportunity" : "custom:good_pass",
        at,
        title: fill(random.deal(missed ? MISSED_TITLES : PASS_TITLES), slots),
        body: {
          text: [
            fill(random.deal(missed ? MISSED_TEXTS : PASS_TEXTS), slots),
            fill(random.deal(missed ? MISSED_REASONS : PASS_REASONS), slots),
            fill(random.deal(setup.saw), slots),
          ].join(" "),
          signals: {
            symbol,
            side,
            entry,
            exit: position.exit_price,
            pnl_pct,
            anomaly_type: setup.anomaly,
            severity,
            funding_rate: state.funding,
          },
        },
        tags: [coin.symbol, side, setup.key, setup.anomaly],
        stakes: { pnl_pct },
      });
      const signal = signalOf.get(reading) ?? null;
      if (signal) world.journal.link("derived_from", node, signal);
      const entryTruth: PassTruth = {
        id: node.id,
        symbol,
        setup: setup.key,
        side,
        signal_id: signal?.id ?? null,
        pnl_pct,
      };
      (missed ? world.truth.missed : world.truth.passes).push(entryTruth);
    }
  }
}
