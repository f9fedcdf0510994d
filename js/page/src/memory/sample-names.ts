// The names of the samples, as the picker and the view of the memory show them.

/** The samples. */
export type SampleName = "general" | "trader";

export const SAMPLE_NAMES: Readonly<Record<SampleName, string>> = {
  general: "A household",
  trader: "A trader",
};
