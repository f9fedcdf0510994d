// `createOrchestrator`: turns a configuration into the engine functions and numbers that the passes
// in `index.ts` use.

import { optionsOf } from "../arguments.ts";
import { type EngineConfig, withModuleConfig } from "../config.ts";
import { ANSWERABLE, MEMORY_SECTIONS } from "../constants.ts";
import { EngineContext } from "../engine-context.ts";
import { invalid, show } from "../errors.ts";
import { mergeAndSelect } from "../merge.ts";
import * as query from "../query.ts";
import { type PlainData, requireLoaded } from "../runtime.ts";
import type { MemorySection } from "../types.ts";
import { createOrchestratorOver, type OrchestratorEngine } from "./index.ts";
import type { FoundRow, Orchestrator, RetrievalSearch } from "./types.ts";

/** Options of `createOrchestrator`. */
export interface CreateOrchestratorOptions<Row extends FoundRow, Filters extends object> {
  /** The caller's search. */
  search: RetrievalSearch<Row, Filters>;
  /**
   * What the scores of the search are. `evidence`: probabilities, as `MemoryIndex.ask` gives them.
   * A memory keeps its best one over all parts: no section is boosted, and no result is replaced.
   * Results below a tenth of the best score are left out, and no part is asked again, unless
   * `config.orchestrator` says otherwise: with `maxRetries` 1 a part is asked again if its best
   * score is below `ANSWERABLE`. `signals`: sums of signals, for which the defaults of the
   * configuration count. Default `evidence`.
   */
  ranking?: "evidence" | "signals" | undefined;
  /**
   * Differences from the default configuration. The orchestrator reads `orchestrator`, and the
   * sections that affect intents, sections and symbols.
   */
  config?: EngineConfig | undefined;
}

const KEYS = new Set(["search", "ranking", "config"]);
const RANKINGS: readonly unknown[] = ["evidence", "signals"];

/**
 * Returns the module's form of a configuration for scores that are probabilities. These fall faster
 * than sums of signals: results with a small share of the best one are answers, too. Other words of
 * a question that was not answered find no better answers: docs/quality.md has the figures. A score
 * from a search for a title is no probability of the question, so that nothing is replaced. Boosted
 * scores would be no probabilities either.
 */
function forProbabilities(config: PlainData): PlainData {
  if (!isObject(config)) return config;
  const { sections = {}, orchestrator = {} } = config;
  // The module refuses anything but objects, and names the key.
  return {
    ...config,
    sections: isObject(sections) ? { ...sections, enabled: false } : sections,
    orchestrator: isObject(orchestrator)
      ? {
          max_retries: 0,
          quality_threshold: ANSWERABLE,
          relevance_ratio: 0,
          ...orchestrator,
          max_replacements: 0,
          replacement_floor: null,
        }
      : orchestrator,
  };
}

const isObject = (value: PlainData): value is { [key: string]: PlainData } =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/**
 * Creates an orchestrator: a retrieval in several passes over a search of your own.
 *
 * @example
 * ```ts
 * const orchestrator = createOrchestrator({
 *   search: (query, { limit, now }) => index.ask(query, { limit, now }),
 * });
 * const { nodes, groups, trace } = await orchestrator.retrieve(
 *   "What's my BTC thesis and how did my last SOL trade go?",
 * );
 * ```
 *
 * @throws {NousError} `invalid_argument` if `search` is no function or `ranking` no ranking;
 *   `invalid_config` with the path
 *   of the key; `not_initialized` before the module is loaded.
 */
export function createOrchestrator<
  Row extends FoundRow = FoundRow,
  Filters extends object = Record<string, unknown>,
>(options: CreateOrchestratorOptions<Row, Filters>): Orchestrator<Row, Filters> {
  requireLoaded();
  const {
    search,
    ranking = "evidence",
    config,
  } = optionsOf<CreateOrchestratorOptions<Row, Filters>>("options", options, KEYS);
  if (!RANKINGS.includes(ranking))
    throw invalid("ranking", `must be evidence or signals, found ${show(ranking)}`);
  const context = withModuleConfig(
    config ?? {},
    (plain) => new EngineContext(ranking === "evidence" ? forProbabilities(plain) : plain),
  );
  return createOrchestratorOver(engineOf(context), context.orchestrator, search!);
}

function engineOf(context: EngineContext): OrchestratorEngine {
  const boostOf = (section: MemorySection) =>
    context.enabled ? context.profiles[section].intent_boost : 1;
  return {
    understand: (text, options) => query.understand(context, text, options),
    classifyQuery: (text) => query.classifyQuery(context, text),
    reformulate: (text, classification) => query.reformulate(context, text, classification),
    mergeAndSelect: (subResults, options) => mergeAndSelect(context, subResults, options),
    settleWeak: (selected, searches, options) =>
      query.settleWeak(context, selected, searches, options),
    calculateRetrievalConfidence: (top, second, count, hasAttribute) =>
      query.calculateRetrievalConfidence(context, top, second, count, hasAttribute),
    getSectionForSubtype: context.getSectionForSubtype,
    intentBoosts: Object.fromEntries(
      MEMORY_SECTIONS.map((section) => [section, boostOf(section)]),
    ) as Record<MemorySection, number>,
  };
}
