// How long a new memory lasts at first: by its kind, and by what was at stake.

import { type Engine, NousError } from "nous-wasm";
import { wrong } from "../../refusal.ts";

/**
 * Days of stability of a new memory.
 *
 * @throws {Refusal} for a figure that stakes are read from and that is no number.
 */
export function stabilityOfNew(
  engine: Engine,
  subtype: string | null,
  signals: Readonly<Record<string, unknown>> | null | undefined,
): number {
  const stability = engine.modulateStability(subtype, salienceOf(engine, subtype, signals));
  return stability ?? engine.getInitialStabilityForSubtype(subtype);
}

/**
 * How much was at stake, by figures as they are stored; as without any, where they are none that
 * stakes are read from.
 */
export function salienceOfStored(
  engine: Engine,
  subtype: string | null | undefined,
  signals: string | undefined,
): number {
  try {
    return engine.calculateSalience(subtype, signals === undefined ? null : JSON.parse(signals));
  } catch {
    return engine.calculateSalience(subtype, null);
  }
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
