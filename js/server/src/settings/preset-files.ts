// Presets of the operator: YAML files in a folder, each named like its preset. A file may build on
// another preset and say only what differs.

import { readdirSync, readFileSync } from "node:fs";
import { basename, extname, join } from "node:path";
import {
  BUILT_IN_PRESETS,
  CONSOLIDATIONS,
  engineConfigOf,
  FITTED_WEIGHTS,
  HEADINGS,
  type Preset,
  type Presets,
  STEMMINGS,
} from "nous-memory";
import {
  createEngine,
  inSnakeCase,
  MEMORY_SECTIONS,
  MemoryIndex,
  NousError,
  PatternSet,
} from "nous-wasm";
import { z } from "zod";
import { SettingsError } from "../refusal.ts";
import { nearest } from "./nearest.ts";
import { PRESET_NAME } from "./preset.ts";

/** Ten years. */
const MAX_DAYS = 3_653;
const MAX_PATTERNS = 100;

const pattern = z
  .string()
  .min(1)
  .superRefine((source, { addIssue }) => {
    const message = problemOfPattern(source);
    if (message !== undefined) addIssue({ code: "custom", message });
  });

const type = z.strictObject({
  section: z.enum(MEMORY_SECTIONS),
  stability_days: z.number().positive().max(MAX_DAYS),
  heading: z.enum(HEADINGS),
  description: z.string().max(1_000),
  guess: z.array(pattern).max(MAX_PATTERNS).optional(),
  line: z
    .string()
    .max(500)
    .refine((line) => line.includes("{text}") && !/[\r\n]/.test(line), {
      error: "must be one line, with {text} where the words of the memory stand",
    })
    .optional(),
});

const whole = {
  description: z.string().max(1_000),
  weights: z.enum(FITTED_WEIGHTS),
  consolidation: z.enum(CONSOLIDATIONS),
  stemming: z.enum(STEMMINGS),
  usual_type: z.string(),
  types: z.record(
    z.string().regex(/^[\w:.-]{1,100}$/, "must be letters, digits and _ : . -"),
    type.nullable(),
  ),
  guidance: z.string().max(100_000),
  engine: z.record(z.string(), z.unknown()),
};

const file = z.strictObject({ extends: z.string().optional(), ...z.object(whole).partial().shape });

/**
 * Returns the presets that ship and those of a folder. An empty name stands for no folder.
 *
 * @throws {SettingsError} If a file is no preset. The message names the file and the place in it.
 */
export async function readPresets(folder: string): Promise<Presets> {
  if (folder === "") return BUILT_IN_PRESETS;
  const presets = new Map(BUILT_IN_PRESETS);
  let names: string[];
  try {
    names = readdirSync(folder).filter((name) => /\.ya?ml$/i.test(name));
  } catch (error) {
    throw new SettingsError(
      `presets_dir is ${folder}, which cannot be read: ${(error as Error).message}.`,
    );
  }
  // A preset may build on one of the same folder, in any order.
  const waiting = await Promise.all(
    names
      .sort()
      .map(async (name) => [join(folder, name), await yamlOf(join(folder, name))] as const),
  );
  while (waiting.length > 0) {
    const place = waiting.findIndex(([, yaml]) => {
      const base = (yaml as { extends?: unknown } | null)?.extends;
      return !waiting.some(([path]) => nameOf(path) === base);
    });
    const [path, yaml] = waiting.splice(Math.max(place, 0), 1)[0]!;
    const preset = presetOfYaml(path, yaml, presets);
    if (presets.has(preset.name))
      throw new SettingsError(
        `${path}: there is a preset ${preset.name} already. Rename the file.`,
      );
    presets.set(preset.name, preset);
  }
  return presets;
}

/** Returns the preset of one file, which may build on one of `presets`. */
export async function readPreset(path: string, presets: Presets): Promise<Preset> {
  return presetOfYaml(path, await yamlOf(path), presets);
}

const nameOf = (path: string): string => basename(path, extname(path));

async function yamlOf(path: string): Promise<unknown> {
  const { parse } = await import("./yaml.ts");
  try {
    return parse(readFileSync(path, "utf8"));
  } catch (error) {
    throw new SettingsError(`The preset ${path} cannot be read: ${(error as Error).message}.`);
  }
}

function presetOfYaml(path: string, yaml: unknown, presets: Presets): Preset {
  const name = nameOf(path);
  if (!PRESET_NAME.test(name))
    throw new SettingsError(
      `The preset ${path} has no name: call the file NAME.yaml, of letters, digits, - and _.`,
    );
  const { data, error } = file.safeParse(yaml ?? {});
  if (error !== undefined) throw new SettingsError(`The preset ${path} is wrong: ${said(error)}.`);
  const { extends: base, types = {}, engine = {}, ...own } = data;
  const from = base === undefined ? undefined : presets.get(base);
  if (base !== undefined && from === undefined)
    throw new SettingsError(
      `The preset ${path} extends ${base}, which is no preset before it: there are ` +
        `${[...presets.keys()].join(", ")}.`,
    );
  const missing = Object.keys(whole).find((key) => !Object.hasOwn(data, key) && key !== "engine");
  if (from === undefined && missing !== undefined)
    throw new SettingsError(
      `The preset ${path} is wrong: ${missing} is missing. A preset says all keys, or builds on ` +
        "another one: extends: general.",
    );
  const all = Object.entries({ ...types, ...from?.types, ...types }).filter(
    ([, own]) => own !== null,
  );
  const preset = {
    ...from,
    ...own,
    name,
    types: Object.fromEntries(all),
    engine: { ...from?.engine, ...engine },
  } as Preset;
  if (!Object.hasOwn(preset.types, preset.usual_type)) {
    const meant = nearest(preset.usual_type, Object.keys(preset.types));
    throw new SettingsError(
      `The preset ${path} is wrong: usual_type is ${preset.usual_type}, which is none of its types` +
        `${meant === undefined ? "" : ` (did you mean ${meant}?)`}.`,
    );
  }
  checkEngine(preset, path);
  return preset;
}

function checkEngine(preset: Preset, path: string): void {
  const config = inSnakeCase(engineConfigOf(preset, {}));
  try {
    createEngine(config);
    new MemoryIndex({ config }).free();
  } catch (error) {
    if (!(error instanceof NousError)) throw error;
    throw new SettingsError(`The preset ${path} is wrong: engine: ${error.message}.`);
  }
}

function said(error: z.ZodError): string {
  const [issue] = error.issues;
  const { path, message } = issue!;
  const where = path.length === 0 ? "" : `${path.map(String).join(".")}: `;
  if (issue!.code !== "unrecognized_keys") return `${where}${message}`;
  const [key = ""] = issue!.keys;
  const known = path.length === 0 ? ["extends", ...Object.keys(whole)] : Object.keys(type.shape);
  const meant = nearest(key, known);
  return `${where}${key} is no key${meant === undefined ? "" : ` (did you mean ${meant}?)`}`;
}

function problemOfPattern(source: string): string | undefined {
  try {
    new PatternSet([{ name: "", pattern: source }]);
    return undefined;
  } catch (error) {
    if (!(error instanceof NousError)) throw error;
    return error.message.replace("patterns[0]: pattern ", "");
  }
}
