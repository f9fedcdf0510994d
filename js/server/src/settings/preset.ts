// The preset of an agent: the setting `preset`, and its order before what the engine's configuration and
// the agent's database say.

import type { EngineYaml, Preset, Presets } from "nous-memory";
import { z } from "zod";
import { wrong } from "../refusal.ts";
import { isAgentName } from "./agent-names.ts";
import { partsOf, valueFor } from "./per-agent.ts";

/** The preset of an agent whose database names none. */
export const DEFAULT_PRESET = "general";

/** The name of a preset, which is also that of its file. */
export const PRESET_NAME = /^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$/;

/** The schema of an entry of the setting. Whether the preset exists is checked once all are read. */
export const presetting = z.string().refine(
  (entry) => {
    const { agent, value } = partsOf(entry);
    return PRESET_NAME.test(value) && (agent === undefined || isAgentName(agent));
  },
  { error: "must be the name of a preset, or for one agent NAME=PRESET; with commas between" },
);

/**
 * Returns the name of the preset that the settings give an agent: by the setting `preset`, else by the
 * engine's key `evidence.preset`. Undefined if they leave it to the agent's database.
 */
export const presetOf = (
  entries: readonly string[],
  { evidence }: EngineYaml,
  agent: string | undefined,
): string | undefined => valueFor(entries, agent) ?? evidence?.preset;

/** Returns the name of the preset that agents without one of their own have. */
export const presetOfAll = (entries: readonly string[], { evidence }: EngineYaml): string =>
  entries.map(partsOf).findLast(({ agent }) => agent === undefined)?.value ??
  evidence?.preset ??
  DEFAULT_PRESET;

/** @throws {Refusal} If there is no preset of this name. */
export function knownPreset(presets: Presets, name: string): Preset {
  const known = presets.get(name);
  if (known === undefined)
    throw wrong("preset", `must be one of ${[...presets.keys()].join(", ")}, found ${name}`);
  return known;
}
