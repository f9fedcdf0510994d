// Fits the weights of the rule of replacing by logistic regression.

import { FEATURES, type Features, type Reading, type ReplacingWeights } from "nous-memory";
import { regression } from "./regression.ts";

/** The features of a pair, and whether the newer one replaces the older one. */
export interface JudgedPair {
  readonly features: Features;
  readonly replaces: boolean;
}

/** The factors of the squared weights: of statements, and of longer memories. */
const RIDGE = { statement: 0.5, long: 0.3 };
const DIGITS = 2;
const NAMES = ["offset", ...FEATURES] as const;

/** Returns the weights, rounded. The same pairs give the same weights. */
export function fitReplacing(pairs: readonly JudgedPair[]): ReplacingWeights {
  const rows = pairs.map(({ features, replaces }) => ({
    values: [1, ...FEATURES.map((name) => features[name])],
    isTrue: replaces,
  }));
  const ridges = NAMES.map((name) =>
    name === "offset" ? 0 : name.startsWith("long") ? RIDGE.long : RIDGE.statement,
  );
  const weights = regression(rows, { ridges, digits: DIGITS });
  return Object.fromEntries(NAMES.map((name, k) => [name, weights[k]!]));
}

/** The log-odds of a pair by its features, what a model read, and whether it replaces. */
export interface JudgedReading {
  readonly features: number;
  readonly reading: Reading;
  readonly replaces: boolean;
}

/** How both kinds of log-odds add up. */
export type ReadingWeights = Readonly<Record<"offset" | "features" | "reading" | "rivals", number>>;

/** Returns how features and readings add up, rounded. The same pairs give the same weights. */
export function fitReading(pairs: readonly JudgedReading[]): ReadingWeights {
  const rows = pairs.map(({ features, reading, replaces }) => ({
    values: [1, features, reading.logOdds, reading.rivals],
    isTrue: replaces,
  }));
  const [offset, features, reading, rivals] = regression(rows, { digits: DIGITS });
  return { offset: offset!, features: features!, reading: reading!, rivals: rivals! };
}

/** Returns the file of the weights. */
export function weightsFile(
  weights: Readonly<Record<string, ReplacingWeights>>,
  reading: ReadingWeights,
): string {
  const line = (name: string, value: number) => `    ${name}: ${value + 0},`;
  const groups = Object.entries(weights).flatMap(([by, its]) => [
    `  ${by}: {`,
    ...NAMES.map((name) => line(name, its[name] ?? 0)),
    "  },",
  ]);
  return `// Written by \`npm run fit -- changes\`. Do not edit: change the pairs or the features, and fit anew.

/**
 * The weights by feature, and the offset: with the cosine of embeddings, and with word vectors alone.
 * A feature without a weight counts nothing.
 */
export const REPLACING_WEIGHTS: Readonly<
  Record<"embedded" | "plain", Readonly<Record<string, number>>>
> = {
${groups.join("\n")}
};

/**
 * How the log-odds of the features, those of a model that read both statements and their rivals add
 * up, and the offset.
 */
export const READING_WEIGHTS = {
  offset: ${reading.offset},
  features: ${reading.features},
  reading: ${reading.reading},
  rivals: ${reading.rivals},
};
`;
}
