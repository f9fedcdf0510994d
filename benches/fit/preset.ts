// The presets: which kinds of evidence they weigh, and how their weights and scale are fitted.

import { DEPTH } from "../quality/metrics.ts";
import { type EvidenceTable, sumsOf } from "./evidence-table.ts";
import { fitListwise, type WeightedTable } from "./listwise.ts";
import { firstOfAll, fitScale, type Scale } from "./logistic.ts";
import { TUNED, tune } from "./tune.ts";

/** The presets, in the order of the fitted file. */
export const PRESETS = ["general", "trading"] as const;
/** A preset. */
export type Preset = (typeof PRESETS)[number];

/**
 * What a memory is like, whatever the question. It tells nothing that holds for memories of every
 * kind, so that `general` leaves it out.
 */
const OF_THE_MEMORY: ReadonlySet<string> = new Set([
  "affinity",
  "recency_episodic",
  "recency_signals",
  "recency_knowledge",
  "recency_procedural",
  "section_episodic",
  "section_signals",
  "section_procedural",
]);

/** The kinds of evidence that may speak against a memory. More of any other kind is never worse. */
const SIGNED: ReadonlySet<string> = new Set(
  [...OF_THE_MEMORY].filter((kind) => kind !== "affinity"),
);

/** The kinds of evidence that a question without an embedding lacks. */
const OF_EMBEDDINGS: ReadonlySet<string> = new Set([
  "emb",
  "nb_emb",
  "ses_emb",
  "emb_unheld",
  "emb_rank",
  "emb_unlike",
  "ses_unheld",
]);

/** Which weights {@link fitPreset} fits. */
export interface PresetOptions {
  readonly preset: Preset;
  /** Whether questions have an embedding. */
  readonly isEmbedded: boolean;
  /** Weights that are kept: only the odds are fitted. */
  readonly kept?: Fitted["weights"] | undefined;
  /** Tables of cut stores, which count for the odds only. */
  readonly cut: readonly EvidenceTable[];
}

/** Fitted weights with their scale, rounded as the fitted file holds them. */
export interface Fitted extends Scale {
  /** The weight of each kind of evidence of the engine; 0 if it is not fitted. */
  readonly weights: Readonly<Record<string, number>>;
  /** The temperature of each set; see {@link fitListwise}. */
  readonly temperatures: readonly number[];
}

/** What a table of cut stores counts beside a set. */
const CUT_WEIGHT = 0.25;
/** Decimal places of weights, scale and offset. */
const PLACES = 3;

/** The fits of a preset: for questions without an embedding, and for those with one. */
export interface FittedPreset {
  readonly plain: Fitted;
  readonly embedded: Fitted;
}

/**
 * Fits a preset: weights, then the odds over the first ten memories of each question.
 *
 * @param kinds - All kinds of evidence of the engine.
 * @throws {RangeError} If the sets do not suffice; see {@link fitListwise} and {@link fitScale}.
 * @example
 * ```ts
 * const { weights, scale, offset } = fitPreset(
 *   { preset: "general", isEmbedded: true, cut: [] },
 *   names,
 *   [{ table, weight: 1 }],
 * );
 * ```
 */
export function fitPreset(
  { preset, isEmbedded, kept, cut }: PresetOptions,
  kinds: readonly string[],
  sets: readonly WeightedTable[],
): Fitted {
  const isKnown = (kind: string) => sets.some(({ table }) => table.kinds.includes(kind));
  // The table of a set has no traits: only use teaches their weights.
  const fittable = kinds.filter(
    (kind) =>
      isKnown(kind) &&
      (preset === "trading" || !OF_THE_MEMORY.has(kind)) &&
      (isEmbedded || !OF_EMBEDDINGS.has(kind)) &&
      kind !== TUNED,
  );
  const { weights: exact, temperatures } =
    kept === undefined
      ? fitListwise(sets, { kinds: fittable, signed: SIGNED })
      : { weights: kept, temperatures: [] };
  const tuned = isEmbedded ? tune(exact, sets) : exact;
  const weights = Object.fromEntries(kinds.map((kind) => [kind, worthIts(tuned[kind] ?? 0)]));
  const fitted = fitScale([
    // Each set counts once: the odds should hold for every kind of memory.
    ...sets.map(({ table }) => ({ judged: firstOfTable(table, weights), weight: 1 })),
    ...cut.map((table) => ({ judged: firstOfTable(table, weights), weight: CUT_WEIGHT })),
  ]);
  const odds = Object.entries(fitted).map(([name, value]) => [name, rounded(value)]);
  return { weights, temperatures, ...(Object.fromEntries(odds) as Scale) };
}

/** The least size of a weight. */
const MIN_WEIGHT = 0.02;

function firstOfTable(table: EvidenceTable, weights: Readonly<Record<string, number>>) {
  return firstOfAll(table, sumsOf(table, weights), DEPTH);
}

/** A weight that decides nothing is 0, so that its evidence is neither computed nor shown. */
function worthIts(weight: number): number {
  return Math.abs(weight) < MIN_WEIGHT ? 0 : rounded(weight);
}

function rounded(value: number): number {
  // Adding 0 turns −0 into 0.
  return Number(value.toFixed(PLACES)) + 0;
}
