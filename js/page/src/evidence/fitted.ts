// The fitted weights of evidence. The build reads them from the crate.

declare const __FITTED__: Readonly<Record<Preset, Readonly<Record<string, number>>>>;

/** A set of fitted weights. */
export type Preset = "general" | "trading";

/** The weights of a preset, by the name of the kind. */
export const FITTED = __FITTED__;
