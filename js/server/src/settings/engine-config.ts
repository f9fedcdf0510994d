// The engine's part of the settings: plain data in snake_case, as the file writes it. It crosses to
// other threads. Give it to the engine as `inSnakeCase(config)`.

import type { EngineConfig } from "nous-wasm";

/** The engine's configuration as the file writes it. The server itself reads these keys. */
export interface EngineYaml {
  readonly search?: { readonly max_seeds?: number };
  readonly salience_growth?: boolean;
  readonly evidence?: { readonly preset?: "general" | "trading" };
  readonly [key: string]: unknown;
}

declare module "nous-wasm" {
  /** Marks a configuration as written in snake_case. The package exports it for this server alone. */
  export function inSnakeCase(config: EngineYaml): EngineConfig;
}

type Snake<Key extends string> = Key extends `${infer Head}${infer Tail}`
  ? `${Head extends Lowercase<Head> ? Head : `_${Lowercase<Head>}`}${Snake<Tail>}`
  : Key;

/** The engine's keys at the top of the file. The compiler demands every key. */
const KEYS: Record<Snake<keyof EngineConfig>, 0> = {
  ...{ sections: 0, intent: 0, curve: 0, salience_growth: 0, search: 0, known_symbols: 0 },
  ...{ query: 0, orchestrator: 0, salience: 0, evidence: 0 },
};
export const ENGINE_KEYS: ReadonlySet<string> = new Set(Object.keys(KEYS));
