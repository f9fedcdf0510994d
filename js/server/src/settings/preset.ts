// The fitted weights by which an agent's searches rank: the setting `preset`, and its order before
// what the engine's configuration and the agent's database say.

import type { EngineYaml } from "./engine-config.ts";
import { entryOf, valueFor } from "./per-agent.ts";

/**
 * `general`: for memories of people, projects and documents. `trading`: for those of a trading
 * agent.
 */
export const PRESETS = ["general", "trading"] as const;
export type Preset = (typeof PRESETS)[number];

/** The preset of an agent whose database names none. */
export const USUAL_PRESET: Preset = "general";

export const isPreset = (text: unknown): text is Preset =>
  (PRESETS as readonly unknown[]).includes(text);

/** The schema of an entry of the setting. */
export const presetting = entryOf(PRESETS);

/**
 * Returns the preset that the settings name for an agent: the setting `preset`, else the engine's key
 * `evidence.preset`. Undefined if they leave it to the agent's database.
 */
export const presetOf = (
  entries: readonly string[],
  { evidence }: EngineYaml,
  agent: string,
): Preset | undefined => valueFor<Preset>(entries, agent) ?? evidence?.preset;
