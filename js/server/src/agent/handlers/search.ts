// Searches: pass the full-text hits and the question's embedding, if there is one, to the index in
// one call, and return the rows of the result.

import type { Ranking, SearchFilters, StoredLifecycleState, Understanding } from "nous-wasm";
import type { QuestionVector } from "../../api/operation.ts";
import type { FoundNode, SearchAnswer, SearchRequest, searchOperations } from "../../api/search.ts";
import type { NodeFilter } from "../../storage/tables/nodes.ts";
import type { Agent } from "../agent.ts";
import { AnswerRoom, fittingAmong } from "../answer-room.ts";
import type { HandlersOf } from "../handler.ts";
import { statesOf } from "../lifecycle-filters.ts";
import { presentNow } from "../present.ts";
import { vectorOf } from "../question.ts";
import { isPlainLookup } from "../rules/plain-lookup.ts";

/**
 * The search looks for this many times the limit, since filters may leave results out. A plain
 * lookup needs less.
 */
const OVERFETCH = 3;
const OVERFETCH_OF_LOOKUP = 2;
/** The number of seeds, unless the configuration or the limit asks for more. */
const USUAL_SEEDS = 15;
/** The factor by which a search widens if too few results pass the filters. */
const WIDER = 8;
/** Full-text hits per possible seed. */
const HITS_PER_SEED = 3;

export const searchHandlers: HandlersOf<typeof searchOperations> = {
  /** Counts an access of each memory that it returns. */
  search: (agent, { body, question, understood }) =>
    agent.read(() => {
      const now = agent.now();
      const answer = search(agent, body, question, now, understood);
      const ids = answer.data.map(({ id }) => id);
      agent.index.touch(ids, now);
      agent.soft.touched(ids, now);
      return answer;
    }),
};

/** A request for a search. */
type NodeSearch = SearchRequest & {
  /** Only memories of one of these subtypes; null stands for memories without a subtype. */
  subtypes?: readonly (string | null)[] | undefined;
};

/**
 * Searches without counting accesses. `understood` is the analysis of the query, if the HTTP thread
 * made it.
 */
export function search(
  agent: Agent,
  request: NodeSearch,
  question: QuestionVector | undefined,
  now: number,
  understood?: Understanding,
): SearchAnswer {
  const watch = stopwatch();
  const { index, engine, config } = agent;
  const asked = understood ?? engine.understand(request.query, { terms: "unicode" });
  const isLookup = isPlainLookup(asked);
  const multiplier = isLookup ? OVERFETCH_OF_LOOKUP : OVERFETCH;
  const wanted = request.limit * multiplier;
  const mostSeeds = config.search?.max_seeds;
  const maxSeeds = mostSeeds ?? Math.max(USUAL_SEEDS, wanted);
  // A plain lookup is searched by words, unless the request brings an embedding.
  const embedding = vectorOf(agent, request, isLookup ? undefined : question);
  const states = request.lifecycle == null ? undefined : statesOf(agent, request.lifecycle, now);
  const filter = filterOf(request, states?.stored);
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
    const max_seeds = mostSeeds ?? more * maxSeeds;
    const found = index.search({ embedding, bm25, filters, limit: more * wanted, max_seeds, now });
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

  const { data, omitted } = rowsOf(agent, ranking, found.ids, now);
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
      reranking_ms: 0,
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

function filterOf(request: NodeSearch, lifecycle: NodeFilter["lifecycle"]): NodeFilter {
  const { type, subtype, subtypes, time_range, cluster_ids } = request;
  return {
    type: type ?? undefined,
    subtype: subtype ?? undefined,
    subtypes,
    cluster_ids: cluster_ids ?? undefined,
    lifecycle,
    time_range:
      time_range == null
        ? undefined
        : {
            by: time_range.type,
            start: time_range.start ?? undefined,
            end: time_range.end ?? undefined,
          },
  };
}

/**
 * Returns the part of the filter that the index knows: it has times of storing, but not of events.
 */
function indexFilterOf(
  request: NodeSearch,
  lifecycles: StoredLifecycleState[] | undefined,
): SearchFilters {
  const { type, subtype, subtypes, time_range, cluster_ids } = request;
  const byIngestion = time_range?.type === "ingestion" ? time_range : undefined;
  return {
    types: type == null ? undefined : [type],
    // "" stands for memories without a subtype.
    subtypes: subtype == null ? subtypes?.map((name) => name ?? "") : [subtype],
    cluster_ids: cluster_ids ?? undefined,
    lifecycles,
    created_after: byIngestion?.start ?? undefined,
    created_before: byIngestion?.end ?? undefined,
  };
}

/**
 * Returns a function that keeps the memories that pass the filters which the index does not know.
 */
function passesOf(
  { storage }: Agent,
  filter: NodeFilter,
): (ids: readonly string[]) => readonly string[] {
  const isPartly =
    filter.lifecycle !== undefined || (filter.time_range?.by ?? "ingestion") !== "ingestion";
  if (!isPartly) return (ids) => ids;
  return (ids) => {
    const passing = new Set(storage.nodes.passing(ids, filter));
    return ids.filter((id) => passing.has(id));
  };
}

/**
 * Returns the best of a ranking as rows, as many as fit into the answer, and the ids of the rest.
 */
function rowsOf(
  agent: Agent,
  ranking: Ranking,
  ids: readonly string[],
  now: number,
): { data: FoundNode[]; omitted: string[] } {
  const { engine } = agent;
  const room = new AnswerRoom();
  const fitting = fittingAmong(agent, ids);
  const nodes = new Map(presentNow(agent.rows(fitting), agent, now).map((node) => [node.id, node]));
  const places = new Map(ranking.ids.map((id, place) => [id, place]));
  const data: FoundNode[] = [];
  for (const [place, id] of fitting.entries()) {
    const node = nodes.get(id);
    if (node === undefined) continue;
    const { score, breakdown, primary_signal } = ranking.at(places.get(id)!)!;
    // The fields are added to the new object: copying it would take as long as creating it.
    const found = Object.assign(node, {
      memory_section: engine.getSectionForSubtype(node.subtype),
      score: Number(score.toFixed(4)),
      breakdown,
      primary_signal,
    });
    if (!room.take(found)) return { data, omitted: ids.slice(place) };
    data.push(found);
  }
  return { data, omitted: ids.slice(fitting.length) };
}

/** Returns a function that measures the milliseconds since its last call, to the microsecond. */
export function stopwatch(): { (): number; total(): number } {
  const start = performance.now();
  let last = start;
  const rounded = (milliseconds: number) => Math.round(milliseconds * 1000) / 1000;
  const look = () => {
    const now = performance.now();
    const since = now - last;
    last = now;
    return rounded(since);
  };
  return Object.assign(look, { total: () => rounded(performance.now() - start) });
}
