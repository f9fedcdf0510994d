// Learning from use. The arguments were read before: no code of the caller runs here, except the
// embedder, which gives words their vectors.

import { idsOf, optionsOf, requireOptions } from "../arguments.ts";
import { MAX_LEARNED, TRAITS } from "../constants.ts";
import { invalid, show } from "../errors.ts";
import { maxBytes, writeText } from "../text.ts";
import type { Trait } from "../types.ts";
import { type ReadQuestion, readQuestion } from "./read.ts";
import { refusedSearch } from "./refusals.ts";
import { writeSearch } from "./search.ts";
import type { AllNames, MemoryState } from "./state.ts";
import type { Feedback, Learned, LearningStep } from "./types.ts";

/** @internal */
const FEEDBACK_KEYS: ReadonlySet<string> = new Set([
  ...["question", "embedding", "embedding_scale", "shown", "used", "now"],
]);
/** @internal */
const LEARNED_KEYS: ReadonlySet<string> = new Set(["steps", "shifts", "means"]);
/** @internal */
const TRAIT_KEYS: ReadonlySet<string> = new Set(TRAITS);

const MAX_STEPS = 2 ** 32 - 1;

/** Feedback after reading. Each id is listed once. @internal */
export interface ReadFeedback {
  question: ReadQuestion;
  used: string[];
  unused: string[];
}

/** @internal */
export function readFeedback(feedback: Feedback, names: AllNames): ReadFeedback {
  const given = optionsOf<Feedback>("feedback", feedback, FEEDBACK_KEYS);
  const { question, embedding, embedding_scale, shown, used, now } = given;
  const asked = readQuestion(question as string, { embedding, embedding_scale, now }, names);
  const ofShown = new Set(idsOf("shown", shown as readonly string[]));
  const ofUsed = idsOf("used", used as readonly string[]);
  const stranger = ofUsed.findIndex((id) => !ofShown.has(id));
  if (stranger >= 0)
    throw invalid(`used[${stranger}]`, `must be among the shown, found ${show(ofUsed[stranger])}`);
  const isUsed = new Set(ofUsed);
  return {
    question: asked,
    used: [...ofShown].filter((id) => isUsed.has(id)),
    unused: [...ofShown].filter((id) => !isUsed.has(id)),
  };
}

/** @internal */
export function learnFrom(state: MemoryState, feedback: ReadFeedback): LearningStep {
  const { resident, rows } = state;
  const known = (ids: readonly string[]) => ids.flatMap((id) => rows.get(id) ?? []);
  const used = known(feedback.used);
  const { text, search } = feedback.question;
  const among = Uint32Array.from([...used, ...known(feedback.unused)]);
  writeSearch(state, { ...search, among }, maxBytes(text.length));
  const length = writeText(text, resident.bytes, resident.bytesAt);
  const counted = resident.module.learn(used.length, length, state.addWord);
  if (counted < 0) throw refusedSearch(state);
  resident.relocate();
  const moved = byTrait(resident.numbers, resident.numbersAt);
  resident.shrinkAfterAnswer();
  return { counted, moved };
}

/** @internal */
export function learnedBy({ resident }: MemoryState): Learned {
  const steps = resident.module.learned();
  resident.relocate();
  const { numbers, numbersAt: at } = resident;
  return { steps, shifts: byTrait(numbers, at), means: byTrait(numbers, at + TRAITS.length) };
}

/** What an index is to have learned, after reading. @internal */
export interface ReadLearned {
  steps: number;
  /** The shifts of all traits, then their means. */
  numbers: number[];
}

/** @internal */
export const NOTHING_LEARNED: ReadLearned = {
  steps: 0,
  numbers: TRAITS.flatMap(() => [0, 0]),
};

/** @internal */
export function readLearned(learned: Learned): ReadLearned {
  const { steps, shifts, means } = optionsOf<Learned>("learned", learned, LEARNED_KEYS);
  if (!(Number.isInteger(steps) && steps! >= 0 && steps! <= MAX_STEPS))
    throw invalid("steps", `must be a whole number from 0 to ${MAX_STEPS}, found ${show(steps)}`);
  const numbers = [...numbersOf("shifts", shifts), ...numbersOf("means", means)];
  return { steps: steps!, numbers };
}

function numbersOf(field: string, given: Record<Trait, number> | undefined): number[] {
  requireOptions(field, given);
  const byName = optionsOf<Record<Trait, number>>(field, given, TRAIT_KEYS);
  return TRAITS.map((trait) => {
    const number: unknown = byName[trait];
    if (typeof number === "number" && Math.abs(number) <= MAX_LEARNED) return number;
    const problem = `must lie between -${MAX_LEARNED} and ${MAX_LEARNED}, found ${show(number)}`;
    throw invalid(`${field}.${trait}`, problem);
  });
}

/** @internal */
export function storeLearned({ resident }: MemoryState, { steps, numbers }: ReadLearned): void {
  resident.reserve(numbers.length, 0, 0);
  resident.numbers.set(numbers, resident.numbersAt);
  if (!resident.module.set_learned(steps)) throw resident.refusal();
}

function byTrait(numbers: Float64Array, at: number): Record<Trait, number> {
  const entries = TRAITS.map((trait, place) => [trait, numbers[at + place]!]);
  return Object.fromEntries(entries) as Record<Trait, number>;
}
