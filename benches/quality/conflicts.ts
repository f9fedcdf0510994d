// How well memories that a new memory replaces are found when it is written: every memory of a
// store is written in order of time, and the rule of the server proposes conflicts.

import {
  type ComparedCandidate,
  type ComparedMemory,
  comparedAmong,
  correctionIn,
  type Features,
  gradedPair,
  guessesAmong,
  MAX_REPLACED_ANSWERS,
  MIN_LIKELY,
  MIN_POSSIBLE,
  REPLACING_WEIGHTS,
  type Reading,
  type ReplacingCandidate,
  readAmong,
  readingsOf,
  replacingCandidates,
  typeOfGuess,
  wholeOf,
} from "nous-memory";
import { getSectionForSubtype, type MemoryEdge, MemoryIndex, type WordVectors } from "nous-wasm";
import { table } from "../results.ts";
import { clustersOf, type Part, partOf, type QuestionSet, type SetMemory } from "./question-set.ts";
import { LOOKALIKES, type Pair, REPLACEMENTS } from "./replacements.ts";
import { type Replaced, replacesIn } from "./replaces.ts";
import { type SentenceVectors, sentenceOf } from "./sentences.ts";

/** A candidate of a memory that was written. */
interface Proposed {
  readonly id: string;
  /** Undefined if it cannot be replaced. */
  readonly features: Features | undefined;
  /** What the transformer reads of the pair, if it is worth a reading. */
  readonly reading?: Reading | undefined;
}

/** A memory that was written. */
export interface Write {
  readonly id: string;
  /** The half that the memory belongs to. */
  readonly part: Part;
  /** The memories that the rule compares with it. */
  readonly candidates: readonly Proposed[];
  /** The memories that are found by markers of corrections alone. */
  readonly marked: readonly string[];
}

/** Words of a title, memories that are looked for, and memories that are proposed by markers. */
const TITLE_WORDS = 3;
const MAX_LOOKED_FOR = 30;
const MAX_MARKED = 3;

/** What memories are compared by. */
export interface ComparedBy {
  readonly embedder: WordVectors;
  /** The sentence transformer; without it, words alone compare. */
  readonly sentences?: SentenceVectors | undefined;
}

/** Writes the memories of a set in order of time, as the server does. */
export function written({ memories }: QuestionSet, { embedder, sentences }: ComparedBy): Write[] {
  const index = new MemoryIndex({ embedder, dimensions: sentences?.dimensions });
  const known = new Map<string, ComparedMemory>();
  const inOrder = [...memories].sort((a, b) => timeOf(a) - timeOf(b));
  const writes = inOrder.map((memory): Write => {
    const { id, title = "", text, subtype, created_at, event_time } = memory;
    const newer = comparedOf(memory);
    const now = newer.created_at;
    const embedding = sentences?.embed(sentenceOf({ title, text }), "passage");
    const asked = { limit: MAX_REPLACED_ANSWERS, now, times: false, embedding };
    const answers = index
      .ask(wholeOf(newer), asked)
      .map(({ id, evidence }) => ({ id, ...known.get(id)!, evidence }));
    const candidates = replacingCandidates(newer, answers);
    const marked = correctionIn(wholeOf(newer)).detected
      ? index
          .ask((title || text).trim().split(/\s+/, TITLE_WORDS).join(" "), {
            limit: MAX_LOOKED_FOR,
            now,
          })
          .filter(({ evidence }) => (evidence.bm ?? 0) > 0)
          .slice(0, MAX_MARKED)
      : [];
    const compared = comparedAmong(newer, candidates, embedding != null);
    const read = readAmong(compared);
    const textOf = ({ place }: ComparedCandidate) => wholeOf(candidates[place]!);
    const pairs = read.map((one) => ({ older: textOf(one), newer: wholeOf(newer) }));
    const logOdds = pairs.length === 0 ? undefined : sentences?.readPairs?.(pairs);
    const readings = logOdds && readingsOf(read, logOdds, candidates);
    const features = new Map(compared.map((one) => [one.place, one.features]));
    const readingOf = new Map(read.map((one) => [one.place, readings?.get(one)]));
    known.set(id, newer);
    const clusters = clustersOf(memory);
    index.upsert([{ id, title, text, subtype, created_at, event_time, clusters, embedding }]);
    return {
      id,
      part: partOf(id),
      candidates: candidates.map(({ id }, place) => ({
        ...{ id, features: features.get(place), reading: readingOf.get(place) },
      })),
      marked: marked.map(({ id }) => id),
    };
  });
  index.free();
  return writes;
}

const timeOf = ({ created_at }: SetMemory): number => Date.parse(created_at);

const comparedOf = (memory: SetMemory): Omit<ReplacingCandidate, "evidence"> => ({
  title: memory.title ?? "",
  text: memory.text,
  subtype: memory.subtype ?? null,
  section: getSectionForSubtype(memory.subtype),
  created_at: timeOf(memory),
});

/** Returns the edges of the guesses of writes. */
export function guessesOf(writes: readonly Write[]): MemoryEdge[] {
  return writes.flatMap(({ id, candidates }) => {
    const found = candidates.flatMap(({ id: older, features, reading }) => {
      if (features === undefined) return [];
      return { older, ...gradedPair(features, REPLACING_WEIGHTS.embedded, { reading }) };
    });
    const first = guessesAmong(found.sort((a, b) => b.probability - a.probability));
    return first.map(({ older, probability, grade }) => ({
      ...{ id: `${id} ${older}`, source_id: id, target_id: older },
      ...{ type: typeOfGuess(grade), strength: probability },
    }));
  });
}

// ---- judging ------------------------------------------------------------------------------------

const keyOf = ({ older, newer }: Pair): string => `${older} ${newer}`;
const alike = new Set(LOOKALIKES.map(keyOf));

/** What memories of the general memory replace. */
export const REPLACED: Replaced = new Map(
  REPLACEMENTS.map(({ newer }) => [
    newer,
    REPLACEMENTS.filter((pair) => pair.newer === newer).map(({ older }) => older),
  ]),
);

/** A conflict with a memory that was replaced before is neither right nor wrong. */
export function verdictOf(
  older: string,
  newer: string,
): "right" | "right again" | "alike" | "wrong" {
  if (alike.has(keyOf({ older, newer }))) return "alike";
  const replaces = replacesIn(REPLACED, older, newer);
  return replaces === undefined ? "right again" : replaces ? "right" : "wrong";
}

/** How many conflicts were proposed, over some writes. */
export interface Tally {
  readonly writes: number;
  /** Labelled pairs of these writes. */
  readonly pairs: number;
  readonly right: number;
  /** Proposed, and not labelled as a replacement; lookalikes among them. */
  readonly wrong: number;
  readonly lookalikes: number;
  readonly alike: number;
}

/** Counts the conflicts that a rule proposes. `proposed` returns the ids of the older memories. */
export function tally(
  writes: readonly Write[],
  proposed: (write: Write) => readonly string[],
): Tally {
  const ids = new Set(writes.map(({ id }) => id));
  const verdicts = writes.flatMap((write) =>
    proposed(write).map((older) => verdictOf(older, write.id)),
  );
  const count = (wanted: string) => verdicts.filter((verdict) => verdict === wanted).length;
  const among = (pairs: readonly Pair[]) => pairs.filter(({ newer }) => ids.has(newer)).length;
  return {
    writes: writes.length,
    pairs: among(REPLACEMENTS),
    right: count("right"),
    wrong: count("wrong") + count("alike"),
    lookalikes: among(LOOKALIKES),
    alike: count("alike"),
  };
}

/** Returns the ids that the rule proposes from a probability on. */
export function proposedBy(by: keyof typeof REPLACING_WEIGHTS, min: number) {
  return ({ candidates }: Write): string[] => {
    const found = candidates.flatMap(({ id, features, reading }) => {
      if (features === undefined) return [];
      const its = gradedPair(features, REPLACING_WEIGHTS[by], { reading });
      const grade = its.probability < min ? undefined : (its.grade ?? "possible");
      return { id, ...its, grade };
    });
    const among = guessesAmong(found.sort((a, b) => b.probability - a.probability));
    return among.flatMap(({ id, grade }) => (grade === "faint" ? [] : id));
  };
}

const THRESHOLDS = [...new Set([0.2, MIN_POSSIBLE, 0.4, MIN_LIKELY, 0.6, 0.7])].sort(
  (a, b) => a - b,
);
const NAMES: Readonly<Record<number, string>> = {
  [MIN_POSSIBLE]: " (possible)",
  [MIN_LIKELY]: " (likely)",
};

/** Returns the tables of the general memory and of a memory without replacements. */
export function conflictTables(
  by: keyof typeof REPLACING_WEIGHTS,
  general: readonly Write[],
  other: { name: string; writes: readonly Write[] },
): string[] {
  const half = (part: Part) => general.filter((write) => write.part === part);
  const rowOf = (name: string, rule: string, it: Tally) => [
    ...[name, rule, `${it.right} of ${it.pairs}`, share(it.right, it.pairs)],
    ...[share(it.right, it.right + it.wrong), (100 * (it.wrong / it.writes)).toFixed(1)],
    `${it.alike} of ${it.lookalikes}`,
  ];
  const rules: [string, (write: Write) => readonly string[]][] = [
    ["markers of corrections", ({ marked }) => marked],
    ...THRESHOLDS.map((min): [string, (write: Write) => readonly string[]] => [
      `from ${min}${NAMES[min] ?? ""}`,
      proposedBy(by, min),
    ]),
  ];
  const parts = [
    { name: "test half", writes: half("test") },
    { name: "development half", writes: half("dev") },
    other,
  ];
  const head = ["memories", "rule", "pairs found", "recall", "precision", "wrong per 100 writes"];
  return [
    table(
      [...head, "lookalikes proposed"],
      parts.flatMap(({ name, writes }) =>
        rules.map(([rule, proposed]) =>
          rowOf(`${name} (${writes.length})`, rule, tally(writes, proposed)),
        ),
      ),
    ),
    `Of ${REPLACEMENTS.length} pairs the older memory is among the compared ones in ${tally(general, ({ candidates }) => candidates.map(({ id }) => id)).right}.`,
  ];
}

const share = (part: number, all: number): string =>
  all === 0 ? "–" : `${((100 * part) / all).toFixed(0)} %`;
