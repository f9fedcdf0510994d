// Compares reported patterns of a memory with its planted regularities.

import type { PlantedCondition } from "../../js/sample/trader/planted.ts";

/** A condition of a group's trades that was tested. */
export interface Tested {
  symbol: string;
  conditions: readonly { kind: string; field?: string; value: string }[];
  rate: number;
  rest_rate: number;
}

/** The result of a comparison. */
export interface Judged {
  /** For each regularity, whether it was reported. */
  regularities: { effect: number; found: boolean }[];
  /** The number of reported conditions. */
  reported: number;
  /** The number of reported conditions without an effect, or with the opposite effect. */
  wrong: number;
}

const labelOf = ({ symbol, reason }: PlantedCondition): string =>
  "anomaly_type" in reason
    ? JSON.stringify([symbol, "anomaly_type", null, reason.anomaly_type])
    : JSON.stringify([symbol, "signal", reason.field, String(reason.value)]);

/**
 * Compares reported conditions with the truth. If several conditions are reported together, one
 * true condition is enough.
 */
export function judge(truth: readonly PlantedCondition[], reported: readonly Tested[]): Judged {
  const planted = truth.filter(({ effect }) => effect !== 0);
  const effects = new Map(planted.map((condition) => [labelOf(condition), condition.effect]));
  const found = new Set<string>();
  let wrong = 0;
  for (const { symbol, conditions, rate, rest_rate } of reported) {
    const right = conditions
      .map(({ kind, field, value }) => JSON.stringify([symbol, kind, field ?? null, value]))
      .filter((label) => (effects.get(label) ?? 0) * (rate - rest_rate) > 0);
    if (right.length === 0) wrong++;
    for (const label of right) found.add(label);
  }
  return {
    regularities: planted.map((one) => ({ effect: one.effect, found: found.has(labelOf(one)) })),
    reported: reported.length,
    wrong,
  };
}
