// Reads settings from the command line, the environment and a YAML file, in this order of
// precedence. An unknown or invalid setting stops the server with a sentence.

import { readFileSync, type Stats, statSync } from "node:fs";
import { resolve } from "node:path";
import type { EngineYaml, Presets } from "nous-memory";
import { createEngine, type EngineConfig, inSnakeCase, MemoryIndex, NousError } from "nous-wasm";
import { SettingsError } from "../refusal.ts";
import type { Compat, EmbeddingsProvider } from "./choices.ts";
import { databaseOf } from "./database.ts";
import { modelProblem } from "./embeddings-model.ts";
import { nearest } from "./nearest.ts";
import {
  flagOf,
  OPTION_NAMES,
  OPTIONS,
  type OptionName,
  type Settings,
  variableOf,
} from "./options.ts";
import { partsOf } from "./per-agent.ts";
import { readPresets } from "./preset-files.ts";

/** The environment variable that names the YAML file. */
export const CONFIG_VARIABLE = "NOUS_CONFIG";

/** The environment variable with the key that `nous-server mcp` sends. */
export const MCP_KEY_VARIABLE = "NOUS_MCP_KEY";

type Snake<Key extends string> = Key extends `${infer Head}${infer Tail}`
  ? `${Head extends Lowercase<Head> ? Head : `_${Lowercase<Head>}`}${Snake<Tail>}`
  : Key;

/** The engine's keys at the top of the file. The compiler demands every key. */
const KEYS: Record<Snake<keyof EngineConfig>, 0> = {
  ...{ sections: 0, intent: 0, curve: 0, salience_growth: 0, search: 0, known_symbols: 0 },
  ...{ query: 0, orchestrator: 0, salience: 0, evidence: 0 },
};
const ENGINE_KEYS: ReadonlySet<string> = new Set(Object.keys(KEYS));

/** The settings and the engine's configuration in force. */
export interface InForce {
  settings: Settings;
  engine: EngineYaml;
  presets: Presets;
}

/** @throws {SettingsError} If a setting is invalid. The message names its place. */
export async function readSettings(
  flags: Partial<Record<OptionName, string>> & { config?: string },
  environment: NodeJS.ProcessEnv,
): Promise<InForce> {
  const file = flags.config ?? environment[CONFIG_VARIABLE];
  const yaml = file === undefined ? {} : await readYaml(file);
  checkVariables(environment);
  /** Returns the place of the source that gives a setting, and its value; undefined if none does. */
  const sourceOf = (name: OptionName): [place: string, value: unknown] => {
    const variable = variableOf(name);
    const sources: [place: string, value: unknown][] = [
      [flagOf(name), flags[name]],
      [`the environment variable ${variable}`, environment[variable]],
      [`${name} in ${file}`, yaml[name]],
    ];
    return sources.find(([, given]) => given !== undefined) ?? ["", undefined];
  };
  const givenFor = (name: OptionName): unknown => {
    const [place, value] = sourceOf(name);
    return value === undefined ? undefined : checked(name, place, value);
  };
  const compat = (givenFor("compat") as Compat | undefined) ?? OPTIONS.compat.default();
  const provider =
    (givenFor("embeddings_provider") as EmbeddingsProvider | undefined) ??
    OPTIONS.embeddings_provider.default(compat);
  const settings = Object.fromEntries(
    OPTION_NAMES.map((name) => [name, givenFor(name) ?? OPTIONS[name].default(compat, provider)]),
  ) as Settings;
  const problem = modelProblem(provider, settings.embeddings_model);
  if (problem !== undefined) {
    const [place, value] = sourceOf("embeddings_model");
    throw new SettingsError(`${place} is ${JSON.stringify(value)}: ${problem}.`);
  }
  settings.data_dir = resolve(settings.data_dir);
  checkDataDir(settings.data_dir);
  if (settings.backup_dir !== "") settings.backup_dir = resolve(settings.backup_dir);
  const checkUrl = (place: string, url: string) => checked("database_url", place, url) as string;
  Object.assign(settings, databaseOf(settings, environment, sourceOf, checkUrl));
  checkOauth(settings);
  const engine = Object.fromEntries(Object.entries(yaml).filter(([key]) => ENGINE_KEYS.has(key)));
  checkEngine(engine, file);
  const presets = await readPresets(settings.presets_dir);
  checkPresets(settings.preset, presets, sourceOf("preset")[0]);
  return { settings, engine, presets };
}

/** @throws {SettingsError} If the setting names a preset that does not exist. */
function checkPresets(entries: readonly string[], presets: Presets, place: string): void {
  const unknown = entries.map((entry) => partsOf(entry).value).find((name) => !presets.has(name));
  if (unknown === undefined) return;
  const meant = nearest(unknown, presets.keys());
  throw new SettingsError(
    `${place} names the preset ${unknown}, which does not exist` +
      `${meant === undefined ? "" : ` (did you mean ${meant}?)`}. There are ${list(presets.keys())}; ` +
      "presets of your own are files in presets_dir.",
  );
}

/** @throws {SettingsError} If one of the two settings is missing by which tokens are told apart. */
function checkOauth({ mcp_oauth_issuer: issuer, mcp_oauth_resource: resource }: Settings): void {
  if ((issuer === "") === (resource === "")) return;
  const [given, missing] = issuer === "" ? ["resource", "issuer"] : ["issuer", "resource"];
  throw new SettingsError(
    `mcp_oauth_${given} is set, and mcp_oauth_${missing} is not: tokens need both.`,
  );
}

function checked(name: OptionName, place: string, value: unknown): unknown {
  const { data, error } = OPTIONS[name].schema.safeParse(value);
  if (error === undefined) return data;
  const problem = error.issues[0]!.message;
  // A URL that is refused may contain a password, wherever its parts seem to end.
  const isHidden =
    OPTIONS[name].isSecret || name === "database_url" || /:\/\/.*@/s.test(String(value));
  const shown = isHidden ? "wrong" : JSON.stringify(value);
  throw new SettingsError(`${place} is ${shown}: ${problem}.`);
}

function checkVariables(environment: NodeJS.ProcessEnv): void {
  const known = new Set([CONFIG_VARIABLE, MCP_KEY_VARIABLE, ...OPTION_NAMES.map(variableOf)]);
  const unknown = Object.keys(environment).filter(
    (variable) => variable.startsWith("NOUS_") && !known.has(variable),
  );
  for (const variable of unknown) {
    const meant = nearest(variable, known);
    if (meant === undefined) continue;
    throw new SettingsError(
      `The environment variable ${variable} is not a variable of this server (did you mean ${meant}?). ` +
        `If it belongs to another program, start without it: env -u ${variable} nous-server. ` +
        `The variables of this server: ${list(known)}.`,
    );
  }
  if (unknown.length > 0)
    console.error(`Not variables of this server, and ignored: ${list(unknown)}.`);
}

/** @throws {SettingsError} If a file is at the path of the folder, or of one above it. */
function checkDataDir(folder: string): void {
  let found: Stats;
  try {
    found = statSync(folder);
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (code !== "ENOTDIR") return;
    throw new SettingsError(`data_dir is ${folder}, which is no folder: ${message}.`);
  }
  if (found.isDirectory()) return;
  throw new SettingsError(`data_dir is ${folder}, which is a file: name a folder.`);
}

async function readYaml(file: string): Promise<Record<string, unknown>> {
  const { parse } = await import("./yaml.ts");
  let text: string;
  try {
    text = readFileSync(file, "utf8");
  } catch (error) {
    throw new SettingsError(
      `The configuration ${file} cannot be read: ${(error as Error).message}.`,
    );
  }
  let yaml: unknown;
  try {
    yaml = parse(text) ?? {};
  } catch (error) {
    throw new SettingsError(`The configuration ${file} is not YAML: ${(error as Error).message}.`);
  }
  if (typeof yaml !== "object" || yaml === null || Array.isArray(yaml)) {
    throw new SettingsError(`The configuration ${file} must be a list of keys with values.`);
  }
  const known = new Set<string>([...OPTION_NAMES, ...ENGINE_KEYS]);
  const unknown = Object.keys(yaml).find((key) => !known.has(key));
  if (unknown === undefined) return yaml as Record<string, unknown>;
  throw new SettingsError(`${unknown} in ${file} is not a key: there are ${list(known)}.`);
}

/** @throws {SettingsError} if the engine refuses its part of the file. */
function checkEngine(engine: EngineYaml, file: string | undefined): void {
  if (Object.keys(engine).length === 0) return;
  const config = inSnakeCase(engine);
  try {
    createEngine(config);
    new MemoryIndex({ config }).free();
  } catch (error) {
    if (!(error instanceof NousError)) throw error;
    throw new SettingsError(`In ${file}: ${error.message}.`);
  }
}

const list = (names: Iterable<string>): string => [...names].join(", ");
