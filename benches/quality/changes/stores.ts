// Whole memories of invented people and teams, in order of time, each with the earlier memories
// that it replaces. They are what the rule meets in practice: most of what looks like a replacement
// is none. Several writers wrote them one by one; they had read neither the rule nor its other
// pairs. Half of what replaces says so with other words, in passing, or by a consequence.
// Twenty-four stores have questions, by others who read the stores alone, or by their writers.
// Nothing may be fitted on eight.
//
// The folder `asked` has further questions, by writers who read the stores alone. `paraphrase`:
// most share no word with their answer. `direct`: each shares two or more. `near`: about what is
// stored, and the store does not say it. `elsewhere`: about nothing that is stored.

import { existsSync, readdirSync, readFileSync } from "node:fs";
import { GENERAL, guessedType } from "nous-memory";
import type { QuestionSet, SetQuestion } from "../question-set.ts";
import type { Replaced } from "../replaces.ts";

const FOLDER = "benches/quality/changes/stores";
const ASKED = "benches/quality/changes/asked";
/** Stores on which nothing may be fitted. */
const HELD = new Set([
  ...["bank-project", "one-user", "photographer", "sports-centre"],
  ...["bike-shop-support", "city-council", "compiler", "vet"],
]);
/** Stores on which the model that reads pairs was not trained: what it weighs is fitted on them. */
const FOR_READING = new Set([
  ...["campaign", "familia-es", "family", "helpdesk"],
  ...["mobile", "monorepo", "restaurant", "theatre"],
  ...["choir", "clinic-support", "ml-pipeline", "rentner", "runner", "short-user"],
]);
/** The day of the first memory. */
const FIRST = Date.parse("2025-06-01T08:00:00Z");
const DAY = 86_400_000;
/** Between two memories of one day. */
const MINUTE = 60_000;

/** A file of the folder. Memories are named by their places. */
interface StoreFile {
  readonly language: string;
  readonly memories: readonly { day: number; text: string; replaces?: number[] }[];
  readonly questions?: readonly FileQuestion[];
}

/**
 * A question of a file. `needs`: the memories that answer it. `old`: those that answered it before.
 */
interface FileQuestion {
  readonly text: string;
  readonly kind: string;
  readonly needs: readonly number[];
  readonly old?: readonly number[];
}

/** A store, as a set of questions that may be empty. */
export interface LifeStore extends QuestionSet {
  /** Whether nothing may be fitted on it. */
  readonly held: boolean;
  /**
   * What is trained on it: the model that reads pairs, or what its reading weighs; undefined if
   * nothing may be fitted on it.
   */
  readonly use: "training" | "reading" | undefined;
  readonly replaced: Replaced;
  /** The questions of the folder `asked`. */
  readonly asked: QuestionSet["questions"];
}

/** Returns the stores, in order of their names. */
export function lifeStores(): LifeStore[] {
  const files = readdirSync(FOLDER).sort();
  return files.map((file) => {
    const name = file.replace(/\.json$/, "");
    const asked = `${ASKED}/${file}`;
    return storeOf(
      name,
      JSON.parse(readFileSync(`${FOLDER}/${file}`, "utf8")),
      existsSync(asked) ? JSON.parse(readFileSync(asked, "utf8")) : [],
    );
  });
}

function storeOf(
  name: string,
  { language, memories, questions = [] }: StoreFile,
  asked: readonly FileQuestion[],
): LifeStore {
  const idOf = (place: number) => `${name}_${place}`;
  const timeOf = (day: number, place: number) =>
    new Date(FIRST + day * DAY + place * MINUTE).toISOString();
  const end = timeOf(memories.at(-1)!.day + 1, memories.length);
  const questionOf = ({ text, kind, needs, old = [] }: FileQuestion): SetQuestion => ({
    ...{ text, kind, part: "test", now: end },
    ...{ answers: needs.map(idOf), outdated: old.map(idOf) },
  });
  return {
    ...{ name, held: HELD.has(name) },
    use: HELD.has(name) ? undefined : FOR_READING.has(name) ? "reading" : "training",
    memories: memories.map(({ day, text }, place) => ({
      ...{ id: idOf(place), text, language, created_at: timeOf(day, place) },
      subtype: guessedType(GENERAL, text),
    })),
    questions: questions.map(questionOf),
    asked: asked.map(questionOf),
    replaced: new Map(
      memories.map(({ replaces = [] }, place) => [idOf(place), replaces.map(idOf)]),
    ),
  };
}
