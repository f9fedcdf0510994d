// Rule: the stability of a new memory, by its subtype and its salience. The crate computes both.

import type { Engine } from "nous-wasm";

/**
 * Returns the stability of a new memory, in days.
 *
 * @throws {NousError} `invalid_argument` if a figure that salience is read from is not a number.
 */
export function stabilityOfNew(
  engine: Engine,
  subtype: string | null,
  signals: Readonly<Record<string, unknown>> | null | undefined,
): number {
  const salience = engine.calculateSalience(subtype, signals);
  return (
    engine.modulateStability(subtype, salience) ?? engine.getInitialStabilityForSubtype(subtype)
  );
}
