// A preset: the vocabulary of a domain as plain data. It says which types of memories there are, how
// each ranks, fades and stands in a prompt, how a text without a type gets one, what the engine knows
// about questions, and what a model is told about its memory. It crosses to other threads.
//
// Two presets ship: `general` and `trading`. The server reads others from YAML files.

import { type MemorySection, PatternSet } from "nous-wasm";
import type { EngineYaml } from "../engine-config.ts";

/** Where memories of a type stand in a prompt. */
export const HEADINGS = [
  "user_profile",
  "decisions",
  "facts",
  "procedures",
  "episodes",
  "signals",
] as const;
/** A heading of a prompt. */
export type Heading = (typeof HEADINGS)[number];

/** The fitted weights of evidence that the engine has. */
export const FITTED_WEIGHTS = ["general", "trading"] as const;
/** The name of fitted weights. */
export type FittedWeights = (typeof FITTED_WEIGHTS)[number];

/**
 * What consolidation makes: `summaries` of repeated episodes, duplicates and contradictions, or
 * `trades`: lessons from the statistics of trades.
 */
export const CONSOLIDATIONS = ["summaries", "trades"] as const;
/** What a consolidation makes; see `CONSOLIDATIONS`. */
export type Consolidation = (typeof CONSOLIDATIONS)[number];

/** Whether the forms of an English word count as one word: `english`, or `none`. */
export const STEMMINGS = ["english", "none"] as const;
/** See `STEMMINGS`. */
export type Stemming = (typeof STEMMINGS)[number];

/** A type of memories. A memory of the type has its name as `type` and as `subtype`. */
export interface PresetType {
  /** Decides how memories of the type rank and fade. */
  section: MemorySection;
  /** The time constant of decay of a new memory, in days. */
  stability_days: number;
  heading: Heading;
  description: string;
  /**
   * Patterns, as `PatternSet` takes them. A text of which one matches is of this type, if no type
   * before it in the list matches.
   */
  guess?: readonly string[] | undefined;
  /**
   * The line of a memory in a prompt. `{text}` stands for its words, `{day}` for its day and how long
   * ago that is. Default: `{text} ({day})`.
   */
  line?: string | undefined;
}

/** The vocabulary of a domain. */
export interface Preset {
  /** Letters, digits, `-` and `_`. */
  name: string;
  description: string;
  /** The fitted weights by which evidence counts. */
  weights: FittedWeights;
  consolidation: Consolidation;
  /** Decides which forms of a word match by evidence. A word of another form may match as a neighbour. */
  stemming: Stemming;
  /** The type of a text of which no pattern matches. */
  usual_type: string;
  types: Readonly<Record<string, PresetType>>;
  /** The passage for a model's system prompt; empty for the engine's own. */
  guidance: string;
  /** Keys of the engine's configuration, such as `intent` and `query`. Those of a configuration win. */
  engine: EngineYaml;
}

/** Presets by name. */
export type Presets = ReadonlyMap<string, Preset>;

/** Returns the type of this name; undefined if the preset has none. */
export const typeOf = (preset: Preset, name: string | null | undefined): PresetType | undefined =>
  name != null && Object.hasOwn(preset.types, name) ? preset.types[name] : undefined;

/** Returns the name of the type that a text most likely has. */
export const guessedType = (preset: Preset, text: string): string =>
  patternsOf(preset).firstMatch(text) ?? preset.usual_type;

const compiled = new WeakMap<Preset, PatternSet>();

/**
 * Returns the patterns by which a preset guesses types, in order.
 *
 * @throws {NousError} `invalid_argument` for a pattern that the engine does not take.
 */
export function patternsOf(preset: Preset): PatternSet {
  const known = compiled.get(preset);
  if (known !== undefined) return known;
  const patterns = new PatternSet(
    Object.entries(preset.types).flatMap(([name, { guess = [] }]) =>
      guess.map((pattern) => ({ name, pattern })),
    ),
  );
  compiled.set(preset, patterns);
  return patterns;
}

/** Returns the names of the types whose memories stand under a heading. */
export const typesUnder = ({ types }: Preset, heading: Heading): string[] =>
  Object.keys(types).filter((name) => types[name]!.heading === heading);

/**
 * Returns the configuration of the engine for agents of a preset. What `config` says itself wins, key
 * by key, except which fitted weights count.
 */
export function engineConfigOf({ types, engine, weights }: Preset, config: EngineYaml): EngineYaml {
  const subtypes = Object.fromEntries(
    Object.entries(types).map(([name, { section, stability_days: stability }]) => [
      name,
      { section, stability },
    ]),
  );
  const all = merged(merged({ sections: { subtypes } }, engine), config);
  return { ...all, evidence: { ...all.evidence, preset: weights } };
}

/** Returns both, with objects merged key by key. Other values of the second win. */
function merged(first: EngineYaml, second: EngineYaml): EngineYaml {
  const both: Record<string, unknown> = { ...first };
  for (const [key, value] of Object.entries(second)) {
    const before = both[key];
    both[key] = isObject(before) && isObject(value) ? merged(before, value) : value;
  }
  return both;
}

const isObject = (value: unknown): value is EngineYaml =>
  typeof value === "object" && value !== null && !Array.isArray(value);
