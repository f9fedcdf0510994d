// The fitted weights of evidence. The build reads them from the engine, whose code the page's
// first script does not need.

declare const __FITTED__: Readonly<Record<Preset, Readonly<Record<string, number>>>>;

/** A set of fitted weights. */
export type Preset = "general" | "trading";

/** The weights of a preset, by the name of the kind. */
export const FITTED = __FITTED__;
