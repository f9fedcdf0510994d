// `npm run quality -- asked`: measures the questions of the folder `asked`, and those beside the
// stores: what is found of questions in other words. With `--set FILE …` it shows what the adapter
// for questions does to other sets.

import { basename } from "node:path";
import { loadEmbedderSync } from "nous-embedder";
import { table, writeResults } from "../results.ts";
import type { Hit } from "./bm25.ts";
import { CONFIDENCE, RESAMPLES } from "./bootstrap.ts";
import { type LifeStore, lifeStores } from "./changes/stores.ts";
import {
  EVIDENCE,
  evidence,
  type Models,
  type System,
  simplerThanEvidence,
} from "./contestants.ts";
import { meanBeside } from "./evidence-report.ts";
import { type Asking, askingOf, type Case, measure } from "./measure.ts";
import { DEPTH, METRICS } from "./metrics.ts";
import { setsAndWriting } from "./options.ts";
import { generalSet } from "./own-sets.ts";
import { partOf, type SetQuestion } from "./question-set.ts";
import { readSet } from "./read-set.ts";
import { withReplaced } from "./replaces.ts";
import { plainVector, Sentences, type SentenceVectors } from "./sentences.ts";

const USAGE = `npm run quality -- asked             the stores and the general memory
    --set FILE …                     and the questions of files: JSON, or JSON compressed by gzip
    --no-write                       prints the tables, writes nothing`;

const HOW = `\`npm run quality -- asked --set FILE …\`. *Held out* are eight memories of invented people and teams on which nothing was fitted, *reading* ten
on which the adapter for questions was not trained. The questions are by writers who read the memories alone: most *paraphrases* share no
word with their answer, *direct* questions share two or more, *near* ones are about what is stored, and the memory does not say it, *elsewhere* ones are about
nothing that is stored. What an answer replaced counts as an answer, too: which of both holds is told by guesses, which these indexes lack. *Plain* is evidence by the default of the
server with the vectors of the model as published; *evidence* has those of the adapter for questions. In brackets are ${100 * CONFIDENCE} % intervals of the difference
from *plain*, of ${RESAMPLES} bootstrap resamples over questions.`;

const PLAIN = "plain";

/** The vectors of the model as it is published. */
const plainly = (sentences: Sentences): SentenceVectors => ({
  dimensions: sentences.dimensions,
  reads: sentences.reads,
  embed: (text, purpose) =>
    purpose === "question" ? plainVector(sentences, text) : sentences.embed(text, purpose),
  embedAll: (texts, purpose) => {
    if (purpose === "passage") sentences.embedAll(texts, purpose);
  },
});

/** Questions with the rows of the tables that they belong to. */
interface Named {
  readonly asking: Asking;
  readonly nameOf: (one: Case) => readonly string[];
}

/** Returns the questions of a store. What an answer replaced is an answer, too. */
function namedStore(store: LifeStore): Named {
  // Unless they ask for what held before.
  const ofFact = ({ answers, ...one }: SetQuestion): SetQuestion => ({
    ...{ ...one, outdated: [] },
    answers: one.kind === "before" ? answers : withReplaced(store.replaced, answers),
  });
  const questions = [...store.questions, ...store.asked].map(ofFact);
  const name = store.held ? "held out" : "reading";
  return {
    asking: askingOf({ ...store, questions }),
    nameOf: ({ kind }) => [`${name}: ${kind}`],
  };
}

/** A question, the rows that it belongs to, and what each system found. */
interface Answered {
  readonly names: readonly string[];
  readonly grades: Case["grades"];
  readonly hits: Readonly<Record<string, readonly Hit[]>>;
}

/** Asks all systems, and returns what they found, question by question. */
function answeredBy(systems: readonly System[], named: readonly Named[]): Answered[] {
  const askings = named.map(({ asking }) => asking);
  const measured = measure(systems, askings);
  const cases = named.flatMap(({ asking, nameOf }) =>
    asking.cases.map((one) => ({ names: nameOf(one), grades: one.grades })),
  );
  return cases.map((one, place) => ({
    ...one,
    hits: Object.fromEntries(measured.map(({ system, found }) => [system.name, found[place]!])),
  }));
}

/** The figures of a question that has an answer, by their names. */
const FIGURES = {
  "nDCG@10": (hits: readonly Hit[], grades: Case["grades"]) =>
    METRICS["nDCG@10"](
      hits.slice(0, DEPTH).map(({ id }) => id),
      grades,
    ),
  "answers first": ([first]: readonly Hit[], grades: Case["grades"]) =>
    Number(first !== undefined && grades.has(first.id)),
} as const;

/** Returns the table of the questions that have an answer. */
function answersTable(names: readonly string[], all: readonly Answered[], systems: string[]) {
  const rows = names.flatMap((name) => {
    const its = all.filter((one) => one.names.includes(name) && one.grades.size > 0);
    if (its.length === 0) return [];
    const cells = Object.values(FIGURES).flatMap((figure) => {
      const of = (system: string) => its.map(({ hits, grades }) => figure(hits[system]!, grades));
      return systems.map((system) =>
        meanBeside(of(system), system === EVIDENCE ? of(PLAIN) : undefined),
      );
    });
    return [[`${name} (${its.length})`, ...cells]];
  });
  const heads = Object.keys(FIGURES).flatMap((figure) =>
    systems.map((system) => `${figure}, ${system}`),
  );
  return table(["questions", ...heads], rows);
}

const { files, writes } = setsAndWriting(USAGE);
const sentences = await Sentences.load({ readsPairs: false });
const models: Models = { embedder: loadEmbedderSync(), sentences };
const systems = [
  ...simplerThanEvidence(models),
  evidence({ ...models, name: PLAIN, sentences: plainly(sentences) }),
  evidence({ ...models, name: EVIDENCE }),
];
const half = ({ text, kind }: Case) => {
  const name = `general, ${partOf(text) === "test" ? "test" : "development"} half`;
  return [name, ...(kind === "paraphrase" ? [`${name}: paraphrases`] : [])];
};
const named: Named[] = [
  ...lifeStores()
    .filter(({ use, asked }) => use !== "training" && asked.length > 0)
    .map(namedStore),
  { asking: askingOf(generalSet()), nameOf: half },
  ...files.flatMap((file) => {
    const name = basename(file).replace(/\.json(?:\.gz)?$/, "");
    return readSet(file).map((set) => ({ asking: askingOf(set), nameOf: () => [name] }));
  }),
];
const all = answeredBy(systems, named);
const names = [...new Set(all.flatMap((one) => one.names))].sort();
const text = answersTable(
  names,
  all,
  systems.map(({ name }) => name),
);
console.log(text);
if (writes) {
  const path = writeResults("asked", "Questions in other words", `${HOW}\n\n${text}`);
  console.log(`\nwritten to ${path}`);
}
