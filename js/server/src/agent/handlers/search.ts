// A search: what the full-text index found, and a vector if there is one, go into the index in one
// call; rows come out.

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
 * How many times the limit is searched for, since filters may leave some out: of a plain lookup
 * less.
 */
const OVERFETCH = 3;
const OVERFETCH_OF_LOOKUP = 2;
/**
 * Seeds of a search, where the configuration does not bound them and the limit does not ask for
 * more.
 */
const USUAL_SEEDS = 15;
/** How many times as much is searched for where too little of it passes. */
const WIDER = 8;
/** Full-text hits that are asked for, for each seed that there may be. */
const HITS_PER_SEED = 3;

export const searchHandlers: HandlersOf<typeof searchOperations> = {
  /** Counts an access of what it returns. */
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

/** What is searched for. */
type NodeSearch = SearchRequest & {
  /** One of which it has to have; null is none. */
  subtypes?: readonly (string | null)[] | undefined;
};

/**
 * Searches without counting accesses. `understood` is how the query was understood, if that was
 * done before.
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
  // A plain lookup is for words, unless its vector is given.
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
  // What the index could not look at is looked at afterwards, and may leave too few.
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

/** As much of it as the index knows: of times when memories were taken in, not of events. */
function indexFilterOf(
  request: NodeSearch,
  lifecycles: StoredLifecycleState[] | undefined,
): SearchFilters {
  const { type, subtype, subtypes, time_range, cluster_ids } = request;
  const byIngestion = time_range?.type === "ingestion" ? time_range : undefined;
  return {
    types: type == null ? undefined : [type],
    // "" stands for those without one.
    subtypes: subtype == null ? subtypes?.map((name) => name ?? "") : [subtype],
    cluster_ids: cluster_ids ?? undefined,
    lifecycles,
    created_after: byIngestion?.start ?? undefined,
    created_before: byIngestion?.end ?? undefined,
  };
}

/** Which of some memories pass what the index could not look at. */
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

/** These of a ranking, as rows: the best for which there is room, and the ids of the others. */
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
    // Added to what is new: copying it would take as long as making it.
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

/** Milliseconds since the last look, to the microsecond. */
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
