// `createOrchestrator`: turns a configuration into the engine functions and numbers that the passes
// in `index.ts` use.

import { optionsOf } from "../arguments.ts";
import { type EngineConfig, withModuleConfig } from "../config.ts";
import { MEMORY_SECTIONS } from "../constants.ts";
import { EngineContext } from "../engine-context.ts";
import { mergeAndSelect } from "../merge.ts";
import * as query from "../query.ts";
import { requireLoaded } from "../runtime.ts";
import type { MemorySection } from "../types.ts";
import { createOrchestratorOver, type OrchestratorEngine } from "./index.ts";
import type { FoundRow, Orchestrator, RetrievalSearch } from "./types.ts";

/** Options of `createOrchestrator`. */
export interface CreateOrchestratorOptions<Row extends FoundRow, Filters extends object> {
  /** The caller's search. */
  search: RetrievalSearch<Row, Filters>;
  /**
   * Differences from the default configuration. The orchestrator reads `orchestrator`, and the
   * sections that affect intents, sections and symbols.
   */
  config?: EngineConfig | undefined;
}

const KEYS = new Set(["search", "config"]);

/**
 * Creates an orchestrator: a retrieval in several passes over a search of your own.
 *
 * @example
 * ```ts
 * const orchestrator = createOrchestrator({
 *   search: (query, { limit, filters, signal }) => mySearch(query, { limit, filters, signal }),
 * });
 * const { nodes, groups, trace } = await orchestrator.retrieve(
 *   "What's my BTC thesis and how did my last SOL trade go?",
 * );
 * ```
 *
 * @throws {NousError} `invalid_argument` if `search` is no function; `invalid_config` with the path
 *   of the key; `not_initialized` before the module is loaded.
 */
export function createOrchestrator<
  Row extends FoundRow = FoundRow,
  Filters extends object = Record<string, unknown>,
>(options: CreateOrchestratorOptions<Row, Filters>): Orchestrator<Row, Filters> {
  requireLoaded();
  const { search, config } = optionsOf<CreateOrchestratorOptions<Row, Filters>>(
    "options",
    options,
    KEYS,
  );
  const context = withModuleConfig(config ?? {}, (plain) => new EngineContext(plain));
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
