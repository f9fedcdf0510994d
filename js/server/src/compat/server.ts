// What a compatibility mode decides in the server's main thread.

import { type EngineYaml, engineConfigOf, type Preset } from "nous-memory";
import type { Compat } from "../settings/choices.ts";

export interface ServerBehaviour {
  /** The characters that form the terms of a search. */
  readonly terms: "ascii" | "unicode";
  /** Whether a request with a field that its schema does not have is refused. */
  readonly refusesUnknownFields: boolean;
  /** Whether an export holds what use has taught, and sections by the agent's preset. */
  readonly exportsLearned: boolean;
  /** What to say beside the error that the port is in use, as a sentence; "" for nothing. */
  readonly onUsedPort: string;
  /** Returns the engine's configuration for questions about no agent. */
  engineConfig(preset: Preset, given: EngineYaml): EngineYaml;
  /** Returns the name of the preset of requests about no agent. `preset` is the server's. */
  presetOf(preset: Preset): string;
}

const BEHAVIOURS: Readonly<Record<Compat, ServerBehaviour>> = {
  none: {
    terms: "unicode",
    refusesUnknownFields: true,
    exportsLearned: true,
    onUsedPort: "",
    engineConfig: engineConfigOf,
    presetOf: ({ name }) => name,
  },
  hynous: {
    terms: "ascii",
    // A client of Hynous may send fields that only Hynous knows.
    refusesUnknownFields: false,
    // Hynous learns nothing from use, and has sections of its own.
    exportsLearned: false,
    onUsedPort:
      " Hynous starts its own server again if none answers: end its daemon and its dashboard first.",
    engineConfig: (_, given) => given,
    presetOf: () => "trading",
  },
};

/** Returns the behaviour of a server in a compatibility mode. */
export const serverBehaviourOf = (compat: Compat): ServerBehaviour => BEHAVIOURS[compat];
