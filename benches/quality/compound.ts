// `npm run quality -- compound`: asks pairs of questions about the general memory that a person
// would ask in one sentence, at once and in parts, and writes how good the answers are to
// benches/results/.

import { loadEmbedderSync } from "nous-embedder";
import { createOrchestrator, MemoryIndex } from "nous-wasm";
import { table, writeResults } from "../results.ts";
import type { Hit } from "./bm25.ts";
import { CONFIDENCE, draws, estimate, RESAMPLES } from "./bootstrap.ts";
import { BM25 } from "./contestants.ts";
import { shown, shownDifference } from "./evidence-report.ts";
import compound from "./general/compound.json" with { type: "json" };
import { type Asking, askingOf, type Case, JUDGES, type Judge, judged } from "./measure.ts";
import { DEPTH } from "./metrics.ts";
import { generalSet } from "./own-sets.ts";
import type { QuestionSet } from "./question-set.ts";

const HOW = `\`npm run quality -- compound\`: ${compound.length} pairs of questions about the general memory, joined by hand as a person would
ask them. All answers of both questions answer a pair. *Whole*: \`MemoryIndex.ask\` with the sentence as it is. *In parts*: the
orchestrator with its defaults for evidence, over the same search. *Both found* is the share of pairs of which each question has an
answer among the first ten. In brackets are ${100 * CONFIDENCE} % intervals of ${RESAMPLES} bootstrap resamples over pairs.`;

/** A deadline in seconds that no retrieval reaches. */
const PATIENCE = 60;

/** The answers of a way to ask. */
interface Asked {
  readonly name: string;
  readonly found: readonly (readonly Hit[])[];
}

const set = generalSet();
const { store, cases } = pairsOf(set);
/** The answers of each question, by its text. */
const answersOf = new Map(set.questions.map(({ text, answers }) => [text, answers]));

const embedder = loadEmbedderSync();
const index = new MemoryIndex({ embedder });
index.upsert(store.memories);
const words = BM25.open(store);
const at = cases[0]!.now;

const partsOf: number[] = [];
const inParts: (readonly Hit[])[] = [];
const orchestrator = createOrchestrator({
  search: (query, { limit, now }) =>
    index.ask(query, { limit, now }).map(({ id, score }) => ({ id, score })),
  config: { orchestrator: { timeoutSeconds: PATIENCE } },
});
for (const { text } of cases) {
  const { nodes, trace } = await orchestrator.retrieve(text, { now: at });
  inParts.push(nodes.map(({ id, score }) => ({ id: id as string, score })));
  partsOf.push(trace.parts.length);
}
const ways: readonly Asked[] = [
  { name: BM25.name, found: cases.map(({ text }) => words.ask(text, at)) },
  { name: "whole", found: cases.map(({ text }) => index.ask(text, { limit: DEPTH, now: at })) },
  { name: "in parts", found: inParts },
];
index.free();

const text = [
  `${partsOf.filter((count) => count > 1).length} of ${cases.length} pairs were taken apart.`,
  ...tables("All pairs", () => true),
  ...tables("Pairs that were taken apart", (place) => partsOf[place]! > 1),
].join("\n\n");
console.log(text);
const path = writeResults("compound", "Compound questions", `${HOW}\n\n${text}`);
console.log(`\nwritten to ${path}`);

/** Returns the general memory with the pairs as its questions. */
function pairsOf({ memories, questions }: QuestionSet): Asking {
  const known = new Map(questions.map((one) => [one.text, one]));
  return askingOf({
    name: "compound",
    memories,
    questions: compound.map(({ text, parts }) => {
      const each = parts.map((part) => {
        const one = known.get(part);
        if (one === undefined) throw new RangeError(`“${text}”: no question “${part}”`);
        return one;
      });
      const answers = [...new Set(each.flatMap((one) => one.answers))];
      return { ...each[0]!, text, kind: "compound", answers };
    }),
  });
}

/** Returns the figures of each way over some pairs, and the difference of the last two. */
function tables(title: string, keeps: (place: number) => boolean): string[] {
  const kept = <T>(list: readonly T[]): T[] => list.filter((_, place) => keeps(place));
  const own = kept(cases);
  const drawn = draws(own.length);
  const judges = Object.keys(JUDGES) as Judge[];
  const valuesOf = ({ found }: Asked, judge: Judge) => judged(own, kept(found), judge);
  const rows = ways.map((way) => [
    way.name,
    ...judges.map((judge) => shown(estimate(valuesOf(way, judge), drawn))),
    shown(estimate(kept(bothFound(way)), drawn)),
  ]);
  const [whole, parts] = ways.slice(1).map((way) => valuesOf(way, "nDCG@10"));
  const differences = parts!.map((value, place) => value - whole![place]!);
  return [
    `## ${title}: ${own.length}`,
    table(["asked", ...judges, "both found"], rows),
    `nDCG@10 in parts less that of the whole: ${shownDifference(estimate(differences, drawn))}.`,
  ];
}

/** Returns 1 for each pair of which both questions have an answer among the first ten, else 0. */
function bothFound({ found }: Asked): number[] {
  return cases.map((_: Case, place) => {
    const ids = new Set(found[place]!.slice(0, DEPTH).map(({ id }) => id));
    const isFound = (part: string) => answersOf.get(part)!.some((id) => ids.has(id));
    return compound[place]!.parts.every(isFound) ? 1 : 0;
  });
}
