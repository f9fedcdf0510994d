// The sets that weights are fitted and measured on: files that the caller names, and the
// development halves of the own questions.

import { basename } from "node:path";
import { type Sample, sampleAt, searchedTitle, textOf } from "../../js/sample/trader/index.ts";
import type { Store } from "../quality/contestants.ts";
import { labelledSet } from "../quality/labelled-set.ts";
import { type Asking, askingOf, type Case } from "../quality/measure.ts";
import { generalSet, traderSet } from "../quality/own-sets.ts";
import type { Part, QuestionSet } from "../quality/question-set.ts";
import type { Labelled } from "../quality/questions.ts";
import { readSet } from "../quality/read-set.ts";
import { PRESETS, type Preset } from "./preset.ts";

/** Stores with questions that are reported together. */
export interface FitSet {
  readonly name: string;
  readonly askings: readonly Asking[];
  /** The preset that answers questions over memories of this kind. */
  readonly preset: Preset;
  /**
   * The share of the set in a preset, relative to other sets. A preset without one only measures.
   */
  readonly weights: Readonly<Partial<Record<Preset, number>>>;
}

/** A file of sets with its weight. */
export interface NamedFile {
  readonly path: string;
  readonly weight: number;
}

/**
 * Reads `FILE` or `FILE=WEIGHT`.
 *
 * @throws {RangeError} If the weight is not a number above 0.
 */
export function namedFile(argument: string): NamedFile {
  const at = argument.lastIndexOf("=");
  if (at < 0) return { path: argument, weight: 1 };
  const weight = Number(argument.slice(at + 1));
  if (!(weight > 0) || !Number.isFinite(weight))
    throw new RangeError(`--set ${argument}: the weight must be a number above 0`);
  return { path: argument.slice(0, at), weight };
}

/**
 * Returns the set of a file, for fitting both presets. Questions of its test half are left out.
 *
 * @throws {Error} If the file cannot be read or is no file of sets, or if no question of its
 * development half has an answer.
 */
export function fileSet({ path, weight }: NamedFile): FitSet {
  const name = basename(path).replace(/(\.json)?(\.gz)?$/, "");
  const sets = readSet(path);
  const askings = sets.map((set) => askingOf(partOf(set, "dev")));
  requireAnswers(path, askings);
  return {
    name,
    askings,
    preset: "general",
    weights: Object.fromEntries(PRESETS.map((one) => [one, weight])),
  };
}

function requireAnswers(path: string, askings: readonly Asking[]): void {
  const cases = askings.flatMap((asking) => asking.cases);
  if (!cases.some(({ grades }) => grades.size > 0))
    throw new Error(`${path}: no question of the development half has an answer`);
}

function partOf(set: QuestionSet, part: Part): QuestionSet {
  return { ...set, questions: set.questions.filter((one) => one.part === part) };
}

/** The weight of the development questions over the general memory in both presets. */
const GENERAL_WEIGHT = 2;
/** The weight of the development questions over the trader's memory in the preset `trading`. */
const TRADER_WEIGHT = 4;

/** Returns the halves of the own questions. The test halves take no part in any fit. */
export function ownFitSets(sample: Sample): FitSet[] {
  const general = generalSet();
  const trader = traderSet(sample);
  const store = traderStore(sample);
  const now = sample.truth.end;
  const { dev, test, handwritten } = labelledSet(sample);
  const labelled = (questions: readonly Labelled[]): Case[] =>
    questions.map(({ text, kind, grades }) => ({ text, kind, now, grades, outdated: [] }));
  const others = (part: Part): Case[] => {
    const ofLabelled = new Set([...dev, ...test, ...handwritten].map(({ text }) => text));
    const { questions } = partOf(trader, part);
    const rest = questions.filter(({ text }) => !ofLabelled.has(text));
    return askingOf({ ...trader, questions: rest }).cases.slice();
  };
  const over = (
    preset: Preset,
    name: string,
    asking: Asking,
    weights: FitSet["weights"] = {},
  ): FitSet => ({ name, askings: [asking], preset, weights });
  const both = { general: GENERAL_WEIGHT, trading: GENERAL_WEIGHT };
  const traderDev = [...labelled(dev), ...others("dev")];
  return [
    over("general", "general, dev", askingOf(partOf(general, "dev")), both),
    over("general", "general, test", askingOf(partOf(general, "test"))),
    over("trading", "trader, dev", { store, cases: traderDev }, { trading: TRADER_WEIGHT }),
    over("trading", "trader, test", { store, cases: labelled(test) }),
    over("trading", "trader, handwritten", { store, cases: labelled(handwritten) }),
    over("trading", "trader, others of test", { store, cases: others("test") }),
  ];
}

/** Returns the memory of the sample at its end. */
function traderStore(sample: Sample): Store {
  const { nodes, edges } = sampleAt(sample, sample.truth.end);
  return {
    memories: nodes.map((node) => ({
      id: node.id,
      type: node.type,
      subtype: node.subtype,
      created_at: node.created_at,
      last_accessed: node.last_accessed,
      access_count: node.access_count,
      stability: node.stability,
      difficulty: node.difficulty,
      tags: node.tags,
      clusters: [],
      title: searchedTitle(node),
      text: textOf(node.content_body),
    })),
    edges,
  };
}
