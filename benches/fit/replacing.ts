// Fits the weights of the rule of replacing by logistic regression.

import { FEATURES, type Features, type Reading, type ReplacingWeights } from "nous-memory";
import { minimise } from "./lbfgs.ts";

/** The features of a pair, and whether the newer one replaces the older one. */
export interface JudgedPair {
  readonly features: Features;
  readonly replaces: boolean;
}

/** The factors of the squared weights: of statements, and of longer memories. */
const RIDGE = { statement: 0.5, long: 0.3 };
const DIGITS = 2;
const NAMES = ["offset", ...FEATURES] as const;

/** The values of a pair, the first of which is 1, and whether it replaces. */
interface Row {
  readonly values: readonly number[];
  readonly replaces: boolean;
}

/** Returns the weights of the values, rounded. `ridges` are the factors of their squares. */
function fitted(rows: readonly Row[], ridges: readonly number[]): number[] {
  const { point } = minimise(
    (weights) => {
      const gradient = new Float64Array(weights.length);
      let value = 0;
      for (const { values, replaces } of rows) {
        let sum = 0;
        for (let k = 0; k < values.length; k++) sum += values[k]! * weights[k]!;
        value += Math.max(sum, 0) + Math.log1p(Math.exp(-Math.abs(sum))) - Number(replaces) * sum;
        const over = 1 / (1 + Math.exp(-sum)) - Number(replaces);
        for (let k = 0; k < values.length; k++) gradient[k]! += over * values[k]!;
      }
      for (const [k, ridge] of ridges.entries()) {
        value += (ridge / 2) * weights[k]! ** 2;
        gradient[k]! += ridge * weights[k]!;
      }
      return { value: value / rows.length, gradient: gradient.map((one) => one / rows.length) };
    },
    ridges.map(() => 0),
    ridges.map(() => Number.NEGATIVE_INFINITY),
  );
  return Array.from(point, (one) => Number(one.toFixed(DIGITS)) + 0);
}

/** Returns the weights, rounded. The same pairs give the same weights. */
export function fitReplacing(pairs: readonly JudgedPair[]): ReplacingWeights {
  const rows = pairs.map(({ features, replaces }) => ({
    values: [1, ...FEATURES.map((name) => features[name])],
    replaces,
  }));
  const ridges = NAMES.map((name) =>
    name === "offset" ? 0 : name.startsWith("long") ? RIDGE.long : RIDGE.statement,
  );
  const weights = fitted(rows, ridges);
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
    replaces,
  }));
  const [offset, features, reading, rivals] = fitted(rows, [0, 0, 0, 0]);
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
