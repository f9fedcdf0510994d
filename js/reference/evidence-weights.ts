// The fitted weights of evidence, as the engine exports them: they are data and no rule.

import { FITTED_EVIDENCE, type FittedEvidence } from "nous-wasm";
import { EVIDENCE, type Fit, type Fits, type Values } from "./evidence.ts";

export type EvidencePreset = "general" | "trading";

/** The weights of a preset. */
export function fitted(preset: EvidencePreset): Fits {
  const { embedded, ...plain } = FITTED_EVIDENCE[preset];
  return { plain: fitOf(preset, plain), embedded: fitOf(preset, embedded) };
}

function fitOf(preset: EvidencePreset, fit: FittedEvidence): Fit {
  const weights = EVIDENCE.map((kind) => {
    const weight = fit.weights[kind];
    if (weight === undefined) throw new Error(`the preset ${preset} has no ${kind}`);
    return [kind, weight];
  });
  return { ...fit, weights: Object.fromEntries(weights) as Values };
}
