// Rule: which episodes are about the same things.
//
// # Idea
//
// Two episodes are neighbours if their telling words, weighted by rarity, have a cosine of at least
// `MIN_ALIKE`, and at least two words in common. Parts of one conversation are a little more alike.
// The episode with most neighbours becomes a centre and takes those that no centre has; then the next.
// Groups of fewer than `FEWEST` are dropped.
//
// # Invariants
//
// - Each member is a neighbour of the centre, so that a group does not drift from topic to topic.
// - Members have one user.
// - The result depends on the episodes and their order alone.
//
// # Cost
//
// A word of many episodes, such as the name of a speaker, says nothing about one of them, and does not
// count; see `withoutCommonWords`. The time grows with the episodes, their words, and the most episodes
// that a word which counts may have.

import type { Steps } from "../steps.ts";

/** An episode, as far as the rule reads it. */
export interface Episode {
  readonly user: string | null;
  /** Ids of the conversations that it is a part of. */
  readonly runs: readonly string[];
  /** Its telling words by the form in which they compare; see `tellingWords`. */
  readonly words: ReadonlyMap<string, string>;
}

/** The members of a group, as places among the episodes, in order. */
export type Group = readonly number[];

/** The fewest and the most members of a group. */
const FEWEST = 3;
const MAX_MEMBERS = 50;
const MIN_ALIKE = 0.25;
const FEWEST_SHARED = 2;
/** The factor of the cosine for two parts of one conversation. */
const SAME_RUN = 1.2;
/** A word counts up to this share of the episodes, or up to so many, whatever the share. */
const COMMON = { share: 0.1, min: 20, max: 200 };
/** Rarity among fewer texts is that among so many: among a handful no word is rare. */
const FEWEST_TEXTS = 100;
/** Episodes between two pauses. */
const EPISODES_OF_A_STEP = 20;

/** Returns the rarity of each word among some texts. */
export function raritiesOf(texts: readonly Pick<Episode, "words">[]): Map<string, number> {
  const all = Math.max(texts.length, FEWEST_TEXTS);
  return new Map(
    [...countsIn(texts)].map(([word, count]) => [word, Math.log(1 + all / (1 + count))]),
  );
}

/** Returns the episodes without the words that many of them have. */
export function withoutCommonWords<One extends Episode>(episodes: readonly One[]): One[] {
  const counts = countsIn(episodes);
  const { share, min, max } = COMMON;
  const limit = Math.min(Math.max(episodes.length * share, min), max);
  return episodes.map((episode) => ({
    ...episode,
    words: new Map([...episode.words].filter(([word]) => counts.get(word)! <= limit)),
  }));
}

function countsIn(texts: readonly Pick<Episode, "words">[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const { words } of texts)
    for (const word of words.keys()) counts.set(word, (counts.get(word) ?? 0) + 1);
  return counts;
}

/** Returns the groups of episodes without common words, the largest first, with pauses. */
export function* groupsOf(episodes: readonly Episode[]): Steps<Group[]> {
  const rarity = raritiesOf(episodes);
  const holders = new Map<string, number[]>();
  const lengths = episodes.map(({ words }, place) => {
    let squares = 0;
    for (const word of words.keys()) {
      squares += rarity.get(word)! ** 2;
      const its = holders.get(word);
      if (its === undefined) holders.set(word, [place]);
      else its.push(place);
    }
    return Math.sqrt(squares);
  });
  const neighbours: { place: number; alike: number }[][] = [];
  for (const [place, { user, runs, words }] of episodes.entries()) {
    const shared = new Map<number, { product: number; count: number }>();
    for (const word of words.keys()) {
      for (const other of holders.get(word)!) {
        if (other === place || episodes[other]!.user !== user) continue;
        const { product, count } = shared.get(other) ?? { product: 0, count: 0 };
        shared.set(other, { product: product + rarity.get(word)! ** 2, count: count + 1 });
      }
    }
    const near: { place: number; alike: number }[] = [];
    for (const [other, { product, count }] of shared) {
      const isOfRun = episodes[other]!.runs.some((run) => runs.includes(run));
      const alike = (product / (lengths[place]! * lengths[other]!)) * (isOfRun ? SAME_RUN : 1);
      if (count >= FEWEST_SHARED && alike >= MIN_ALIKE) near.push({ place: other, alike });
    }
    neighbours.push(near.sort((a, b) => b.alike - a.alike || a.place - b.place));
    if (place % EPISODES_OF_A_STEP === 0) yield;
  }
  const isTaken = new Set<number>();
  const groups: number[][] = [];
  const centres = [...episodes.keys()].sort(
    (a, b) => neighbours[b]!.length - neighbours[a]!.length || a - b,
  );
  for (const centre of centres) {
    if (isTaken.has(centre)) continue;
    const free = neighbours[centre]!.filter(({ place }) => !isTaken.has(place));
    const members = [centre, ...free.slice(0, MAX_MEMBERS - 1).map(({ place }) => place)];
    if (members.length < FEWEST) continue;
    for (const member of members) isTaken.add(member);
    groups.push(members.sort((a, b) => a - b));
  }
  return groups.sort((a, b) => b.length - a.length || a[0]! - b[0]!);
}
