// `npm run quality -- asked`: measures the questions of the folder `asked`, and those beside the
// stores: what is found of questions in other words, and which questions that nothing answers look
// answered. With `--set FILE …` it shows what the adapter for questions does to other sets.

import { basename } from "node:path";
import { parseArgs } from "node:util";
import { loadEmbedderSync } from "nous-embedder";
import { type Knows, knowsOf } from "nous-memory";
import { table, writeResults } from "../results.ts";
import { CONFIDENCE, draws, estimate, RESAMPLES } from "./bootstrap.ts";
import { type LifeStore, lifeStores } from "./changes/stores.ts";
import {
  EVIDENCE,
  evidence,
  type Models,
  type System,
  simplerThanEvidence,
} from "./contestants.ts";
import { signed } from "./evidence-report.ts";
import { type Asking, askingOf, type Case, measure } from "./measure.ts";
import { METRICS } from "./metrics.ts";
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

/**
 * Returns the cells of a figure: a mean, and the interval of its difference from the plain ones.
 */
function cell(values: readonly number[], plain: readonly number[] | undefined): string {
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
  if (plain === undefined) return mean.toFixed(3);
  const places = draws(values.length);
  const { low, high } = estimate(
    values.map((value, place) => value - plain[place]!),
    places,
  );
  return `${mean.toFixed(3)} (${signed(low)} to ${signed(high)})`;
}

function tablesOf(named: readonly Named[], systems: readonly System[]): string {
  const cases = named.flatMap(({ asking, nameOf }) =>
    asking.cases.map((one) => ({ one, names: nameOf(one) })),
  );
  const measured = measure(
    systems,
    named.map(({ asking }) => asking),
  );
  const names = [...new Set(cases.flatMap((one) => one.names))].sort();
  const foundOf = (name: string) => measured.find(({ system }) => system.name === name)!.found;
  const answered: string[][] = [];
  const unanswered: string[][] = [];
  for (const name of names) {
    const places = cases.flatMap(({ names: its }, place) => (its.includes(name) ? place : []));
    const known = places.filter((place) => cases[place]!.one.grades.size > 0);
    const figures = (system: string) => {
      const found = foundOf(system);
      const firstOf = (place: number) => found[place]![0]?.id ?? "";
      return {
        ndcg: known.map((place) =>
          METRICS["nDCG@10"](ids(found[place]!), cases[place]!.one.grades),
        ),
        first: known.map((place) => Number(cases[place]!.one.grades.has(firstOf(place)))),
      };
    };
    if (known.length > 0) {
      const plain = figures(PLAIN);
      answered.push([
        `${name} (${known.length})`,
        ...(["ndcg", "first"] as const).flatMap((metric) =>
          systems.map((system) =>
            cell(
              figures(system.name)[metric],
              system.name === EVIDENCE ? plain[metric] : undefined,
            ),
          ),
        ),
      ]);
    }
    const shares = (some: readonly number[], system: string) =>
      (["yes", "perhaps"] as const).map((wanted: Knows) => {
        const is = (place: number) => knowsOf(foundOf(system)[place]![0]?.score ?? 0) === wanted;
        return some.length === 0 ? "" : (some.filter(is).length / some.length).toFixed(2);
      });
    const parts = [known, places.filter((place) => cases[place]!.one.grades.size === 0)];
    for (const [part, some] of parts.entries())
      if (some.length > 0)
        unanswered.push([
          `${name}${part === 0 ? "" : ", nothing answers"} (${some.length})`,
          ...[PLAIN, EVIDENCE].flatMap((system) => shares(some, system)),
        ]);
  }
  const head = (metric: string) => systems.map(({ name }) => `${metric}, ${name}`);
  return [
    table(["questions", ...head("nDCG@10"), ...head("answers first")], answered),
    "The share of questions that `knows` answers by *yes* and by *perhaps*:",
    table(
      ["questions", ...[PLAIN, EVIDENCE].flatMap((one) => [`${one}, yes`, `${one}, perhaps`])],
      unanswered,
    ),
  ].join("\n\n");
}

const ids = (hits: readonly { id: string }[]): string[] => hits.slice(0, 10).map(({ id }) => id);

const { values } = parseArgs({
  options: {
    set: { type: "string", multiple: true, default: [] },
    "no-write": { type: "boolean", default: false },
    help: { type: "boolean" },
  },
});
if (values.help) console.log(USAGE);
else {
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
    ...values.set.flatMap((file) => {
      const name = basename(file).replace(/\.json(?:\.gz)?$/, "");
      return readSet(file).map((set) => ({ asking: askingOf(set), nameOf: () => [name] }));
    }),
  ];
  const text = tablesOf(named, systems);
  console.log(text);
  if (!values["no-write"]) {
    const path = writeResults("asked", "Questions in other words", `${HOW}\n\n${text}`);
    console.log(`\nwritten to ${path}`);
  }
}
