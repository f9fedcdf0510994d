// What an export has to tell of a preset beside its name. A reader of the file knows the presets that ship, and
// not the settings of the server, nor presets of an operator.

import { createEngine, inSnakeCase, type MemorySection } from "nous-wasm";
import { BUILT_IN_PRESETS } from "./built-in.ts";
import { GENERAL } from "./general.ts";
import { engineConfigOf, type FittedWeights, type Preset, type Stemming } from "./preset.ts";

/** Returns the preset that a reader takes for one of this name: `general` if none ships. */
export const shippedPreset = (name: string): Preset => BUILT_IN_PRESETS.get(name) ?? GENERAL;

/** What a file of lines tells of a preset beside its name. */
export interface Differing {
  weights?: FittedWeights;
  stemming?: Stemming;
  sections?: Record<string, MemorySection>;
}

/** Returns what differs from the preset that ships under `name`, with sections by `otherSections`. */
export function differing(
  { weights, stemming }: Preset,
  name: string,
  sections: Record<string, MemorySection>,
): Differing {
  const shipped = shippedPreset(name);
  return {
    ...(weights === shipped.weights ? {} : { weights }),
    ...(stemming === shipped.stemming ? {} : { stemming }),
    ...(Object.keys(sections).length === 0 ? {} : { sections }),
  };
}

/**
 * Returns the sections of subtypes that are not those by the preset that ships under this name; an
 * empty object if there are none. `sectionOf` returns the section in force.
 */
export function otherSections(
  preset: string,
  subtypes: Iterable<string>,
  sectionOf: (subtype: string) => MemorySection,
): Record<string, MemorySection> {
  const byDefault = createEngine(inSnakeCase(engineConfigOf(shippedPreset(preset), {})));
  const other: Record<string, MemorySection> = {};
  for (const subtype of [...subtypes].sort()) {
    const section = sectionOf(subtype);
    if (section !== byDefault.getSectionForSubtype(subtype)) other[subtype] = section;
  }
  return other;
}
