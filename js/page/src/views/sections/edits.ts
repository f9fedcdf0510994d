// The changes of the sections' profiles, as the address holds them: `EPISODIC.boost*1.5`.

import { computed } from "@preact/signals";
import type { MemorySection, RerankingWeights, SectionProfile } from "nous-wasm";
import { param } from "../../app/address.ts";
import { SECTIONS } from "../../app/format.ts";
import { asPairs, numberIn, pairsIn } from "../../app/pairs.ts";
import type { Profiles } from "../../memory/sections.ts";

/** The six signals, in the engine's order, in words. */
export const SIGNALS: Readonly<Record<keyof RerankingWeights, { label: string; about: string }>> = {
  semantic: { label: "Meaning", about: "Cosine of the vectors of question and memory." },
  keyword: { label: "Words", about: "BM25, against the best memory." },
  graph: { label: "Links", about: "Activation that arrives over links." },
  recency: { label: "Recency", about: "How recently it was used: e^(−days / 30)." },
  authority: { label: "Authority", about: "How many links lead to it." },
  affinity: { label: "Use", about: "How often it was used, and whether it is new." },
};

export const SIGNAL_NAMES = Object.keys(SIGNALS) as (keyof RerankingWeights)[];

/** Weights are whole thousandths here, so that they always sum to 1. */
export const WHOLE = 1_000;

/** A number of a profile that a slider changes. */
interface Setting {
  label: string;
  about: string;
  min: number;
  max: number;
  digits: number;
  unit: string;
  of(profile: SectionProfile): number;
}

export const SETTINGS = {
  initial: {
    label: "First stability",
    about:
      "Days until the retrievability of a new memory is 37 %, for kinds without one of their own.",
    min: 1,
    max: 365,
    digits: 0,
    unit: "d",
    of: ({ decay }) => decay.initial_stability_days,
  },
  active: {
    label: "Active above",
    about: "The retrievability above which a memory is active.",
    min: 0.01,
    max: 1,
    digits: 2,
    unit: "",
    of: ({ decay }) => decay.active_threshold,
  },
  weak: {
    label: "Weak above",
    about: "The retrievability above which it is weak, and not dormant.",
    min: 0,
    max: 0.99,
    digits: 2,
    unit: "",
    of: ({ decay }) => decay.weak_threshold,
  },
  boost: {
    label: "Boost",
    about: "Factor of the score if the question asks for this section.",
    min: 1,
    max: 3,
    digits: 2,
    unit: "×",
    of: ({ intent_boost }) => intent_boost,
  },
} as const satisfies Record<string, Setting>;

export type SettingName = keyof typeof SETTINGS;
export const SETTING_NAMES = Object.keys(SETTINGS) as SettingName[];

/** The changes of a profile. */
export type Edit = { weights?: readonly number[] } & { [Name in SettingName]?: number };
export type Edits = { [Section in MemorySection]?: Edit };

const written = param("profiles", "");

export const edits = computed<Edits>(() => {
  const all: Edits = {};
  for (const [path, text] of pairsIn(written.value)) {
    const [section, name] = path.split(".") as [MemorySection, string];
    if (!SECTIONS.includes(section)) continue;
    const edit = readEdit(name, text);
    if (edit !== undefined) all[section] = { ...all[section], ...edit };
  }
  return all;
});

function readEdit(name: string, text: string): Edit | undefined {
  if (name === "weights") {
    const weights = text.split("-").map(Number);
    const isSound =
      weights.length === SIGNAL_NAMES.length &&
      weights.every((weight) => Number.isInteger(weight) && weight >= 0) &&
      sumOf(weights) === WHOLE;
    return isSound ? { weights } : undefined;
  }
  if (!Object.hasOwn(SETTINGS, name)) return undefined;
  const { min, max } = SETTINGS[name as SettingName];
  const value = numberIn(text, min, max);
  return value === undefined ? undefined : { [name]: value };
}

function write(all: Edits): void {
  const pairs = Object.entries(all).flatMap(([section, edit]) =>
    Object.entries(edit).map(
      ([name, value]) =>
        [`${section}.${name}`, Array.isArray(value) ? value.join("-") : `${value}`] as const,
    ),
  );
  written.set(asPairs(pairs));
}

/** Changes numbers of a section; undefined makes one the default again. */
export function setEdit(
  section: MemorySection,
  changes: { [Name in keyof Edit]?: Edit[Name] | undefined },
): void {
  const edit = Object.entries({ ...edits.peek()[section], ...changes });
  const given = Object.fromEntries(edit.filter(([, value]) => value !== undefined));
  write({ ...edits.peek(), [section]: given });
}

export const resetSection = (section: MemorySection): void =>
  write({ ...edits.peek(), [section]: {} });
export const resetProfiles = (): void => written.set("");

const sumOf = (numbers: readonly number[]): number => numbers.reduce((sum, one) => sum + one, 0);

/** Returns the weights of a profile in thousandths. */
export const thousandths = ({ reranking_weights }: SectionProfile): number[] =>
  SIGNAL_NAMES.map((name) => Math.round(reranking_weights[name] * WHOLE));

/**
 * Returns weights with one of them changed. The others share the rest as they shared it before, or
 * as they usually do if nothing was left for them.
 */
export function rebalanced(
  weights: readonly number[],
  place: number,
  value: number,
  byDefault: readonly number[],
): number[] {
  const rest = WHOLE - value;
  const others = sumOf(weights) - weights[place]!;
  const base = others > 0 ? weights : byDefault;
  const whole = sumOf(base) - base[place]!;
  const exact = base.map((weight, at) => (at === place ? value : (weight * rest) / whole));
  const shares = exact.map(Math.floor);
  // The remainder of rounding goes to the weights that lost most.
  const byLoss = exact
    .map((share, at) => ({ at, loss: share - Math.floor(share) }))
    .sort((a, b) => b.loss - a.loss);
  for (let left = WHOLE - sumOf(shares), next = 0; left > 0; left -= 1, next += 1)
    shares[byLoss[next % byLoss.length]!.at]! += 1;
  return shares;
}

/** Returns the changes as the engine takes them. */
export function profilesOf(all: Edits): Profiles {
  const given = Object.entries(all).filter(([, edit]) => Object.keys(edit).length > 0);
  return Object.fromEntries(
    given.map(([section, { weights, initial, active, weak, boost }]) => {
      const decay = {
        ...(initial === undefined ? {} : { initialStabilityDays: initial }),
        ...(active === undefined ? {} : { activeThreshold: active }),
        ...(weak === undefined ? {} : { weakThreshold: weak }),
      };
      const profile = {
        ...(weights === undefined
          ? {}
          : {
              rerankingWeights: Object.fromEntries(
                SIGNAL_NAMES.map((name, place) => [name, weights[place]! / WHOLE]),
              ),
            }),
        ...(Object.keys(decay).length === 0 ? {} : { decay }),
        ...(boost === undefined ? {} : { intentBoost: boost }),
      };
      return [section, profile];
    }),
  );
}
