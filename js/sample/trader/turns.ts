// Turn summaries of conversations between the operator and the agent, and of the actions that
// followed. They refer to memories that exist at the time. Their number fills the sample up.

import { COINS, DAY, HOUR, round } from "./market.ts";
import { setupOf } from "./setups.ts";
import type { SampleNode, TradeTruth } from "./types.ts";
import {
  date,
  dollars,
  duration,
  fill,
  listed,
  plural,
  rate,
  signed,
  signedDollars,
  snapshot,
  stateSentence,
  usd,
  weekdayName,
} from "./vocabulary.ts";
import { MINUTE, type World } from "./world.ts";

type Random = World["random"];

interface Turn {
  kind: string;
  title: string;
  body: string;
  about: SampleNode[];
  tags: string[];
}

const ASK_OPEN = {
  titles: [
    "Operator asks about the open {sym} {side}",
    "Why am I {side} {sym}?",
    "Status of the {sym} {side}",
    "Explained the {sym} position",
  ],
  texts: [
    "The operator asked why I am {side} {sym}. Answer: {setup} from {entry}, stop {stop}, target {target}; price is {price}, {pnl} so far.",
    "Asked for the state of {sym}: {side} for {age}, {pnl} at {price}. The stop at {stop} stays where it is.",
    "Went through the {sym} {side} with the operator. Entry {entry}, now {price} ({pnl}). We agreed not to touch it before {target} or {stop}.",
    "Question about risk on {sym}: {size} notional at {leverage}x, worst case at {stop}. Currently {pnl}.",
  ],
};

const ASK_CLOSED = {
  titles: [
    "Reviewed the {sym} {side} ({pnl})",
    "What went {how} on {sym}",
    "{sym} {side} discussed after the close",
    "Post-mortem: {sym} {pnl}",
  ],
  texts: [
    "We reviewed the {sym} {side} that closed {ago} ago with {pnl} ({usd}). The {setup} was valid; {judgement}.",
    "The operator wanted to know what happened on {sym}. In at {entry}, out at {exit} ({reason}), {pnl}. My view: {judgement}.",
    "Talked through {sym}, {entry} to {exit} in {held}: {usd}. {Judgement}.",
    "Post-mortem on {sym}: {setup}, {pnl}, best {mfe}, worst {mae}. {Judgement}.",
  ],
};

const JUDGEMENTS: Readonly<Record<string, readonly string[]>> = {
  win: [
    "entry and exit followed the plan",
    "the exit could have been later, the entry not earlier",
    "the level did the work",
    "luck with the timing, not with the idea",
    "same again next time",
  ],
  loss: [
    "the loss was the planned one",
    "the entry was a candle too early",
    "the signal was fine and the tide was not",
    "half size would have been right for that severity",
    "nothing to change, this one belongs to the costs",
  ],
  flat: [
    "a scratch, nothing to learn from it",
    "the time limit did its work",
    "moving the stop so soon was the only decision worth discussing",
  ],
};

const SCAN = {
  titles: [
    "Morning scan: {list}",
    "Market check on {weekday}",
    "Scan of {count} coins, {sym} stands out",
    "{sym} looked at, no action",
  ],
  texts: [
    "Scanned {count} coins. {sym} is at {price} ({d24}), funding {funding}; nothing there asks for a trade.",
    "Routine check: {list}. {sym} had the largest move of the day.",
    "The operator asked for an overview. {list}. I named {sym} as the one to watch.",
    "Went over the board on {weekday}: {list}. No entries, two levels noted in my head only.",
  ],
};

const LESSON_TALK = {
  titles: [
    "Recalled a lesson about {topic}",
    "Used “{title}” in a decision",
    "Lesson on {topic} came up",
    "Reminded myself: {title}",
  ],
  texts: [
    "While looking at {sym} I recalled “{title}” and waited instead of entering at {price}.",
    "The operator asked what I know about {topic}. I quoted “{title}”, {age} old, and the trades behind it.",
    "A signal on {sym} was about to be taken; “{title}” said otherwise and the size was halved.",
    "Checked whether “{title}” still holds. {sym} at {price} is no counterexample.",
  ],
};

const PLAYBOOK_TALK = {
  titles: [
    "Playbook check: {title}",
    "Does the {title} still work?",
    "Went through {title}",
    "{title}: {rate} so far",
  ],
  texts: [
    "The operator asked about {title}. By now {wins} of {count} trades that followed it won; {verdict}.",
    "Looked at every trade under {title}: {wins} of {count}. {Verdict}.",
    "Read {title} again before the session. Record {wins}/{count}, {verdict}.",
  ],
};

const THESIS_TALK = {
  titles: [
    "Thesis discussed: {title}",
    "Is the {sym} thesis still alive?",
    "{sym} thesis after {age}",
  ],
  texts: [
    "The operator doubts “{title}”. {sym} is {move} since it was written {age} ago, the invalidation is not reached. I keep it.",
    "Asked how sure I am of “{title}”: {sym} {move} in {age}, arguments unchanged.",
    "Compared “{title}” with the tape: {sym} at {price}, {move}. No new evidence either way.",
  ],
};

const SIGNAL_TALK = {
  titles: [
    "Signal handled: {title}",
    "{sym} signal looked at",
    "Decision on {title}",
    "Answered the {sym} alert",
  ],
  texts: [
    "“{title}” fired and I looked at it for {minutes} minutes. {decision}.",
    "The alert on {sym} came in at {price}. {decision}; {d24} on the day, funding {funding}.",
    "Operator saw “{title}” on the feed and asked whether I act on it. {decision}.",
    "Handled the {sym} signal: {decision}. Price {price}.",
  ],
};

const DECISIONS = [
  "No entry, spot does not agree",
  "Entry prepared, the retest is missing",
  "Left alone because of two correlated positions",
  "Noted only, the severity is below the playbook’s minimum",
  "Waiting for the hourly close",
  "Size halved on account of the hour",
  "Taken as a reason to tighten the existing stop",
  "Set aside until the print is out",
];

const RISK_TALK = {
  titles: [
    "Risk check: {open} open, {week} this week",
    "Exposure report on {weekday}",
    "How much is at risk? {risk}",
    "PnL question: {week} in seven days",
  ],
  texts: [
    "Reported exposure: {open} open ({coins}), {risk} at risk down to the stops. Seven-day result {week} over {closes}.",
    "The operator asked for the week: {week} from {closes}, {wins} of them won. Open now: {coins}.",
    "Exposure is {coins}; the stops add up to {risk}. Week {week}.",
    "PnL over seven days {week}, {closes}. Drawdown within limits, size rules unchanged.",
  ],
};

const PREFERENCES = [
  [
    "Operator prefers short answers in the morning",
    "Asked to keep reports before 09:00 UTC to three lines: open risk, overnight PnL, what needs a decision.",
  ],
  [
    "No trades around funding intervals",
    "The operator does not want entries in the five minutes before a funding interval. Agreed and noted.",
  ],
  [
    "Report in dollars and in R",
    "From now on results are to be given in dollars and in R, not in percent of margin.",
  ],
  [
    "Maximum of four open positions",
    "We set the limit to four positions at once, counted by coin, scalps included.",
  ],
  [
    "Weekends at half size",
    "Half size from Friday evening to Sunday evening, by the operator’s wish and by my own record.",
  ],
  [
    "Say it when unsure",
    "The operator would rather hear “I do not know” than a confidence of 0.5. I take that as a rule.",
  ],
  [
    "Explain each early exit",
    "Each exit before stop or target gets a sentence with the reason in the journal.",
  ],
  [
    "Alerts by message only above 0.8",
    "Signals under severity 0.8 are not to be pushed, they go into the summary.",
  ],
  [
    "INJ and OP only with a playbook",
    "Thin coins are traded only when a playbook matches, not on a single signal.",
  ],
  [
    "Weekly review on Sunday evening",
    "Agreed on a weekly review on Sunday at 21:00 UTC: theses first, then trades, then playbooks.",
  ],
  [
    "Fees count in every report",
    "The operator found that my numbers ignore fees on scalps. They are included from today.",
  ],
  ["No averaging down", "Adding to a losing position is off the table, whatever the thesis says."],
] as const;

const EVENT_TALK = {
  titles: [
    "Talked about: {title}",
    "What the operator asked after “{title}”",
    "Effects of {kind} on our book",
  ],
  texts: [
    "The operator had seen the news (“{title}”) and asked about our exposure. {coins} were open; nothing was changed.",
    "Checked {coins} against “{title}”. The move since is {move} on {sym}.",
    "After “{title}” we lowered size for the rest of the day. {sym} stands at {price}.",
  ],
};

/** Returns the trades that were open at an instant. */
function openAt(world: World, at: number): TradeTruth[] {
  return world.truth.trades.filter(
    (trade) => trade.opened_at < at && (trade.closed_at ?? Number.POSITIVE_INFINITY) > at,
  );
}

const coinsOf = (trades: readonly TradeTruth[]): string =>
  trades.length === 0
    ? "no positions"
    : listed(trades.map((trade) => `${trade.symbol} ${trade.side}`));

function board(
  market: World["market"],
  at: number,
  random: Random,
): { list: string; symbol: string; count: number } {
  const coins = random.shuffled(COINS).slice(0, random.whole(3, 4));
  const moves = coins.map((coin) => ({
    symbol: coin.symbol,
    move: market.move(coin.symbol, at - DAY, at),
  }));
  const first = [...moves].sort((a, b) => Math.abs(b.move) - Math.abs(a.move))[0];
  return {
    list: moves.map((one) => `${one.symbol} ${signed(one.move)}`).join(", "),
    symbol: first?.symbol ?? "BTC",
    count: random.whole(8, 12),
  };
}

const WRITERS: readonly {
  weight: number;
  write(world: World, at: number, random: Random): Turn | null;
}[] = [
  {
    weight: 4,
    write(world, at, random) {
      const { market, journal } = world;
      const trade = random.shuffled(openAt(world, at))[0];
      if (!trade || at - trade.opened_at < 20 * MINUTE) return null;
      const { symbol, side } = trade;
      const slots = {
        sym: symbol,
        side,
        setup: setupOf(trade.setup).label,
        entry: usd(symbol, trade.entry_price),
        stop: usd(symbol, trade.stop),
        target: usd(symbol, trade.target),
        price: usd(symbol, market.price(symbol, at)),
        pnl: signed(
          (side === "long" ? 1 : -1) * (market.price(symbol, at) / trade.entry_price - 1) * 100,
        ),
        age: duration(at - trade.opened_at),
        size: dollars(trade.size_usd),
        leverage: trade.leverage,
      };
      return {
        kind: "open_trade",
        title: fill(random.deal(ASK_OPEN.titles), slots),
        body: `${fill(random.deal(ASK_OPEN.texts), slots)} ${stateSentence(snapshot(market, symbol, at), at, random)}`,
        about: [journal.get(trade.entry_id)],
        tags: [symbol, trade.setup],
      };
    },
  },
  {
    weight: 5,
    write({ market, journal, truth }, at, random) {
      const recent = truth.trades.filter(
        (trade) =>
          trade.closed_at !== null && trade.closed_at < at && at - trade.closed_at < 2 * DAY,
      );
      const trade = random.shuffled(recent)[0];
      if (!trade || trade.closed_at === null || trade.close_id === null) return null;
      const { symbol, side } = trade;
      const judgement = random.deal(JUDGEMENTS[trade.outcome] ?? []);
      const slots = {
        sym: symbol,
        side,
        setup: setupOf(trade.setup).label,
        entry: usd(symbol, trade.entry_price),
        exit: usd(symbol, trade.exit_price ?? 0),
        pnl: signed(trade.pnl_pct ?? 0, 2),
        usd: signedDollars(trade.pnl_usd ?? 0),
        mfe: signed(trade.mfe_pct),
        mae: signed(trade.mae_pct),
        ago: duration(at - trade.closed_at),
        held: duration(trade.closed_at - trade.opened_at),
        reason: trade.exit?.replaceAll("_", " ") ?? "",
        how: trade.outcome === "win" ? "right" : "wrong",
        judgement,
        Judgement: judgement.charAt(0).toUpperCase() + judgement.slice(1),
      };
      return {
        kind: "closed_trade",
        title: fill(random.deal(ASK_CLOSED.titles), slots),
        body: `${fill(random.deal(ASK_CLOSED.texts), slots)} ${stateSentence(snapshot(market, symbol, at), at, random)}`,
        about: [journal.get(trade.close_id)],
        tags: [symbol, trade.setup, trade.outcome],
      };
    },
  },
  {
    weight: 3,
    write({ market }, at, random) {
      const { list, symbol, count } = board(market, at, random);
      const state = snapshot(market, symbol, at);
      const slots = {
        list,
        count,
        sym: symbol,
        weekday: `${weekdayName(at)}, ${date(at)}`,
        price: usd(symbol, state.price),
        d24: signed(state.change24h),
        funding: rate(state.funding),
      };
      return {
        kind: "scan",
        title: fill(random.deal(SCAN.titles), slots),
        body: `${fill(random.deal(SCAN.texts), slots)} ${stateSentence(state, at, random)}`,
        about: [],
        tags: [symbol, "scan"],
      };
    },
  },
  {
    weight: 4,
    write({ market, journal, truth }, at, random) {
      const known = truth.lessons.filter((lesson) => journal.get(lesson.id).created_at < at - HOUR);
      const lesson = random.shuffled(known)[0];
      if (!lesson) return null;
      const node = journal.get(lesson.id);
      const symbol = lesson.symbols[0] ?? "BTC";
      const state = snapshot(market, symbol, at);
      const slots = {
        sym: symbol,
        title: node.content_title,
        topic: lesson.topic,
        price: usd(symbol, state.price),
        age: duration(at - node.created_at),
      };
      return {
        kind: "lesson_used",
        title: fill(random.deal(LESSON_TALK.titles), slots),
        body: `${fill(random.deal(LESSON_TALK.texts), slots)} ${stateSentence(state, at, random)}`,
        about: [node],
        tags: [symbol, ...(lesson.setup ? [lesson.setup] : []), lesson.topic],
      };
    },
  },
  {
    weight: 2,
    write({ market, journal, truth }, at, random) {
      const known = truth.playbooks.filter(
        (playbook) => journal.get(playbook.id).created_at < at - DAY,
      );
      const playbook = random.shuffled(known)[0];
      if (!playbook) return null;
      const node = journal.get(playbook.id);
      const results = (node.feedback ?? []).filter((one) => one.at < at);
      if (results.length === 0) return null;
      const wins = results.filter((one) => one.success).length;
      const share = wins / results.length;
      const verdict =
        share >= 0.6
          ? "it stays as it is"
          : share >= 0.45
            ? "too close to even to say more"
            : "it needs another condition or less size";
      const slots = {
        title: node.content_title,
        wins,
        count: results.length,
        rate: `${Math.round(share * 100)}%`,
        verdict,
        Verdict: verdict.charAt(0).toUpperCase() + verdict.slice(1),
      };
      const symbol = playbook.symbols?.[0] ?? "BTC";
      return {
        kind: "playbook_review",
        title: fill(random.deal(PLAYBOOK_TALK.titles), slots),
        body: `${fill(random.deal(PLAYBOOK_TALK.texts), slots)} ${stateSentence(snapshot(market, symbol, at), at, random)}`,
        about: [node],
        tags: [playbook.setup, "playbook"],
      };
    },
  },
  {
    weight: 2,
    write({ market, journal, truth }, at, random) {
      const alive = truth.theses.filter((thesis) => {
        const written = journal.get(thesis.id).created_at;
        return (
          written < at - 6 * HOUR &&
          (thesis.resolved_at ?? market.end + DAY) > at &&
          at - written < 21 * DAY
        );
      });
      const thesis = random.shuffled(alive)[0];
      if (!thesis) return null;
      const node = journal.get(thesis.id);
      const slots = {
        sym: thesis.symbol,
        title: node.content_title,
        age: duration(at - node.created_at),
        price: usd(thesis.symbol, market.price(thesis.symbol, at)),
        move: signed(market.move(thesis.symbol, node.created_at, at)),
      };
      return {
        kind: "thesis_talk",
        title: fill(random.deal(THESIS_TALK.titles), slots),
        body: `${fill(random.deal(THESIS_TALK.texts), slots)} ${stateSentence(snapshot(market, thesis.symbol, at), at, random)}`,
        about: [node],
        tags: [thesis.symbol, "thesis"],
      };
    },
  },
  {
    weight: 4,
    write({ market, journal, truth }, at, random) {
      const recent = truth.signals.filter(
        (signal) => signal.at < at && at - signal.at < 8 * HOUR && signal.entry_id === null,
      );
      const signal = random.shuffled(recent)[0];
      if (!signal) return null;
      const node = journal.get(signal.id);
      const state = snapshot(market, signal.symbol, at);
      const slots = {
        sym: signal.symbol,
        title: node.content_title,
        minutes: random.whole(4, 30),
        price: usd(signal.symbol, state.price),
        d24: signed(state.change24h),
        funding: rate(state.funding),
        decision: random.deal(DECISIONS),
      };
      return {
        kind: "signal_handled",
        title: fill(random.deal(SIGNAL_TALK.titles), slots),
        body: `${fill(random.deal(SIGNAL_TALK.texts), slots)} ${stateSentence(state, at, random)}`,
        about: [node],
        tags: [signal.symbol, signal.anomaly_type],
      };
    },
  },
  {
    weight: 2,
    write(world, at, random) {
      const { market, journal, truth } = world;
      const open = openAt(world, at);
      const closed = truth.trades.filter(
        (trade) =>
          trade.closed_at !== null && trade.closed_at < at && at - trade.closed_at < 7 * DAY,
      );
      if (closed.length === 0) return null;
      const week = closed.reduce((sum, trade) => sum + (trade.pnl_usd ?? 0), 0);
      const risk = open.reduce(
        (sum, trade) =>
          sum + (trade.size_usd * Math.abs(trade.entry_price - trade.stop)) / trade.entry_price,
        0,
      );
      const slots = {
        open: open.length,
        coins: coinsOf(open),
        week: signedDollars(round(week, 0)),
        risk: dollars(risk),
        closes: plural(closed.length, "close"),
        wins: closed.filter((trade) => trade.outcome === "win").length,
        weekday: `${weekdayName(at)}, ${date(at)}`,
      };
      return {
        kind: "risk_report",
        title: fill(random.deal(RISK_TALK.titles), slots),
        body: `${fill(random.deal(RISK_TALK.texts), slots)} ${stateSentence(snapshot(market, "BTC", at), at, random)}`,
        about: open.slice(0, 3).map((trade) => journal.get(trade.entry_id)),
        tags: [...open.map((trade) => trade.symbol), "risk"],
      };
    },
  },
  {
    weight: 2,
    write(world, at, random) {
      const { market, journal, truth } = world;
      const recent = truth.events.filter((event) => {
        const noted = journal.get(event.id).created_at;
        return noted < at && at - noted < DAY;
      });
      const event = random.shuffled(recent)[0];
      if (!event) return null;
      const symbol = event.symbol ?? "BTC";
      const slots = {
        title: journal.get(event.id).content_title,
        kind: event.kind.replaceAll("_", " "),
        coins: coinsOf(openAt(world, at)),
        sym: symbol,
        move: signed(market.move(symbol, event.at, at)),
        price: usd(symbol, market.price(symbol, at)),
      };
      return {
        kind: "event_talk",
        title: fill(random.deal(EVENT_TALK.titles), slots),
        body: `${fill(random.deal(EVENT_TALK.texts), slots)} ${stateSentence(snapshot(market, symbol, at), at, random)}`,
        about: [journal.get(event.id)],
        tags: [symbol, event.kind],
      };
    },
  },
];

/** Writes `count` turn summaries, spread over the waking hours of all days. */
export function writeTurns(world: World, count: number): void {
  const { market, journal, truth } = world;
  const random = world.random.fork("turns");
  const add = (turn: Turn, at: number) => {
    const node = journal.add({
      subtype: "custom:turn_summary",
      at,
      title: turn.title,
      body: turn.body,
      tags: [...turn.tags, turn.kind],
    });
    for (const about of turn.about) journal.link("relates_to", node, about);
    truth.turns.push({ id: node.id, kind: turn.kind, about_ids: turn.about.map((one) => one.id) });
  };
  const preferences = Math.min(PREFERENCES.length, Math.floor(count / 20));
  for (let i = 0; i < count; i++) {
    const day =
      market.start + ((i + random.unit()) / count) * (market.end - market.start - DAY) + 0.6 * DAY;
    const at = day - (day % DAY) + random.between(6.5, 21.3) * HOUR;
    const when = Math.max(
      market.start + HOUR,
      Math.min(at - (at % MINUTE), market.end - random.whole(20, 600) * MINUTE),
    );
    const preference =
      Math.floor((i * preferences) / count) !== Math.floor(((i - 1) * preferences) / count)
        ? random.deal(PREFERENCES)
        : null;
    if (preference !== null && preferences > 0 && i > 0) {
      const [title, body] = preference;
      add(
        {
          kind: "preference",
          title,
          body: `${body} ${stateSentence(snapshot(market, "BTC", when), when, random)}`,
          about: [],
          tags: ["preference"],
        },
        when,
      );
      continue;
    }
    let turn: Turn | null = null;
    while (turn === null)
      turn = random.weighted(WRITERS, (one) => one.weight).write(world, when, random);
    add(turn, when);
  }
}
