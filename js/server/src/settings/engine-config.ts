// The engine's part of the settings.

import type { EngineConfig } from "nous-wasm";

type Snake<Key extends string> = Key extends `${infer Head}${infer Tail}`
  ? `${Head extends Lowercase<Head> ? Head : `_${Lowercase<Head>}`}${Snake<Tail>}`
  : Key;

/** The engine's keys at the top of the file. The compiler demands every key. */
const KEYS: Record<Snake<keyof EngineConfig>, 0> = {
  ...{ sections: 0, intent: 0, curve: 0, salience_growth: 0, search: 0, known_symbols: 0 },
  ...{ query: 0, orchestrator: 0, salience: 0, evidence: 0 },
};
export const ENGINE_KEYS: ReadonlySet<string> = new Set(Object.keys(KEYS));
