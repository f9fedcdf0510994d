// Session summaries: one for each day, from the agent's memories of it.

import { DAY, dayText, hourOf, round } from "./market.ts";
import type { SampleNode } from "./types.ts";
import {
  date,
  fill,
  listed,
  plural,
  signed,
  signedDollars,
  snapshot,
  stateSentence,
  usd,
  weekdayName,
} from "./vocabulary.ts";
import { MINUTE, type World } from "./world.ts";

const TITLES = [
  "Session {date}: {headline}",
  "{weekday}, {date}: {headline}",
  "Day review {date}, {headline}",
  "Summary of {weekday} {date}: {headline}",
];

const QUIET = ["a day without trades", "nothing taken", "watching only", "no entries"];

const FOCUS = [
  "Tomorrow: {sym} around {level} first.",
  "Carry over: the stop distance in {sym} needs another look.",
  "Next session starts with funding on {sym}.",
  "To do next: see whether {sym} holds {level}.",
  "For tomorrow the calendar is checked; {sym} has priority.",
  "Open question for the next session: is the flow in {sym} real or only leverage.",
];

const MOODS = {
  good: [
    "The plan was followed and it paid.",
    "Entries were patient today, that was the difference.",
    "Good day, nothing forced.",
    "Most of it came from waiting.",
  ],
  bad: [
    "Two of the decisions were made too fast.",
    "The losses were planned ones, the mood was not.",
    "Bad day within limits; no rule was broken.",
    "I was on the wrong side of the tide and noticed late.",
  ],
  opened: [
    "Positions are on, nothing to add until the levels speak.",
    "Entries done early, the rest of the day was waiting.",
    "Risk is where I want it for the night.",
  ],
  quiet: [
    "Doing nothing was the right size.",
    "Signals were there, quality was not.",
    "Used the time to go through old notes.",
    "Patience day.",
  ],
} as const;

const SESSION_SIZE = 12;

/** Writes the session summaries. */
export function writeSessions(world: World): void {
  const { market, journal, quota } = world;
  const random = world.random.fork("sessions");
  const byDay = new Map<string, SampleNode[]>();
  for (const node of journal.nodes) {
    // Memories after ten in the evening belong to the next day's session.
    const day = dayText(hourOf(node.created_at) >= 22 ? node.created_at + DAY : node.created_at);
    byDay.set(day, [...(byDay.get(day) ?? []), node]);
  }
  const days = [...byDay.keys()]
    .filter((day) => Date.parse(`${day}T22:00:00.000Z`) < market.end)
    .sort();
  const busiest = [...days].sort(
    (a, b) => (byDay.get(b)?.length ?? 0) - (byDay.get(a)?.length ?? 0),
  );
  const chosen = new Set(busiest.slice(0, quota.sessions));
  let previous: SampleNode | null = null;
  for (const day of days) {
    if (chosen.has(day))
      previous = writeSession(world, day, byDay.get(day) ?? [], previous, random);
  }
}

function writeSession(
  world: World,
  day: string,
  nodes: readonly SampleNode[],
  previous: SampleNode | null,
  random: World["random"],
): SampleNode {
  const { market, journal, truth } = world;
  const at = Date.parse(`${day}T22:00:00.000Z`) + random.whole(1, 25) * MINUTE - 30 * MINUTE;
  const done = nodes.filter((node) => node.created_at < at);
  const ids = new Set(done.map((node) => node.id));
  const of = (subtype: string) => done.filter((node) => node.subtype === subtype);
  const opened = truth.trades.filter((trade) => ids.has(trade.entry_id));
  const closed = truth.trades.filter((trade) => trade.close_id !== null && ids.has(trade.close_id));
  const scalps = truth.scalps.filter((scalp) => ids.has(scalp.id));
  const events = truth.events.filter((event) => ids.has(event.id));
  const scalpUsd = of("custom:trade").reduce(
    (sum, node) =>
      sum + (JSON.parse(node.content_body) as { signals: { pnl_usd: number } }).signals.pnl_usd,
    0,
  );
  const pnl = round(closed.reduce((sum, trade) => sum + (trade.pnl_usd ?? 0), 0) + scalpUsd, 2);
  const closedCount = closed.length + scalps.length;
  const headline =
    closedCount > 0
      ? `${signedDollars(pnl)} over ${plural(closedCount, "close")}`
      : opened.length > 0
        ? `${listed(opened.map((trade) => `${trade.symbol} ${trade.side}`))} opened`
        : random.deal(QUIET);
  const focus =
    opened[0]?.symbol ?? closed[0]?.symbol ?? random.pick(["BTC", "ETH", "SOL", "HYPE"]);
  const state = snapshot(market, focus, at);
  const wins =
    closed.filter((trade) => trade.outcome === "win").length +
    scalps.filter((scalp) => scalp.outcome === "win").length;
  const sentences = [
    `BTC ${usd("BTC", market.price("BTC", at))} (${signed(market.move("BTC", at - DAY, at))}), ${plural(of("custom:signal").length, "signal")} and ${plural(of("custom:watchpoint").length, "new watchpoint")} over the day.`,
    opened.length > 0
      ? `Opened ${listed(opened.map((trade) => `${trade.symbol} ${trade.side} at ${usd(trade.symbol, trade.entry_price)}`))}.`
      : "",
    closed.length > 0
      ? `Closed ${listed(closed.map((trade) => `${trade.symbol} ${trade.side} (${signed(trade.pnl_pct ?? 0, 2)}, ${trade.exit?.replaceAll("_", " ")})`))}.`
      : "",
    scalps.length > 0
      ? `${plural(scalps.length, "scalp")}: ${listed(scalps.map((scalp) => `${scalp.symbol} ${signed(scalp.pnl_pct, 2)}`))}.`
      : "",
    closedCount > 0 ? `${wins} of ${closedCount} won, ${signedDollars(pnl)} in all.` : "",
    events.length > 0
      ? `Market: ${listed(events.map((event) => journal.get(event.id).content_title))}.`
      : "",
    of("custom:lesson").length > 0 ? `Noted: “${of("custom:lesson")[0]?.content_title}”.` : "",
    random.deal(
      MOODS[closedCount > 0 ? (pnl > 0 ? "good" : "bad") : opened.length > 0 ? "opened" : "quiet"],
    ),
    stateSentence(state, at, random),
    fill(random.deal(FOCUS), {
      sym: focus,
      level: usd(focus, random.chance(0.5) ? state.low7d : state.high7d),
    }),
  ];
  const node = journal.add({
    subtype: "custom:session_summary",
    at,
    title: fill(random.deal(TITLES), { date: date(at), weekday: weekdayName(at), headline }),
    body: sentences.filter(Boolean).join(" "),
    summary: `${date(at)}: ${headline}`,
    tags: [...new Set([...opened, ...closed, ...scalps].map((trade) => trade.symbol)), "session"],
  });
  const told = [
    ...opened.map((trade) => trade.entry_id),
    ...closed.map((trade) => trade.close_id ?? ""),
    ...scalps.map((scalp) => scalp.id),
    ...events.map((event) => event.id),
    ...of("custom:lesson")
      .slice(0, 1)
      .map((lesson) => lesson.id),
  ].slice(0, SESSION_SIZE);
  for (const id of told) journal.link("mentioned_in", journal.get(id), node);
  if (previous) journal.link("precedes", previous, node);
  truth.sessions.push({
    id: node.id,
    day,
    entry_ids: opened.map((trade) => trade.entry_id),
    close_ids: closed.flatMap((trade) => (trade.close_id === null ? [] : [trade.close_id])),
    event_ids: events.map((event) => event.id),
    pnl_usd: pnl,
  });
  return node;
}
