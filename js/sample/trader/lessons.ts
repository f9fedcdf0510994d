// Lessons that the agent learns from closed trades. Each one comes from trades that support it,
// refers to them, and may be revisited when new trades confirm it.

import { POINTS, type Point, type Teacher } from "./lesson-bank.ts";
import { DAY, HOUR } from "./market.ts";
import { setupOf } from "./setups.ts";
import type { LessonTruth, SampleNode, TradeTruth } from "./types.ts";
import { date, fill, listed, plural, signed } from "./vocabulary.ts";
import { MINUTE, type World } from "./world.ts";

const HIGH_LEVERAGE = 9;

const TEACHES: Record<Teacher, (trade: TradeTruth) => boolean> = {
  any: () => true,
  win: (trade) => trade.outcome === "win",
  loss: (trade) => trade.outcome === "loss",
  gave_back: (trade) => trade.mfe_pct > 1.5 && (trade.pnl_pct ?? 0) < trade.mfe_pct * 0.45,
  ran: (trade) => trade.ran_without_us,
  time: (trade) => trade.exit === "time",
  weekend: (trade) => trade.weekend && trade.outcome === "loss",
  leverage: (trade) => trade.leverage >= HIGH_LEVERAGE && trade.outcome === "loss",
  partial: (trade) => trade.legs.length > 1 && trade.outcome === "win",
  break_even: (trade) => trade.exit === "break_even",
  broken: (trade) => trade.exit === "thesis_broken",
};

const MEMES = ["DOGE"];
const SPECIAL: Readonly<Record<string, (trade: TradeTruth) => boolean>> = {
  "funding fade on memes": (trade) => MEMES.includes(trade.symbol),
  "pullback in SOL": (trade) => trade.symbol === "SOL",
  "cascade depth": (trade) => ["BTC", "ETH", "SOL"].includes(trade.symbol),
  "order book small caps": (trade) => !["BTC", "ETH", "SOL"].includes(trade.symbol),
};

function teaches(point: Point, trade: TradeTruth): boolean {
  return (
    (point.setup === null || point.setup === trade.setup) &&
    TEACHES[point.teacher](trade) &&
    (SPECIAL[point.topic]?.(trade) ?? true)
  );
}

const EVIDENCE_ONE = [
  "Learned on {trade}.",
  "The case: {trade}.",
  "Seen on {trade}.",
  "Source is {trade}.",
  "It took {trade} to see it.",
];

const EVIDENCE_MANY = [
  "Learned over {count}: {trades}.",
  "The same in {count}: {trades}.",
  "Evidence is {trades}.",
  "{trades} say the same.",
  "After {trades} it is more than a hunch.",
];

const RULES = [
  "Rule: {rule}",
  "From now on: {rule}",
  "{rule}",
  "So: {rule}",
  "The rule that follows: {rule}",
];

const REVISITED = [
  "It confirms what I wrote before.",
  "The earlier version of this lesson had fewer trades behind it.",
  "I had noted this once and it is worth more weight now.",
  "Second time I have to write this down.",
];

function described(trade: TradeTruth): string {
  return `the ${trade.symbol} ${trade.side} of ${date(trade.opened_at)} (${setupOf(trade.setup).label}, ${signed(trade.pnl_pct ?? 0, 2)})`;
}

/** Writes the lessons in the order in which their trades closed. */
export function writeLessons(world: World): void {
  const { truth, quota, market } = world;
  const random = world.random.fork("lessons");
  const closed = truth.trades
    .filter((trade) => trade.closed_at !== null && trade.closed_at + 3 * HOUR < market.end)
    .sort((a, b) => (a.closed_at ?? 0) - (b.closed_at ?? 0));
  if (closed.length === 0) return;
  const used = new Map<Point, { lesson: LessonTruth; at: number }>();
  let wanted = quota.lessons;
  for (let round = 0; wanted > 0 && round < 6; round++) {
    closed.forEach((trade, i) => {
      const chance = round === 0 ? wanted / (closed.length - i) : 0.6;
      if (wanted <= 0 || !random.chance(chance)) return;
      const fresh = POINTS.filter((point) => !used.has(point) && teaches(point, trade));
      const again = POINTS.filter((point) => {
        const last = used.get(point);
        return (
          last !== undefined &&
          teaches(point, trade) &&
          (trade.closed_at ?? 0) > last.at + 10 * DAY &&
          !last.lesson.source_ids.includes(trade.close_id ?? "")
        );
      });
      const own = fresh.filter((point) => point.setup !== null);
      const pool = own.length > 0 && random.chance(0.65) ? own : fresh.length > 0 ? fresh : again;
      if (pool.length === 0) return;
      const point = random.pick(pool);
      used.set(
        point,
        writeLesson(world, point, trade, closed, used.get(point)?.lesson ?? null, random),
      );
      wanted--;
    });
  }
}

function writeLesson(
  world: World,
  point: Point,
  trade: TradeTruth,
  closed: readonly TradeTruth[],
  earlier: LessonTruth | null,
  random: World["random"],
): { lesson: LessonTruth; at: number } {
  const { journal, truth } = world;
  const closedAt = trade.closed_at ?? 0;
  const others = closed.filter(
    (one) =>
      one !== trade &&
      (one.closed_at ?? 0) < closedAt &&
      closedAt - (one.closed_at ?? 0) < 40 * DAY &&
      teaches(point, one),
  );
  const more = point.teacher === "any" ? 1 : random.whole(0, 3);
  const sources = [...(more === 0 ? [] : others.slice(-more)), trade];
  const at = closedAt + random.whole(12, 110) * MINUTE;
  const symbols = [...new Set(sources.map((one) => one.symbol))];
  const slots = { sym: trade.symbol, rule: point.rule };
  const evidence =
    sources.length === 1
      ? fill(random.deal(EVIDENCE_ONE), { trade: described(trade) })
      : fill(random.deal(EVIDENCE_MANY), {
          count: plural(sources.length, "trade"),
          trades: listed(sources.map(described)),
        });
  const title = fill(point.title, slots);
  const node = journal.add({
    subtype: "custom:lesson",
    at,
    title: earlier === null ? title : `${title}: again on ${trade.symbol}, ${date(closedAt)}`,
    body: [
      fill(point.text, slots),
      evidence,
      ...(earlier === null ? [] : [random.deal(REVISITED)]),
      fill(random.deal(RULES), slots),
    ].join(" "),
    summary: fill(point.rule, slots),
    tags: [...symbols, ...(point.setup ? [point.setup] : []), point.topic],
  });
  const sourceNodes = sources.flatMap((one) =>
    one.close_id === null ? [] : [journal.get(one.close_id)],
  );
  for (const source of sourceNodes)
    journal.link(sourceNodes.length > 1 ? "generalizes" : "derived_from", node, source);
  journal.link("relates_to", node, journal.get(trade.entry_id));
  if (earlier !== null) journal.link("supersedes", node, journal.get(earlier.id));
  for (const one of sources) one.lesson_ids.push(node.id);
  const lesson: LessonTruth = {
    id: node.id,
    topic: point.topic,
    setup: point.setup,
    symbols,
    source_ids: sourceNodes.map((source: SampleNode) => source.id),
    supersedes: earlier?.id ?? null,
  };
  truth.lessons.push(lesson);
  return { lesson, at };
}
