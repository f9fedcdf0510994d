// Searches by evidence: the index tells of each memory the probability that it answers the
// question.

import {
  countFollowed,
  knowsOf,
  MAX_BEHIND,
  MAX_JUDGED,
  probabilityKnown,
  rounded,
  withTexts,
  wordsOfMemory,
} from "nous-memory";
import { ANSWERABLE, type Answer } from "nous-wasm";
import type { QuestionVector } from "../../api/operation.ts";
import type { SearchAnswer } from "../../api/search.ts";
import type { Agent } from "../agent.ts";
import { statesOf } from "../lifecycle-filters.ts";
import { judgedMemory, meaningOf } from "../question.ts";
import {
  amongOf,
  evidenceFilterOf,
  filterOf,
  type NodeSearch,
  passesOf,
  WIDER,
} from "./filters.ts";
import { replacementsOf } from "./replacements.ts";
import { rowsOf } from "./rows.ts";
import { stopwatch } from "./stopwatch.ts";

/** Searches without counting accesses. A result is the same whatever the limit. */
export function searchByEvidence(
  agent: Agent,
  request: NodeSearch,
  question: QuestionVector | undefined,
  now: number,
): SearchAnswer {
  const watch = stopwatch();
  const { index, engine } = agent;
  const { query, limit } = request;
  // Whether the memory knows an answer is told by more answers than a short list has.
  const most = Math.max(limit, MAX_JUDGED);
  const asked = engine.understand(query, { terms: "unicode" });
  const states = request.lifecycle == null ? undefined : statesOf(agent, request.lifecycle, now);
  const filters = evidenceFilterOf(agent, request, states?.indexed);
  const passes = passesOf(agent, filterOf(agent, request, states?.stored, now));
  const min_score = request.min_score ?? 0;
  const diversity = request.diversity ?? 0;
  const given = amongOf(agent, request)?.handles;
  const meaning = meaningOf(agent, query, question);
  const embed_queries_ms = question?.ms ?? 0;
  const parse_filters_ms = watch();

  let leftOut = 0;
  const find = (max: number, among = given): { answers: readonly Followed[]; isAll: boolean } => {
    const how = { limit: max, min_score, diversity, now, filters, among, ...meaning };
    const found = agent.part("search index", () =>
      index.ask(query, { ...how, time_zone: agent.timeZone }),
    );
    const passing = new Set(passes(found.map(({ id }) => id)));
    const answers = found.filter(({ id }) => passing.has(id));
    leftOut = found.length - answers.length;
    return { answers: answers.slice(0, most), isAll: found.length < max };
  };
  let { answers, isAll } = find(most);
  // Filters that the index does not know are applied afterwards, and may leave too few results.
  for (let more = WIDER; answers.length < most && !isAll; more *= WIDER)
    ({ answers, isAll } = find(more * most));
  const probability = probabilityIn(agent, query, answers, question);
  answers = answers.slice(0, limit);
  if (request.with_newer && min_score === 0) {
    const first = answers.slice(0, countFollowed(answers.map(probabilityOf)));
    const newer = new Map(
      first.map(({ id }) => [id, index.guessedSuccessors(id).map(({ source_id }) => source_id)]),
    );
    const found = new Map(answers.map((one) => [one.id, one]));
    const missing = [...new Set([...newer.values()].flat())].filter((id) => !found.has(id));
    const isGiven = given === undefined ? undefined : new Set(given);
    const few = index.handles(missing).filter((handle) => isGiven?.has(handle) ?? true);
    // Asked once for all: each question reads the whole index.
    for (const one of few.length === 0 ? [] : find(few.length, few).answers) found.set(one.id, one);
    const newerOf = (id: string) => newer.get(id)?.flatMap((one) => found.get(one) ?? []) ?? [];
    answers = withNewer(answers, newerOf).slice(0, limit);
  }
  const spreading_ms = watch();

  const replacementOf = replacementsOf(agent, answers);
  const byId = new Map(answers.map((answer) => [answer.id, answer]));
  const entryOf = (id: string) => {
    const answer = byId.get(id)!;
    const { score, evidence, superseded_by, replaced_by, replaces } = answer;
    const { similar_to, may_replace } = answer;
    return {
      score: rounded(score),
      evidence: roundedAll(evidence),
      ...(superseded_by === undefined ? {} : { superseded_by }),
      ...replacementOf(id, { replaced_by, replaces }),
      ...(similar_to === undefined ? {} : { similar_to }),
      ...(may_replace === undefined ? {} : { may_replace }),
    };
  };
  const { data, omitted } = agent.part("read rows", () =>
    rowsOf(agent, [...byId.keys()], now, entryOf),
  );
  return {
    data,
    count: data.length,
    answerable: probability >= ANSWERABLE,
    knows: knowsOf(probability),
    probability: rounded(probability),
    ...(omitted.length === 0 ? {} : { omitted_ids: omitted }),
    metrics: {
      total_ms: watch.total() + embed_queries_ms,
      parse_filters_ms,
      ...(question === undefined ? {} : { embed_queries_ms }),
      spreading_ms,
      nodes_filtered: leftOut,
      nodes_returned: data.length,
    },
    qcs: {
      query_type: asked.query_type,
      confidence: asked.confidence,
      disqualified: asked.disqualified,
      disqualifier_category: asked.disqualifier_category,
      used_embeddings: agent.vectors.areOfWords,
    },
  };
}

/** Returns the probability that the memory knows the answer. */
function probabilityIn(
  agent: Agent,
  query: string,
  answers: readonly Answer[],
  question: QuestionVector | undefined,
): number {
  const first = answers.slice(0, MAX_JUDGED);
  const texts = new Map(
    agent.rows(first.map(({ id }) => id)).map((row) => [row.id, wordsOfMemory(withTexts(row))]),
  );
  const judged = first.map((answer) => ({ ...answer, text: texts.get(answer.id) ?? "" }));
  return probabilityKnown(query, judged, judgedMemory(agent, question));
}

/** An answer, and the one before it that it may replace. */
type Followed = Answer & { may_replace?: string };

const probabilityOf = ({ score: probability }: Answer) => ({ probability });

/** Returns answers with those that may replace them directly behind each. */
function withNewer(
  answers: readonly Answer[],
  newerOf: (id: string) => readonly Answer[],
): Followed[] {
  const placed = new Set<string>();
  return answers.flatMap((answer): Followed[] => {
    if (placed.has(answer.id)) return [];
    placed.add(answer.id);
    const newer = newerOf(answer.id).filter(
      ({ id, superseded_by }) => superseded_by === undefined && !placed.has(id),
    );
    const behind = newer.slice(0, MAX_BEHIND);
    for (const { id } of behind) placed.add(id);
    return [answer, ...behind.map((one) => ({ ...one, may_replace: answer.id }))];
  });
}

/** Returns evidence as answers write it, without values that round to 0. */
function roundedAll(evidence: Readonly<Record<string, number>>): Record<string, number> {
  const values: Record<string, number> = {};
  for (const [name, value] of Object.entries(evidence)) {
    const short = rounded(value);
    if (short !== 0) values[name] = short;
  }
  return values;
}
