// Salience: how much was at stake in a memory, and how it changes the initial stability.

import { NO_SALIENCE } from "./decay.ts";
import type { EngineContext } from "./engine-context.ts";
import { invalid, show } from "./errors.ts";
import { requireLoaded } from "./runtime.ts";

/**
 * Figures of a memory. The built-in subtypes have `pnl_pct` (percent), `confidence` and `rr_ratio`;
 * the configuration names those of other subtypes. If `salience.rarity` and `salience.surprise`
 * have a weight, `z_score` and `outcome` with `expectation` are read, too. If
 * `salience.consequence` has a weight, `led_to_action` is read: true, false or a number in [0, 1].
 * Null means missing. Other fields are not read.
 */
export type StakeSignals = Readonly<Record<string, unknown>>;

/** A place past the end of every table, which the module takes as an unknown subtype. */
const UNKNOWN = { place: 2 ** 32 - 1, fields: [null, null] } as const;
const NEUTRAL = 0.5;

/** @internal */
export function calculateSalience(
  context: EngineContext,
  subtype: string | null | undefined,
  signals: StakeSignals | null | undefined,
): number {
  const name = subtypeOf(subtype);
  if (signals != null && (typeof signals !== "object" || Array.isArray(signals))) {
    throw invalid("signals", `must be an object, found ${show(signals)}`);
  }
  requireLoaded();
  if (name === null || signals == null || Object.keys(signals).length === 0) return NEUTRAL;
  const { place, fields } = context.salienceSources.get(name) ?? UNKNOWN;
  const [rarity, surprise, consequence] = context.weighs;
  const first = fields[0] === null ? Number.NaN : signalOf(signals, fields[0]!);
  const second = fields[1] === null ? Number.NaN : signalOf(signals, fields[1]!);
  const deviation = rarity ? signalOf(signals, "z_score") : Number.NaN;
  const outcome = surprise ? signalOf(signals, "outcome") : Number.NaN;
  const expectation = surprise ? signalOf(signals, "expectation") : Number.NaN;
  const ledToAction = consequence ? shareOf(signals, "led_to_action") : Number.NaN;
  // Last, because a getter above may have ended an engine.
  return context.pool
    .engine()
    .salience(place, first, second, deviation, outcome, expectation, ledToAction);
}

/** @internal */
export function modulateStability(
  context: EngineContext,
  subtype: string | null | undefined,
  salience: number,
): number | null {
  const name = subtypeOf(subtype);
  requireSalience(salience);
  const engine = context.pool.engine();
  if (name === null) return null;
  const days = engine.modulated_stability(
    (context.salienceSources.get(name) ?? UNKNOWN).place,
    salience,
  );
  return Number.isNaN(days) ? null : days;
}

/** Checks a salience and returns it as growth reads it. @internal */
export function salienceOf(salience: number | null | undefined): number {
  if (salience == null) return NO_SALIENCE;
  requireSalience(salience);
  return salience;
}

function requireSalience(salience: number): void {
  if (Number.isFinite(salience) && salience >= 0 && salience <= 1) return;
  throw invalid("salience", `must lie between 0 and 1, found ${show(salience)}`);
}

function subtypeOf(subtype: string | null | undefined): string | null {
  if (subtype != null && typeof subtype !== "string") {
    throw invalid("subtype", `must be a string, found ${show(subtype)}`);
  }
  return subtype || null;
}

/** A signal that is a boolean or a share; NaN if missing. */
function shareOf(signals: StakeSignals, field: string): number {
  const value = Object.hasOwn(signals, field) ? signals[field] : undefined;
  if (value == null) return Number.NaN;
  if (typeof value === "boolean") return value ? 1 : 0;
  if (typeof value === "number" && value >= 0 && value <= 1) return value;
  throw invalid(
    `signals.${field}`,
    `must be true, false or a number in [0, 1], found ${show(value)}`,
  );
}

/** A signal; NaN if missing. */
function signalOf(signals: StakeSignals, field: string): number {
  const value = Object.hasOwn(signals, field) ? signals[field] : undefined;
  if (value == null) return Number.NaN;
  if (!Number.isFinite(value))
    throw invalid(`signals.${field}`, `must be a finite number, found ${show(value)}`);
  return value as number;
}
