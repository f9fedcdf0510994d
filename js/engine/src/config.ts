// A configuration as the caller writes it, and its conversion to the module's form: plain data with
// keys in snake_case.
//
// The conversion is a copy. Getters and proxies of the caller run while it is made, and not while
// the module reads it: an exception across the module's frames ends its instance, and a call from a
// getter could enter it again. The copy is also as deep and as long as the module can take.

import { isPlainObject, MAX_ENTRIES } from "./arguments.ts";
import { NousError, show } from "./errors.ts";
import { knownKeysOf } from "./refusal.ts";
import type { PlainData } from "./runtime.ts";
import { didYouMean } from "./suggest.ts";
import type { MemorySection, SectionProfile } from "./types.ts";

type Camel<Key> = Key extends `${infer Head}_${infer Tail}`
  ? `${Head}${Capitalize<Camel<Tail>>}`
  : Key;
type Changes<T> = T extends object
  ? { [Key in keyof T as Camel<Key>]?: Changes<T[Key]> | undefined }
  : T;

/** `substring`: anywhere, inside words too. `words`: whole words and phrases only. */
export type IntentMatcher = "substring" | "words";

/** What can be configured; whatever is missing keeps its default. */
export interface EngineConfig {
  sections?:
    | {
        /**
         * Off: global weights and no boost, and by evidence sections weigh nothing. Default true.
         */
        enabled?: boolean | undefined;
        /**
         * Factor for results whose section the question asks for; at least 1, where 1 is none.
         * Default 1.3.
         */
        intentBoost?: number | undefined;
        /** The section of unknown subtypes. Default KNOWLEDGE. */
        defaultSection?: MemorySection | undefined;
        /**
         * Subtypes to add or to move, by their exact names; without a stability in days the
         * section's serves.
         */
        subtypes?:
          | Record<string, { section: MemorySection; stability?: number | undefined }>
          | undefined;
        /**
         * Changes to profiles: any field but the section itself. A profile's own `intentBoost` wins
         * over the general.
         */
        profiles?:
          | { [Section in MemorySection]?: Changes<Omit<SectionProfile, "section">> | undefined }
          | undefined;
      }
    | undefined;
  intent?:
    | {
        /** Which occurrences count when a call does not say. Default `substring`. */
        matcher?: IntentMatcher | undefined;
        /** A section's strings, in place of the built-in ones. */
        strings?: { [Section in MemorySection]?: readonly string[] | undefined } | undefined;
      }
    | undefined;
  /** The forgetting curve: `exponential`, exp(−t / S), or `fsrs6`. Default `exponential`. */
  curve?: "exponential" | "fsrs6" | undefined;
  /** Whether a recall lets stability grow by what was at stake, too. Default false. */
  salienceGrowth?: boolean | undefined;
  /** How a `MemoryIndex` is searched. */
  search?: SearchConfig | undefined;
  /** How `MemoryIndex.ask` weighs evidence. */
  evidence?: EvidenceConfig | undefined;
  /**
   * What a question can name, each once in any case; at most 10,000. Default: the symbols of twenty
   * coins.
   */
  knownSymbols?: readonly string[] | undefined;
  /** How questions are read. */
  query?: QueryConfig | undefined;
  /** How retrieval in several passes goes. */
  orchestrator?: OrchestratorConfig | undefined;
  /** What tells how much was at stake. */
  salience?: SalienceConfig | undefined;
}

/** How a question is retrieved in several passes; whatever is missing keeps its default. */
export interface OrchestratorConfig {
  /**
   * Off: one plain search of the whole question for `maxResults`, given as it comes. Default true.
   */
  enabled?: boolean | undefined;
  /**
   * The most parts that a question is divided into: whole, from 1, which never divides, to 16.
   * Default 4.
   */
  maxParts?: number | undefined;
  /** Another name of `maxParts`. If both are given, they must be the same number. */
  maxSubQueries?: number | undefined;
  /**
   * Whether a question that nothing else divides, but that names two or more known symbols or
   * quoted phrases and an attribute, has a part for each of them. Default false.
   */
  bySubject?: boolean | undefined;
  /** How many results are asked for of each part: whole, at least 1. Default 25. */
  searchLimitPerQuery?: number | undefined;
  /**
   * A part whose best score is below this is weak, and searched for again in other words. At least
   * 0. Default 0.2.
   */
  qualityThreshold?: number | undefined;
  /** How often a part that found nothing, or is weak, is searched for again: 0 or 1. Default 1. */
  maxRetries?: number | undefined;
  /**
   * What the results of a second search become after a weak first answer. `merge`: both answers
   * count, and of a memory that both have, the better score. `replace`: the second answer takes the
   * place of the first if its best score is higher, as in Hynous. After an empty first answer the
   * second one stands in either case. Default `merge`.
   */
  retry?: "merge" | "replace" | undefined;
  /**
   * Time for everything together, in seconds: above 0, at most 2,147,483. What has not arrived then
   * is left out. Default 3.
   */
  timeoutSeconds?: number | undefined;
  /** The most results in the end: whole, at least 1. Default 20. */
  maxResults?: number | undefined;
  /**
   * Share of the best score below which results are left out: from 0 to 1. Default 0, by signals
   * 0.4.
   */
  relevanceRatio?: number | undefined;
  /**
   * How many weak results may be replaced by others: whole, at least 0, which leaves weak ones
   * alone. Titles are searched for until so many are, or none is left. Default 2.
   */
  maxReplacements?: number | undefined;
  /**
   * A result with a score below this is replaced or dropped: at least 0; null leaves all alone.
   * Default 0.25.
   */
  replacementFloor?: number | null | undefined;
  /**
   * What follows when every part failed and time is left: `plain` is one search of the whole
   * question, and the error only if that fails as well; `none` is the error at once. Default
   * `plain`.
   */
  fallback?: "none" | "plain" | undefined;
}

/** How questions are read. */
export interface QueryConfig {
  /**
   * Whether a possessive right after another names a thing as well. Off, `extractQueryEntities`
   * passes over the word after a possessive, as Hynous does. Default false.
   *
   * ```ts
   * const engine = createEngine({ query: { adjacentPossessives: true } });
   * engine.extractQueryEntities("What's John's email?"); // ["What", "John"], by default ["What"]
   * ```
   */
  adjacentPossessives?: boolean | undefined;
  /**
   * The words that name an attribute, such as `phone`, found as whole words in any case; at most
   * 10,000. Default: twenty words, found inside words too, as in Hynous: "avoid" holds "id".
   *
   * ```ts
   * const engine = createEngine({ query: { attributeWords: ["id", "size"] } });
   * engine.classifyQuery("Do we avoid sugar?").query_type; // "AMBIGUOUS", by default "LOOKUP"
   * ```
   */
  attributeWords?: readonly string[] | undefined;
}

/** What tells how much was at stake in a memory. */
export interface SalienceConfig {
  /**
   * Sources by subtype, in place of the built-in ones: the signal `field` adds to 0.3 at most
   * `weight` (in [0, 1], default 0.55), which values of the size `scale` (above 0, default 1)
   * reach, and a negative one `lossBonus` (in [0, 1], default 0) besides.
   */
  sources?:
    | Record<
        string,
        {
          field: string;
          scale?: number | undefined;
          weight?: number | undefined;
          lossBonus?: number | undefined;
        }
      >
    | undefined;
  /**
   * What rarity adds at most, in [0, 1]: the signal `z_score` tells how far an event lies from its
   * history. Default 0.
   */
  rarity?: { weight?: number | undefined } | undefined;
  /**
   * What surprise adds at most, in [0, 1]: how far `outcome` lies from `expectation`. Default 0.
   */
  surprise?: { weight?: number | undefined } | undefined;
  /**
   * What a memory that led to action adds, in [0, 1]: the signal `led_to_action` tells whether, or
   * how far. Default 0.
   */
  consequence?: { weight?: number | undefined } | undefined;
}

/**
 * How `MemoryIndex.ask` weighs evidence.
 *
 * @example
 * ```ts
 * const index = new MemoryIndex({
 *   config: { evidence: { preset: "trading", weights: { recency_signals: 2 } } },
 * });
 * ```
 */
export interface EvidenceConfig {
  /**
   * The fitted weights: `general` for memories of people, projects and documents, `trading` for
   * those of a trading agent. Default `general`.
   */
  preset?: "general" | "trading" | undefined;
  /**
   * Weights that replace those of the preset, by the name of the kind of evidence: from −1,000 to
   * 1,000. 0 switches a kind off.
   */
  weights?: Readonly<Record<string, number>> | undefined;
}

/** How a `MemoryIndex` is searched. Numbers are at least 0, counts whole. */
export interface SearchConfig {
  /** Weight of the cosine in a seed's combined score. Default 0.7. */
  denseWeight?: number | undefined;
  /** Weight of the BM25 score in it. Default 0.3. */
  bm25Weight?: number | undefined;
  /**
   * The least combined score of a seed. Null, the default: 0.15 for a query with an embedding, else
   * 0.05.
   */
  seedThreshold?: number | null | undefined;
  /** The most seeds. Default 15. */
  maxSeeds?: number | undefined;
  /** Activation of a seed whose combined score is 1. Default 1. */
  initialActivation?: number | undefined;
  /** What is left of an activation after each hop. Default 0.8. */
  hopDecay?: number | undefined;
  /** An activation below this neither spreads nor arrives. Default 0.01. */
  minThreshold?: number | undefined;
  /** The most rounds of spreading, at most 100. Default 3. */
  maxHops?: number | undefined;
  /** Spreading stops at this many active nodes, seeds included. Default 500. */
  maxNodes?: number | undefined;
  /** What several activations of one node come to. Default `sum`. */
  aggregation?: "sum" | "max" | undefined;
  /** Results when a search does not say how many. Default 30. */
  defaultLimit?: number | undefined;
  /**
   * How strongly activation passes over an edge: by its type, by the strength that a store gives a
   * new edge of its type, or by its own strength, which grows when its ends are recalled together.
   * Default `type`.
   */
  edgeWeight?: "type" | "stored_type" | "learned" | undefined;
  /** Whether every active node is ranked, or those alone that a search had found. Default false. */
  graphReach?: boolean | undefined;
}

/** Objects whose keys are names of the user's own, or sections, by their paths in the module. */
const KEYS_AS_THEY_ARE = new Set([
  "sections.subtypes",
  "sections.profiles",
  "intent.strings",
  "salience.sources",
  "evidence.weights",
]);

/** A deeper configuration is a cycle. */
const DEEPEST = 8;

/** The caller's paths, by the module's. */
type Written = Map<string, string>;

/** How the caller spells the keys of a configuration. */
interface Spelling {
  /** Returns the module's key for a key of the caller in the object at `path`. */
  toModule(key: string, path: string): string;
  fromModule(key: string): string;
}

const CAMEL_CASE: Spelling = {
  toModule(key, path) {
    if (!key.includes("_")) return toSnake(key);
    throw refuse(
      pathTo(path, key),
      `is not a key: in code keys are in camelCase, so perhaps ${toCamel(key)}`,
    );
  },
  fromModule: toCamel,
};

const SNAKE_CASE: Spelling = { toModule: (key) => key, fromModule: (key) => key };

/**
 * A configuration in snake_case. A class, so that an object of a caller is never taken for one.
 */
class SnakeCaseConfig {
  constructor(readonly settings: object) {}
}

/**
 * Marks a configuration as written in snake_case, as in the settings of `nous-server` and in presets
 * of `nous-memory`. Errors then name keys in snake_case. The mark is lost on the way to another
 * thread: pass `settings` there, and mark it there.
 *
 * @param settings The configuration, with every key in snake_case. It is read when it is used.
 *
 * @example
 * ```ts
 * const engine = createEngine(inSnakeCase({ search: { max_seeds: 10 } }));
 * ```
 */
export const inSnakeCase = (settings: object): EngineConfig =>
  new SnakeCaseConfig(settings) as EngineConfig;

/**
 * Calls `use` with the module's form of a configuration. Errors name keys by the caller's paths.
 *
 * @throws {NousError} `invalid_config` if the configuration is not plain data, or if the module
 * refuses it.
 * @internal
 */
export function withModuleConfig<T>(config: EngineConfig, use: (config: PlainData) => T): T {
  const isSnake = config instanceof SnakeCaseConfig;
  const spelling = isSnake ? SNAKE_CASE : CAMEL_CASE;
  const written: Written = new Map();
  const plain = convert(isSnake ? config.settings : config, "", "", 0, written, spelling);
  try {
    return use(plain);
  } catch (error) {
    if (!(error instanceof NousError) || error.details.field === undefined) throw error;
    const { code, details, message } = error;
    const path = details.field!;
    const field = written.get(path) ?? path;
    const key = path.slice(path.lastIndexOf(".") + 1);
    const hint = didYouMean(key, knownKeysOf(error).map(spelling.fromModule));
    if (field === path && hint === "") throw error;
    throw new NousError(code, message.replace(path, () => field) + hint, { field });
  }
}

/**
 * Calls `use` with the module's form of a configuration that has only this part, as
 * `withModuleConfig` does. Errors name keys from `evidence` on.
 *
 * @throws {NousError} As `withModuleConfig`; `invalid_config` if there is no such part.
 * @internal
 */
export function withModuleEvidence<T>(evidence: EvidenceConfig, use: (config: PlainData) => T): T {
  // A missing key would mean the default.
  const part = (given: unknown) => ({ evidence: given ?? null }) as EngineConfig;
  const isSnake = evidence instanceof SnakeCaseConfig;
  return withModuleConfig(isSnake ? inSnakeCase(part(evidence.settings)) : part(evidence), use);
}

function convert(
  value: unknown,
  path: string,
  modulePath: string,
  depth: number,
  written: Written,
  spelling: Spelling,
): PlainData {
  written.set(modulePath, path);
  if (value === null || typeof value === "string" || typeof value === "boolean") return value;
  if (typeof value === "number" && Number.isFinite(value)) return value;
  if (Array.isArray(value) && value.length > MAX_ENTRIES) {
    throw refuse(
      path || "config",
      `must have at most ${MAX_ENTRIES} entries, found ${value.length}`,
    );
  }
  const inner = (entry: unknown, at: string, moduleAt: string) =>
    convert(entry, at, moduleAt, depth + 1, written, spelling);
  if (Array.isArray(value) && depth < DEEPEST) {
    // `map` would pass over holes.
    return Array.from(value, (entry, place) =>
      inner(entry ?? null, `${path}[${place}]`, `${modulePath}[${place}]`),
    );
  }
  if (isPlainObject(value) && depth < DEEPEST) {
    const entries = Object.entries(value).filter(([, entry]) => entry !== undefined);
    const isOwnNames = KEYS_AS_THEY_ARE.has(modulePath);
    const converted = entries.map(([key, entry]) => {
      const name = isOwnNames ? key : spelling.toModule(key, path);
      return [name, inner(entry, pathTo(path, key), pathTo(modulePath, name))] as const;
    });
    // Without a prototype, whose members the module would take for the configuration's.
    return { __proto__: null, ...Object.fromEntries(converted) };
  }
  throw refuse(path || "config", `must be plain data, found ${show(value)}`);
}

const pathTo = (parent: string, key: string): string => (parent ? `${parent}.${key}` : key);

function toCamel(key: string): string {
  return key.replace(/_+([a-z])/g, (_, letter: string) => letter.toUpperCase());
}

function toSnake(key: string): string {
  return key.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

function refuse(field: string, problem: string): NousError {
  return new NousError("invalid_config", `${field} ${problem}`, { field });
}
