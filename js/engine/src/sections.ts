// Sections under one configuration: which subtype belongs where. The table comes from the module, once.

import { freezeProfile, MEMORY_SECTIONS } from "./constants.ts";
import { type PlainData, Slot, whenLoaded } from "./runtime.ts";
import type { MemorySection, SectionProfile } from "./types.ts";

/** What the module says of a configuration. */
interface Description {
  enabled: boolean;
  default_section: number;
  intent_boost: number;
  words: boolean;
  profiles: SectionProfile[];
  subtypes: { name: string; section: MemorySection; stability: number | null }[];
}

/** A configuration's tables, and the engines that compute under it. @internal */
export class Sections {
  readonly slot: Slot;
  /** Section code by subtype. */
  readonly codes = new Map<string | null | undefined, number>();
  defaultCode = 0;
  enabled = true;
  intentBoost = Number.NaN;
  wordsByDefault = false;
  readonly profiles = {} as Record<MemorySection, SectionProfile>;
  readonly sectionOf: Record<string, MemorySection> = {};
  readonly stabilityOf: Record<string, number> = {};
  readonly #stabilities = new Map<string | null | undefined, number>();

  /** Throws for a wrong configuration, as soon as the module is there. */
  constructor(config: PlainData) {
    this.slot = new Slot(config);
    whenLoaded(() => this.#fill());
  }

  #fill(): void {
    const about: Description = JSON.parse(this.slot.engine().describe());
    this.enabled = about.enabled;
    this.defaultCode = about.default_section;
    this.intentBoost = about.intent_boost;
    this.wordsByDefault = about.words;
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

  codeOf(subtype: string | null | undefined): number {
    return this.codes.get(subtype) ?? this.defaultCode;
  }

  getSectionForSubtype = (subtype: string | null | undefined): MemorySection => MEMORY_SECTIONS[this.codeOf(subtype)]!;

  getInitialStabilityForSubtype = (subtype: string | null | undefined): number =>
    this.#stabilities.get(subtype) ??
    this.profiles[this.getSectionForSubtype(subtype)].decay.initial_stability_days;
}
