// `npm run fit -- pairs FILE`: writes the pairs of statements on which the model that reads pairs is
// trained, as JSON: `js/minilm/export/replacing.py` reads them. The same package gives the same bytes.

import { writeFileSync } from "node:fs";
import { loadEmbedderSync } from "nous-embedder";
import { probabilityOf, REPLACING_WEIGHTS } from "nous-memory";
import { CHANGES, type ChangePair, READ_PAIRS } from "../quality/changes/pairs.ts";
import { type LifeStore, lifeStores } from "../quality/changes/stores.ts";
import { written } from "../quality/conflicts.ts";
import { replacesIn } from "../quality/replaces.ts";
import { Sentences } from "../quality/sentences.ts";

/** Pairs of a store that do not replace, for each that does: the most tempting, and any others. */
const TEMPTING = 3;
const OTHERS = 2;
/** Pairs of frames, which are much alike. */
const MAX_FRAMED = 500;

/** A pair, as the training reads it. */
type TrainingPair = Pick<ChangePair, "older" | "newer" | "replaces">;

const [file] = process.argv.slice(2);
if (file === undefined) throw new Error("npm run fit -- pairs FILE: name the file to write");
// Without readings: the model that reads pairs is what these train.
const sentences = await Sentences.load({ readsPairs: false });
const models = { embedder: loadEmbedderSync(), sentences };

/** Returns the pairs of a store. Those that do not replace are compared by the rule, too. */
function pairsOf(store: LifeStore): TrainingPair[] {
  const textOf = new Map(store.memories.map(({ id, text }) => [id, text]));
  const pairOf = (older: string, newer: string, replaces: boolean) => ({
    ...{ older: textOf.get(older)!, newer: textOf.get(newer)!, replaces },
  });
  const replacing = [...store.replaced].flatMap(([newer, olds]) =>
    olds.map((older) => pairOf(older, newer, true)),
  );
  const standing = written(store, models)
    .flatMap(({ id: newer, candidates }) =>
      candidates.flatMap(({ id: older, features }) =>
        features === undefined || replacesIn(store.replaced, older, newer) !== false
          ? []
          : {
              ...pairOf(older, newer, false),
              probability: probabilityOf(features, REPLACING_WEIGHTS.embedded),
            },
      ),
    )
    .sort((a, b) => b.probability - a.probability)
    .map(({ probability, ...pair }) => pair);
  const tempting = standing.slice(0, TEMPTING * replacing.length);
  const rest = standing.slice(tempting.length);
  return [...replacing, ...tempting, ...spread(rest, OTHERS * replacing.length)];
}

/** Returns at most `max` of some, spread evenly. */
function spread<One>(some: readonly One[], max: number): One[] {
  const step = Math.max(1, some.length / max);
  return Array.from({ length: Math.min(max, some.length) }, (_, k) => some[Math.floor(k * step)]!);
}

const ofFiles = (...names: readonly string[]) =>
  names.flatMap((name) => CHANGES[name]!.filter(({ held }) => !held));
const pairs: TrainingPair[] = [
  ...lifeStores()
    .filter(({ use }) => use === "training")
    .flatMap(pairsOf),
  ...READ_PAIRS,
  ...spread(ofFiles("a", "b", "c", "plain"), MAX_FRAMED),
  ...ofFiles("beside", "standing", "told"),
].map(({ older, newer, replaces }) => ({ older, newer, replaces }));
writeFileSync(file, `${pairs.map((pair) => JSON.stringify(pair)).join("\n")}\n`);
const replacing = pairs.filter(({ replaces }) => replaces).length;
console.log(`${pairs.length} pairs, of which ${replacing} replace, written to ${file}`);
