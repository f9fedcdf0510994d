// The thirteen setups that the agent trades: the scanner's measure, the reason for a trade, the
// probability that the market follows, and the agent's words for each.
//
// Percentages are for a market as calm as BTC, and positive in the direction of the trade. In the
// sentences {crowd} is the side that is caught, {pushed} and {push} are the direction of the price
// before, {value} is the measured value.

export type SetupKey =
  | "funding_fade"
  | "liquidation_bounce"
  | "breakout_retest"
  | "crowded_positioning"
  | "cvd_divergence"
  | "spike_fade"
  | "trend_pullback"
  | "etf_flow_follow"
  | "first_move_fade"
  | "book_flip_scalp"
  | "weekend_gap"
  | "relative_strength"
  | "deleveraging_reentry";

/** A setup: its market behaviour, its plan of a trade, and its texts. */
export interface Setup {
  key: SetupKey;
  label: string;
  anomaly: string;
  /** The share of occurrences in which the price then moves with the bias. */
  edge: number;
  /** The relative frequency of the setup. */
  weight: number;
  /** Whether the caught side was positioned against the trade, or with it. */
  crowd: "against" | "with";
  /** The symbols that the setup is limited to. */
  symbols?: readonly string[];
  /** The move of the hours before, and of the hours after if the setup works. */
  before: { hours: number; percent: readonly [number, number] };
  after: { hours: number; percent: readonly [number, number] };
  /** The distances of stop and target, and the longest duration of the trade in hours. */
  plan: { stop: number; target: number; hours: number };
  tradeType: "macro" | "swing" | "scalp";
  signalTitles: readonly string[];
  saw: readonly string[];
  means: readonly string[];
  why: readonly string[];
  won: readonly string[];
  lost: readonly string[];
  playbook: { text: string; action: string; minSeverity: number };
}

export const SETUPS: readonly Setup[] = [
  {
    key: "funding_fade",
    label: "funding fade",
    anomaly: "funding_extreme",
    crowd: "against",
    edge: 0.72,
    weight: 1.3,
    before: { hours: 14, percent: [-3.2, -1.6] },
    after: { hours: 30, percent: [2.6, 4.6] },
    plan: { stop: 1.7, target: 3.4, hours: 42 },
    tradeType: "swing",
    signalTitles: [
      "{sym} funding at {value}: {crowd} paying up",
      "Funding extreme on {sym} ({value})",
      "{sym} perp {crowd} overpaying, funding {value}",
      "Crowded {crowd} in {sym}, funding hits {value}",
    ],
    saw: [
      "Hourly funding on {sym} reached {value}, the highest reading against {crowd} in {days} days.",
      "{sym} perps pay {value} an hour while spot barely follows; {crowd} are the ones paying.",
      "Funding on {sym} climbed for {count} intervals in a row and printed {value} at {price}.",
      "The {sym} perp drifted away from the index and funding went to {value} with price {pushed} {move} in half a day.",
    ],
    means: [
      "When {crowd} pay this much to wait, they tend to stop waiting within a day.",
      "The carry makes holding expensive for {crowd}; a stall is usually enough to start the unwind.",
      "Nothing has forced {crowd} out yet, so the reversal still lies ahead.",
    ],
    why: [
      "Fading the crowd: funding at {value} with price {pushed} {move} and no spot bid behind it.",
      "{crowd} are paying {value} an hour and the last {count} highs in open interest came without volume.",
      "The squeeze has run for most of a day and funding is stretched; I want to be on the side that gets paid.",
    ],
    won: [
      "Funding came back to neutral while the position was open, exactly the unwind the setup asks for.",
      "The crowd gave up in one candle; the carry was a small extra.",
    ],
    lost: [
      "Funding stayed extreme for another session: the crowd was early, not wrong.",
      "The squeeze had one more leg in it and funding rose even further before it broke.",
    ],
    playbook: {
      text: "Hourly funding beyond four times its monthly mean while price stalls. Wait for a failed new extreme on the 15-minute chart, then take the other side of the crowd. Leave when funding is back to neutral, whatever the profit is by then.",
      action:
        "Enter against the paying side in two parts, stop beyond the squeeze extreme, out at neutral funding",
      minSeverity: 0.55,
    },
  },
  {
    key: "liquidation_bounce",
    label: "liquidation bounce",
    anomaly: "liquidation_cascade",
    crowd: "with",
    edge: 0.7,
    weight: 1.1,
    before: { hours: 3, percent: [-4.6, -2.6] },
    after: { hours: 18, percent: [2.2, 3.9] },
    plan: { stop: 1.9, target: 3.0, hours: 28 },
    tradeType: "swing",
    signalTitles: [
      "{sym} liquidation cascade: {value} of {crowd}",
      "{value} of {sym} {crowd} liquidated",
      "Forced {sym} {flow}: {value} in under an hour",
      "Cascade on {sym}, {crowd} wiped out ({value})",
    ],
    saw: [
      "{value} of {sym} {crowd} were liquidated while price went {pushed} {move} to {price}.",
      "A chain of forced {flow} ran through the {sym} book: {value} gone, spread three times its usual width.",
      "Liquidations on {sym} reached {value} in {minutes} minutes, most of it on two venues.",
      "Price {pushed} {move} in three hours; the last {minutes} minutes were almost only liquidations, {value} of them.",
    ],
    means: [
      "Forced flow ends when there is nobody left to force; the first quiet five minutes are the tell.",
      "Open interest has been reset, so the way back is light.",
      "The bids that were pulled usually come back within the hour.",
    ],
    why: [
      "{value} of {crowd} are gone and the tape has slowed: the forced {flow} look finished.",
      "Buying back what was dumped by force, or selling what was bought by force: {crowd} are out after {move}.",
      "Liquidation prints stopped for ten minutes, the book refilled on my side, price {pushed} {move}.",
    ],
    won: [
      "The void left by the cascade filled as fast as it had opened.",
      "Half of the cascade was retraced before the next funding interval.",
    ],
    lost: [
      "A second wave of liquidations came two hours later and took the stop.",
      "There was real flow behind the cascade this time, not only forced orders.",
    ],
    playbook: {
      text: "After a cascade, wait until liquidation prints have been quiet for five to ten minutes and the order book refills on the beaten side. Enter in thirds, never while it still falls. First target is half of the cascade, the rest runs to the level where it began.",
      action:
        "Scale in by thirds once forced flow stops, stop beyond the wick, half off at the 50% retrace",
      minSeverity: 0.6,
    },
  },
  {
    key: "breakout_retest",
    label: "breakout retest",
    anomaly: "range_break",
    crowd: "against",
    edge: 0.52,
    weight: 1.1,
    before: { hours: 5, percent: [1.2, 2.4] },
    after: { hours: 26, percent: [1.8, 3.6] },
    plan: { stop: 1.4, target: 3.2, hours: 40 },
    tradeType: "swing",
    signalTitles: [
      "{sym} leaves its range at {value}",
      "Range break on {sym}: {value} gives way",
      "{sym} trades {beyond} {value} on volume",
      "{value} broken on {sym}, retest pending",
    ],
    saw: [
      "{sym} closed an hour {beyond} {value}, the edge that had held for {days} days.",
      "After {count} tries {value} gave way on {sym}; the hour carried {ratio} times its usual volume.",
      "{sym} went {pushed} {move} and left the range at {value} without a wick back inside.",
      "Resting orders at {value} on {sym} were eaten in {minutes} minutes.",
    ],
    means: [
      "The retest decides: held from the other side it is a trend, lost it is a trap.",
      "Late {crowd} have stops on the other side, which is fuel if the level holds.",
      "I would rather pay up on the retest than chase the first candle.",
    ],
    why: [
      "Retest of {value} held for {count} candles; invalidation is tight and sits back inside the range.",
      "The break of {value} came with {ratio} times normal volume, and the pullback had none.",
      "Entering at the retest of {value} after the break {pushed} {move}; spot led the perps.",
    ],
    won: [
      "The old edge held from the other side and never came under pressure again.",
      "Trapped {crowd} paid for most of the move.",
    ],
    lost: [
      "Price slipped back into the range and the retest turned out to be the top of the move.",
      "Breakout without follow-through: volume dried up right after the entry.",
    ],
    playbook: {
      text: "A range of at least five days breaks on twice its usual volume. Do not take the first candle. Take the first retest that holds the broken edge for three 15-minute closes. No trade at weekends, when the retest fails more often than it holds.",
      action:
        "Limit order at the retest of the broken edge, stop half a percent inside the range, trail under hourly lows",
      minSeverity: 0.5,
    },
  },
  {
    key: "crowded_positioning",
    label: "crowded positioning",
    anomaly: "oi_surge",
    crowd: "against",
    edge: 0.6,
    weight: 0.9,
    before: { hours: 10, percent: [-1.6, -0.7] },
    after: { hours: 28, percent: [2.0, 3.8] },
    plan: { stop: 1.6, target: 3.1, hours: 44 },
    tradeType: "swing",
    signalTitles: [
      "{sym} open interest {value} with price going nowhere",
      "OI surge on {sym} ({value}), {crowd} leaning hard",
      "{sym}: {value} open interest against a flat tape",
      "Positioning builds on {sym}, open interest {value}",
    ],
    saw: [
      "Open interest on {sym} rose {value} in {hours} hours while price only made {move}.",
      "New {crowd} keep arriving on {sym}: open interest {value}, spot volume down.",
      "{sym} open interest is {value} over the session and the long/short ratio leans to {crowd}.",
      "Somebody builds a large {sym} position: {value} open interest at {price}, almost no price response.",
    ],
    means: [
      "So much leverage for so little movement means somebody patient takes the other side.",
      "If price does not go their way soon, these positions become the fuel.",
      "Leverage that is not rewarded quickly tends to leave all at once.",
    ],
    why: [
      "Open interest {value} bought {crowd} only {move}; I take the absorbing side.",
      "The late {crowd} have no cushion. Entry near the middle of their entries, stop beyond the extreme.",
      "Absorption at {price} for {hours} hours, then the first lower-timeframe break against {crowd}.",
    ],
    won: [
      "The late crowd closed into us, open interest fell back to where it had started.",
      "Absorption resolved the way it usually does, once it began it took two hours.",
    ],
    lost: [
      "The builder of that position was right and had more size than the absorber.",
      "Open interest kept rising through the stop: this was accumulation, not a crowd.",
    ],
    playbook: {
      text: "Open interest up by a tenth or more within half a day while price moves less than one percent. Find out which side pays funding: that side is the crowd. Enter on the first structure break against it, and accept being early once, not twice.",
      action:
        "Fade the paying side after the first 15-minute structure break, full size only when open interest starts to fall",
      minSeverity: 0.5,
    },
  },
  {
    key: "cvd_divergence",
    label: "CVD divergence",
    anomaly: "cvd_divergence",
    crowd: "against",
    edge: 0.58,
    weight: 0.9,
    before: { hours: 12, percent: [-2.0, -1.0] },
    after: { hours: 24, percent: [1.8, 3.2] },
    plan: { stop: 1.5, target: 2.8, hours: 36 },
    tradeType: "swing",
    signalTitles: [
      "Spot CVD diverges on {sym} ({value})",
      "{sym} CVD divergence: {value} against the move",
      "{sym} price {pushed}, spot flow {value} the other way",
      "Perp-led {push} in {sym}, spot CVD {value}",
    ],
    saw: [
      "{sym} went {pushed} {move}, but spot CVD moved {value} against it over {hours} hours.",
      "The {push} in {sym} is perp-led: spot CVD {value}, perp CVD the opposite.",
      "Spot desks lean against the {sym} {push}, cumulative delta {value} since the session opened.",
      "Three new extremes on {sym}, each with less spot delta; the total stands at {value}.",
    ],
    means: [
      "Moves that spot does not confirm are usually given back within a day.",
      "Perps can carry price for a while, but somebody has to own the coins in the end.",
      "The divergence alone is no entry; a failed extreme is.",
    ],
    why: [
      "Spot flow {value} against a perp-led {push}, and the last extreme failed at {price}.",
      "Divergence in place for {hours} hours and now a lower-timeframe reversal; {crowd} bought the perp, not the coin.",
      "Spot leads here. {value} of delta against the {push} is too much to ignore.",
    ],
    won: [
      "Price followed spot, as the divergence had promised.",
      "The perp premium vanished first, then price did the rest.",
    ],
    lost: [
      "Spot turned around and joined the move, the divergence closed the wrong way.",
      "Divergence can last longer than a stop: it lasted another eleven hours.",
    ],
    playbook: {
      text: "Spot cumulative delta moves against price for at least six hours and price fails at a new extreme. The trade follows spot. It is off when spot flow turns, even if the stop is still far away.",
      action: "Enter with spot after a failed extreme, stop beyond it, close when spot delta flips",
      minSeverity: 0.5,
    },
  },
  {
    key: "spike_fade",
    label: "spike fade",
    anomaly: "price_spike",
    crowd: "against",
    edge: 0.55,
    weight: 0.8,
    before: { hours: 1, percent: [-3.4, -2.0] },
    after: { hours: 10, percent: [1.4, 2.6] },
    plan: { stop: 1.5, target: 2.2, hours: 9 },
    tradeType: "scalp",
    signalTitles: [
      "{sym} spikes {pushed} {move} in an hour",
      "Vertical {push} in {sym}: {move} within the hour",
      "Price spike on {sym}, {move} {pushed} to {price}",
      "{sym} {pushed} {move} with no headline",
    ],
    saw: [
      "{sym} moved {pushed} {move} inside one hour and no headline explains it.",
      "One market order swept {count} percent of the {sym} book; price {pushed} {move} to {price}.",
      "The fastest hour on {sym} in {days} days: {pushed} {move}.",
      "{sym} printed {price} after a vertical {push} of {move}, volume {ratio} times normal.",
    ],
    means: [
      "Spikes without news come back more often than not, but the first pullback can be brutal both ways.",
      "The book was thin rather than the flow strong.",
      "If there is news behind it that I have not found, the fade is a donation.",
    ],
    why: [
      "No news found after {minutes} minutes of looking; fading {move} with half size.",
      "The spike ran into resting orders at {price} and the tape stalled for {count} minutes.",
      "Vertical {push}, thin book, no catalyst: a quick trade back to where it started.",
    ],
    won: [
      "The spike was handed back within hours, as thin-book moves are.",
      "Back to the origin of the move, out without waiting for more.",
    ],
    lost: [
      "There was a headline after all, and it came twenty minutes after my entry.",
      "The second push went further than the first: momentum buyers had woken up.",
    ],
    playbook: {
      text: "A move of more than two percent in an hour, no catalyst found within fifteen minutes, and a stall in front of resting size. Half of the usual size, because being wrong here is being wrong against news.",
      action:
        "Fade at half size after a stall, stop beyond the spike, target the origin of the move",
      minSeverity: 0.65,
    },
  },
  {
    key: "trend_pullback",
    label: "trend pullback",
    anomaly: "trend_pullback",
    crowd: "against",
    edge: 0.62,
    weight: 2,
    before: { hours: 9, percent: [-1.6, -0.8] },
    after: { hours: 34, percent: [2.2, 4.2] },
    plan: { stop: 1.6, target: 3.6, hours: 54 },
    tradeType: "macro",
    signalTitles: [
      "{sym} pulls back to {value}",
      "Trend pullback on {sym}, {value} in reach",
      "{sym} back at {value} after {move}",
      "Orderly {push} brings {sym} to {value}",
    ],
    saw: [
      "{sym} came back {move} to {value} on falling volume, the trend itself is untouched.",
      "An orderly {push} on {sym}: {hours} hours, {move}, no liquidations worth naming.",
      "{sym} tests {value} for the first time in {days} days.",
      "Momentum on {sym} cooled off without damage; price meets {value} at {price}.",
    ],
    means: [
      "First tests of a trend average are bought or sold more reliably than third ones.",
      "Falling volume into the level is what I want to see.",
      "The trade is off if the level breaks with rising open interest.",
    ],
    why: [
      "With the trend at {value}: {move} of pullback on shrinking volume and funding back to flat.",
      "First touch of {value} in {days} days, structure intact on the 4-hour chart.",
      "Nobody is in a hurry behind this pullback, orders are merely missing: entry at {price}.",
    ],
    won: [
      "The trend resumed from the average and did most of the work by itself.",
      "First test, clean reaction, and the next leg reached the prior extreme.",
    ],
    lost: [
      "The average broke with rising open interest, which was the stated exit.",
      "What looked like a pullback was the first leg of a reversal.",
    ],
    playbook: {
      text: "In a trend of at least ten days, the first or second orderly pullback to the 4-hour average on falling volume. Funding should be near neutral again. This is the one setup where patience pays: hold for the prior extreme at least.",
      action:
        "Enter at the 4-hour average with the trend, stop under the last swing, hold for the prior extreme",
      minSeverity: 0.4,
    },
  },
  {
    key: "etf_flow_follow",
    label: "ETF flow follow",
    anomaly: "etf_flow",
    crowd: "against",
    edge: 0.6,
    weight: 0.5,
    symbols: ["BTC", "ETH"],
    before: { hours: 7, percent: [0.6, 1.4] },
    after: { hours: 30, percent: [1.6, 3.2] },
    plan: { stop: 1.5, target: 3.0, hours: 50 },
    tradeType: "macro",
    signalTitles: [
      "{sym} ETF flow {value}",
      "{value} net into {sym} ETFs",
      "ETF desk numbers: {sym} {value} on the day",
      "{sym} fund flows stand out at {value}",
    ],
    saw: [
      "US spot {sym} ETFs report {value} net for the day, the largest figure in {days} days.",
      "The {sym} funds booked {value}; the biggest issuer alone was more than half.",
      "Third day in a row of one-sided {sym} ETF flow, today {value}.",
      "ETF flow on {sym} came in at {value} while price only went {pushed} {move}.",
    ],
    means: [
      "Flows of this size are hedged over the next sessions, not at once.",
      "Price tends to follow the flow into the next New York afternoon.",
      "One print is noise; three in a row are a buyer, or a seller, with a plan.",
    ],
    why: [
      "Following {value} of fund flow for a day or two; the desk hedges spread the impact.",
      "ETF flow {value} and price {pushed} only {move}: the rest should come in New York hours.",
      "Persistent fund flow, a market that has not moved yet, invalidation below yesterday.",
    ],
    won: [
      "The next New York session brought the second half of the flow.",
      "Flow led, price followed with a day of delay.",
    ],
    lost: [
      "The next print reversed the flow completely and the idea with it.",
      "The flow had been hedged before the number was even published.",
    ],
    playbook: {
      text: "Net ETF flow beyond twice its monthly mean on two days in a row, and price has moved less than one and a half percent. Trade with the flow from the Asian session into the New York afternoon, no longer.",
      action:
        "Enter with the flow in Asian hours, stop beyond the prior day, out by the New York close of day two",
      minSeverity: 0.5,
    },
  },
  {
    key: "first_move_fade",
    label: "first-move fade",
    anomaly: "macro_print",
    crowd: "with",
    edge: 0.58,
    weight: 0.45,
    symbols: ["BTC", "ETH", "SOL"],
    before: { hours: 1, percent: [-2.2, -1.1] },
    after: { hours: 8, percent: [1.5, 2.8] },
    plan: { stop: 1.4, target: 2.3, hours: 8 },
    tradeType: "scalp",
    signalTitles: [
      "{sym} whips {pushed} {move} on {value}",
      "{value}: first move in {sym} is {pushed} {move}",
      "Macro print ({value}) sends {sym} {pushed} {move}",
      "{sym} reaction to {value}: {move} {pushed}",
    ],
    saw: [
      "{value}; {sym} went {pushed} {move} in the first minutes.",
      "The print ({value}) took {sym} {pushed} {move} to {price}, rates did not confirm.",
      "{sym} swept the {edge} of the pre-print range after {value}.",
      "After {value} the dollar and {sym} moved together, which rarely lasts; {sym} {pushed} {move}.",
    ],
    means: [
      "The first move after a print is positioning, the second one is opinion.",
      "If two-year yields do not confirm within a quarter of an hour, the move is for sale.",
      "Spreads are still wide: patience for the first fifteen minutes.",
    ],
    why: [
      "Fading the first reaction to {value}: yields came back, {sym} did not yet.",
      "{move} in minutes and the bond market disagrees. Small size, quick exit.",
      "The sweep after {value} took the stops of {crowd} and stalled.",
    ],
    won: ["The first move was erased within the session.", "Bonds were right, crypto caught up."],
    lost: [
      "The first move was the real one: a genuine surprise, not positioning.",
      "Too early, the second push came before the turn.",
    ],
    playbook: {
      text: "After a scheduled print (CPI, payrolls, FOMC) stay flat for fifteen minutes. When the first move is not confirmed by two-year yields, fade it with small size. A surprise of more than two tenths against consensus is not faded at all.",
      action:
        "Wait 15 minutes, fade the unconfirmed move at a third of the usual size, out within the session",
      minSeverity: 0.5,
    },
  },
  {
    key: "book_flip_scalp",
    label: "book flip scalp",
    anomaly: "book_flip",
    crowd: "against",
    edge: 0.5,
    weight: 0.8,
    before: { hours: 1, percent: [-0.5, -0.2] },
    after: { hours: 4, percent: [0.7, 1.4] },
    plan: { stop: 0.7, target: 1.1, hours: 6 },
    tradeType: "scalp",
    signalTitles: [
      "{sym} book flips to {value} bid/ask",
      "Order book turns on {sym} ({value})",
      "{sym} depth imbalance now {value}",
      "Resting size changes sides on {sym}: {value}",
    ],
    saw: [
      "Depth within half a percent on {sym} went to {value} bid to ask within {minutes} minutes.",
      "The wall on {sym} was pulled and came back on the other side; imbalance {value}.",
      "Bid/ask depth on {sym} flipped to {value} at {price}.",
      "{sym} makers turned around: {value}, and the size is refilled when hit.",
    ],
    means: [
      "Size that refills when hit is real, size that steps away is paint.",
      "Good for a scalp at most; books lie on longer horizons.",
      "Worth a look only because the tape agrees.",
    ],
    why: [
      "Imbalance {value} with refills at {price}; a scalp to the next pocket of liquidity.",
      "The book turned to {value} and the tape follows; stop behind the wall.",
      "Leaning on refilled size at {price}, out as soon as it steps away.",
    ],
    won: [
      "The wall did its work and I left before it was pulled.",
      "Clean scalp to the next pocket, no second thoughts.",
    ],
    lost: [
      "The wall was paint: pulled a second before it would have been hit.",
      "Fees ate half of what was there to gain and the stop took the rest.",
    ],
    playbook: {
      text: "Depth within half a percent shifts to more than two and a half to one, and the size refills when it is hit. A scalp of an hour or two behind that size. Without the refill there is no trade.",
      action: "Lean on refilled size, stop right behind it, out at the next liquidity pocket",
      minSeverity: 0.6,
    },
  },
  {
    key: "weekend_gap",
    label: "CME gap fill",
    anomaly: "weekend_gap",
    crowd: "against",
    edge: 0.64,
    weight: 0.4,
    symbols: ["BTC", "ETH"],
    before: { hours: 40, percent: [-2.6, -1.5] },
    after: { hours: 30, percent: [1.5, 2.8] },
    plan: { stop: 1.5, target: 2.4, hours: 44 },
    tradeType: "swing",
    signalTitles: [
      "{sym} CME gap open at {value}",
      "Weekend leaves a {sym} gap to {value}",
      "{sym} futures reopen {move} away from {value}",
      "CME gap on {sym}, Friday close {value}",
    ],
    saw: [
      "CME {sym} futures reopen {move} away from Friday’s close at {value}.",
      "The weekend carried {sym} {pushed} {move} on thin books; the gap reaches back to {value}.",
      "{sym} spent the weekend drifting {pushed}; Friday’s CME close was {value}.",
      "Sunday evening: {sym} at {price}, Friday close {value}, nothing new in between.",
    ],
    means: [
      "Most weekend drifts of this size are undone by Tuesday when there was no news.",
      "Desks that were away will price the same facts as on Friday.",
      "Gaps under one percent are not worth the fees, this one is larger.",
    ],
    why: [
      "Gap to {value} without any news over the weekend; trading the way back into Monday.",
      "Thin weekend drift of {move}. The plan is Friday’s close at {value} by Tuesday.",
      "Weekend books made {price}, weekday books should remake {value}.",
    ],
    won: [
      "Gap filled during the London morning.",
      "Monday desks brought it back to Friday’s close almost to the dollar.",
    ],
    lost: [
      "The gap stayed open: Monday brought fresh news in the direction of the drift.",
      "Half filled, then rejected; a partial exit would have saved the trade.",
    ],
    playbook: {
      text: "A gap of more than one and a half percent between Friday’s CME close and Sunday evening, no news that would explain it. Trade towards the close, in two parts: one on Sunday night, one after London has opened.",
      action:
        "Two entries towards Friday’s close, stop at one and a half percent, everything out by Tuesday noon",
      minSeverity: 0.4,
    },
  },
  {
    key: "relative_strength",
    label: "relative strength",
    anomaly: "relative_strength",
    crowd: "against",
    edge: 0.6,
    weight: 0.8,
    symbols: ["SOL", "HYPE", "LINK", "AVAX", "SUI", "AAVE", "ARB", "INJ", "OP", "DOGE", "ETH"],
    before: { hours: 16, percent: [1.2, 2.2] },
    after: { hours: 36, percent: [2.0, 3.8] },
    plan: { stop: 1.8, target: 3.6, hours: 60 },
    tradeType: "macro",
    signalTitles: [
      "{sym} stands out: {value} against BTC",
      "{sym} {value} relative to BTC on the day",
      "Relative move in {sym} ({value} vs BTC)",
      "{sym}/BTC moves {value} while majors sleep",
    ],
    saw: [
      "{sym} made {value} against BTC in 24 hours, on volume {ratio} times normal.",
      "While BTC did little, {sym} went {pushed} {move}; the pair stands at {value} for the day.",
      "{sym}/BTC leads the board with {value}, and the next one is far behind.",
      "Every dip on BTC left {sym} unmoved or better: {value} relative.",
    ],
    means: [
      "Strength and weakness like this persist for a day or two more often than they reverse.",
      "Somebody has a reason to prefer this one coin; I do not need to know it.",
      "If BTC turns, the relative leader is still the best place to be on that side.",
    ],
    why: [
      "{sym} leads by {value} and holds it through BTC dips; trading with the leader.",
      "Relative move of {value} on {ratio} times volume, entry on the first calm hour at {price}.",
      "Pairs desks rotate into this move for days. Riding {sym} while the ratio holds.",
    ],
    won: [
      "The leader kept leading, the ratio never came back to my entry.",
      "Rotation continued through two BTC dips.",
    ],
    lost: [
      "BTC moved and every relative story became the same story.",
      "The leader of yesterday was the funding source of today.",
    ],
    playbook: {
      text: "A coin beats or trails BTC by more than three percent in a day on rising volume and keeps it through the next BTC swing. Trade in its direction, size reduced by its beta. The exit is the ratio, not the dollar chart.",
      action:
        "Enter with the leader on the first calm hour, stop on the ratio, hold up to two and a half days",
      minSeverity: 0.5,
    },
  },
  {
    key: "deleveraging_reentry",
    label: "deleveraging re-entry",
    anomaly: "oi_drop",
    crowd: "with",
    edge: 0.63,
    weight: 0.8,
    before: { hours: 6, percent: [-2.6, -1.3] },
    after: { hours: 26, percent: [1.9, 3.5] },
    plan: { stop: 1.6, target: 3.0, hours: 40 },
    tradeType: "swing",
    signalTitles: [
      "{sym} open interest down {value} in {hours} hours",
      "Deleveraging on {sym}: open interest {value} lower",
      "{sym} flushed, {value} of open interest gone",
      "Leverage leaves {sym} ({value})",
    ],
    saw: [
      "{value} of {sym} open interest disappeared in {hours} hours while price went {pushed} {move}.",
      "Leverage left {sym} without panic: open interest down {value}, funding back to zero.",
      "{sym} gave up {move} and with it {value} of its open interest.",
      "The {sym} position build of the last {days} days is undone, {value} in one session.",
    ],
    means: [
      "With the leverage out, spot decides again, and spot was never the seller here.",
      "Clean tables: the next move can go further before it is crowded.",
      "I want the re-entry after the flush, not during it.",
    ],
    why: [
      "Open interest {value} lower, spot steady, funding at zero: re-entry on the clean side.",
      "The flush took {crowd} out at {price}. Risk is small and defined by the low, or the high, of the flush.",
      "Leverage gone, trend not: joining again after {move}.",
    ],
    won: [
      "With the leverage gone price moved freely for a day.",
      "The re-entry after the flush was the easy part of the trend.",
    ],
    lost: [
      "Spot started to sell as well and the flush became a trend.",
      "Re-entered one leg too early: there was a second flush.",
    ],
    playbook: {
      text: "Open interest falls by a tenth or more within hours while spot premium stays where it was. Wait for funding at zero and one higher low, or lower high. Then join the old trend with the risk defined by the flush.",
      action:
        "Re-enter with the old trend after funding resets, stop beyond the flush, trail from one R onward",
      minSeverity: 0.5,
    },
  },
];

export const SETUP_BY_KEY: ReadonlyMap<SetupKey, Setup> = new Map(SETUPS.map((s) => [s.key, s]));

export function setupOf(key: SetupKey): Setup {
  const setup = SETUP_BY_KEY.get(key);
  if (setup === undefined) throw new RangeError(`no setup ${key}`);
  return setup;
}
