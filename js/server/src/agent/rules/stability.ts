// Rule: the stability of a new memory, by its subtype and its salience. The crate computes both.

import { type Engine, NousError } from "nous-wasm";
import { wrong } from "../../refusal.ts";

/**
 * Returns the stability of a new memory, in days.
 *
 * @throws {Refusal} If a figure that salience is read from is not a number.
 */
export function stabilityOfNew(
  engine: Engine,
  subtype: string | null,
  signals: Readonly<Record<string, unknown>> | null | undefined,
): number {
  const stability = engine.modulateStability(subtype, salienceOf(engine, subtype, signals));
  return stability ?? engine.getInitialStabilityForSubtype(subtype);
}

function salienceOf(
  engine: Engine,
  subtype: string | null,
  signals: Readonly<Record<string, unknown>> | null | undefined,
): number {
  try {
    return engine.calculateSalience(subtype, signals);
  } catch (error) {
    if (!(error instanceof NousError) || error.code !== "invalid_argument") throw error;
    const { field = "signals" } = error.details;
    throw wrong(field, error.message.replace(`${field} `, ""));
  }
}
