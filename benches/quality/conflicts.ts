// How well memories that a new memory replaces are found when it is written: every memory of a
// store is written in order of time, and the rule of the server proposes conflicts.

import {
  CONFLICT_SIGNALS,
  CONFLICT_WEIGHTS,
  type ComparedMemory,
  type ConflictCandidate,
  type ConflictSignals,
  comparedText,
  conflictCandidates,
  conflictProbability,
  conflictSignals,
  correctionIn,
  MAX_CONFLICT_ANSWERS,
  MAX_CONFLICTS,
  MIN_CONFLICT_PROBABILITY,
} from "nous-memory";
import { getSectionForSubtype, MemoryIndex, type WordVectors } from "nous-wasm";
import { minimise } from "../fit/lbfgs.ts";
import { table } from "../results.ts";
import { clustersOf, type Part, partOf, type QuestionSet, type SetMemory } from "./question-set.ts";
import { LOOKALIKES, type Pair, REPLACEMENTS } from "./replacements.ts";

/** A candidate of a memory that was written. */
interface Proposed {
  readonly id: string;
  readonly signals: ConflictSignals;
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

/** Writes the memories of a set in order of time, as the server does. */
export function written({ memories }: QuestionSet, embedder: WordVectors): Write[] {
  const index = new MemoryIndex({ embedder });
  const known = new Map<string, ComparedMemory>();
  const inOrder = [...memories].sort((a, b) => timeOf(a) - timeOf(b));
  const writes = inOrder.map((memory): Write => {
    const { id, title = "", text, subtype, created_at, event_time } = memory;
    const newer = comparedOf(memory);
    const now = newer.created_at;
    const answers = index
      .ask(comparedText(newer), { limit: MAX_CONFLICT_ANSWERS, now })
      .map(({ id, evidence }) => ({ id, ...known.get(id)!, evidence }));
    const candidates = conflictCandidates(newer, answers, sectionOf);
    const marked = correctionIn(comparedText(newer)).detected
      ? index
          .ask((title || text).trim().split(/\s+/, TITLE_WORDS).join(" "), {
            limit: MAX_LOOKED_FOR,
            now,
          })
          .filter(({ evidence }) => (evidence.bm ?? 0) > 0)
          .slice(0, MAX_MARKED)
      : [];
    const signals = conflictSignals(newer, candidates);
    known.set(id, newer);
    const clusters = clustersOf(memory);
    index.upsert([{ id, title, text, subtype, created_at, event_time, clusters }]);
    return {
      id,
      part: partOf(id),
      candidates: candidates.map(({ id }, place) => ({ id, signals: signals[place]! })),
      marked: marked.map(({ id }) => id),
    };
  });
  index.free();
  return writes;
}

const sectionOf = (subtype: string | null) => getSectionForSubtype(subtype ?? undefined);
const timeOf = ({ created_at }: SetMemory): number => Date.parse(created_at);

const comparedOf = (memory: SetMemory): Omit<ConflictCandidate, "evidence"> => ({
  title: memory.title ?? "",
  text: memory.text,
  subtype: memory.subtype ?? null,
  created_at: timeOf(memory),
});

// ---- fitting ------------------------------------------------------------------------------------

/** The factor of the squared weights. */
const RIDGE = 0.3;
const DIGITS = 2;

/** Fits the weights of signals by logistic regression on the candidates of these writes. */
export function fitSignals(writes: readonly Write[]): ConflictSignals {
  const judged = writes.flatMap(({ id, candidates }) =>
    candidates.flatMap((candidate) => {
      const verdict = verdictOf(candidate.id, id);
      return verdict === "right again" ? [] : { ...candidate, is: Number(verdict === "right") };
    }),
  );
  const { point } = minimise(
    (weights) => {
      const gradient = new Float64Array(weights.length);
      let value = 0;
      for (const { signals, is } of judged) {
        const values = CONFLICT_SIGNALS.map((name) => signals[name]);
        const sum = values.reduce((sum, it, place) => sum + it * weights[place]!, 0);
        value += Math.max(sum, 0) + Math.log1p(Math.exp(-Math.abs(sum))) - is * sum;
        const over = 1 / (1 + Math.exp(-sum)) - is;
        values.forEach((it, place) => {
          gradient[place]! += over * it;
        });
      }
      // The offset is free.
      for (let place = 1; place < weights.length; place++) {
        value += (RIDGE / 2) * weights[place]! ** 2;
        gradient[place]! += RIDGE * weights[place]!;
      }
      return {
        value: value / judged.length,
        gradient: gradient.map((slope) => slope / judged.length),
      };
    },
    CONFLICT_SIGNALS.map(() => 0),
    CONFLICT_SIGNALS.map(() => Number.NEGATIVE_INFINITY),
  );
  const rounded = CONFLICT_SIGNALS.map((name, place) => [
    name,
    Number(point[place]!.toFixed(DIGITS)),
  ]);
  return Object.fromEntries(rounded) as ConflictSignals;
}

// ---- judging ------------------------------------------------------------------------------------

const keyOf = ({ older, newer }: Pair): string => `${older} ${newer}`;
const right = new Set(REPLACEMENTS.map(keyOf));
const alike = new Set(LOOKALIKES.map(keyOf));

/** Whether a memory was replaced by another one through others in between. */
function isReplacedThrough(older: string, newer: string): boolean {
  return REPLACEMENTS.some(
    (pair) =>
      pair.newer === newer && (pair.older === older || isReplacedThrough(older, pair.older)),
  );
}

/** A conflict with a memory that was replaced before is neither right nor wrong. */
function verdictOf(older: string, newer: string): "right" | "right again" | "alike" | "wrong" {
  const key = keyOf({ older, newer });
  if (right.has(key)) return "right";
  if (alike.has(key)) return "alike";
  return isReplacedThrough(older, newer) ? "right again" : "wrong";
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

/** Returns the ids that the rule proposes with these weights from a probability on. */
export function proposedBy(weights: ConflictSignals, min: number) {
  return ({ candidates }: Write): string[] =>
    candidates
      .map(({ id, signals }) => ({ id, probability: conflictProbability(signals, weights) }))
      .filter(({ probability }) => probability >= min)
      .sort((a, b) => b.probability - a.probability)
      .slice(0, MAX_CONFLICTS)
      .map(({ id }) => id);
}

const THRESHOLDS = [...new Set([0.1, 0.2, 0.3, 0.4, 0.5, MIN_CONFLICT_PROBABILITY])].sort(
  (a, b) => a - b,
);

/** Returns the tables of the general memory and of a memory without replacements. */
export function conflictTables(
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
      `possible from ${min}${min === MIN_CONFLICT_PROBABILITY ? " (the server's)" : ""}`,
      proposedBy(CONFLICT_WEIGHTS, min),
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
