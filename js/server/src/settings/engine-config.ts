// The engine's part of the YAML file: the same words as in code, in snake_case.

import type { EngineConfig } from "nous-wasm";

/** What the file says of the engine. */
export type EngineYaml = Record<string, unknown>;

/** Keys of the engine at the top of the file. */
const KEYS = [
  "sections",
  "intent",
  "curve",
  "salience_growth",
  "search",
  "known_symbols",
  "query",
  "orchestrator",
  "salience",
] as const;
export const ENGINE_KEYS: ReadonlySet<string> = new Set<string>(KEYS);

/** Objects whose keys are the user's own words, or names of sections. */
const KEYS_AS_THEY_ARE = new Set([
  "sections.subtypes",
  "sections.profiles",
  "intent.strings",
  "salience.sources",
]);

/** The configuration in camelCase, and the path of each key in it as the file writes it. */
export function toEngineConfig(yaml: EngineYaml): {
  config: EngineConfig;
  written: ReadonlyMap<string, string>;
} {
  const written = new Map<string, string>();
  return { config: convert(yaml, "", "", written) as EngineConfig, written };
}

function convert(
  value: unknown,
  path: string,
  camelPath: string,
  written: Map<string, string>,
): unknown {
  written.set(camelPath, path);
  if (Array.isArray(value)) {
    return value.map((entry, place) =>
      convert(entry, `${path}[${place}]`, `${camelPath}[${place}]`, written),
    );
  }
  if (typeof value !== "object" || value === null) return value;
  const at = (parent: string, key: string) => (parent === "" ? key : `${parent}.${key}`);
  return Object.fromEntries(
    Object.entries(value).map(([key, entry]) => {
      const name = KEYS_AS_THEY_ARE.has(camelPath) ? key : toCamel(key);
      return [name, convert(entry, at(path, key), at(camelPath, name), written)];
    }),
  );
}

/** A key that is not in snake_case becomes one that the engine does not know. */
function toCamel(key: string): string {
  if (/[A-Z]/.test(key)) return `${key} (keys are in snake_case)`;
  return key.replace(/_([a-z0-9])/g, (_, letter: string) => letter.toUpperCase());
}
