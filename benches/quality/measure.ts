// Asks systems the questions of stores, and keeps what each found and how long it took.

import type { Hit } from "./bm25.ts";
import type { Judged } from "./calibration.ts";
import type { Store, StoredMemory, System } from "./contestants.ts";
import { hit, ndcg, recallOfAll } from "./metrics.ts";
import { clustersOf, type QuestionSet, type SetMemory } from "./question-set.ts";
import { GRADE, type Grade } from "./questions.ts";

/** A question to a store. */
export interface Case {
  readonly text: string;
  readonly kind: string;
  /** When the question is asked, in milliseconds since 1970. */
  readonly now: number;
  /** Grades by id. Empty if nothing answers. */
  readonly grades: ReadonlyMap<string, Grade>;
  /** Ids of memories that must not come before an answer: of replaced ones, for example. */
  readonly outdated: readonly string[];
}

/** A store with its questions. */
export interface Asking {
  readonly store: Store;
  readonly cases: readonly Case[];
}

/** What a system found for the cases, in their order. */
export interface Measured {
  readonly system: Pick<System, "name" | "isCalibrated">;
  readonly found: readonly (readonly Hit[])[];
  /** Microseconds of each question. */
  readonly micros: readonly number[];
}

/**
 * Asks every system all questions, store by store.
 *
 * @param say - Gets a line when a system was asked. Default: standard error.
 */
export function measure(
  systems: readonly System[],
  askings: readonly Asking[],
  say: (line: string) => void = console.error,
): Measured[] {
  return systems.map((system) => {
    const start = performance.now();
    const found: (readonly Hit[])[] = [];
    const micros: number[] = [];
    for (const { store, cases } of askings) {
      const opened = system.open(store);
      for (const { text, now } of cases) {
        const asked = performance.now();
        const hits = opened.ask(text, now);
        micros.push((performance.now() - asked) * 1000);
        found.push(hits.map(({ id, score }) => ({ id, score })));
      }
      opened.free?.();
    }
    const seconds = ((performance.now() - start) / 1000).toFixed(1);
    say(`${system.name}: ${found.length} questions, ${seconds} s`);
    return { system, found, micros };
  });
}

/**
 * Returns a set as a store with cases. Questions without a time are asked after the last memory.
 */
export function askingOf({ memories, questions }: QuestionSet): Asking {
  const last = Math.max(...memories.map(({ created_at }) => Date.parse(created_at)));
  return {
    store: { memories: memories.map(storedOf), edges: [] },
    cases: questions.map(({ text, kind, now, answers, outdated = [] }) => ({
      text,
      kind,
      now: now === undefined ? last : Date.parse(now),
      grades: new Map(answers.map((id) => [id, GRADE.exact])),
      outdated,
    })),
  };
}

function storedOf(memory: SetMemory): StoredMemory {
  const { id, text, created_at, title = "", subtype, event_time } = memory;
  return { id, text, created_at, title, subtype, event_time, clusters: clustersOf(memory) };
}

/** Questions that are reported together. */
export interface Part {
  readonly title: string;
  readonly cases: readonly Case[];
  /** What each system found for the cases. */
  readonly measured: readonly Measured[];
}

/** Returns the cases that a test keeps, and what each system found for them. */
export function selected(
  cases: readonly Case[],
  measured: readonly Measured[],
  keeps: (place: number) => boolean,
): Omit<Part, "title"> {
  const kept = <T>(list: readonly T[]): T[] => list.filter((_, place) => keeps(place));
  return {
    cases: kept(cases),
    measured: measured.map(({ system, found, micros }) => ({
      system,
      found: kept(found),
      micros: kept(micros),
    })),
  };
}

/** The metrics of the tables, in order. */
export const JUDGES = { "nDCG@10": ndcg, "hit@1": hit, "recall@10": recallOfAll } as const;
/** A metric of the tables. */
export type Judge = keyof typeof JUDGES;

/** Returns a metric of each case that has an answer. */
export function judged(cases: readonly Case[], found: Measured["found"], judge: Judge): number[] {
  return cases.flatMap(({ grades }, place) =>
    grades.size === 0
      ? []
      : JUDGES[judge](
          found[place]!.map(({ id }) => id),
          grades,
        ),
  );
}

/** Returns all results of all cases, each with its score and whether it answers. */
export function results(cases: readonly Case[], found: Measured["found"]): Judged[] {
  return cases.flatMap(({ grades }, place) =>
    found[place]!.map(({ id, score }) => ({ score, isAnswer: grades.get(id) === GRADE.exact })),
  );
}
