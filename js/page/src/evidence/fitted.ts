// The fitted weights of evidence. The build reads them from the engine, whose code the page's
// first script does not need.

type Weights = Readonly<Record<string, number>>;

declare const __FITTED__: Readonly<Record<Preset, { byWords: Weights; byMeaning: Weights }>>;

/** A set of fitted weights. */
export type Preset = "general" | "trading";

/** Returns the weights of a preset, by the name of the kind; others count with meaning. */
export const fittedOf = (preset: Preset, isByMeaning: boolean): Weights =>
  __FITTED__[preset][isByMeaning ? "byMeaning" : "byWords"];
