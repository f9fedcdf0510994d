// Questions generated from the truth of the sample: subjects with their answers, and wordings. The
// same seed gives the same questions.
//
// A vague question names a theme, a coin or a month and nothing else. A misleading question wraps a
// plain subject in words that indicate the intent of another section, as whole words and as parts
// of words.

import { COINS } from "../../js/sample/trader/market.ts";
import { Random } from "../../js/sample/trader/random.ts";
import type { Facts, Known } from "./facts.ts";
import {
  CURIOSITIES,
  ENTRIES,
  EVENTS,
  type Family,
  FIRING,
  LAST_CLOSES,
  LATELY,
  LESSONS,
  type Matter,
  MISSED,
  MODIFIES,
  MONTHS,
  type Namer,
  PASSES,
  PLAYBOOKS,
  SCALPS,
  SESSIONS,
  SIGNALS,
  SYMBOLS,
  THESES,
  TRADES,
  VERDICTS,
  WATCHPOINTS,
  type Wordings,
} from "./families.ts";
import { SETUP_PHRASES, THEMES } from "./phrases.ts";
import { about, occurred, on, tagged, topic, within } from "./predicates.ts";
import { type Kind, type Labelled, labelled } from "./questions.ts";

const SEED = 29;

/** The most exact answers of a plain question. A matter with more is too broad. */
const MAX_EXACT = 8;
/** The number of newest answers that count as exact in one half of a compound question. */
const HALF = 3;

/** The number of single and misleading questions of each family. */
const SHARES: readonly (readonly [family: Family, single: number, misleading: number])[] = [
  [LESSONS, 22, 18],
  [PLAYBOOKS, 11, 8],
  [LAST_CLOSES, 9, 5],
  [TRADES, 9, 3],
  [ENTRIES, 7, 0],
  [MODIFIES, 5, 0],
  [SCALPS, 4, 2],
  [EVENTS, 13, 7],
  [SESSIONS, 6, 2],
  [SIGNALS, 9, 6],
  [FIRING, 6, 0],
  [LATELY, 6, 0],
  [WATCHPOINTS, 6, 4],
  [THESES, 9, 5],
  [VERDICTS, 6, 0],
  [CURIOSITIES, 8, 4],
  [MISSED, 6, 4],
  [PASSES, 5, 3],
];

/** The pairs of families of compound questions, and the number of questions of each pair. */
const PAIRS: readonly (readonly [one: Family, other: Family, count: number])[] = [
  [LESSONS, PLAYBOOKS, 7],
  [LESSONS, LAST_CLOSES, 7],
  [LESSONS, EVENTS, 5],
  [PLAYBOOKS, SIGNALS, 7],
  [PLAYBOOKS, TRADES, 5],
  [THESES, SIGNALS, 5],
  [THESES, WATCHPOINTS, 5],
  [EVENTS, LAST_CLOSES, 6],
  [EVENTS, EVENTS, 4],
  [MISSED, LESSONS, 4],
  [SESSIONS, WATCHPOINTS, 4],
  [CURIOSITIES, SIGNALS, 4],
];

const JOINTS: Wordings = [
  "{a} and {b}?",
  "{a}, and {b}",
  "{a}? And {b}?",
  "{a}? {b}?",
  "{a}; also {b}?",
  "first, {a}, then {b}",
];

const VAGUE_COIN: Wordings = [
  "{x}",
  "thoughts on {x}",
  "anything new on {x}",
  "{x} update",
  "how's {x} looking",
  "{x} again",
];
const VAGUE_THEME: Wordings = [
  "{x}",
  "something about {x}",
  "{x}, anything",
  "hmm, {x}",
  "thinking about {x}",
];
const VAGUE_MONTH: Wordings = ["{x} in one look", "how was {x}", "{x}, roughly"];

/** Returns the questions with their answers. */
export function generated(facts: Facts): Labelled[] {
  const random = new Random(SEED, "questions");
  const matters = mattersOf(facts, random);
  const asked = [...alone(matters, random), ...inPairs(matters, random), ...vaguely(facts, random)];
  return [...new Map(asked.map((question) => [question.text, question])).values()];
}

/** Returns the matters of a family, always the same ones. */
type Matters = (family: Family) => readonly Matter[];

function mattersOf(facts: Facts, random: Random): Matters {
  const known = new Map<Family, readonly Matter[]>();
  return (family) => {
    const before = known.get(family);
    if (before !== undefined) return before;
    const matters = family
      .matters(facts, coinNamer(random.fork(`coins of ${family.name}`)))
      .filter(({ exact }) => exact.length > 0 && exact.length <= MAX_EXACT);
    known.set(family, matters);
    return matters;
  };
}

function alone(matters: Matters, random: Random): Labelled[] {
  return SHARES.flatMap(([family, singles, misleading]) => {
    const draw = random.fork(family.name);
    const some = (count: number, kind: Kind, wordings: Wordings) =>
      draw
        .shuffled(matters(family))
        .slice(0, count)
        .map((matter) =>
          labelled(
            spoken(worded(wordings, matter, draw), draw),
            kind,
            matter.exact,
            matter.related,
          ),
        );
    return [
      ...some(singles, "single", family.wordings),
      ...(family.traps === undefined ? [] : some(misleading, "misleading", family.traps)),
    ];
  });
}

function inPairs(matters: Matters, random: Random): Labelled[] {
  return PAIRS.flatMap(([one, other, count]) => {
    const draw = random.fork(`${one.name} and ${other.name}`);
    return Array.from({ length: count }, () => {
      const [first, second] = [half(draw.deal(matters(one))), half(draw.deal(matters(other)))];
      const text = draw
        .deal(JOINTS)
        .replace("{a}", worded(one.wordings, first, draw))
        .replace("{b}", worded(other.wordings, second, draw));
      const exact = [...first.exact, ...second.exact];
      return labelled(capital(text), "compound", exact, [...first.related, ...second.related]);
    });
  });
}

function vaguely(facts: Facts, random: Random): Labelled[] {
  const draw = random.fork("vague");
  const subjects: readonly (readonly [Wordings, readonly Matter[]])[] = [
    [VAGUE_COIN, coinsAtLarge(facts, coinNamer(random.fork("coins at large")))],
    [VAGUE_THEME, [...setupsAtLarge(facts), ...themes(facts)]],
    [VAGUE_MONTH, months(facts)],
    [["{x}"], newest(facts)],
  ];
  return subjects.flatMap(([wordings, matters]) =>
    matters.map((matter) =>
      labelled(spoken(worded(wordings, matter, draw), draw), "vague", matter.exact, matter.related),
    ),
  );
}

function worded(wordings: Wordings, { names }: Matter, draw: Random): string {
  return draw.deal(wordings).replace("{x}", draw.pick(names));
}

/**
 * Returns mostly the symbol, sometimes in lower case, sometimes the coin's name, which memories do
 * not contain.
 */
function coinNamer(random: Random): Namer {
  const fullName = new Map(COINS.map((coin) => [coin.symbol, coin.name]));
  return (symbol) => {
    const kind = random.unit();
    return kind < 0.7
      ? symbol
      : kind < 0.85
        ? symbol.toLowerCase()
        : (fullName.get(symbol) ?? symbol);
  };
}

function half({ names, exact, related }: Matter): Matter {
  return { names, exact: exact.slice(0, HALF), related: [...related, ...exact.slice(HALF)] };
}

const capital = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);

/** Returns a text with or without a capital and a question mark, as users write. */
function spoken(text: string, random: Random): string {
  const manner = random.unit();
  return manner < 0.4 ? text : manner < 0.8 ? `${capital(text)}?` : `${text}?`;
}

/**
 * Returns the recent memories about each coin: of the last days as exact answers, of the last two
 * weeks as related ones.
 */
function coinsAtLarge(facts: Facts, coin: Namer): Matter[] {
  return SYMBOLS.flatMap((symbol) => {
    const mine = facts.all.filter(tagged(symbol));
    const exact = mine.filter(within(4, facts));
    return exact.length === 0
      ? []
      : { names: [coin(symbol)], exact, related: mine.filter(within(14, facts)) };
  });
}

function setupsAtLarge({ playbooks, lessons, signals, closes }: Facts): Matter[] {
  return Object.entries(SETUP_PHRASES).map(([setup, names]) => ({
    names,
    exact: [...playbooks.filter(about(setup)), ...lessons.filter(about(setup))],
    related: [
      ...signals.filter(tagged(setup)).slice(0, 5),
      ...closes.filter(about(setup)).slice(0, 5),
    ],
  }));
}

function themes({ lessons, turns }: Facts): Matter[] {
  return Object.entries(THEMES).map(([theme, topics]) => ({
    names: [theme],
    exact: lessons.filter(topic(...topics)),
    related: turns.filter(occurred("lesson_used")).filter(tagged(...topics)),
  }));
}

function months({ sessions, closes }: Facts): Matter[] {
  return Object.entries(MONTHS).map(([month, monthName]) => ({
    names: [monthName],
    exact: sessions.filter(on(month)),
    related: closes.filter(on(month)),
  }));
}

/** Returns the newest memories of each kind, under the name of the kind. */
function newest(facts: Facts): Matter[] {
  const kinds: readonly (readonly [readonly Known[], readonly string[]])[] = [
    [facts.closes, ["recent exits", "latest closes"]],
    [facts.entries, ["newest entries"]],
    [facts.signals, ["fresh signals", "whatever fired last"]],
    [facts.watchpoints, ["new levels", "latest watchpoints"]],
    [facts.lessons, ["latest lessons", "what I learned lately"]],
    [facts.theses, ["newest theses", "my latest calls"]],
    [facts.missed, ["what I missed lately"]],
    [facts.passes, ["recent good passes"]],
    [facts.events, ["news"]],
    [facts.sessions, ["the last days"]],
    [facts.curiosities, ["my latest questions"]],
    [facts.scalps, ["last scalps"]],
  ];
  return kinds.map(([list, names]) => ({
    names,
    exact: list.slice(0, 5),
    related: list.slice(5, 10),
  }));
}
