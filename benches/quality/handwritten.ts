// Questions written by hand, in the words of a trader: short, long, in slang, sometimes mistyped.
//
// They were written before the templates of generated.ts, from the kinds of memories in the sample
// and from its coins and setups, not from a user's log. Their answers are predicates over the
// truth, not ids chosen by eye. The words were not chosen to find or to miss an answer, and no
// question was changed after a measurement.

import type { Facts, Known } from "./facts.ts";
import {
  about,
  anomaly,
  armed,
  either,
  isA,
  occurred,
  of,
  on,
  open,
  says,
  standing,
  tagged,
  titled,
  topic,
  within,
  worstFirst,
} from "./predicates.ts";
import { type Kind, type Labelled, labelled } from "./questions.ts";

type Answers = (facts: Facts) => readonly Known[];

const asked =
  (kind: Kind) =>
  (text: string, exact: Answers, related: Answers = () => []) =>
  (facts: Facts): Labelled =>
    labelled(text, kind, exact(facts), related(facts));

type Asked = (facts: Facts) => Labelled;

const single = asked("single");
const compound = asked("compound");
const vague = asked("vague");
const misleading = asked("misleading");

const SINGLE: readonly Asked[] = [
  single(
    "how did my last SOL trade end",
    (m) => m.closes.filter(of("SOL")).slice(0, 1),
    (m) => {
      const [last, ...before] = m.closes.filter(of("SOL"));
      return [
        ...m.byId([last!.entry_id, ...last!.modify_ids, ...last!.lesson_ids]),
        ...before.slice(0, 2),
      ];
    },
  ),
  single(
    "am I still in that avax short?",
    (m) => m.entries.filter(of("AVAX")).filter(open),
    (m) =>
      m.byId(
        m.entries
          .filter(of("AVAX"))
          .filter(open)
          .map((one) => one.signal_id),
      ),
  ),
  single(
    "what am I holding",
    (m) => m.entries.filter(open),
    (m) => [
      ...m.byId(m.entries.filter(open).map((one) => one.signal_id)),
      ...m.turns.filter(occurred("risk_report")).slice(0, 1),
    ],
  ),
  single(
    "why did I go long solana on saturday",
    (m) => m.entries.filter(of("SOL")).filter(on("2026-03-14")),
    (m) => {
      const entry = m.entries.filter(of("SOL")).find(on("2026-03-14"));
      return m.byId([entry!.signal_id, entry!.playbook_id]);
    },
  ),
  single(
    "levels I'm still waiting for",
    (m) => m.watchpoints.filter(armed(m)),
    (m) => m.watchpoints.filter(within(7, m)),
  ),
  single(
    "what do I do when funding goes crazy",
    (m) => m.playbooks.filter(about("funding_fade")),
    (m) => m.lessons.filter(about("funding_fade")),
  ),
  single(
    "rules for buying after a liquidation cascade",
    (m) => [
      ...m.playbooks.filter(about("liquidation_bounce")),
      ...m.lessons.filter(about("liquidation_bounce")),
    ],
    (m) => m.closes.filter(about("liquidation_bounce")).slice(0, 5),
  ),
  single(
    "what did I learn about trailing stops?",
    (m) => m.lessons.filter(topic("holding winners")),
    (m) => m.closes.filter(({ exit }) => exit === "trail"),
  ),
  single(
    "do meme coins respect funding",
    (m) => m.lessons.filter(topic("funding fade on memes")),
    (m) => [
      ...m.lessons.filter(about("funding_fade")),
      ...m.closes.filter(of("DOGE")).filter(about("funding_fade")),
    ],
  ),
  single(
    "lessons from using too much leverage",
    (m) => m.lessons.filter(topic("sizing")).filter(says(/leverage|margin/i)),
    (m) => m.lessons.filter(topic("sizing")),
  ),
  single(
    "biggest loser this year in dollars",
    (m) => worstFirst(m.closes.filter(on("2026"))).slice(0, 1),
    (m) => worstFirst(m.closes.filter(on("2026"))).slice(1, 5),
  ),
  single(
    "biggest winner ever in $",
    (m) => worstFirst(m.closes).slice(-1),
    (m) => worstFirst(m.closes).slice(-5),
  ),
  single(
    "any scanner hits on doge the last few days",
    (m) => m.signals.filter(of("DOGE")).filter(within(7, m)),
    (m) => m.turns.filter(occurred("signal_handled")).filter(tagged("DOGE")).filter(within(7, m)),
  ),
  single("that sui thing that got hacked", (m) =>
    m.events.filter(occurred("exploit")).filter(of("SUI")),
  ),
  single(
    "when did coinbase go down",
    (m) => m.events.filter(occurred("exchange_outage")).filter(says(/coinbase/i)),
    (m) => m.events.filter(occurred("exchange_outage")),
  ),
  single(
    "which day did the Fed cut",
    (m) => m.events.filter(occurred("fomc")).filter(says(/\bcut\b/)),
    (m) => m.events.filter(occurred("fomc")),
  ),
  single(
    "open thesis on HYPE",
    (m) => m.theses.filter(of("HYPE")).filter(standing),
    (m) => m.theses.filter(of("HYPE")),
  ),
  single("wat did i say about the OP rnage", (m) => m.theses.filter(of("OP"))),
  single(
    "the operator's take on averaging down",
    (m) => m.turns.filter(occurred("preference")).filter(titled(/averaging down/i)),
    (m) => m.turns.filter(occurred("preference")),
  ),
  single(
    "can I trade INJ off a lone signal or do I need a playbook",
    (m) => m.turns.filter(occurred("preference")).filter(titled(/INJ/)),
    (m) => m.lessons.filter(titled(/one signal is an observation/i)),
  ),
  single(
    "ETH stop-outs in february and march",
    (m) =>
      m.closes
        .filter(of("ETH"))
        .filter(({ exit }) => exit === "stop")
        .filter(either(on("2026-02"), on("2026-03"))),
    (m) => m.closes.filter(of("ETH")).filter(either(on("2026-02"), on("2026-03"))),
  ),
  single(
    "what happend at the last CPI",
    (m) => m.events.filter(occurred("cpi_print")).slice(0, 1),
    (m) => m.events.filter(occurred("cpi_print")),
  ),
  single(
    "CME gap playbook",
    (m) => m.playbooks.filter(about("weekend_gap")),
    (m) => [...m.lessons.filter(about("weekend_gap")), ...m.curiosities.filter(titled(/CME gap/))],
  ),
  single(
    "HYPE shorts I should have taken",
    (m) => m.missed.filter(of("HYPE")).filter(({ side }) => side === "short"),
    (m) => m.missed.filter(of("HYPE")),
  ),
  single("doge trades I was right to skip", (m) => m.passes.filter(of("DOGE"))),
  single(
    "how is the liquidation bounce playbook doing, hit rate wise",
    (m) => [
      ...m.playbooks.filter(about("liquidation_bounce")),
      ...m.turns.filter(occurred("playbook_review")).filter(tagged("liquidation_bounce")),
    ],
    (m) => m.closes.filter(about("liquidation_bounce")).slice(0, 5),
  ),
  single(
    "result of thursday's session",
    (m) => m.sessions.filter(({ day }) => day === "2026-03-12"),
    (m) => m.closes.filter(on("2026-03-12")),
  ),
  single(
    "whale moved btc, when was that",
    (m) => m.events.filter(occurred("whale_transfer")).filter(of("BTC")),
    (m) => m.events.filter(occurred("whale_transfer")),
  ),
  single(
    "my notes on what the tape looks like right after a cascade",
    (m) => m.lessons.filter(topic("cascade timing")),
    (m) => m.playbooks.filter(about("liquidation_bounce")),
  ),
  single(
    "link thesis, how did it go?",
    (m) => {
      const last = m.theses.filter(of("LINK")).find(({ resolution_id }) => resolution_id !== null);
      return m.byId([last!.id, last!.resolution_id]);
    },
    (m) => m.theses.filter(of("LINK")),
  ),
  single(
    "I keep getting chopped up buying breakouts on a saturday or sunday when nobody is around, have I ever written down anything about that?",
    (m) => m.lessons.filter(topic("breakout weekends", "weekends")),
    (m) => m.curiosities.filter(topic("weekend")),
  ),
];

const COMPOUND: readonly Asked[] = [
  compound(
    "what am I long right now and what did the scanner find on ETH this week?",
    (m) => [
      ...m.entries.filter(open).filter(({ side }) => side === "long"),
      ...m.signals.filter(of("ETH")).filter(within(7, m)),
    ],
    (m) => m.entries.filter(open),
  ),
  compound(
    "how did the last doge trade go and why did I take it",
    (m) => {
      const [last] = m.closes.filter(of("DOGE"));
      return m.byId([last!.id, last!.entry_id]);
    },
    (m) => {
      const [last] = m.closes.filter(of("DOGE"));
      return m.byId([...last!.modify_ids, ...last!.lesson_ids, last!.signal_id]);
    },
  ),
  compound(
    "what's my plan for a CME gap and when did the last one show up",
    (m) => [
      ...m.playbooks.filter(about("weekend_gap")),
      ...m.signals.filter(anomaly("weekend_gap")).slice(0, 1),
    ],
    (m) => [...m.lessons.filter(about("weekend_gap")), ...m.signals.filter(anomaly("weekend_gap"))],
  ),
  compound(
    "Any depeg scares lately? And what was the worst wick we had on a weekend?",
    (m) => [
      ...m.events.filter(occurred("stablecoin_wobble")).slice(0, 1),
      ...m.events
        .filter(occurred("weekend_wick"))
        .sort((a, b) => Math.abs(b.move_pct) - Math.abs(a.move_pct))
        .slice(0, 1),
    ],
    (m) => m.events.filter(occurred("stablecoin_wobble", "weekend_wick")),
  ),
  compound(
    "why do I leave early, and which trades did I cut since january because the idea broke?",
    (m) => [
      ...m.lessons.filter(topic("early exits")),
      ...m.closes.filter(({ exit }) => exit === "thesis_broken").filter(on("2026")),
    ],
    (m) => m.turns.filter(occurred("preference")).filter(titled(/early exit/i)),
  ),
  compound("is the HYPE/BTC thesis alive, and what about SOL staying in its range", (m) =>
    m.theses.filter(of("HYPE", "SOL")).filter(standing),
  ),
  compound(
    "what did the fed do in february and how did the btc etfs do that month",
    (m) => [
      ...m.events.filter(occurred("fomc")).filter(on("2026-02")),
      ...m.events.filter(occurred("etf_flows")).filter(of("BTC")).filter(on("2026-02")),
    ],
    (m) => m.signals.filter(anomaly("etf_flow")).filter(of("BTC")).filter(on("2026-02")),
  ),
  compound(
    "sui unlock last week, and did I trade sui around it?",
    (m) => [
      ...m.events.filter(occurred("token_unlock")).filter(of("SUI")).slice(0, 1),
      ...m.entries.filter(of("SUI")).filter(within(14, m)),
      ...m.closes.filter(of("SUI")).filter(within(14, m)),
    ],
    (m) => m.events.filter(occurred("token_unlock")).filter(of("SUI")),
  ),
  compound(
    "What are my rules on size? Where do stops go?",
    (m) => m.lessons.filter(topic("sizing", "stop placement")),
    (m) => m.turns.filter(occurred("lesson_used")).filter(tagged("sizing", "stop placement")),
  ),
  compound(
    "should I fade spikes and have I made money scalping them",
    (m) => [
      ...m.playbooks.filter(about("spike_fade")),
      ...m.scalps
        .filter(about("spike_fade"))
        .filter(({ outcome }) => outcome === "win")
        .slice(0, 5),
    ],
    (m) => m.scalps.filter(about("spike_fade")),
  ),
  compound(
    "which playbooks work and which don't",
    (m) => m.playbooks.filter(({ sample_size }) => sample_size >= 5),
    (m) => m.turns.filter(occurred("playbook_review")),
  ),
  compound(
    "how did LINK and AVAX trades go this year?",
    (m) => m.closes.filter(of("LINK", "AVAX")).filter(on("2026")),
    (m) => m.entries.filter(of("LINK", "AVAX")).filter(on("2026")),
  ),
  compound(
    "btc etf outflows, eth expiry: when were the last ones",
    (m) => [
      ...m.events.filter(occurred("etf_flows")).filter(of("BTC")).filter(says(/−\$/)).slice(0, 1),
      ...m.events.filter(occurred("options_expiry")).filter(of("ETH")).slice(0, 1),
    ],
    (m) => [
      ...m.events.filter(occurred("etf_flows")).filter(of("BTC")),
      ...m.events.filter(occurred("options_expiry")).filter(of("ETH")),
    ],
  ),
  compound(
    "whats armed and what fired this week",
    (m) => [...m.watchpoints.filter(armed(m)), ...m.signals.filter(within(7, m))],
    (m) => m.watchpoints.filter(within(7, m)),
  ),
  compound(
    "what did the operator want for early exits and also how should I report pnl?",
    (m) => m.turns.filter(occurred("preference")).filter(titled(/early exit|report in dollars/i)),
    (m) => m.turns.filter(occurred("preference")),
  ),
  compound(
    "OKX outage? and the arb chain halts?",
    (m) => [
      ...m.events.filter(occurred("exchange_outage")).filter(says(/OKX/)),
      ...m.events.filter(occurred("network_halt")).filter(of("ARB")),
    ],
    (m) => m.events.filter(occurred("exchange_outage")),
  ),
  compound(
    "when open interest gets flushed what's the move, and how did the last re-entry like that work out",
    (m) => [
      ...m.playbooks.filter(about("deleveraging_reentry")),
      ...m.closes.filter(about("deleveraging_reentry")).slice(0, 1),
    ],
    (m) => [
      ...m.lessons.filter(about("deleveraging_reentry")),
      ...m.closes.filter(about("deleveraging_reentry")).slice(1, 4),
    ],
  ),
  compound(
    "what did I last believe about ETH and what do I still want to find out about it",
    (m) => [...m.theses.filter(of("ETH")).slice(0, 2), ...m.curiosities.filter(of("ETH"))],
    (m) => m.theses.filter(of("ETH")).slice(2, 6),
  ),
];

const VAGUE: readonly Asked[] = [
  vague(
    "sol?",
    (m) => [
      ...m.entries.filter(of("SOL")).filter(open),
      ...m.theses.filter(of("SOL")).filter(standing),
      ...m.watchpoints.filter(of("SOL")).filter(armed(m)),
      ...m.signals.filter(of("SOL")).filter(within(3, m)),
    ],
    (m) => m.all.filter(tagged("SOL")).filter(within(10, m)),
  ),
  vague(
    "what's going on with eth",
    (m) =>
      m.all
        .filter(tagged("ETH"))
        .filter(isA("signal", "market_event", "trade_entry", "trade_close", "watchpoint"))
        .filter(within(3, m)),
    (m) => m.all.filter(tagged("ETH")).filter(within(10, m)),
  ),
  vague(
    "how are we doing",
    (m) => [...m.turns.filter(occurred("risk_report")).slice(0, 2), ...m.sessions.slice(0, 3)],
    (m) => [...m.closes.filter(within(7, m)), ...m.sessions.slice(3, 7)],
  ),
  vague(
    "anything I should know before I start",
    (m) => [
      ...m.entries.filter(open),
      ...m.signals.filter(within(2, m)),
      ...m.watchpoints.filter(armed(m)),
      ...m.theses.filter(standing),
    ],
    (m) => m.all.filter(within(2, m)),
  ),
  vague(
    "doge lol",
    (m) => [
      ...m.signals.filter(of("DOGE")).slice(0, 3),
      ...m.closes.filter(of("DOGE")).slice(0, 3),
    ],
    (m) => m.all.filter(tagged("DOGE")).filter(within(21, m)),
  ),
  vague(
    "funding stuff",
    (m) => [
      ...m.playbooks.filter(about("funding_fade")),
      ...m.lessons.filter(about("funding_fade")),
      ...m.lessons.filter(topic("funding cost")),
    ],
    (m) => [
      ...m.signals.filter(anomaly("funding_extreme")).slice(0, 10),
      ...m.curiosities.filter(tagged("funding_fade")),
      ...m.events.filter(occurred("funding_squeeze")).slice(0, 5),
    ],
  ),
  vague(
    "my bad habits",
    (m) => [
      ...m.lessons.filter(topic("revenge trading")),
      ...m.curiosities.filter(topic("own behaviour")),
    ],
    (m) => m.lessons.filter(topic("patience", "taking profit", "sizing")),
  ),
  vague(
    "weekends",
    (m) => [
      ...m.lessons.filter(topic("weekends", "breakout weekends")),
      ...m.curiosities.filter(topic("weekend")),
    ],
    (m) => [
      ...m.events.filter(occurred("weekend_wick")),
      ...m.playbooks.filter(about("weekend_gap")),
      ...m.lessons.filter(about("weekend_gap")),
    ],
  ),
  vague(
    "what went wrong lately",
    (m) => m.closes.filter(({ outcome }) => outcome === "loss").filter(within(7, m)),
    (m) => [
      ...m.lessons.filter(within(7, m)),
      ...m.sessions.filter(within(7, m)).filter(({ pnl_usd }) => pnl_usd < 0),
    ],
  ),
  vague(
    "give me something on stops",
    (m) => m.lessons.filter(topic("stop placement", "break-even stops", "time stops")),
    (m) => [...m.lessons.filter(topic("holding winners")), ...m.curiosities.filter(titled(/stop/))],
  ),
  vague("things I wanted to look into", (m) =>
    m.curiosities.filter(({ answered_by }) => answered_by === null),
  ),
  vague(
    "macro in feb",
    (m) => m.events.filter(occurred("cpi_print", "fomc", "payrolls")).filter(on("2026-02")),
    (m) => m.signals.filter(anomaly("macro_print")).filter(on("2026-02")),
  ),
  vague(
    "hacks and halts since new year",
    (m) =>
      m.events.filter(occurred("exploit", "network_halt", "exchange_outage")).filter(on("2026")),
    (m) => m.events.filter(occurred("exploit", "network_halt", "exchange_outage")),
  ),
  vague(
    "which alts lead",
    (m) => [
      ...m.lessons.filter(about("relative_strength")),
      ...m.playbooks.filter(about("relative_strength")),
    ],
    (m) => [
      ...m.signals.filter(anomaly("relative_strength")).slice(0, 5),
      ...m.curiosities.filter(topic("relative value")),
    ],
  ),
  vague(
    "how sure was I about btc",
    (m) => [...m.theses.filter(of("BTC")).slice(0, 3), ...m.entries.filter(of("BTC")).slice(0, 2)],
    (m) => m.curiosities.filter(titled(/confidence/)),
  ),
  vague("operator wishes", (m) => m.turns.filter(occurred("preference"))),
  vague(
    "pls sumarize the week",
    (m) => m.sessions.filter(within(7, m)),
    (m) => [
      ...m.closes.filter(within(7, m)),
      ...m.turns.filter(occurred("risk_report")).filter(within(7, m)),
    ],
  ),
  vague(
    "crowded?",
    (m) => [
      ...m.playbooks.filter(about("crowded_positioning")),
      ...m.lessons.filter(about("crowded_positioning")),
      ...m.signals.filter(anomaly("oi_surge")).slice(0, 3),
    ],
    (m) => m.closes.filter(about("crowded_positioning")).slice(0, 3),
  ),
];

const MISLEADING: readonly Asked[] = [
  misleading(
    "what does a loss tell me about waiting before the next trade",
    (m) => m.lessons.filter(topic("revenge trading")),
    (m) => m.lessons.filter(topic("patience", "reentry")),
  ),
  misleading(
    "where should I get out once I'm in profit",
    (m) => m.lessons.filter(topic("taking profit")),
    (m) => m.lessons.filter(topic("holding winners")),
  ),
  misleading(
    "best entry for a cvd divergence?",
    (m) => [
      ...m.lessons.filter(topic("divergence entry")),
      ...m.playbooks.filter(about("cvd_divergence")),
    ],
    (m) => m.lessons.filter(about("cvd_divergence")),
  ),
  misleading(
    "giving back open profit, what to do against it",
    (m) =>
      m.lessons.filter(topic("taking profit")).filter(says(/g(ave|iving|iven) back|handed back/i)),
    (m) => m.lessons.filter(topic("taking profit", "holding winners")),
  ),
  misleading(
    "are my break-even exits worth it",
    (m) => [
      ...m.lessons.filter(topic("break-even stops")),
      ...m.curiosities.filter(titled(/break-even/)),
    ],
    (m) => m.closes.filter(({ exit }) => exit === "break_even"),
  ),
  misleading(
    "who is delivering the coins when a treasury company buys",
    (m) => m.curiosities.filter(titled(/treasury company/)),
    (m) => m.events.filter(occurred("treasury_buy")),
  ),
  misleading("does depth imbalance currently tell me anything past an hour", (m) =>
    m.curiosities.filter(titled(/depth imbalance/)),
  ),
  misleading(
    "whose funding signal comes first when venues differ",
    (m) => m.curiosities.filter(topic("funding venues")),
    (m) => m.curiosities.filter(tagged("funding_fade")),
  ),
  misleading("flexitime for scalps: how long may one last", (m) =>
    m.playbooks.filter(about("book_flip_scalp")),
  ),
  misleading(
    "is the trend pullback's current record any good",
    (m) => m.playbooks.filter(about("trend_pullback")),
    (m) => [
      ...m.turns.filter(occurred("playbook_review")).filter(tagged("trend_pullback")),
      ...m.closes.filter(about("trend_pullback")).slice(0, 5),
    ],
  ),
  misleading(
    "watching paint: real size or a fake wall",
    (m) => [
      ...m.curiosities.filter(titled(/painted size/)),
      ...m.playbooks.filter(about("book_flip_scalp")),
    ],
    (m) => m.curiosities.filter(tagged("book_flip_scalp")),
  ),
  misleading(
    "my short idea on ETH from the written ones, not the trades",
    (m) =>
      m.theses
        .filter(of("ETH"))
        .filter(({ direction }) => direction === "down")
        .slice(0, 3),
    (m) => m.theses.filter(of("ETH")).slice(0, 8),
  ),
  misleading(
    "live idea on ARB, where does it say price goes",
    (m) => m.theses.filter(of("ARB")).filter(standing),
    (m) => m.theses.filter(of("ARB")),
  ),
  misleading(
    "explain why the LINK short got stopped in february",
    (m) =>
      m.closes
        .filter(of("LINK"))
        .filter(({ side, exit }) => side === "short" && exit === "stop")
        .filter(on("2026-02")),
    (m) => m.entries.filter(of("LINK")).filter(on("2026-02")),
  ),
  misleading(
    "which pattern was my last AAVE position based on",
    (m) => m.entries.filter(of("AAVE")).slice(0, 1),
    (m) => [...m.entries.filter(of("AAVE")), ...m.closes.filter(of("AAVE"))],
  ),
  misleading(
    "process of elimination: which venues went down this year",
    (m) => m.events.filter(occurred("exchange_outage")).filter(on("2026")),
    (m) => m.events.filter(occurred("exchange_outage")),
  ),
  misleading(
    "did btc follow the template after the last payrolls",
    (m) => m.events.filter(occurred("payrolls")).slice(0, 1),
    (m) => m.events.filter(occurred("payrolls")),
  ),
  misleading(
    "headline about a tax rule for perps",
    (m) => m.events.filter(occurred("regulation")).filter(says(/tax rule/)),
    (m) => m.events.filter(occurred("regulation")),
  ),
  misleading(
    "help me understand the drop in SOL on march 4th",
    (m) =>
      m.events.filter(occurred("liquidation_cascade")).filter(of("SOL")).filter(on("2026-03-04")),
    (m) => m.all.filter(tagged("SOL")).filter(on("2026-03-04")),
  ),
  misleading("alerts we agreed to mute", (m) =>
    m.turns.filter(occurred("preference")).filter(titled(/alerts/i)),
  ),
  misleading(
    "no wisdom please, just the level SOL has to break",
    (m) => m.watchpoints.filter(of("SOL")).filter(armed(m)),
    (m) => m.watchpoints.filter(of("SOL")).slice(0, 3),
  ),
  misleading(
    "profit left on the table in HYPE",
    (m) => m.missed.filter(of("HYPE")),
    (m) => m.missed.slice(0, 5),
  ),
  misleading("which losses did staying out save me in LINK", (m) => m.passes.filter(of("LINK"))),
  misleading(
    "when did i last get pinged about doge open interest",
    (m) => m.signals.filter(of("DOGE")).filter(anomaly("oi_surge", "oi_drop")).slice(0, 1),
    (m) => m.signals.filter(of("DOGE")).filter(anomaly("oi_surge", "oi_drop")),
  ),
];

/** Returns the questions with their answers. */
export function handwritten(facts: Facts): Labelled[] {
  return [...SINGLE, ...COMPOUND, ...VAGUE, ...MISLEADING].map((asked) => asked(facts));
}
