// The texts of lessons: one point for each lesson, with the kind of trade that teaches it.

import type { SetupKey } from "./setups.ts";

/** The kind of closed trade that a lesson is learned from. */
export type Teacher =
  | "any"
  | "win"
  | "loss"
  | "gave_back"
  | "ran"
  | "time"
  | "weekend"
  | "leverage"
  | "partial"
  | "break_even"
  | "broken";

/** A lesson's texts, and the kind of trade that teaches it. */
export interface Point {
  topic: string;
  setup: SetupKey | null;
  teacher: Teacher;
  title: string;
  text: string;
  rule: string;
}

type Row = readonly [topic: string, teacher: Teacher, title: string, text: string, rule: string];

const point =
  (setup: SetupKey | null) =>
  ([topic, teacher, title, text, rule]: Row): Point => ({
    topic,
    setup,
    teacher,
    title,
    text,
    rule,
  });

const GENERAL: readonly Row[] = [
  [
    "stop placement",
    "ran",
    "Stops at round numbers get collected",
    "My stop stood where everybody’s stop stands and was taken to the tick before the move began.",
    "Put the stop a third of an hourly range beyond the obvious level and size down for it.",
  ],
  [
    "stop placement",
    "loss",
    "A stop belongs where the idea is wrong",
    "I had placed the stop by what I was ready to lose, and the idea was still fine when it went.",
    "Find the invalidation first, then compute the size from it.",
  ],
  [
    "break-even stops",
    "break_even",
    "Break-even after one R is often too early",
    "Moving the stop to the entry felt safe and took me out of a position that only needed to breathe.",
    "Wait for the first higher low, or lower high, before the stop goes to the entry.",
  ],
  [
    "break-even stops",
    "break_even",
    "A scratch is not a loss",
    "Coming out at the entry annoyed me for an hour and cost nothing. The annoyance was the expensive part.",
    "After a scratch no new trade in the same coin for two hours.",
  ],
  [
    "taking profit",
    "gave_back",
    "Giving back a good move hurts twice",
    "Most of the open profit was handed back because the only exits I had planned were the stop and the target.",
    "Write down a third exit at entry: what do I do at half of the target.",
  ],
  [
    "taking profit",
    "partial",
    "A partial at one and a half R keeps me calm",
    "With part of the position banked I let the rest work without looking at every tick.",
    "Take a third at one and a half R unless the trend is on the daily chart.",
  ],
  [
    "taking profit",
    "win",
    "Let the target be a limit order",
    "The target filled on a wick while I was busy elsewhere; by hand I would have hesitated.",
    "Targets rest in the book, always.",
  ],
  [
    "taking profit",
    "gave_back",
    "The best exit is where others are forced",
    "The peak of the move came with a burst of liquidations, and that was the exit I let go by.",
    "Sell into forced buying, buy into forced selling, even ahead of the target.",
  ],
  [
    "time stops",
    "time",
    "Time is an invalidation too",
    "Neither stop nor target came and the capital stood still while better signals passed.",
    "No progress in half of the planned time: halve it. At the full time: out.",
  ],
  [
    "time stops",
    "time",
    "What works, works early",
    "My winners are usually in front within the first quarter of the planned time; this one never was.",
    "Ask at a quarter of the time whether I would enter now. If not, tighten.",
  ],
  [
    "sizing",
    "loss",
    "Confidence is not a position size",
    "I sized by how sure I felt. The result did not care.",
    "Size comes from stop distance and equity. Confidence may reduce it, never raise it.",
  ],
  [
    "sizing",
    "leverage",
    "Ten times leverage turns noise into decisions",
    "At this leverage the normal hourly range of {sym} was enough to make me interfere.",
    "No more than eight times on anything that moves more than three percent a day.",
  ],
  [
    "sizing",
    "leverage",
    "Margin use limits my choices",
    "With this leverage one position tied up the margin that two better ideas needed.",
    "Keep a third of the margin free for what comes next.",
  ],
  [
    "sizing",
    "win",
    "A small winner with a plan beats a large guess",
    "The size was ordinary and the execution followed the plan; that was all it took.",
    "Keep risk per trade between 0.8 and 1.8 percent.",
  ],
  [
    "weekends",
    "weekend",
    "Weekend books are different animals",
    "Depth was a third of a weekday’s and each level was crossed twice before it mattered.",
    "At weekends half size and wider levels, or nothing.",
  ],
  [
    "weekends",
    "weekend",
    "Do not carry a weekend entry into Monday by hope",
    "The weekend thesis ended when the desks came back, I only noticed later.",
    "Weekend positions are reviewed on Sunday at 22:00 UTC without exception.",
  ],
  [
    "reading news",
    "broken",
    "Check the calendar before the chart",
    "The reason for the move stood in the calendar and I found it after I was in.",
    "Look at the calendar for the next twelve hours before every entry.",
  ],
  [
    "early exits",
    "broken",
    "Leaving early on a broken reason saves money",
    "The condition I had named at entry happened, and leaving at once cost half of what the stop would have.",
    "If the stated doubt comes true, close. No second opinion.",
  ],
  [
    "early exits",
    "broken",
    "Name the doubt when entering",
    "Because the doubt was written down there was no debate when it came.",
    "Each entry names one observation that ends it early.",
  ],
  [
    "revenge trading",
    "loss",
    "The trade after a loss is the dangerous one",
    "The urge to get it back arrived within minutes and looked exactly like analysis.",
    "After a full stop wait for one funding interval before a new entry.",
  ],
  [
    "revenge trading",
    "loss",
    "Two losses in one coin end the day for that coin",
    "The second attempt on {sym} had less reason behind it than the first.",
    "Two stops in one coin: it is off the list until tomorrow.",
  ],
  [
    "correlation",
    "loss",
    "Two alt longs are one BTC long",
    "What looked like separate ideas was one bet on the tide, and the tide went out.",
    "Count positions by beta, not by ticker. At most two units of beta.",
  ],
  [
    "correlation",
    "any",
    "Rank signals before the limit is reached",
    "The first signals of the morning took the room that the better ones needed.",
    "When several signals fire in one hour, rank by severity times sample before acting.",
  ],
  [
    "execution",
    "any",
    "Limits in calm books, market orders in fast ones",
    "The fill decided a good part of the result.",
    "When the spread is at twice its norm, cross it with a third and wait with the rest.",
  ],
  [
    "execution",
    "loss",
    "Slippage is part of the risk",
    "The loss was larger than the plan by the width of the book.",
    "Add the five-minute depth to the stop distance before sizing.",
  ],
  [
    "patience",
    "win",
    "The retest was worth the wait",
    "Not chasing the first candle gave a better entry and a tighter stop.",
    "No entries in the first fifteen minutes of an impulse.",
  ],
  [
    "patience",
    "ran",
    "Right direction, wrong minute",
    "The idea was right and I was stopped before it worked; the signal had asked for confirmation and I had skipped it.",
    "Wait for the confirmation that the playbook names, or take half size.",
  ],
  [
    "patience",
    "any",
    "Fewer, better",
    "Looking back at the week, the trades I remember the reason for are the ones that paid.",
    "If the reason does not fit in two sentences, there is no trade.",
  ],
  [
    "funding cost",
    "time",
    "Funding decides slow trades",
    "Holding for so long cost a noticeable share of the move in funding.",
    "For holds beyond a day, put expected funding into the target.",
  ],
  [
    "funding cost",
    "win",
    "Being paid to wait changes the patience I have",
    "With funding on my side I let the position run longer, and it needed it.",
    "Prefer the side that receives when two ideas are equal.",
  ],
  [
    "reentry",
    "ran",
    "A stop is no verdict on the idea",
    "After the stop I looked away from {sym}, and the target was reached without me.",
    "One re-entry is allowed when the signal is still valid within six hours.",
  ],
  [
    "reentry",
    "any",
    "Second entries deserve their own plan",
    "The second entry used the levels of the first, which price had already outlived.",
    "New entry, new levels, new size.",
  ],
  [
    "journal",
    "any",
    "Write the reason before the order",
    "The notes made before the entry were useful afterwards, those made later were stories.",
    "No order without the sentence that says why.",
  ],
  [
    "trend",
    "win",
    "With the trend of the week everything is easier",
    "The weekly direction forgave a mediocre entry.",
    "Against the weekly trend only scalps.",
  ],
  [
    "trend",
    "loss",
    "Against the weekly trend I need to be quick",
    "A counter-trend trade held like a trend trade gave the trend time to come back.",
    "Counter-trend: target at one and a half R, time limit halved.",
  ],
  [
    "liquidity",
    "loss",
    "Thin hours punish market orders",
    "Between 21 and 1 UTC the book of {sym} is half as deep and my order was felt.",
    "Outside the main sessions only limit orders.",
  ],
  [
    "liquidity",
    "any",
    "Liquidity sits where it hurts",
    "Price went to where the orders were, not where I thought it ought to go.",
    "Mark the two nearest clusters of liquidations before every entry.",
  ],
  [
    "signals",
    "any",
    "Severity above 0.8 deserves attention within minutes",
    "The strong signals lose half of their value in the first half hour.",
    "Severity beyond 0.8 is handled before anything else.",
  ],
  [
    "signals",
    "loss",
    "One signal is an observation, two are a reason",
    "There was a single anomaly and nothing that agreed with it.",
    "Full size only with two independent anomalies.",
  ],
  [
    "holding winners",
    "win",
    "Trails pay on trend days",
    "The trail kept most of a move that a fixed target would have cut.",
    "On days when BTC moves more than two percent, trail instead of targeting.",
  ],
  [
    "holding winners",
    "gave_back",
    "A trail too tight is a random exit",
    "An ordinary pullback reached the trail; the move went on afterwards.",
    "Trail by hourly swings, not by percent.",
  ],
];

const BY_SETUP: Readonly<Record<SetupKey, readonly Row[]>> = {
  funding_fade: [
    [
      "funding fade timing",
      "win",
      "Funding squeezes often reverse within a day",
      "Extreme hourly funding on {sym} came back to neutral within a day and price came with it.",
      "Fade once price stalls, never while funding still accelerates.",
    ],
    [
      "funding fade timing",
      "loss",
      "Extreme funding can stay extreme",
      "Funding stayed stretched for another session while price went on squeezing.",
      "Require a failed new extreme before the fade; funding alone is no trigger.",
    ],
    [
      "funding fade on memes",
      "loss",
      "Meme coins do not care about funding",
      "Crowds in coins like {sym} pay any carry as long as the story is alive.",
      "No funding fades on memes, or a quarter of the size.",
    ],
    [
      "funding fade exit",
      "gave_back",
      "Leave the funding fade at neutral",
      "I stayed after funding had normalised and the edge had gone with it.",
      "Neutral funding is the exit, wherever price is.",
    ],
    [
      "funding fade carry",
      "any",
      "The carry is not the trade",
      "Collecting funding for a few hours never paid for a bad entry.",
      "Ignore the carry when placing the stop.",
    ],
  ],
  liquidation_bounce: [
    [
      "cascade timing",
      "loss",
      "The first bounce in a cascade is bait",
      "I bought, or sold, the first pause; the second wave came two hours later.",
      "Wait until liquidations have been quiet for ten minutes.",
    ],
    [
      "cascade timing",
      "win",
      "Quiet tape after a cascade is the entry",
      "The five minutes without liquidation prints marked the turn almost exactly.",
      "Enter in thirds once prints stop, the last third on the first higher low.",
    ],
    [
      "cascade depth",
      "win",
      "Majors bounce, small caps bleed",
      "Deep books refill after forced flow; this worked because {sym} has makers who come back.",
      "Cascade bounces only in coins with real depth.",
    ],
    [
      "cascade target",
      "gave_back",
      "Half of the cascade is enough",
      "The retrace reached half of the drop, hesitated, and I wanted the whole.",
      "Half off at the 50% retrace, the rest at break-even.",
    ],
  ],
  breakout_retest: [
    [
      "breakout weekends",
      "weekend",
      "Weekend breakouts are traps",
      "The break happened on weekend volume and weekday volume undid it.",
      "No breakout trades from Friday 22:00 to Sunday 22:00 UTC.",
    ],
    [
      "breakout volume",
      "loss",
      "No volume, no breakout",
      "The level gave way without anybody behind it; an hour later price was back inside.",
      "The breaking hour needs twice its usual volume.",
    ],
    [
      "breakout retest",
      "win",
      "Buy the retest, not the break",
      "The retest held for three candles and gave a stop half as wide.",
      "Limit order at the broken edge, skip the trade if it never comes back.",
    ],
    [
      "breakout spot lead",
      "win",
      "Breakouts led by spot hold",
      "Spot broke the level first and perps followed; the retest was never in danger.",
      "Compare spot and perp prints in the breaking minute.",
    ],
    [
      "breakout counting",
      "loss",
      "The third test breaks, the fifth one exhausts",
      "By the time it broke, everybody who wanted to be in was in.",
      "Prefer breaks on the third or fourth test.",
    ],
  ],
  crowded_positioning: [
    [
      "open interest reading",
      "loss",
      "Rising open interest is not always a crowd",
      "It was one large account, and it was right.",
      "Look at the long/short account ratio before calling it a crowd.",
    ],
    [
      "open interest reading",
      "win",
      "Leverage that is not rewarded leaves at once",
      "Open interest had climbed for hours for nothing; the unwind took minutes.",
      "Set the entry order before the unwind, there is no time during it.",
    ],
    [
      "absorption",
      "win",
      "Absorption shows in the tape before the chart",
      "Large prints at one price that did not move it told the story early.",
      "Three absorbed pushes at one price are the trigger.",
    ],
    [
      "crowd patience",
      "time",
      "Crowds can be patient",
      "The position build lasted longer than my time limit.",
      "Start the clock at the first structure break, not at the signal.",
    ],
  ],
  cvd_divergence: [
    [
      "divergence entry",
      "loss",
      "A divergence is a condition, not an entry",
      "I took the divergence itself as the signal and was early by hours.",
      "Enter on a failed extreme while the divergence is in place.",
    ],
    [
      "divergence entry",
      "win",
      "Spot leads when it disagrees",
      "Price followed spot flow within the day.",
      "When spot and perps disagree, side with spot.",
    ],
    [
      "divergence exit",
      "any",
      "When spot flips, so do I",
      "The reason for the trade was spot flow; its flip was the exit signal.",
      "Close when spot delta over two hours changes its sign.",
    ],
    [
      "divergence venues",
      "loss",
      "One venue’s delta is not spot flow",
      "The delta came from a single exchange with a fee promotion.",
      "Aggregate at least three spot venues.",
    ],
  ],
  spike_fade: [
    [
      "spike news",
      "loss",
      "Search for the news before fading the spike",
      "The headline came after my entry and it was real.",
      "Fifteen minutes of searching, then half size.",
    ],
    [
      "spike thin book",
      "win",
      "Thin-book spikes return",
      "The spike had swept an empty book; there was no flow behind it.",
      "Fade spikes whose volume is small for their size.",
    ],
    [
      "spike second push",
      "ran",
      "Spikes like a second push",
      "The second push took the stop and then everything came back.",
      "Place the stop for two pushes or wait for the second.",
    ],
  ],
  trend_pullback: [
    [
      "pullback first test",
      "win",
      "First tests of the average are the good ones",
      "The first touch in weeks was bought, or sold, at once.",
      "Take the first and second test, skip the third.",
    ],
    [
      "pullback volume",
      "loss",
      "A pullback with rising volume is a reversal",
      "Volume grew into the level; I looked at the level only.",
      "Falling volume into the average, or no trade.",
    ],
    [
      "pullback patience",
      "gave_back",
      "Hold pullback trades for the old extreme",
      "I was out at the first hesitation and the old extreme was reached the next day.",
      "No management before one and a half R in this setup.",
    ],
    [
      "pullback in SOL",
      "win",
      "SOL respects its 4-hour average",
      "Of all coins SOL treats the 4-hour average as if everybody had drawn it.",
      "SOL pullbacks may have full size at once.",
    ],
    [
      "pullback funding",
      "loss",
      "A pullback with hot funding is not finished",
      "Funding was still stretched when I entered, and it took another leg to reset.",
      "Funding near neutral before joining a trend.",
    ],
  ],
  etf_flow_follow: [
    [
      "ETF flow lag",
      "win",
      "ETF flow reaches price with a day of lag",
      "The number was known in the evening and the move came in the next New York session.",
      "Enter in Asian hours after the number, out by the second New York close.",
    ],
    [
      "ETF flow one print",
      "loss",
      "One ETF print proves nothing",
      "The next day’s number took it all back.",
      "Two prints in the same direction before a trade.",
    ],
    [
      "ETF flow size",
      "any",
      "Compare flows with the month, not with zero",
      "A figure that sounds large was average for the month.",
      "Use twice the monthly mean as the threshold.",
    ],
  ],
  first_move_fade: [
    [
      "macro first move",
      "win",
      "The first move after a print is positioning",
      "Two-year yields did not confirm and the move was gone within the session.",
      "Wait fifteen minutes, compare with yields, fade small.",
    ],
    [
      "macro first move",
      "loss",
      "Do not fade a real surprise",
      "Two tenths away from consensus is information, not positioning.",
      "Beyond two tenths no fade.",
    ],
    [
      "macro spreads",
      "any",
      "Spreads after a print eat the edge",
      "The entry alone cost a tenth of the stop.",
      "Limit orders only for ten minutes after a print.",
    ],
  ],
  book_flip_scalp: [
    [
      "order book",
      "loss",
      "Walls that do not refill are paint",
      "The size I leaned on was pulled the moment price came near.",
      "Only lean on size that has been hit and refilled.",
    ],
    [
      "order book",
      "win",
      "Leave before the wall does",
      "The exit at the next pocket came before the book changed its mind.",
      "Scalps end at the first pocket of liquidity.",
    ],
    [
      "order book small caps",
      "loss",
      "Book signals in small coins are noise",
      "In a coin as thin as {sym} one maker is the whole book.",
      "Book flips only in BTC, ETH and SOL.",
    ],
  ],
  weekend_gap: [
    [
      "CME gap",
      "win",
      "Gaps without news fill by Tuesday",
      "Nothing had happened over the weekend and price went back to where Friday had left it.",
      "Two entries, Sunday night and after London has opened.",
    ],
    [
      "CME gap",
      "loss",
      "A gap with news is a new price",
      "There was a reason for the drift and Monday agreed with it.",
      "Any headline over the weekend cancels the gap trade.",
    ],
  ],
  relative_strength: [
    [
      "relative strength",
      "win",
      "Leaders stay leaders for a day or two",
      "The ratio kept rising through two dips of BTC.",
      "Hold while the ratio makes higher lows, whatever the dollar chart does.",
    ],
    [
      "relative strength",
      "loss",
      "Relative strength dies with BTC",
      "When BTC moved hard there were no leaders, only exits.",
      "Halve relative trades when BTC leaves its daily range.",
    ],
    [
      "relative strength exit",
      "gave_back",
      "The ratio is the exit",
      "The dollar price looked fine long after the ratio had turned.",
      "Stop on the pair, not on the coin.",
    ],
    [
      "rotation",
      "time",
      "Rotation moves on without saying goodbye",
      "The flow had gone to the next coin and mine simply stopped moving.",
      "Flat for a day means the rotation is over.",
    ],
  ],
  deleveraging_reentry: [
    [
      "after a flush",
      "win",
      "After the flush the trend is lighter",
      "With a tenth of open interest gone the old trend resumed without resistance.",
      "Re-enter on the first higher low, or lower high, after funding is at zero.",
    ],
    [
      "after a flush",
      "loss",
      "There can be a second flush",
      "I joined after the first one and was part of the second.",
      "Wait for one funding interval at zero.",
    ],
    [
      "flush and spot",
      "loss",
      "When spot sells as well it is not a flush",
      "The spot premium had gone negative, which I noted and ignored.",
      "Negative spot premium cancels the re-entry.",
    ],
  ],
};

/** All points. */
export const POINTS: readonly Point[] = [
  ...GENERAL.map(point(null)),
  ...(Object.entries(BY_SETUP) as [SetupKey, readonly Row[]][]).flatMap(([setup, rows]) =>
    rows.map(point(setup)),
  ),
];
