// `npm run quality -- guesses --set FILE …`: measures what guesses of what replaces what change in
// answers. The quality tables ask indexes without them; a server has them by default.

import { basename } from "node:path";
import { loadEmbedderSync } from "nous-embedder";
import { type GradeOfGuess, typeOfGuess } from "nous-memory";
import { MemoryIndex, type WordVectors } from "nous-wasm";
import { table, writeResults } from "../results.ts";
import { CONFIDENCE, RESAMPLES } from "./bootstrap.ts";
import { type LifeStore, lifeStores } from "./changes/stores.ts";
import { type ComparedBy, guessesOf, written } from "./conflicts.ts";
import { meanBeside } from "./evidence-report.ts";
import { askingOf, type Case } from "./measure.ts";
import { DEPTH, METRICS } from "./metrics.ts";
import { setsAndWriting } from "./options.ts";
import { generalSet } from "./own-sets.ts";
import { partOf, type QuestionSet } from "./question-set.ts";
import { readSet } from "./read-set.ts";
import { replacesIn } from "./replaces.ts";
import { Sentences, sentenceOf, servedVector } from "./sentences.ts";

const USAGE = `npm run quality -- guesses             the general memory and the stores
    --set FILE …                        and the questions of files: JSON, or JSON compressed by gzip
    --no-write                          prints the table, writes nothing`;

const HOW = `\`npm run quality -- guesses --set FILE …\`: every memory of a store is written in order of time, and compared with older ones as a
server compares it, by the sentence transformer. Memories of files have no type. *Likely* and *possible* are the edges that the server makes; the
columns say which of them the index has. In brackets are ${100 * CONFIDENCE} % intervals of the differences from no guesses, of ${RESAMPLES} bootstrap resamples over
questions. *Stores* are memories of invented people and teams, by writers who knew neither the rule nor its pairs; *now* asks what holds,
*before* what held, *fact* what never changed. On those that are not held out the model that reads pairs was trained, or its weight fitted, and the prompts' rule chosen. *Newer first* is the share of the questions that name outdated memories whose answer comes before all of them.`;

const WAYS = ["no guesses", "likely", "likely and possible"] as const;
/** The guesses that an index has in each way. A faint one orders nothing. */
const GRADES_OF: Readonly<Record<(typeof WAYS)[number], readonly GradeOfGuess[]>> = {
  "no guesses": [],
  likely: ["likely"],
  "likely and possible": ["likely", "possible"],
};
/** Answers of a question. */
const LIMIT = 50;

/** What one question got in each way. */
interface Asked {
  readonly name: string;
  readonly ndcg: number[] | undefined;
  readonly newerFirst: number[] | undefined;
}

/** Returns the place of the first of some memories; infinite if none is found. */
function placeOf(ids: readonly string[], wanted: Iterable<string>): number {
  const among = new Set(wanted);
  const place = ids.findIndex((id) => among.has(id));
  return place < 0 ? Number.POSITIVE_INFINITY : place;
}

/** Asks a store all its questions in each way. */
function askedOf(
  set: QuestionSet,
  nameOf: (one: Case) => readonly string[],
  models: { embedder: WordVectors; sentences: Sentences },
): Asked[] {
  const { embedder, sentences } = models;
  const edges = guessesOf(written(set, models));
  const { store, cases } = askingOf(set);
  const vectorOf = (text: string, of: "passage" | "question") => servedVector(sentences, text, of);
  const found = WAYS.map((way) => {
    const index = new MemoryIndex({ embedder, dimensions: sentences.dimensions });
    index.upsert(
      store.memories.map((one) => ({ ...one, embedding: vectorOf(sentenceOf(one), "passage") })),
    );
    const grades = GRADES_OF[way].map(typeOfGuess);
    index.link(edges.filter(({ type }) => grades.includes(type ?? "")));
    const answers = cases.map(({ text, now }) => {
      const embedding = vectorOf(text, "question");
      return index.ask(text, { now, limit: LIMIT, embedding }).map(({ id }) => id);
    });
    index.free();
    return answers;
  });
  return cases.flatMap((one, place) => {
    const ids = found.map((answers) => answers[place]!);
    const { grades, outdated } = one;
    const ndcg =
      grades.size === 0
        ? undefined
        : ids.map((its) => METRICS["nDCG@10"](its.slice(0, DEPTH), grades));
    const newerFirst =
      outdated.length === 0
        ? undefined
        : ids.map((its) => Number(placeOf(its, grades.keys()) < placeOf(its, outdated)));
    return nameOf(one).map((name) => ({ name, ndcg, newerFirst }));
  });
}

/** Returns the table of the guesses of whole memories: right is what their writers say replaces. */
function storesTable(stores: readonly LifeStore[], models: ComparedBy): string {
  const rowOf = (name: string, some: readonly LifeStore[]) => {
    const judged = some.flatMap((store) =>
      guessesOf(written(store, models)).map(({ type, source_id, target_id }) => ({
        type,
        isRight: replacesIn(store.replaced, target_id, source_id),
      })),
    );
    const count = (grade: GradeOfGuess, isRight: boolean) =>
      judged.filter((one) => one.type === typeOfGuess(grade) && one.isRight === isRight).length;
    const replaced = some.flatMap(({ replaced }) => [...replaced.values()].flat()).length;
    const counts = (["likely", "possible", "faint"] as const).flatMap((grade) =>
      [true, false].map((isRight) => count(grade, isRight)),
    );
    return [
      name,
      ...[some.flatMap(({ memories }) => memories).length, replaced, ...counts].map(String),
    ];
  };
  return table(
    [
      ...["stores", "memories", "replaced"],
      ...["likely, right", "wrong", "possible, right", "wrong", "faint, right", "wrong"],
    ],
    [false, true].map((held) => {
      const some = stores.filter((store) => store.held === held);
      return rowOf(`${some.length}${held ? ", held out" : ""}`, some);
    }),
  );
}

/** Returns the cells of one figure in each way: a mean, then means with their differences. */
function cells(values: readonly (readonly number[])[]): string[] {
  if (values.length === 0) return WAYS.map(() => "");
  const ofWay = (way: number) => values.map((its) => its[way]!);
  return WAYS.map((_, way) => meanBeside(ofWay(way), way === 0 ? undefined : ofWay(0)));
}

const { files, writes } = setsAndWriting(USAGE);
const models = { embedder: loadEmbedderSync(), sentences: await Sentences.load() };
const halves = (one: Case) => {
  const half = `general, ${partOf(one.text) === "test" ? "test" : "development"} half`;
  return [half, `${half}: ${one.kind === "correction" ? "corrections" : "all others"}`];
};
const stores = lifeStores();
const kinds = (isHeld: boolean) => (one: Case) => [
  `stores${isHeld ? ", held out" : ""}: ${one.kind}`,
];
const asked = [
  ...askedOf(generalSet(), halves, models),
  ...stores
    .filter(({ questions }) => questions.length > 0)
    .flatMap((store) => askedOf(store, kinds(store.held), models)),
  ...files.flatMap((file) => {
    const name = basename(file).replace(/\.json(?:\.gz)?$/, "");
    return readSet(file).flatMap((set) => askedOf(set, () => [name], models));
  }),
];
const names = [...new Set(asked.map(({ name }) => name))];
const rows = names.flatMap((name) => {
  const its = asked.filter((one) => one.name === name);
  const ndcg = its.flatMap((one) => (one.ndcg === undefined ? [] : [one.ndcg]));
  const first = its.flatMap((one) => (one.newerFirst === undefined ? [] : [one.newerFirst]));
  if (ndcg.length === 0) return [];
  return [[`${name} (${ndcg.length})`, ...cells(ndcg), ...cells(first)]];
});
const head = [
  "questions",
  ...WAYS.map((way) => `nDCG@10, ${way}`),
  ...WAYS.map((way) => `newer first, ${way}`),
];
const text = `${table(head, rows)}\n\n${storesTable(stores, models)}`;
console.log(text);
if (writes) {
  const path = writeResults("guesses", "What guesses change in answers", `${HOW}\n\n${text}`);
  console.log(`\nwritten to ${path}`);
}
