// `npm run fit -- changes`: fits the weights by which a new memory is compared with those that it may
// replace, writes them to js/memory/src/write/replacing/weights.ts, and measures them. The same
// package, pairs and memories give the same bytes. With `--keep-weights` the features keep those of the
// package, and only what a reading weighs is fitted.

import { writeFileSync } from "node:fs";
import { loadEmbedderSync } from "nous-embedder";
import {
  type Features,
  GENERAL,
  guessedType,
  MIN_LIKELY,
  MIN_POSSIBLE,
  probabilityOf,
  REPLACING_WEIGHTS,
  type ReplacingCandidate,
  type ReplacingWeights,
  replacingCandidates,
  replacingFeatures,
  wholeOf,
} from "nous-memory";
import { getSectionForSubtype, MemoryIndex } from "nous-wasm";
import { generateSample } from "../../js/sample/trader/index.ts";
import { CHANGES, type ChangePair } from "../quality/changes/pairs.ts";
import { lifeStores } from "../quality/changes/stores.ts";
import { type ComparedBy, REPLACED, written } from "../quality/conflicts.ts";
import { generalSet, traderSet } from "../quality/own-sets.ts";
import type { QuestionSet } from "../quality/question-set.ts";
import { type Replaced, replacesIn } from "../quality/replaces.ts";
import { Sentences } from "../quality/sentences.ts";
import { table, writeResults } from "../results.ts";
import {
  fitReading,
  fitReplacing,
  type JudgedPair,
  type JudgedReading,
  type ReadingWeights,
  weightsFile,
} from "./replacing.ts";

const FILE = "js/memory/src/write/replacing/weights.ts";
const KEEPS_WEIGHTS = process.argv.includes("--keep-weights");
/** Other memories in the index of a pair. */
const OTHERS = [7, 13, 29, 31, 43].map((step) => step * 5);

/** The kind of a newer statement with an older one of another pair. */
const UNRELATED = "unrelated";

/** A labelled pair with its features; undefined if the rule never marks it. */
interface ComparedPair {
  readonly pair: ChangePair;
  readonly features: Features | undefined;
}

/** Compares labelled pairs, each in a small index with older statements of other pairs. */
function compared(pairs: readonly ChangePair[], { embedder, sentences }: ComparedBy) {
  const index = new MemoryIndex({ embedder, dimensions: sentences?.dimensions });
  const texts = pairs.flatMap(({ older, newer }) => [older, newer]);
  sentences?.embedAll(texts, "passage");
  const embeddingOf = (text: string) => sentences?.embed(text, "passage");
  const rowOf = (id: string, title: string) => ({
    ...{ id, title, text: "", embedding: embeddingOf(title) },
  });
  const memoryOf = (title: string) => {
    const subtype = guessedType(GENERAL, title);
    const section = getSectionForSubtype(subtype);
    return { title, text: "", subtype, section, created_at: 0 };
  };
  const found = pairs.flatMap((pair, place): ComparedPair[] => {
    const others = OTHERS.map((step) => pairs[(place + step) % pairs.length]!.older);
    index.upsert([rowOf("older", pair.older), ...others.map((text, k) => rowOf(`${k}`, text))]);
    const newer = memoryOf(pair.newer);
    const embedding = embeddingOf(pair.newer);
    const answers = index.ask(wholeOf(newer), { limit: 10, times: false, embedding, now: 0 });
    const evidenceOf = (id: string) => answers.find((one) => one.id === id)?.evidence ?? {};
    // The section is a guess here: what the labels say counts.
    const olderOf = (text: string, id: string) => ({
      ...memoryOf(text),
      ...{ section: "KNOWLEDGE" as const, evidence: evidenceOf(id) },
    });
    const isEmbedded = embedding != null;
    const featuresWith = (older: ReplacingCandidate) =>
      replacingFeatures(newer, replacingCandidates(newer, [older]), isEmbedded)[0];
    const unrelated = { ...pair, kind: UNRELATED, replaces: false };
    return [
      { pair, features: featuresWith(olderOf(pair.older, "older")) },
      ...others.map((text, k) => ({
        pair: { ...unrelated, older: text },
        features: featuresWith(olderOf(text, `${k}`)),
      })),
    ];
  });
  index.free();
  return found;
}

const embedder = loadEmbedderSync();
const sentences = await Sentences.load();
const weights: Record<string, ReplacingWeights> = {};
const reports: string[] = [];
/** The labelled pairs by file, with the cosines of embeddings. */
const labelled: (readonly [string, readonly ComparedPair[]])[] = [];
for (const [by, title] of [
  ["embedded", "With the sentence transformer"],
  ["plain", "With word vectors alone"],
] as const) {
  const comparing = { embedder, sentences: by === "embedded" ? sentences : undefined };
  const pairs = Object.entries(CHANGES).map(
    ([name, its]) => [name, compared(its, comparing)] as const,
  );
  const sets = [generalSet(), traderSet(generateSample())];
  const writes = sets.flatMap((set) => written(set, comparing));
  const judged: JudgedPair[] = [
    ...pairs.flatMap(([, its]) =>
      its.flatMap(({ pair, features }) =>
        pair.held || features === undefined ? [] : { features, replaces: pair.replaces },
      ),
    ),
    ...writes
      .filter(({ part }) => part === "dev")
      .flatMap(({ id, candidates }) =>
        candidates.flatMap((older) => {
          const replaces = replacesIn(REPLACED, older.id, id);
          return older.features === undefined || replaces === undefined
            ? []
            : { features: older.features, replaces };
        }),
      ),
  ];
  weights[by] = KEEPS_WEIGHTS ? REPLACING_WEIGHTS[by] : fitReplacing(judged);
  if (by === "embedded") labelled.push(...pairs);
  reports.push(`## ${title}`, ...tablesOf(pairs, weights[by]));
}

/**
 * Returns the pairs that were read in memories on which the reading model was not trained: stores that
 * were kept for this, and the development half of the general memory.
 */
function readPairs(): JudgedReading[] {
  const of = (set: QuestionSet, replaced: Replaced) =>
    written(set, { embedder, sentences }).flatMap(({ id, part, candidates }) =>
      candidates.flatMap(({ id: older, features, reading }): JudgedReading[] => {
        const replaces = replacesIn(replaced, older, id);
        if (features === undefined || reading === undefined || replaces === undefined) return [];
        if (set === general && part !== "dev") return [];
        const odds = logOddsOf(probabilityOf(features, weights.embedded!));
        return [{ features: odds, reading, replaces }];
      }),
    );
  const general = generalSet();
  return [
    ...lifeStores()
      .filter(({ use }) => use === "reading")
      .flatMap((store) => of(store, store.replaced)),
    ...of(general, REPLACED),
  ];
}

const logOddsOf = (probability: number): number => Math.log(probability / (1 - probability));

/** Returns the tables of the labelled pairs. */
function tablesOf(
  files: readonly (readonly [string, readonly ComparedPair[]])[],
  its: ReplacingWeights,
): string[] {
  const rated = files.map(
    ([name, pairs]) =>
      [
        name,
        pairs.map(({ pair, features }) => ({
          ...pair,
          probability: features === undefined ? 0 : probabilityOf(features, its),
        })),
      ] as const,
  );
  type Rated = (typeof rated)[number][1];
  const share = (pairs: Rated, min: number) =>
    pairs.length === 0
      ? "–"
      : (pairs.filter(({ probability }) => probability >= min).length / pairs.length).toFixed(2);
  const of = (pairs: Rated, replaces: boolean) =>
    pairs.filter((pair) => pair.replaces === replaces);
  const cells = (pairs: Rated) =>
    [true, false].flatMap((replaces) => {
      const some = of(pairs, replaces);
      return [`${some.length}`, share(some, MIN_LIKELY), share(some, MIN_POSSIBLE)];
    });
  const area = (pairs: Rated) =>
    areaOf(pairs.map(({ replaces, probability }) => ({ replaces, score: probability })));
  const head = [
    "replacing",
    "likely",
    "likely or possible",
    "standing",
    "likely",
    "likely or possible",
  ];
  const parts = [false, true];
  const all = rated.flatMap(([, pairs]) => pairs);
  const kinds = [...new Set(all.map(({ kind }) => kind))];
  return [
    table(
      ["pairs", "area under the curve", ...head],
      rated.flatMap(([name, pairs]) =>
        parts.flatMap((held) => {
          const some = pairs.filter((pair) => pair.held === held && pair.kind !== UNRELATED);
          const title = `${name}, ${held ? "held out" : "fitted"}`;
          return some.length === 0 ? [] : [[title, area(some), ...cells(some)]];
        }),
      ),
    ),
    "By kind, held out:",
    table(
      ["kind", ...head],
      kinds.map((kind) => [kind, ...cells(all.filter((pair) => pair.held && pair.kind === kind))]),
    ),
    "By language, held out:",
    table(
      ["language", ...head],
      ["en", "de", "es"].map((one) => [
        one,
        ...cells(
          all.filter((pair) => pair.held && pair.language === one && pair.kind !== UNRELATED),
        ),
      ]),
    ),
  ];
}

const HOW = `\`npm run fit -- changes\`: logistic regression on two thirds of the labelled pairs of \`benches/quality/changes\`, on the development half of the
general memory, and on half of the trader's memory, whose writes replace nothing. A third of the pairs is held out, those of frames by a hash of their
frame. Each newer statement is also compared with five older ones of other pairs, which it does not replace (*unrelated*). \`a\` and \`b\` are hard on
purpose, \`plain\` is easy; the author of the lists of words wrote all three. The pairs of \`told\` are other people's, without frames, and the
hardest; so are those of \`unread\`, which took no part at all. *Likely* is a probability of at least ${MIN_LIKELY}, *possible* of at least ${MIN_POSSIBLE}. \`npm run quality -- corrections\` measures on the general memory.`;
/** Returns the share of couples of a pair that replaces and one that does not, in the right order. */
function areaOf(pairs: readonly { replaces: boolean; score: number }[]): string {
  const scoresOf = (wanted: boolean) =>
    pairs.flatMap(({ replaces, score }) => (replaces === wanted ? score : []));
  const [right, wrong] = [scoresOf(true), scoresOf(false)];
  let above = 0;
  for (const one of right)
    for (const other of wrong) above += Number(one > other) + Number(one === other) / 2;
  const couples = right.length * wrong.length;
  return couples === 0 ? "–" : (above / couples).toFixed(3);
}

/** Returns a row for each file: how well features, a reading, and both order pairs that are held out. */
function readingTable(by: ReadingWeights): string {
  const rows = labelled.map(([name, all]) => {
    const pairs = all.filter(({ pair }) => pair.held && pair.kind !== UNRELATED);
    const readings = sentences.readPairs(pairs.map(({ pair }) => pair))!;
    const rated = pairs.map(({ pair: { replaces }, features }, place) => {
      const alone = features && logOddsOf(probabilityOf(features, weights.embedded!));
      const reading = readings[place]!;
      const both = alone === undefined ? -99 : by.features * alone + by.reading * reading;
      return { replaces, features: alone ?? -99, reading, both };
    });
    const area = (score: "features" | "reading" | "both") =>
      areaOf(rated.map((one) => ({ replaces: one.replaces, score: one[score] })));
    const count = (wanted: boolean) => `${rated.filter((one) => one.replaces === wanted).length}`;
    return [name, count(true), count(false), area("features"), area("reading"), area("both")];
  });
  return table(["held out", "replacing", "standing", "features", "reading", "both"], rows);
}

const read = readPairs();
const reading = fitReading(read);
reports.push(
  "## With a reading",
  "Area under the curve:",
  readingTable(reading),
  `Of ${read.length} pairs that were read, ${read.filter(({ replaces }) => replaces).length} replace. Log-odds = ${reading.offset} + ${reading.features} · features + ${reading.reading} · reading + ${reading.rivals} · rivals.`,
);
const text = reports.join("\n\n");
writeFileSync(FILE, weightsFile(weights, reading));
const path = writeResults("fit-changes", "What replaces what", `${HOW}\n\n${text}`);
console.log(`${text}\n\nwritten to ${FILE} and ${path}`);
