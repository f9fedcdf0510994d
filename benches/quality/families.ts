// The subjects of generated questions: families of matters, each with its answers, and the wordings
// of questions.

import type { Side } from "../../js/sample/trader/index.ts";
import { COINS } from "../../js/sample/trader/market.ts";
import { date, weekdayName } from "../../js/sample/trader/vocabulary.ts";
import type { Facts, Known } from "./facts.ts";
import {
  CURIOSITY_PHRASES,
  EVENT_PHRASES,
  LESSON_PHRASES,
  MODIFY_PHRASES,
  SETUP_PHRASES,
  SIGNAL_PHRASES,
} from "./phrases.ts";
import { about, anomaly, occurred, of, on, tagged, topic, within } from "./predicates.ts";

/** A subject of questions: its names, and its answers. */
export interface Matter {
  names: readonly string[];
  exact: readonly Known[];
  related: readonly Known[];
}

/** Wordings with {x} for the name of a matter, without a question mark. */
export type Wordings = readonly string[];

/** A kind of matters: wordings of plain questions and of misleading ones. */
export interface Family {
  /** The name, which also seeds the draws: a change to one family does not affect the others. */
  name: string;
  wordings: Wordings;
  /** Misleading wordings, for families whose answers lie in a single section. */
  traps?: Wordings;
  matters(facts: Facts, coin: Namer): Matter[];
}

/** Returns a coin as a user would write it. */
export type Namer = (symbol: string) => string;

export const MONTHS = {
  "2025-09": "September",
  "2025-10": "October",
  "2025-11": "November",
  "2025-12": "December",
  "2026-01": "January",
  "2026-02": "February",
  "2026-03": "March",
} as const;

export const SYMBOLS = COINS.map((coin) => coin.symbol);
const SIDES: readonly Side[] = ["long", "short"];
/** Days that count as the present. */
const FRESH_DAYS = 7;

const LESSON_TRAPS: Wordings = [
  "just before the entry: {x}",
  "{x} after a loss",
  "{x} once I am in profit",
  "{x}, position still live",
  "an exit question: {x}",
  "{x} over a whole session",
  "the process: {x}",
  "{x} for somebody on flexitime",
  "what {x} delivers in hard cash",
  "{x}, as it currently stands with me",
  "what my notes enclosed about {x}",
  "{x}, and no glossary please",
];

const EVENT_TRAPS: Wordings = [
  "explain {x}",
  "help me understand {x}",
  "the pattern around {x}",
  "{x}: by the template or not",
  "{x} and what the scanner made of it",
  "{x} and concurrent moves",
  "the process around {x}",
  "{x}, or was that overruled",
  "what {x} delivered",
];

const SIGNAL_TRAPS: Wordings = [
  "{x}, before any entry",
  "is there profit in {x}",
  "{x}: no theory, the numbers",
  "{x}, with a ruler on the chart",
  "{x} as a template",
  "help me understand {x}",
  "{x}, exited or not",
];

const PLAYBOOK_TRAPS: Wordings = [
  "{x}: where is the entry",
  "{x} and the exit",
  "{x} with the position at a loss",
  "{x}, live and not on paper",
  "{x}, currently",
  "do I deliver on {x}",
  "{x} on flexitime",
  "is there still profit in {x}",
  "help me understand {x} in two lines",
];

export const LESSONS: Family = {
  name: "lessons",
  wordings: [
    "what have I learned about {x}",
    "any lesson on {x}",
    "what do I know about {x}",
    "advice to myself on {x}",
    "{x}, did I write anything down",
    "my rule for {x}",
    "what did experience teach me about {x}",
  ],
  traps: LESSON_TRAPS,
  matters: ({ lessons, turns }) =>
    Object.entries(LESSON_PHRASES).map(([name, names]) => {
      const exact = lessons.filter(topic(name));
      const setups = exact.flatMap(({ setup }) => setup ?? []);
      return {
        names,
        exact,
        related: [
          ...lessons.filter(about(...setups)),
          ...turns.filter(occurred("lesson_used")).filter(tagged(name)),
        ],
      };
    }),
};

export const PLAYBOOKS: Family = {
  name: "playbooks",
  wordings: [
    "playbook for {x}",
    "how do I trade {x}",
    "what is my plan for {x}",
    "steps for {x}",
    "what do I do about {x}",
    "the procedure with {x}",
    "remind me how {x} works for me",
  ],
  traps: PLAYBOOK_TRAPS,
  matters: ({ playbooks, lessons }) =>
    Object.entries(SETUP_PHRASES).map(([setup, names]) => ({
      names,
      exact: playbooks.filter(about(setup)),
      related: lessons.filter(about(setup)),
    })),
};

export const LAST_CLOSES: Family = {
  name: "last closes",
  wordings: [
    "how did {x} go",
    "result of {x}",
    "what happened with {x}",
    "{x}, win or loss",
    "where did I get out of {x}",
    "did {x} make money",
  ],
  traps: EVENT_TRAPS,
  matters: (facts, coin) =>
    SYMBOLS.flatMap((symbol) =>
      SIDES.flatMap((side) => {
        const [last, ...before] = facts.closes
          .filter(of(symbol))
          .filter((close) => close.side === side);
        if (last === undefined) return [];
        const whole = [last.entry_id, ...last.modify_ids, ...last.lesson_ids];
        return {
          names: [`my last ${coin(symbol)} ${side}`, `the latest ${coin(symbol)} ${side}`],
          exact: [last],
          related: [...facts.byId(whole), ...before.slice(0, 2)],
        };
      }),
    ),
};

export const TRADES: Family = {
  name: "trades",
  wordings: [
    "how did {x} do",
    "my record with {x}",
    "closed {x}",
    "show me how {x} ended",
    "pnl of {x}",
    "were {x} any good",
  ],
  traps: EVENT_TRAPS,
  matters: ({ closes, entries }, coin) =>
    Object.entries(SETUP_PHRASES).flatMap(([setup, phrases]) =>
      SYMBOLS.map((symbol) => ({
        names: phrases.map((phrase) => `trades on ${phrase} in ${coin(symbol)}`),
        exact: closes.filter(of(symbol)).filter(about(setup)),
        related: entries.filter(of(symbol)).filter(about(setup)),
      })),
    ),
};

export const ENTRIES: Family = {
  name: "entries",
  wordings: [
    "why did I go {x}",
    "what made me {x}",
    "the reasoning when I went {x}",
    "what was the setup when I was {x}",
  ],
  matters: (facts, coin) =>
    Object.entries(MONTHS).flatMap(([month, monthName]) =>
      SYMBOLS.flatMap((symbol) =>
        SIDES.map((side) => {
          const exact = facts.entries
            .filter(of(symbol))
            .filter((entry) => entry.side === side)
            .filter(on(month));
          return {
            names: [`${side} ${coin(symbol)} in ${monthName}`],
            exact,
            related: facts.byId(exact.flatMap(({ signal_id, close_id }) => [signal_id, close_id])),
          };
        }),
      ),
    ),
};

export const MODIFIES: Family = {
  name: "modifies",
  wordings: ["{x}, when was that", "show me {x}", "did it help: {x}"],
  matters: ({ modifies, closes }, coin) =>
    Object.entries(MODIFY_PHRASES).flatMap(([action, phrases]) =>
      SYMBOLS.map((symbol) => {
        const exact = modifies.filter(of(symbol)).filter((modify) => modify.action === action);
        const changed = new Set(exact.map(({ entry_id }) => entry_id));
        return {
          names: phrases.map((phrase) => `${phrase} on ${coin(symbol)}`),
          exact,
          related: closes.filter(({ entry_id }) => changed.has(entry_id)),
        };
      }),
    ),
};

export const SCALPS: Family = {
  name: "scalps",
  wordings: ["how were {x}", "{x}, any good", "list {x}"],
  traps: EVENT_TRAPS,
  matters: ({ scalps }, coin) =>
    SYMBOLS.map((symbol) => ({
      names: [`my ${coin(symbol)} scalps`, `the quick ${coin(symbol)} trades`],
      exact: scalps.filter(of(symbol)),
      related: [],
    })),
};

export const EVENTS: Family = {
  name: "events",
  wordings: [
    "when was {x}",
    "what did {x} do to price",
    "market reaction to {x}",
    "tell me about {x}",
    "how bad was {x}",
    "details on {x}",
  ],
  traps: EVENT_TRAPS,
  matters: ({ events }, coin) =>
    Object.entries(EVENT_PHRASES).flatMap(([kind, phrases]) => {
      const all = events.filter(occurred(kind));
      return [...new Set(all.map(({ symbol }) => symbol))].map((symbol) => {
        const [last, ...before] = all.filter((one) => one.symbol === symbol);
        const whose = symbol === null ? "" : `${coin(symbol)} `;
        return {
          names: phrases.map((phrase) => `the last ${whose}${phrase}`),
          exact: [last!],
          related: before,
        };
      });
    }),
};

export const SESSIONS: Family = {
  name: "sessions",
  wordings: ["how was {x}", "summary of {x}", "what did I do on {x}", "pnl on {x}"],
  traps: EVENT_TRAPS,
  matters: (facts) =>
    facts.sessions.filter(within(60, facts)).map((session) => ({
      names: [`${weekdayName(Date.parse(session.day))}, ${date(Date.parse(session.day))}`],
      exact: [session],
      related: facts.byId([...session.entry_ids, ...session.close_ids, ...session.event_ids]),
    })),
};

export const SIGNALS: Family = {
  name: "signals",
  wordings: [
    "latest signal: {x}",
    "has the scanner ever seen {x}",
    "the last alert about {x}",
    "when did I last see {x}",
    "newest reading of {x}",
  ],
  traps: SIGNAL_TRAPS,
  matters: ({ signals }, coin) =>
    Object.entries(SIGNAL_PHRASES).flatMap(([type, phrases]) =>
      SYMBOLS.map((symbol) => {
        const found = signals.filter(of(symbol)).filter(anomaly(type));
        return {
          names: phrases.map((phrase) => `${phrase} on ${coin(symbol)}`),
          exact: found.slice(0, 2),
          related: found.slice(2),
        };
      }),
    ),
};

/** Recent signals and trades: questions about the present, which only recent memories answer. */
export const FIRING: Family = {
  name: "firing",
  wordings: [
    "which signals are firing on {x} right now",
    "what is the scanner showing on {x}",
    "active signals for {x}",
  ],
  matters: (facts, coin) =>
    SYMBOLS.map((symbol) => {
      const found = facts.signals.filter(of(symbol));
      return {
        names: [coin(symbol)],
        exact: found.filter(within(FRESH_DAYS, facts)),
        related: found.filter(within(2 * FRESH_DAYS, facts)),
      };
    }),
};

export const LATELY: Family = {
  name: "lately",
  wordings: [
    "what happened with my {x} trades last week",
    "my {x} positions this week",
    "did I do anything in {x} lately",
  ],
  matters: (facts, coin) =>
    SYMBOLS.map((symbol) => {
      const [entries, closes] = [facts.entries, facts.closes].map((list) =>
        list.filter(of(symbol)),
      );
      const fresh = within(FRESH_DAYS, facts);
      return {
        names: [coin(symbol)],
        exact: [...entries!.filter(fresh), ...closes!.filter(fresh)],
        related: facts.modifies.filter(of(symbol)).filter(fresh),
      };
    }),
};

export const WATCHPOINTS: Family = {
  name: "watchpoints",
  wordings: ["watchpoints: {x}", "which are {x}", "what am I watching, {x}", "alerts set for {x}"],
  traps: SIGNAL_TRAPS,
  matters: ({ watchpoints }, coin) =>
    SYMBOLS.map((symbol) => {
      const [last, second, ...before] = watchpoints.filter(of(symbol));
      return {
        names: [`my newest ${coin(symbol)} levels`, `the lines I drew last on ${coin(symbol)}`],
        exact: [last, second].filter((one) => one !== undefined),
        related: before.slice(0, 5),
      };
    }),
};

export const THESES: Family = {
  name: "theses",
  wordings: [
    "my thesis for {x}",
    "what do I believe about {x}",
    "theses on {x}",
    "why should I expect {x}",
    "the case for {x}",
  ],
  traps: LESSON_TRAPS,
  matters: ({ theses }, coin) =>
    SYMBOLS.flatMap((symbol) =>
      Object.entries(CLAIMS).map(([direction, claims]) => {
        const all = theses.filter(of(symbol));
        return {
          names: claims.map((claim) => claim.replace("{coin}", coin(symbol))),
          exact: all.filter((thesis) => thesis.direction === direction).slice(0, 3),
          related: all.slice(0, 6),
        };
      }),
    ),
};

const CLAIMS = {
  up: ["{coin} going higher", "upside in {coin}"],
  down: ["{coin} going lower", "{coin} rolling over"],
  range: ["{coin} going nowhere", "a quiet range in {coin}"],
  outperform: ["{coin} beating BTC", "rotation into {coin}"],
} as const;

export const VERDICTS: Family = {
  name: "verdicts",
  wordings: ["was I right about {x}", "how did {x} turn out", "what became of {x}"],
  matters: (facts, coin) =>
    Object.entries(MONTHS).flatMap(([month, monthName]) =>
      SYMBOLS.map((symbol) => {
        const written = facts.theses.filter(of(symbol)).filter(on(month));
        const decided = written.filter(({ resolution_id }) => resolution_id !== null);
        return {
          names: [
            `my ${coin(symbol)} call from ${monthName}`,
            `the ${coin(symbol)} thesis I wrote in ${monthName}`,
          ],
          exact: facts.byId(decided.flatMap(({ id, resolution_id }) => [id, resolution_id])),
          related: written,
        };
      }),
    ),
};

export const CURIOSITIES: Family = {
  name: "curiosities",
  wordings: [
    "open questions about {x}",
    "what did I wonder about {x}",
    "what do I still want to learn on {x}",
  ],
  traps: LESSON_TRAPS,
  matters: (facts) =>
    Object.entries(CURIOSITY_PHRASES).map(([name, names]) => {
      const exact = facts.curiosities.filter(topic(name));
      return { names, exact, related: facts.byId(exact.map(({ answered_by }) => answered_by)) };
    }),
};

export const MISSED: Family = {
  name: "missed",
  wordings: [
    "{x} I missed",
    "{x} that ran without me",
    "{x} I should have taken",
    "missed opportunity: {x}",
    "{x} left on the table",
  ],
  traps: PLAYBOOK_TRAPS,
  matters: ({ missed, passes }, coin) =>
    SYMBOLS.flatMap((symbol) =>
      SIDES.map((side) => ({
        names: [`${coin(symbol)} ${side}s`, `${side}s in ${coin(symbol)}`],
        exact: missed.filter(of(symbol)).filter((one) => one.side === side),
        related: [
          ...missed.filter(of(symbol)),
          ...passes.filter(of(symbol)).filter((one) => one.side === side),
        ],
      })),
    ),
};

export const PASSES: Family = {
  name: "passes",
  wordings: ["{x}, was I right", "good pass: {x}", "what would {x} have cost me"],
  traps: PLAYBOOK_TRAPS,
  matters: ({ passes }, coin) =>
    SYMBOLS.map((symbol) => ({
      names: [`staying out of ${coin(symbol)}`, `the ${coin(symbol)} trades I skipped`],
      exact: passes.filter(of(symbol)),
      related: [],
    })),
};
