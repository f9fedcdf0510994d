// Curiosities: questions that the agent stores for later. A later lesson answers some of them.

import { COINS, DAY } from "./market.ts";
import type { SetupKey } from "./setups.ts";
import { fill, snapshot, stateSentence } from "./vocabulary.ts";
import { MINUTE, type World } from "./world.ts";

type Question = readonly [topic: string, setup: SetupKey | null, title: string, text: string];

const QUESTIONS: readonly Question[] = [
  [
    "funding reset",
    "funding_fade",
    "How long does {sym} funding take to come back to neutral?",
    "I act as if it were a day. Nobody has counted it for {sym}; the half-life after an extreme would set my time limit.",
  ],
  [
    "funding venues",
    "funding_fade",
    "Which venue’s funding leads on {sym}?",
    "Two venues differ by a factor of two at extremes. If one of them turns first, its turn is the signal.",
  ],
  [
    "liquidations",
    "liquidation_bounce",
    "Do {sym} cascades end on the same venue each time?",
    "The last prints I saw came from one exchange. If that is a rule, its silence is the entry.",
  ],
  [
    "liquidations",
    "liquidation_bounce",
    "Is the size of a cascade known before it starts?",
    "Open interest above a price level should bound what can be liquidated on the way. Compare estimate and outcome.",
  ],
  [
    "open interest",
    "crowded_positioning",
    "Who builds {sym} positions in quiet hours?",
    "Open interest tends to rise around 03:00 UTC without price. Market maker inventory, or somebody with a plan?",
  ],
  [
    "open interest",
    "deleveraging_reentry",
    "How much open interest must leave {sym} before it can trend again?",
    "Ten percent feels right, but feeling is all it is. Look at every flush of the year.",
  ],
  [
    "weekend",
    "breakout_retest",
    "Why do weekend breakouts in {sym} fail so often?",
    "Missing volume is the usual answer. Missing arbitrage between spot and futures could be the better one.",
  ],
  [
    "weekend",
    "weekend_gap",
    "Do CME gaps fill more often after losing weeks?",
    "My notes suggest it, and my notes are few.",
  ],
  [
    "flows",
    "etf_flow_follow",
    "How many hours lag {sym} behind ETF numbers?",
    "The number is public in the evening. If the move comes only with New York, there are twelve hours to position.",
  ],
  [
    "flows",
    "etf_flow_follow",
    "Are creations hedged before they are reported?",
    "If dealers hedge during the day, the report is old news by the time I read it.",
  ],
  [
    "macro",
    "first_move_fade",
    "Which prints still move {sym}?",
    "Payrolls did nothing for months, CPI did. A table of the first fifteen minutes would tell.",
  ],
  [
    "macro",
    "first_move_fade",
    "Do two-year yields lead crypto by minutes or by seconds?",
    "My rule waits a quarter of an hour. It may be four times too long.",
  ],
  [
    "order book",
    "book_flip_scalp",
    "Can refilled size in {sym} be told from painted size?",
    "Refills after being hit are the only tell I use. Order age might be another.",
  ],
  [
    "order book",
    "book_flip_scalp",
    "Does depth imbalance say anything beyond an hour?",
    "All my book trades are short. Perhaps I leave too early, perhaps there is nothing more in it.",
  ],
  [
    "relative value",
    "relative_strength",
    "Does {sym} lead the other alts or follow them?",
    "It moved first in the last three rotations. Three is not many.",
  ],
  [
    "relative value",
    "relative_strength",
    "What ends a rotation?",
    "Either BTC moves or the story ends. I would like to know which is the more common.",
  ],
  [
    "spot flow",
    "cvd_divergence",
    "Which spot venue is {sym}’s real price maker?",
    "The divergence signal mixes venues. One of them probably carries all of the information.",
  ],
  [
    "trend",
    "trend_pullback",
    "Why does {sym} respect the 4-hour average?",
    "Self-fulfilling, or is there a large account that rebalances on it?",
  ],
  [
    "trend",
    "trend_pullback",
    "Is there a pullback depth after which trends do not resume?",
    "A histogram of depth against outcome would replace my three favourite numbers.",
  ],
  [
    "spikes",
    "spike_fade",
    "How often does a spike without news turn out to have had news?",
    "I fade these at half size because of that fear. The fear has no number yet.",
  ],
  [
    "own behaviour",
    null,
    "Do I trade worse after two losses?",
    "I believe so. The journal has the data: outcome of the third trade after two stops.",
  ],
  [
    "own behaviour",
    null,
    "Are my morning entries better than my evening ones?",
    "Signals look alike, books do not. Split results by hour band.",
  ],
  [
    "own behaviour",
    null,
    "Is my stated confidence worth anything?",
    "If trades at 0.8 do not win more often than those at 0.5, the number is decoration.",
  ],
  [
    "own behaviour",
    null,
    "What do my break-even stops cost me?",
    "Count how many scratched trades reached the target afterwards.",
  ],
  [
    "own behaviour",
    null,
    "Which of my lessons have I never used again?",
    "Some rules were written once and never recalled. Either they are obvious or I have forgotten them.",
  ],
  [
    "own behaviour",
    null,
    "Would I do better with half as many trades?",
    "Drop every entry below severity 0.6 and compute the year again.",
  ],
  [
    "structure",
    null,
    "What happens to {sym} when stablecoin supply stalls?",
    "Supply growth and rallies came together so far. A stall has not been tested in my memory.",
  ],
  [
    "structure",
    null,
    "Do token unlocks still matter for {sym}?",
    "The last ones were sold before the date and bought after it.",
  ],
  [
    "structure",
    null,
    "Who is on the other side of treasury company purchases?",
    "They announce, price moves little. Somebody sells to them every time.",
  ],
  [
    "structure",
    null,
    "Does options expiry pin {sym} or do I see patterns?",
    "Three expiries near max pain in a row. Chance would give that now and then.",
  ],
  [
    "structure",
    null,
    "How much of {sym} volume is one market maker?",
    "The book looks the same to the lot at different hours.",
  ],
  [
    "structure",
    null,
    "Why do exchange outages push {sym} down more than up?",
    "Longs cannot defend themselves, shorts need not. Is it as simple as that?",
  ],
  [
    "correlation",
    null,
    "When does {sym} stop following BTC?",
    "The correlation drops for days around its own news, and after large unlocks. What else?",
  ],
  [
    "correlation",
    null,
    "Is there a time of day when alts lead BTC?",
    "Asian mornings look like it. Lead and lag by hour would settle the question.",
  ],
  [
    "volatility",
    null,
    "Does low volatility in {sym} predict anything but volatility?",
    "Everybody says the direction is open. I wonder whether it is really even.",
  ],
  [
    "volatility",
    null,
    "How long do volatility regimes last in {sym}?",
    "Weeks, I suppose. It would tell how long a playbook’s stop distance stays valid.",
  ],
  [
    "fees",
    null,
    "Which of my setups would not survive double fees?",
    "Scalps, surely. The question is what else.",
  ],
  [
    "fees",
    null,
    "What is a passive fill worth on {sym}?",
    "Compare entries by limit and by market at the same signals, slippage included.",
  ],
  [
    "tooling",
    null,
    "Does the scanner miss slow anomalies?",
    "It looks at hours. A build of open interest over five days would pass under it.",
  ],
  [
    "tooling",
    null,
    "Which anomaly types fire together?",
    "Pairs of signals within an hour may say more than either alone.",
  ],
];

const STARTS = [
  "Came up today: ",
  "For a quiet hour. ",
  "Worth a look at the data. ",
  "",
  "",
  "Open question. ",
  "A thought while watching {sym}. ",
];

/** Writes the curiosities. */
export function writeCuriosities(world: World): void {
  const { market, journal, truth, quota } = world;
  const random = world.random.fork("curiosities");
  const seen = new Set<string>();
  for (let i = 0; i < quota.curiosities; i++) {
    const raw =
      market.start + ((i + random.unit()) / quota.curiosities) * (market.end - market.start - DAY);
    const at = raw - (raw % MINUTE) + 10 * MINUTE;
    const [topic, setup, title, text] = random.deal(QUESTIONS);
    let coin = random.weighted(COINS, (one) => one.weight);
    for (let tries = 0; seen.has(fill(title, { sym: coin.symbol })) && tries < 12; tries++)
      coin = random.pick(COINS);
    const slots = { sym: coin.symbol };
    const about = title.includes("{sym}") ? coin.symbol : null;
    seen.add(fill(title, slots));
    const node = journal.add({
      subtype: "custom:curiosity",
      at,
      title: fill(title, slots),
      body: [
        `${fill(random.deal(STARTS), slots)}${fill(text, slots)}`.trim(),
        stateSentence(snapshot(market, coin.symbol, at), at, random),
      ].join(" "),
      tags: [...(about ? [about] : []), ...(setup ? [setup] : []), topic],
    });
    const answer = truth.lessons.find((lesson) => {
      const later = journal.get(lesson.id).created_at - at;
      return setup !== null && lesson.setup === setup && later > DAY && later < 60 * DAY;
    });
    const answered = answer !== undefined && random.chance(0.6) ? answer : null;
    if (answered) journal.link("derived_from", journal.get(answered.id), node);
    truth.curiosities.push({
      id: node.id,
      topic,
      symbol: about,
      answered_by: answered?.id ?? null,
    });
  }
}
