// Sections under one configuration: which subtype belongs where. The table comes from the module.

import { freezeProfile, MEMORY_SECTIONS } from "./constants.ts";
import { defaultDescription } from "./generated/constants.ts";
import { EnginePool, type PlainData } from "./runtime.ts";
import type { MemorySection, SectionProfile } from "./types.ts";

/** The module's description of a configuration. @internal */
interface Description {
  readonly enabled: boolean;
  readonly default_section: number;
  readonly intent_boost: number;
  /** Whether intent is matched by whole words. */
  readonly words: boolean;
  readonly profiles: readonly SectionProfile[];
  readonly subtypes: readonly {
    readonly name: string;
    readonly section: MemorySection;
    /** Days; null: the section's. */
    readonly stability: number | null;
  }[];
  readonly known_symbols: readonly string[];
  readonly orchestrator: ModuleOrchestratorConfig;
  /** Subtypes in the order of the salience table, with the signals that each reads. */
  readonly stakes: readonly {
    readonly subtype: string;
    readonly fields: readonly [string | null, string | null];
  }[];
  /** Whether rarity, surprise and consequence have any weight. */
  readonly weighs: readonly [rarity: boolean, surprise: boolean, consequence: boolean];
}

/** What is set about retrieval in several passes, in the module's words. @internal */
export interface ModuleOrchestratorConfig {
  enabled: boolean;
  max_parts: number;
  by_subject: boolean;
  search_limit_per_query: number;
  quality_threshold: number;
  max_retries: number;
  timeout_seconds: number;
  max_results: number;
  relevance_ratio: number;
  max_replacements: number;
  replacement_floor: number | null;
  retry: "merge" | "replace";
  fallback: "none" | "plain";
}

const SLOTS = 256;

/**
 * Section codes by subtype, quicker than a `Map`, which is asked for every candidate: length and a
 * character give a slot, and one comparison tells whether the subtype there is the one. Subtypes
 * that share a slot are asked of a `Map`.
 *
 * @internal
 */
export class SubtypeCodes {
  readonly names = new Array<string | undefined>(SLOTS).fill(undefined);
  readonly codes = new Uint8Array(SLOTS);
  readonly #all = new Map<unknown, number>();
  defaultCode = 0;

  set(subtype: string, code: number): void {
    this.#all.set(subtype, code);
    const slot = slotOf(subtype);
    if (this.names[slot] !== undefined) return;
    // A property's name is an internalised string, and two of these are compared by address alone.
    this.names[slot] = Object.keys({ [subtype]: 0 })[0]!;
    this.codes[slot] = code;
  }

  /**
   * The code of a subtype that is not in its slot: one that shares it, an unknown or a missing one.
   */
  lookUp(subtype: unknown): number {
    return this.#all.get(subtype) ?? this.defaultCode;
  }

  get(subtype: string | null | undefined): number {
    if (typeof subtype !== "string") return this.defaultCode;
    const slot = slotOf(subtype);
    return this.names[slot] === subtype ? this.codes[slot]! : this.lookUp(subtype);
  }
}

/** The factor gives each built-in subtype a slot of its own. */
const slotOf = (subtype: string): number =>
  (subtype.length * 7 + subtype.charCodeAt(subtype.length - 2)) & (SLOTS - 1);

/** A configuration's tables, and the engines that compute under it. @internal */
export class EngineContext {
  readonly pool: EnginePool;
  readonly codes = new SubtypeCodes();
  enabled = true;
  intentBoost = Number.NaN;
  wordsByDefault = false;
  readonly knownSymbols: readonly string[];
  readonly orchestrator: ModuleOrchestratorConfig;
  /** The place of each subtype in the table of stakes, and the signals that it reads. */
  readonly weighs: Readonly<Description["weighs"]>;
  readonly salienceSources = new Map<
    string,
    { place: number; fields: readonly (string | null)[] }
  >();
  readonly profiles = {} as Record<MemorySection, SectionProfile>;
  readonly sectionOf: Record<string, MemorySection> = {};
  readonly stabilityOf: Record<string, number> = {};
  readonly #stabilities = new Map<string | null | undefined, number>();

  /**
   * Throws for a wrong configuration, and before the module is there; without one, the default is
   * known already.
   */
  constructor(config?: PlainData) {
    this.pool = new EnginePool(config);
    const about: Description =
      config === undefined ? defaultDescription : this.pool.engine().describe();
    this.enabled = about.enabled;
    this.codes.defaultCode = about.default_section;
    this.intentBoost = about.intent_boost;
    this.wordsByDefault = about.words;
    this.knownSymbols = about.known_symbols;
    this.orchestrator = about.orchestrator;
    this.weighs = about.weighs;
    for (const [place, { subtype, fields }] of about.stakes.entries())
      this.salienceSources.set(subtype, { place, fields });
    for (const profile of about.profiles) this.profiles[profile.section] = freezeProfile(profile);
    for (const { name, section, stability } of about.subtypes) {
      this.codes.set(name, MEMORY_SECTIONS.indexOf(section));
      this.sectionOf[name] = section;
      const days = stability ?? this.profiles[section].decay.initial_stability_days;
      this.stabilityOf[name] = days;
      this.#stabilities.set(name, days);
    }
    Object.freeze(this.profiles);
    Object.freeze(this.sectionOf);
    Object.freeze(this.stabilityOf);
  }

  getSectionForSubtype = (subtype: string | null | undefined): MemorySection =>
    MEMORY_SECTIONS[this.codes.get(subtype)]!;

  getInitialStabilityForSubtype = (subtype: string | null | undefined): number =>
    this.#stabilities.get(subtype) ??
    this.profiles[this.getSectionForSubtype(subtype)].decay.initial_stability_days;
}

/** The tables without a configuration. @internal */
export const defaultContext = new EngineContext();
