// `npm run quality -- sections`: what the section of a memory adds to its evidence in the general
// memory. Each kind of evidence about sections gets the weight that does best on the development
// half, alone and all together, and the test half says what that weight is worth.

import { loadEmbedderSync } from "nous-embedder";
import { GENERAL, guessedType } from "nous-memory";
import type { EngineConfig } from "nous-wasm";
import { GENERAL_SUBTYPES } from "../../js/sample/general/subtypes.ts";
import { table, today, writeInto, writeResults } from "../results.ts";
import { CONFIDENCE, draws, estimate, RESAMPLES } from "./bootstrap.ts";
import { evidence, type Models, OF_SECTIONS } from "./contestants.ts";
import { type Case, judged, type Measured, type Part } from "./measure.ts";
import { measureHalves } from "./own-general.ts";
import { generalSet } from "./own-sets.ts";
import type { QuestionSet } from "./question-set.ts";
import { Sentences } from "./sentences.ts";

/** The page that quotes the figures. */
const PAGE = "docs/quality.md";
const HOW = `\`npm run quality -- sections\`: the general memory with weights \`general\` and embeddings of the sentence transformer. The types of
its memories are those of the sample (*labelled*), or those that \`remember\` guesses by the preset (*guessed*). Each kind of evidence gets
each of the weights below; *development* is the gain in nDCG@10 of the weight that does best on that half, and *test* what the same weight
gains on the other half. In brackets are ${100 * CONFIDENCE} % intervals of ${RESAMPLES} bootstrap resamples over questions.`;

/** The weights that are tried. The value of \`intent\` is 0.4, those of the others at most 1. */
const TRIED = [-0.6, -0.3, 0.3, 0.6];
const TRIED_OF_INTENT = [0.5, 1, 2, 4];

/** The words of a question that ask for a section. */
const INTENT = GENERAL.engine.intent as EngineConfig["intent"];

/** A way to give memories types. */
interface Typed {
  readonly name: string;
  readonly set: QuestionSet;
  readonly config: EngineConfig;
}

const models: Models = { embedder: loadEmbedderSync(), sentences: await Sentences.load() };
const parts = [labelled(), guessed()].map(gainsOf);
const rows = parts.flat();
const text = table(["types", "evidence", "weight", "development", "test"], rows);
console.log(text);
const path = writeResults(
  "sections-general",
  "What sections add to a general memory",
  `${HOW}\n\n${text}`,
);
writeInto(PAGE, "figures of sections", `${text}\n\nMeasured on ${today()}.`);
console.log(`\nwritten to ${path}, and to ${PAGE}`);

function labelled(): Typed {
  return {
    name: "labelled",
    set: generalSet(),
    config: { sections: { subtypes: GENERAL_SUBTYPES }, intent: INTENT },
  };
}

function guessed(): Typed {
  const set = generalSet();
  const memories = set.memories.map((one) => ({
    ...one,
    subtype: guessedType(GENERAL, one.text),
  }));
  const subtypes = Object.fromEntries(
    Object.entries(GENERAL.types).map(([name, { section }]) => [name, { section }]),
  );
  return {
    name: "guessed",
    set: { ...set, memories },
    config: { sections: { subtypes }, intent: INTENT },
  };
}

/** Returns a row for each kind of evidence, and one for the best weights of all together. */
function gainsOf({ name, set, config }: Typed): string[][] {
  const weighed = (weights: Readonly<Record<string, number>>) =>
    evidence({ name: JSON.stringify(weights), ...models, weights, config });
  const tried = OF_SECTIONS.flatMap((kind) =>
    (kind === "intent" ? TRIED_OF_INTENT : TRIED).map((weight) => ({ kind, weight })),
  );
  const systems = [weighed({}), ...tried.map(({ kind, weight }) => weighed({ [kind]: weight }))];
  const { dev, test } = halvesOf(set, systems);
  const best = OF_SECTIONS.map((kind) => {
    const ways = tried.flatMap((one, at) => (one.kind === kind ? { ...one, place: at + 1 } : []));
    return ways.reduce((a, b) => (meanGain(dev, b.place) > meanGain(dev, a.place) ? b : a));
  });
  const useful = best.filter(({ place }) => meanGain(dev, place) > 0);
  const together = halvesOf(set, [
    weighed({}),
    weighed(Object.fromEntries(useful.map(({ kind, weight }) => [kind, weight]))),
  ]);
  return [
    ...best.map(({ kind, weight, place }) => [
      ...[name, `\`${kind}\``, `${weight}`],
      ...[gain(dev, place), gain(test, place)],
    ]),
    [name, "all that gain", "", gain(together.dev, 1), gain(together.test, 1)],
  ];
}

function halvesOf(set: QuestionSet, systems: Parameters<typeof measureHalves>[1]) {
  const [test, dev] = measureHalves(set, systems).halves;
  return { test: test!, dev: dev! };
}

/** Returns what a system gains in nDCG@10 over the first one, question by question. */
function gains({ cases, measured }: Pick<Part, "cases" | "measured">, place: number): number[] {
  const values = ({ found }: Measured, of: readonly Case[]) => judged(of, found, "nDCG@10");
  const before = values(measured[0]!, cases);
  return values(measured[place]!, cases).map((value, at) => value - before[at]!);
}

function meanGain(part: Part, place: number): number {
  const all = gains(part, place);
  return all.reduce((sum, value) => sum + value, 0) / all.length;
}

function gain(part: Part, place: number): string {
  const all = gains(part, place);
  const { mean, low, high } = estimate(all, draws(all.length));
  return `${signed(mean)} (${signed(low)} to ${signed(high)})`;
}

function signed(value: number): string {
  return `${value < 0 ? "−" : "+"}${Math.abs(value).toFixed(4)}`;
}
