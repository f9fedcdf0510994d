// What an export tells of the agent itself: its preset, and what differs from it by the settings, so
// that the page ranks the file as the server ranks the memory.

import {
  differing,
  type EngineYaml,
  engineConfigOf,
  otherSections,
  type Presets,
} from "nous-memory";
import { createEngine, inSnakeCase } from "nous-wasm";
import type { AgentFacts } from "../portable/lines.ts";
import { DEFAULT_PRESET, presetOf } from "../settings/preset.ts";
import type { Storage } from "../storage/storage.ts";

/** The settings by which an agent ranks. */
export interface RankingSettings {
  /** Entries of the setting `preset`. */
  preset: readonly string[];
  engine: EngineYaml;
  presets: Presets;
}

/** Returns the facts of an agent; undefined if there are none to tell. */
export function factsOf(
  storage: Storage,
  agent: string,
  settings: RankingSettings | undefined,
): AgentFacts | undefined {
  const stored = storage.meta("preset");
  const plain = stored === undefined ? undefined : { preset: stored };
  if (settings === undefined) return plain;
  const { preset: entries, engine: given, presets } = settings;
  const name = presetOf(entries, given, agent) ?? stored ?? DEFAULT_PRESET;
  const preset = presets.get(name) ?? presets.get(DEFAULT_PRESET)!;
  const engine = createEngine(inSnakeCase(engineConfigOf(preset, given)));
  // An import stores the preset that the file names: that of the database, not that of the settings.
  const named = stored ?? DEFAULT_PRESET;
  const sections = otherSections(named, storage.names.inUse("subtype"), (subtype) =>
    engine.getSectionForSubtype(subtype),
  );
  const other = differing(preset, named, sections);
  return Object.keys(other).length === 0 ? plain : { preset: named, ...other };
}
