// Rule: which of the memories that a turn finds its prompt shows.
//
// # Idea
//
// The probability of a memory says how likely it answers the turn. A prompt shows memories whose
// probability is at least a share of the best one's, and at least what chance gives. Each line asks for
// more than the one before: it costs as much, and the answer is more likely above it. Where even the
// best memory hardly answers, a few lines are enough: most such turns are about nothing that is stored.
// A statement or a task often shares no word with what it needs ("I'm cooking for Ana tonight"), and as
// often needs nothing ("Write a haiku"). So the best probability says how many lines it gets, and the
// highest cosine whether it is about anything that is stored: that tells them apart far better.
//
// The numbers are the knee of the share of needed memories over the lines of the prompt
// (`npm run quality -- picks`).
//
// A question often finds what held before, in the words of the question, and not what holds now. So the
// first lines bring the memories that may replace them, if they answer the turn at all.

import { MIN_PERHAPS } from "../knows.ts";

/** The least share of the best memory's probability, for the first line. */
const SHARE = 0.004;
/** The least probability, for the first line: a memory has as much by chance. */
const CHANCE = 0.001;
/** After `lines` lines the least probability is 2 to the `power` times that of the first. */
const GROWTH = { lines: 8, power: 1.6 } as const;
/** From this cosine of its nearest memory on, a turn is about something that is stored. */
const NEAR = 0.32;
/**
 * The most lines of a turn that asks nothing, if the best memory is sure to matter: of one that is about
 * something stored, of one that is not, and of one without a cosine.
 */
const MAX_OF_STATEMENT = { near: 40, far: 5, unknown: 25 } as const;
/** The same of a question that is about nothing stored, and its least number of lines. */
const MAX_OF_FAR_QUESTION = { sure: 20, least: 3 } as const;
/** The most lines if even the best memory hardly answers. */
const MAX_DOUBTFUL = 3;
/** A profile of so many lines is shown whole, whatever the turn is about. */
const SMALL_PROFILE = 3;

/** The most lines that bring what may replace them. */
const MAX_FOLLOWED = 3;
/** The least probability of such a line, and its least share of the best one's. */
const FOLLOWED = { probability: 0.05, share: 0.1 } as const;
/** The most memories that may replace a line, and stand behind it. */
export const MAX_BEHIND = 2;

/** Returns how many of these answers, the most probable first, bring what may replace them. */
export function countFollowed(answers: readonly { probability: number }[]): number {
  const least = Math.max(FOLLOWED.share * (answers[0]?.probability ?? 0), FOLLOWED.probability);
  const first = answers.slice(0, MAX_FOLLOWED);
  return first.filter(({ probability }) => probability >= least).length;
}

/** Which memories the prompt of a turn shows. */
export interface Picking {
  /** What the turn is: a question, a greeting or thanks (`idle`), or anything else. */
  turn: "question" | "idle" | "other";
  /** The least probability of a memory, from 0 to 1. Default: by the rule. 0 fills the prompt. */
  min_score?: number | null | undefined;
  /** The most memories. Default: as many as the tokens of the prompt allow. */
  max_lines?: number | null | undefined;
}

/** A memory that may be picked. */
interface Candidate {
  id: string;
  /** How probably it answers the turn, from 0 to 1. Default: `score`. */
  probability?: number | undefined;
  score: number;
  /** The cosine of its embedding and the turn's; undefined without one. */
  cosine?: number | undefined;
}

/**
 * Whether the memory of an id is shown, by the part of the prompt that it would stand in. `followed`:
 * whether it brings what may replace it.
 */
export type Picks = Readonly<
  Record<"profile" | "found" | "recent" | "followed", (id: string) => boolean>
>;

/** Marks of a question in any place of a turn: "What may I eat? I am hungry." */
const ASKS = /[?？؟՞]/;

/** Whether a turn asks something. */
export const asksIn = (input: string, { is_question }: { is_question: boolean }): boolean =>
  is_question || ASKS.test(input);

/** Picks among the memories of a turn. `profile` is in the order of the prompt. */
export function picksOf(
  { turn, min_score }: Picking,
  { found, profile }: { found: readonly Candidate[]; profile: readonly { id: string }[] },
): Picks {
  const sorted = found
    .map(({ id, score, probability = score }) => ({ id, probability }))
    .sort((a, b) => b.probability - a.probability);
  const probabilities = sorted.map(({ probability }) => probability);
  const ids = (some: readonly { id: string }[]) => new Set(some.map(({ id }) => id));
  const isIn = (some: ReadonlySet<string>) => (id: string) => some.has(id);
  const cosines = found.flatMap(({ cosine }) => cosine ?? []);
  const nearest = cosines.length === 0 ? undefined : Math.max(...cosines);
  const count = countLikely(probabilities, turn, { min_score, nearest });
  const isLikely = isIn(ids(sorted.slice(0, count)));
  const all = () => true;
  const isFollowed = isIn(ids(sorted.slice(0, countFollowed(sorted))));
  // A given probability holds for every memory of the prompt.
  const followed = (min_score ?? 0) > 0 ? () => false : isFollowed;
  if (min_score === 0) return { profile: all, found: all, recent: all, followed };
  const first = isIn(ids(profile.slice(0, SMALL_PROFILE)));
  return {
    profile: profile.length <= SMALL_PROFILE || turn === "idle" ? first : isLikely,
    found: isLikely,
    recent: turn === "question" ? all : isLikely,
    followed,
  };
}

/**
 * Returns how many of these probabilities, the highest first, a prompt shows. `nearest` is the highest
 * cosine of a memory and the turn.
 */
export function countLikely(
  probabilities: readonly number[],
  turn: Picking["turn"],
  { min_score, nearest }: Pick<Picking, "min_score"> & { nearest?: number | undefined } = {},
): number {
  const [best = 0] = probabilities;
  const least = (place: number) =>
    min_score ?? Math.max(SHARE * best, CHANCE) * (1 + place / GROWTH.lines) ** GROWTH.power;
  const below = probabilities.findIndex((one, place) => one < least(place));
  const count = below < 0 ? probabilities.length : below;
  if (min_score != null) return count;
  const isFar = nearest !== undefined && nearest < NEAR;
  if (turn !== "question") {
    const { near, far, unknown } = MAX_OF_STATEMENT;
    const max = nearest === undefined ? unknown : isFar ? far : near;
    return Math.min(count, Math.floor(max * best));
  }
  if (best < MIN_PERHAPS) return Math.min(count, MAX_DOUBTFUL);
  const { sure, least: min } = MAX_OF_FAR_QUESTION;
  return isFar ? Math.min(count, Math.max(min, Math.floor(sure * best))) : count;
}
