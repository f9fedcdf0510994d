// Analyses where section weights gain or lose against global weights: the same candidates and
// signals, ranked with other weights. This explains a result; it is not a compared system.

import {
  getSectionForSubtype,
  MEMORY_SECTIONS,
  type MemorySection,
  RERANKING_WEIGHTS,
  type RerankingWeights,
  SECTION_PROFILES,
} from "nous-wasm";
import type { Library } from "./library.ts";
import type { Labelled } from "./questions.ts";
import type { Askable } from "./systems.ts";

type Signal = keyof RerankingWeights;
const SIGNALS = Object.keys(RERANKING_WEIGHTS) as Signal[];

/** The weights of each section. */
type Weighing = Readonly<Record<MemorySection, RerankingWeights>>;

function weighing(weightsOf: (section: MemorySection) => RerankingWeights): Weighing {
  return Object.fromEntries(
    MEMORY_SECTIONS.map((section) => [section, weightsOf(section)]),
  ) as Weighing;
}

const GLOBAL = weighing(() => RERANKING_WEIGHTS);
const SECTIONS = weighing((section) => SECTION_PROFILES[section].reranking_weights);

/**
 * Returns section weights with the global weights of these signals. The other signals share the
 * rest in their old proportions.
 */
function asGlobal(signals: readonly Signal[]): Weighing {
  const total = (weights: RerankingWeights, some: readonly Signal[]) =>
    some.reduce((sum, one) => sum + weights[one], 0);
  const others = SIGNALS.filter((signal) => !signals.includes(signal));
  return weighing((section) => {
    const own = SECTIONS[section];
    const scale = (1 - total(RERANKING_WEIGHTS, signals)) / total(own, others);
    const changed = SIGNALS.map((one) => [
      one,
      signals.includes(one) ? RERANKING_WEIGHTS[one] : own[one] * scale,
    ]);
    return Object.fromEntries(changed) as RerankingWeights;
  });
}

/** Returns global weights, except that one section has its own. */
function onlyOf(section: MemorySection): Weighing {
  return { ...GLOBAL, [section]: SECTIONS[section] };
}

/** The weightings that show the effect of single signals and sections. */
export const WEIGHINGS: readonly (readonly [name: string, weighing: Weighing])[] = [
  ["section weights", SECTIONS],
  ["… but recency weighs as in global", asGlobal(["recency"])],
  ["… but authority weighs as in global", asGlobal(["authority"])],
  ["… but recency and authority do", asGlobal(["recency", "authority"])],
  ...MEMORY_SECTIONS.map(
    (section) => [`global, but ${section} by its own`, onlyOf(section)] as const,
  ),
];

/** The results of global weights and of each weighting for every question, best first. */
export interface Reweighed {
  global: readonly (readonly string[])[];
  others: readonly (readonly (readonly string[])[])[];
}

/** Ranks the results of a memory for each question with all weightings. */
export function reweigh(
  search: Askable["search"],
  library: Library,
  questions: readonly Labelled[],
): Reweighed {
  const found = questions.map(({ text }) => [...search(text, false).ranking]);
  const by = (weights: Weighing) =>
    found.map((ranked) =>
      ranked
        .map(({ id, breakdown }) => {
          const own = weights[getSectionForSubtype(library.get(id).subtype)];
          return {
            id,
            score: SIGNALS.reduce((sum, signal) => sum + own[signal] * breakdown[signal], 0),
          };
        })
        .sort((one, other) => other.score - one.score)
        .map(({ id }) => id),
    );
  return { global: by(GLOBAL), others: WEIGHINGS.map(([, weights]) => by(weights)) };
}
