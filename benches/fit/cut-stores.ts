// Stores as other agents have them: small ones, and ones that lack the answer.
//
// # Idea
//
// Every question of a labelled set has an answer among hundreds of memories. A probability that is
// fitted on these alone doubts what a memory of a week knows, and affirms what no memory holds. So
// some questions are asked again: over all memories but the answers, over a few memories with the
// answers among them, and over as few without.

import type { Store } from "../quality/contestants.ts";
import type { Asking, Case } from "../quality/measure.ts";

/** Questions over cut stores of one kind. */
export interface CutStores {
  /** What was done, for tables: "all but the answers", "20 memories". */
  readonly name: string;
  readonly askings: readonly Asking[];
}

/** The memories of small stores, besides answers. */
const SIZES = [4, 20, 100];
/** The share of a small store that answers may be, and their least number. */
const ANSWERS = 0.25;
/** The memories that a cut store with almost all memories may have: it is indexed anew each time. */
const MAX_MEMORIES = 1_000;

/**
 * Cuts the stores of some questions.
 *
 * @param askings - The stores with their questions.
 * @param max - The most questions that are asked again, spread evenly.
 * @returns For each kind of cut the questions; none for a set without answers.
 */
export function cutStores(askings: readonly Asking[], max: number): CutStores[] {
  const all = askings.flatMap(({ store, cases }) =>
    cases.filter(({ grades }) => grades.size > 0).map((one) => ({ store, one })),
  );
  const step = Math.max(1, Math.ceil(all.length / max));
  const some = all.filter((_, place) => place % step === 0);
  const cut = (name: string, cutOf: (store: Store, one: Case, place: number) => Store) => ({
    name,
    askings: some.map(({ store, one }, place) => ({
      store: cutOf(store, one, place),
      cases: [one],
    })),
  });
  if (some.length === 0) return [];
  return [
    cut("all but the answers", (store, one, place) => without(store, one, MAX_MEMORIES, place)),
    ...SIZES.flatMap((size) => [
      cut(`${size} memories and the answer`, (store, { grades }, place) => {
        const few = without(store, { grades }, size, place).memories;
        const answers = store.memories.filter(({ id }) => grades.has(id));
        const most = Math.max(1, Math.floor(size * ANSWERS));
        return storeOf(store, [...few, ...answers.slice(0, most)]);
      }),
      cut(`${size} memories, no answer`, (store, one, place) => without(store, one, size, place)),
    ]),
  ];
}

/** Returns a stretch of at most `max` memories without those that answer. It starts by `place`. */
function without(
  store: Store,
  { grades }: Pick<Case, "grades">,
  max: number,
  place: number,
): Store {
  const others = store.memories.filter(({ id }) => !grades.has(id));
  // A fraction that never repeats spreads the starts.
  const start = Math.floor(((place * Math.SQRT2) % 1) * others.length);
  return storeOf(store, [...others.slice(start), ...others.slice(0, start)].slice(0, max));
}

function storeOf({ edges }: Store, memories: Store["memories"]): Store {
  const ids = new Set(memories.map(({ id }) => id));
  return {
    memories,
    edges: edges.filter((edge) => ids.has(edge.source_id) && ids.has(edge.target_id)),
  };
}
