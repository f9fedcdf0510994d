// Searches by six signals: pass the full-text hits and the question's embedding, if there is one, to
// the index in one call, and return the rows of the result.

import { rounded } from "nous-memory";
import type { QuestionVector } from "../../api/operation.ts";
import type { SearchAnswer } from "../../api/search.ts";
import type { Agent } from "../agent.ts";
import { statesOf } from "../lifecycle-filters.ts";
import { vectorOf } from "../question.ts";
import { isPlainLookup } from "../rules/plain-lookup.ts";
import { filterOf, indexFilterOf, passesOf, WIDER } from "./filters.ts";
import type { NodeSearch } from "./request.ts";
import { rowsOf } from "./rows.ts";
import { stopwatch } from "./stopwatch.ts";

/**
 * The search looks for this many times the limit, since filters may leave results out. A plain
 * lookup needs less.
 */
const OVERFETCH = 3;
const OVERFETCH_OF_LOOKUP = 2;
/** The number of seeds, unless the configuration or the limit asks for more. */
const DEFAULT_SEEDS = 15;
/** Full-text hits per possible seed. */
const HITS_PER_SEED = 3;

/**
 * Searches without counting accesses.
 *
 * @throws {Refusal} If the request's embedding does not fit those of the memories.
 */
export function searchBySignals(
  agent: Agent,
  request: NodeSearch,
  question: QuestionVector | undefined,
  now: number,
): SearchAnswer {
  const watch = stopwatch();
  const { index, engine, config } = agent;
  const asked = engine.understand(request.query, { terms: "unicode" });
  const isLookup = isPlainLookup(asked);
  const multiplier = isLookup ? OVERFETCH_OF_LOOKUP : OVERFETCH;
  const min = request.min_score ?? 0;
  const wanted = request.limit * multiplier;
  const configured = config.search?.max_seeds;
  const maxSeeds = configured ?? Math.max(DEFAULT_SEEDS, wanted);
  // A plain lookup is searched by words, unless the request brings an embedding.
  const embedding = vectorOf(agent, request, isLookup ? undefined : question);
  const states = request.lifecycle == null ? undefined : statesOf(agent, request.lifecycle, now);
  const filter = filterOf(agent, request, states?.stored, now);
  const parse_filters_ms = watch();
  const embed_queries_ms = question?.ms ?? 0;

  const among = agent.storage.nodes.matching(filter);
  const hits = agent.texts.search(asked.terms, { limit: maxSeeds * HITS_PER_SEED, among });
  const best = hits[0]?.score ?? 0;
  const bm25 = best > 0 ? hits.map(({ id, score }) => ({ id, score: score / best })) : hits;
  const hybrid_seeding_ms = watch();

  const filters = indexFilterOf(request, states?.indexed);
  const passes = passesOf(agent, filter);
  const enough = Math.min(request.limit, among?.length ?? request.limit);
  const find = (more: number) => {
    const max_seeds = configured ?? more * maxSeeds;
    const how = { embedding, bm25, filters, limit: more * wanted, max_seeds, now };
    const found = agent.part("search index", () => index.search(how));
    return {
      ...found,
      ids: passes(found.ranking.ids).slice(0, request.limit),
      isAll: found.ranking.length < more * wanted,
    };
  };
  let found = find(1);
  // Filters that the index does not know are applied afterwards, and may leave too few results.
  for (let more = WIDER; found.ids.length < enough && !found.isAll; more *= WIDER)
    found = find(more);
  const { ranking, metrics } = found;
  const spreading_ms = watch();

  const places = new Map(ranking.ids.map((id, place) => [id, place]));
  const entryOf = (id: string) => ranking.at(places.get(id)!)!;
  const ids = min > 0 ? found.ids.filter((id) => entryOf(id).score >= min) : found.ids;
  const { data, omitted } = agent.part("read rows", () =>
    rowsOf(agent, ids, now, (id) => {
      const { score, breakdown, primary_signal } = entryOf(id);
      return { score: rounded(score), breakdown, primary_signal };
    }),
  );
  return {
    data,
    count: data.length,
    ...(omitted.length === 0 ? {} : { omitted_ids: omitted }),
    metrics: {
      total_ms: watch.total() + embed_queries_ms,
      parse_filters_ms,
      embed_queries_ms,
      hybrid_seeding_ms,
      spreading_ms,
      seeds_found: metrics.seeds_found,
      nodes_activated: metrics.nodes_activated,
      nodes_filtered: metrics.nodes_filtered,
      nodes_returned: data.length,
    },
    qcs: {
      query_type: asked.query_type,
      confidence: asked.confidence,
      disqualified: asked.disqualified,
      disqualifier_category: asked.disqualifier_category,
      used_embeddings: embedding !== undefined,
      ssa_multiplier: multiplier,
    },
  };
}
