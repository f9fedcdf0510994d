// `npm run quality -- lessons`: searches for patterns in memories with and without planted
// regularities, prints how many it finds and how many reports are false, and writes the table to
// benches/results/. Every run gives the same numbers.

import { findPatterns, type TestedPattern } from "nous-wasm";
import { binomialTest, FALSE_DISCOVERY_RATE, qValues } from "../../js/reference/patterns.ts";
import {
  BASE_RATES,
  generatePlanted,
  PLANTED_DEFAULTS,
  type Planted,
  type PlantedOptions,
} from "../../js/sample/trader/planted.ts";
import { whole } from "../js/units.ts";
import { table, writeResults } from "../results.ts";
import { CONFIDENCE, draws, estimate, RESAMPLES } from "./bootstrap.ts";
import { type Judged, judge } from "./discoveries.ts";

/** Memories of each kind. */
const MEMORIES = 400;
/** The results of the first memories are shown separately, because they vary by some points. */
const FIRST = 100;
/** The measured effect sizes, in percentage points, of either sign. */
const SIZES = [15, 25, 35];

const { effects } = PLANTED_DEFAULTS;
const fewer = effects.slice(0, effects.length / 2);
const none = (conditions: readonly number[]) => conditions.map(() => 0);

const SMALL = { effects: none(fewer), symbols: ["BTC", "ETH", "SOL", "DOGE", "ARB"], trades: 10 };

const KINDS: Readonly<Record<string, PlantedOptions>> = {
  [`${effects.length} regularities a symbol`]: {},
  [`${fewer.length} regularities a symbol`]: { effects: fewer },
  "no regularity": { effects: none(effects) },
  [`no regularity, ${SMALL.symbols.length} small symbols`]: SMALL,
};

/** The rules that decide which tested conditions are reported. */
const WAYS: Readonly<
  Record<string, (tested: readonly TestedPattern[]) => readonly TestedPattern[]>
> = {
  "as it is": (tested) => tested.filter(({ kept }) => kept),
  "all taken for nothing": (tested) =>
    reportedOf(
      tested,
      qValues(
        tested.map(({ p_value }) => p_value),
        tested.length,
      ),
    ),
  "binomial test alone": (tested) => {
    const p = tested.map(({ wins, n, rest_wins, rest_n }) =>
      binomialTest(wins, n, rest_wins, rest_n),
    );
    return reportedOf(tested, qValues(p, tested.length));
  },
};

/** Returns the conditions whose q value is within the false discovery rate. */
const reportedOf = (tested: readonly TestedPattern[], q: readonly number[]) =>
  tested.filter((_, i) => q[i]! <= FALSE_DISCOVERY_RATE);

const HOW = `\`npm run quality -- lessons\`: ${MEMORIES} generated memories of each kind, and the first ${FIRST} of them alone, whose intervals show
the uncertainty of so small a number. A memory has the trades of two symbols, and each trade has one condition: an anomaly, or a signal
of its entry. Half of these conditions are regularities: their trades are won more often than the symbol's others, or less
often, by as many points as the head of the table says. The other half has no effect, nor have weekday, hours, direction, trade
type and funding, which are drawn for each trade. A condition has ${PLANTED_DEFAULTS.trades} trades. The share of won trades of a symbol lies between
${100 * BASE_RATES[0]} and ${100 * BASE_RATES[1]} %. *Small* symbols have ${SMALL.trades} trades for each of ${2 * SMALL.effects.length} conditions.

*Conditions tested* are those of a cycle: the more there are beside regularities, the less is found. *Found* conditions are reported with
the right sign. *Reported falsely* is the share of reports about conditions without an effect (0 without reports), and *nothing reported*
the share of memories without reports. *All taken for nothing* is Benjamini and Hochberg's original procedure, which assumes no true
regularity among the tested conditions; ours estimates how many have no effect. *Binomial test alone* is ours without Fisher's test. In brackets are ${100 * CONFIDENCE} % intervals of ${whole(RESAMPLES)} bootstrap resamples over memories.

How we came here: Fisher's test was added because of false reports of the binomial test. After the first runs the number of memories
rose from ${FIRST} to ${MEMORIES}, and the kind with ${effects.length} regularities joined the one with ${fewer.length}, of which too few were found. The
estimate came last, because without it 77 % of the effects of 25 points were found in the first ${FIRST} memories, for a bar of 80.`;

const testedIn = ({ nodes, edges }: Planted): TestedPattern[] => findPatterns(nodes, edges).tested;

/** Returns the mean over memories, in percent. */
function shown(shares: readonly number[], drawn: Uint32Array): string {
  const { mean, low, high } = estimate(shares, drawn);
  return `${(100 * mean).toFixed(1)} (${(100 * low).toFixed(1)}–${(100 * high).toFixed(1)})`;
}

function foundOf({ regularities }: Judged, size: number): number {
  const some = regularities.filter(({ effect }) => Math.abs(effect) === size);
  return some.filter(({ found }) => found).length / some.length;
}

function cellsOf(memories: readonly Judged[], drawn: Uint32Array): string[] {
  const planted = memories[0]!.regularities.length > 0;
  const cell = (shareOf: (memory: Judged) => number) => shown(memories.map(shareOf), drawn);
  return [
    ...SIZES.map((size) => (planted ? cell((memory) => foundOf(memory, size)) : "–")),
    planted ? cell(({ reported, wrong }) => (reported === 0 ? 0 : wrong / reported)) : "–",
    cell(({ reported }) => (reported === 0 ? 1 : 0)),
  ];
}

const allDrawn = draws(MEMORIES);
const firstDrawn = draws(FIRST);

function rowsOf(kind: string, options: PlantedOptions): string[][] {
  const judged = Object.fromEntries(Object.keys(WAYS).map((way) => [way, [] as Judged[]]));
  let count = 0;
  for (let seed = 1; seed <= MEMORIES; seed++) {
    const memory = generatePlanted({ ...options, seed });
    const tested = testedIn(memory);
    count += tested.length;
    for (const [way, reportedIn] of Object.entries(WAYS))
      judged[way]!.push(judge(memory.truth, reportedIn(tested)));
  }
  const tested = (count / MEMORIES).toFixed(0);
  return Object.entries(judged).flatMap(([way, memories]) => [
    [kind, way, tested, ...cellsOf(memories, allDrawn)],
    ["", `${way}, first ${FIRST}`, "", ...cellsOf(memories.slice(0, FIRST), firstDrawn)],
  ]);
}

const head = [
  ...["memories", "test", "conditions tested"],
  ...SIZES.map((size) => `${size} points found, %`),
  ...["reported falsely, %", "nothing reported, %"],
];
const rows = Object.entries(KINDS).flatMap(([kind, options]) => rowsOf(kind, options));
const found = table(head, rows);

console.log(found);
console.log(
  `\nwritten to ${writeResults("lessons", "Lessons from many trades", `${HOW}\n\n${found}`)}`,
);
