// Questions over the trader's memory beside the labelled ones: paraphrases of lessons, which share
// no content word with their lesson by stem, and questions that the memory cannot answer.

/** A paraphrase. Every lesson with one of the titles answers it. */
export interface Paraphrase {
  readonly text: string;
  readonly titles: readonly string[];
}

type Row = readonly [text: string, ...titles: string[]];

const ROWS: readonly Row[] = [
  ["Why leave profit-taking to an automatic instruction?", "Let the target be a limit order"],
  ["Can periodic income rescue a poor position?", "The carry is not the trade"],
  [
    "How should I execute when quotes are jumpy?",
    "Limits in calm books, market orders in fast ones",
  ],
  ["What happens to outperforming tokens once bitcoin plunges?", "Relative strength dies with BTC"],
  [
    "How much corroboration do I need prior to acting?",
    "One signal is an observation, two are a reason",
  ],
  ["Why did betting against an overpaid crowd come too early?", "Extreme funding can stay extreme"],
  ["Should I justify myself on paper ahead of buying?", "Write the reason before the order"],
  ["When does a ratcheting exit beat a goal?", "Trails pay on trend days"],
  ["Why did jumping in at the initial washout hurt?", "There can be a second flush"],
  ["Is a single inflow figure convincing?", "One ETF print proves nothing"],
  [
    "Is joining the initial push sensible, or patience superior?",
    "Buy the retest, not the break",
    "The retest was worth the wait",
  ],
  [
    "For which duration may I stay in when the larger direction opposes me?",
    "Against the weekly trend I need to be quick",
  ],
  ["Toward which zones do quotes gravitate?", "Liquidity sits where it hurts"],
  ["How do I avoid revenge?", "The trade after a loss is the dangerous one"],
  ["May I reuse former marks when getting in again?", "Second entries deserve their own plan"],
  ["Are joke tokens immune to holding costs?", "Meme coins do not care about funding"],
  ["How does noting my worry upfront help?", "Name the doubt when entering"],
  [
    "How many visits to the smoothed line remain trustworthy?",
    "First tests of the average are the good ones",
  ],
  ["How persistent is outperformance?", "Leaders stay leaders for a day or two"],
  ["How do I spot somebody soaking up supply?", "Absorption shows in the tape before the chart"],
  [
    "How do I prioritise when many alerts ring together?",
    "Rank signals before the limit is reached",
  ],
  [
    "What decides about the exit distance for protection?",
    "A stop belongs where the idea is wrong",
  ],
  ["Whom do I trust if cash buyers and derivatives contradict?", "Spot leads when it disagrees"],
  ["Which baseline makes inflows meaningful?", "Compare flows with the month, not with zero"],
  [
    "Does the move continue once borrowed bets are cleared?",
    "After the flush the trend is lighter",
  ],
  [
    "How urgent are the most intense alerts?",
    "Severity above 0.8 deserves attention within minutes",
  ],
  ["Would doing less improve my results?", "Fewer, better"],
  ["Why did I forfeit more than intended?", "Slippage is part of the risk"],
  ["Which surges are reliable?", "Breakouts led by spot hold"],
  [
    "When is it safe to buy following forced selling?",
    "Quiet tape after a cascade is the entry",
    "The first bounce in a cascade is bait",
  ],
  ["Are illiquid tokens suitable for rebounds?", "Majors bounce, small caps bleed"],
  ["May conviction enlarge my stake?", "Confidence is not a position size"],
  [
    "When must I leave an asset alone until the next morning?",
    "Two losses in one coin end the day for that coin",
  ],
  ["Is modest but disciplined betting superior?", "A small winner with a plan beats a large guess"],
  ["When is it costly to demand immediate execution?", "Thin hours punish market orders"],
  ["What soothes my nerves during a winner?", "A partial at one and a half R keeps me calm"],
  ["Are several bullish wagers truly diversified?", "Two alt longs are one BTC long"],
  ["Could a lone whale explain growing exposure?", "Rising open interest is not always a crowd"],
  [
    "How abruptly does unproductive borrowing exit?",
    "Leverage that is not rewarded leaves at once",
  ],
  ["What does heavy activity during a dip tell me?", "A pullback with rising volume is a reversal"],
  ["How soon do overheated rates normalise?", "Funding squeezes often reverse within a day"],
  ["Does a hole caused by breaking reports close again?", "A gap with news is a new price"],
];

/** The paraphrases of lessons. */
export const PARAPHRASES: readonly Paraphrase[] = ROWS.map(([text, ...titles]) => ({
  text,
  titles,
}));

/**
 * Questions that the trader's memory cannot answer. The kind `unanswerable-close` asks about
 * trading.
 */
export const UNANSWERABLE: readonly {
  readonly text: string;
  readonly kind: "unanswerable" | "unanswerable-close";
}[] = [
  { kind: "unanswerable-close", text: "Which exchange pays the highest staking yield on Cardano?" },
  { kind: "unanswerable-close", text: "What was my largest loss in crude oil futures?" },
  { kind: "unanswerable-close", text: "When did I short gold?" },
  { kind: "unanswerable-close", text: "How much tax did I pay on the trades of last year?" },
  { kind: "unanswerable", text: "Which restaurant did we book for the anniversary?" },
  { kind: "unanswerable", text: "How do I descale the espresso machine?" },
  { kind: "unanswerable", text: "What did the paediatrician say about the vaccination?" },
  { kind: "unanswerable", text: "Where are the skis stored?" },
];
