// The labelled pairs of statements: the newer one replaces the older one, or both stand.
//
// Frames were written by hand before the rule, in three files: a.frames and b.frames are hard on
// purpose, plain.frames is easy. Those of c.frames came later, for what a first rule got wrong on
// sentences of a server. `node benches/quality/changes/make.ts` fills their slots. A third of
// the frames, by their hash, is held out: no weight is fitted on their pairs.
//
// The others have no frames. Those of told.json are other people's, one by one, as people tell such
// things: half of those that replace say the change with other words or with none, and those that stand
// tempt. Those of unread.json are the same by one more writer, of private lives. All of them are held
// out, and nobody who changed the rule has read them. Both statements of a pair of beside.json are of
// one thing; it was written after "I moved" had replaced "The rent of our flat is 900 euros". Those of
// standing.json are turns of talk, requests, and things that happened, which stand: written after turns
// without a type had replaced each other. Groups have one older statement, two that replace it, one of
// them in other words, and three that tempt and do not: by five writers who knew no rule. They train the
// model that reads pairs (`npm run fit -- pairs`), but those of held.json; no weight is fitted on them.

import a from "./a.json";
import b from "./b.json";
import beside from "./beside.json";
import c from "./c.json";
import business from "./groups/business.json";
import denials from "./groups/denials.json";
import heldDenials from "./groups/denials-held.json";
import held from "./groups/held.json";
import languages from "./groups/languages.json";
import life from "./groups/life.json";
import software from "./groups/software.json";
import plain from "./plain.json";
import standing from "./standing.json";
import told from "./told.json";
import unread from "./unread.json";

/** Two statements, and whether the newer one replaces the older one. */
export interface ChangePair {
  readonly older: string;
  readonly newer: string;
  readonly kind: string;
  readonly replaces: boolean;
  readonly language: string;
  /** Whether no weight is fitted on the pair. */
  readonly held: boolean;
}

/** An older statement with newer ones, each alone. */
interface Group {
  readonly older: string;
  readonly replacing: readonly string[];
  readonly standing: readonly string[];
  readonly language: string;
}

const pairsOf = (groups: readonly Group[]): ChangePair[] =>
  groups.flatMap(({ older, replacing, standing, language }) => {
    const of = (replaces: boolean) => (newer: string) => ({
      ...{ older, newer, kind: replaces ? "group, replacing" : "group, standing" },
      ...{ replaces, language, held: true },
    });
    return [...replacing.map(of(true)), ...standing.map(of(false))];
  });

/** The pairs of groups that train the model that reads pairs. */
export const READ_PAIRS: readonly ChangePair[] = pairsOf([
  ...[...life, ...software, ...business, ...languages, ...denials],
]);

/** The pairs by file. */
export const CHANGES: Readonly<Record<string, readonly ChangePair[]>> = {
  ...{ a, b, c, plain },
  ...{ beside, standing, told, unread },
  groups: pairsOf(held),
  denials: pairsOf(heldDenials),
};
