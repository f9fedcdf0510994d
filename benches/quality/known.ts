// Questions over memories that hold an answer and over memories that hold none, and what the rule
// whether a memory knows the answer reads of each.

import { basename } from "node:path";
import { loadEmbedderSync } from "nous-embedder";
import { MAX_JUDGED, probabilityKnown, type SignsOfKnowing, signsOf } from "nous-memory";
import { type Embedder, MemoryIndex } from "nous-wasm";
import { cutStores } from "../fit/cut-stores.ts";
import { lifeStores } from "./changes/stores.ts";
import type { Store } from "./contestants.ts";
import { type Asking, askingOf, type Case } from "./measure.ts";
import { generalSet } from "./own-sets.ts";
import { type Part, partOf } from "./question-set.ts";
import { readSet } from "./read-set.ts";
import { Sentences, type SentenceVectors, sentenceOf, servedVector } from "./sentences.ts";

/** A question, and what the rule reads. */
export interface KnownCase extends SignsOfKnowing {
  /** The row of the table that it belongs to. */
  readonly name: string;
  readonly kind: string;
  /** Whether one of the first memories answers, and whether the very first does. */
  readonly isKnown: boolean;
  readonly isFirstRight: boolean;
  /** The score of the first answer, by which a memory was said to know before there was a rule. */
  readonly first: number;
  readonly among: number;
  /** The probability by the rule. */
  readonly probability: number;
}

/** Questions whose answers and others are asked over parts of their memory, too: how many. */
const CUT = { store: 12, general: 60 } as const;

/** The names of the rows on which the rule is fitted. */
export const FITTED_ROWS: ReadonlySet<string> = new Set([
  ...["stores, asked", "stores, cut", "stores, own", "general, dev", "general, dev, cut"],
  "automemorybench",
]);

/** Returns the questions of the stores, of the general memory and of files, with what is read. */
export async function knownCases(files: readonly string[]): Promise<KnownCase[]> {
  const embedder = loadEmbedderSync();
  const sentences = await Sentences.load({ readsPairs: false });
  const over = (name: string, askings: readonly Asking[]) =>
    askings.flatMap((asking) => casesOf(name, asking, embedder, sentences));
  const cut = (name: string, asking: Asking, max: number) =>
    cutStores([asking], max).flatMap(({ askings }) => over(name, askings));
  const ofStores = lifeStores().flatMap((store) => {
    const name = store.held ? "held-out stores" : "stores";
    const asked = askingOf({ ...store, questions: store.asked });
    return [
      ...over(`${name}, asked`, [asked]),
      ...cut(`${name}, cut`, asked, CUT.store),
      ...over(`${name}, own`, [askingOf(store)]),
    ];
  });
  const general = askingOf(generalSet());
  const ofGeneral = (["dev", "test"] as const).flatMap((part: Part) => {
    const its = { ...general, cases: general.cases.filter(({ text }) => partOf(text) === part) };
    return [...over(`general, ${part}`, [its]), ...cut(`general, ${part}, cut`, its, CUT.general)];
  });
  const ofFiles = files.flatMap((file) =>
    over(basename(file).replace(/(\.json)?(\.gz)?$/, ""), readSet(file).map(askingOf)),
  );
  return [...ofStores, ...ofGeneral, ...ofFiles];
}

function casesOf(
  name: string,
  { store, cases }: Asking,
  embedder: Embedder,
  sentences: SentenceVectors,
): KnownCase[] {
  const index = new MemoryIndex({
    ...{ embedder, dimensions: sentences.dimensions, embeddings: "i8" },
  });
  const vectorOf = (text: string, purpose: "passage" | "question") =>
    servedVector(sentences, text, purpose);
  index.upsert(
    store.memories.map((one) => ({ ...one, embedding: vectorOf(sentenceOf(one), "passage") })),
  );
  index.link(store.edges);
  const texts = new Map(store.memories.map((one) => [one.id, sentenceOf(one)]));
  const found = cases.flatMap((one) => {
    const { text, now } = one;
    const answers = index
      .ask(text, { limit: MAX_JUDGED, now, embedding: vectorOf(text, "question") })
      .map((answer) => ({ ...answer, text: texts.get(answer.id)! }));
    const holds = isHeld(one, store);
    const isFound = answers.some(({ id }) => one.grades.has(id));
    // What is stored and not found is neither known nor unknown.
    if (holds && !isFound) return [];
    const memory = { among: index.size, isByEnglish: true };
    return {
      ...{ name, kind: one.kind, isKnown: holds, among: memory.among },
      first: answers[0]?.score ?? 0,
      isFirstRight: answers[0] !== undefined && one.grades.has(answers[0].id),
      ...signsOf(text, answers, memory),
      probability: probabilityKnown(text, answers, memory),
    };
  });
  index.free();
  return found;
}

const isHeld = ({ grades }: Case, { memories }: Store): boolean =>
  grades.size > 0 && memories.some(({ id }) => grades.has(id));
