// Retrieval in several passes over scripted searches, in virtual time: without clock, promises or
// signals. The rules of the orchestrator, in full. Plain on purpose: this is the yardstick of its
// tests.

import { classifyIntent } from "./intent.ts";
import { type MergedRow, type MergeRow, mergeAndSelect } from "./merge.ts";
import { classifyQuery, decompose, reformulate, settleWeak, type TitleSearch } from "./query.ts";
import { getSectionForSubtype } from "./sections.ts";

export interface FoundRow extends MergeRow {
  content_title?: string | null | undefined;
  title?: string | null | undefined;
}

export type Filters = Readonly<Record<string, unknown>>;

/**
 * The outcome of a search: rows or a failure, after this many milliseconds; `Infinity` for never.
 */
export type Scripted<Row> =
  | { after: number; rows: readonly Row[] }
  | { after: number; failure: string };

export type Script<Row> = (
  query: string,
  filters: Filters | undefined,
  limit: number,
) => Scripted<Row>;

export const ORCHESTRATOR_DEFAULTS = {
  enabled: true,
  maxParts: 4,
  bySubject: false,
  searchLimitPerQuery: 25,
  qualityThreshold: 0.2,
  maxRetries: 1,
  retry: "merge" as "merge" | "replace",
  timeoutSeconds: 3,
  maxResults: 20,
  relevanceRatio: 0.4,
  maxReplacements: 2,
  replacementFloor: 0.25 as number | null,
  fallback: "plain" as "none" | "plain",
};

export type Terms = typeof ORCHESTRATOR_DEFAULTS;

export interface SearchRecord {
  query: string;
  outcome: "ok" | "empty" | "failed" | "late";
  results: number;
  top_score: number | null;
  error?: string;
}

export interface PartRecord extends SearchRecord {
  retry?: SearchRecord & { filters_dropped: boolean; stands: boolean };
}

export interface MergeRecord {
  found: number;
  kept: number;
  cutoff: number;
  boosted: { id: string; from: number; to: number }[];
  covered: string[];
  cut: { id: string; score: number; why: "below_cutoff" | "max_results" }[];
  cut_total: number;
}

/**
 * A retrieval's nodes and its trace, without classification, confidence and times; or a failure
 * without any answer.
 */
export type Outcome<Row> =
  | {
      nodes: MergedRow<Row>[];
      groups: string[][];
      mode: "parts" | "plain" | "fallback";
      parts: PartRecord[];
      fallback?: SearchRecord;
      merge: MergeRecord | null;
      titles: (SearchRecord & { id: string })[];
      replaced: { id: string; score: number; by: string; by_score: number }[];
      dropped: { id: string; score: number; why: string }[];
    }
  | { failed: number; late: number };

interface Answer<Row> {
  rows: readonly Row[];
  end: number;
  record: SearchRecord;
}

const scoreOf = ({ score }: MergeRow): number => {
  const value = typeof score === "string" ? Number(score) : score;
  return typeof value === "number" && Number.isFinite(value) ? value : 0;
};

const isAnswered = ({ record }: Answer<unknown>) =>
  record.outcome === "ok" || record.outcome === "empty";

/** The orchestrator's result with these searches. */
export function retrieve<Row extends FoundRow>(
  question: string,
  script: Script<Row>,
  given: Partial<Terms> = {},
  filters?: Filters,
): Outcome<Row> {
  const terms: Terms = { ...ORCHESTRATOR_DEFAULTS, ...given };
  const deadline = terms.timeoutSeconds * 1000;

  const ask = (
    query: string,
    at: number,
    limit: number,
    filters: Filters | undefined,
  ): Answer<Row> => {
    const nothing = (outcome: "late" | "failed", end: number): Answer<Row> => ({
      rows: [],
      end,
      record: { query, outcome, results: 0, top_score: null },
    });
    if (at >= deadline) return nothing("late", at);
    const scripted = script(query, filters, limit);
    const end = at + scripted.after;
    // An answer exactly at the deadline is late.
    if (end >= deadline) return nothing("late", deadline);
    if ("failure" in scripted) {
      const failed = nothing("failed", end);
      return { ...failed, record: { ...failed.record, error: scripted.failure } };
    }
    const rows = scripted.rows.filter(({ id }) => id != null && id !== "");
    const outcome = rows.length === 0 ? "empty" : "ok";
    const top_score = rows.length === 0 ? null : Math.max(...rows.map(scoreOf));
    return { rows, end, record: { query, outcome, results: rows.length, top_score } };
  };

  const plain = (
    mode: "plain" | "fallback",
    parts: PartRecord[],
    { rows, record }: Answer<Row>,
  ): Outcome<Row> => {
    const nodes = rows
      .slice(0, terms.maxResults)
      .map((row) => ({ ...row, score: scoreOf(row), _sub_query_group: 0 }) as MergedRow<Row>);
    const fallback = mode === "fallback" ? { fallback: record } : {};
    return {
      ...{ nodes, groups: groupsOf(nodes), mode, parts, ...fallback },
      ...{ merge: null, titles: [], replaced: [], dropped: [] },
    };
  };
  const nothing = (answers: Answer<Row>[]): Outcome<Row> => {
    const failed = answers.filter(({ record }) => record.outcome === "failed").length;
    return { failed, late: answers.length - failed };
  };

  if (!terms.enabled) {
    const answer = ask(question, 0, terms.maxResults, filters);
    return isAnswered(answer) ? plain("plain", [answer.record], answer) : nothing([answer]);
  }

  // The parts, each with a second attempt if the first one finds too little.
  const asked = decompose(question, classifyQuery(question), terms).filter((text) => text !== "");
  const texts = [...new Set(asked.length > 0 ? asked : [question])];
  const parts = texts.map((text) => {
    const first = ask(text, 0, terms.searchLimitPerQuery, filters);
    const untouched = {
      first,
      rows: first.rows,
      end: first.end,
      record: first.record as PartRecord,
    };
    const { outcome, top_score: top } = first.record;
    const isWeak = outcome === "ok" && top! < terms.qualityThreshold;
    if (!(outcome === "empty" || isWeak) || terms.maxRetries === 0) return untouched;
    const query = reformulate(text, classifyQuery(text)) ?? text;
    const { subtype, subtypes, ...others } = filters ?? {};
    const filters_dropped = subtype != null || subtypes != null;
    if (query === text && !filters_dropped) return untouched;
    const second = ask(
      query,
      first.end,
      terms.searchLimitPerQuery,
      filters_dropped ? others : filters,
    );
    const isFound = second.record.outcome === "ok";
    const isBetter = isFound && (outcome === "empty" || second.record.top_score! > top!);
    const stands = terms.retry === "merge" ? isFound : isBetter;
    const record = { ...first.record, retry: { ...second.record, filters_dropped, stands } };
    const both = [...first.rows, ...second.rows].sort((a, b) => scoreOf(b) - scoreOf(a));
    const merged = both.filter(({ id }, place) => both.findIndex((row) => row.id === id) === place);
    const rows = !stands ? first.rows : terms.retry === "merge" ? merged : second.rows;
    return { first, rows, end: second.end, record };
  });
  const records = parts.map(({ record }) => record);
  let now = Math.max(...parts.map(({ end }) => end));

  const firsts = parts.map(({ first }) => first);
  if (!firsts.some(isAnswered)) {
    const answer =
      terms.fallback === "plain" ? ask(question, now, terms.maxResults, filters) : undefined;
    return answer !== undefined && isAnswered(answer)
      ? plain("fallback", records, answer)
      : nothing(firsts);
  }

  const selected = mergeAndSelect(
    parts.map(({ rows }, part) => [texts[part]!, [...rows]] as const),
    { ...terms, query: question },
  );
  const merge = recordOf(question, parts, selected, terms);

  // Weak results: the titles of one round are searched concurrently.
  const titles: (SearchRecord & { id: string })[] = [];
  const { replacementFloor: floor, maxReplacements: budget } = terms;
  if (floor === null || budget === 0) {
    const settled = { nodes: selected, groups: groupsOf(selected), replaced: [], dropped: [] };
    return { ...settled, mode: "parts", parts: records, merge, titles };
  }
  const titleOf = ({ content_title, title }: FoundRow) => (content_title ?? title ?? "").trim();
  const found: (TitleSearch & (string | readonly Row[]))[] = selected.map((node) =>
    titleOf(node).length < 3 ? "no_title" : "not_yet",
  );
  const rows = selected.map(({ id, score }) => ({ id: id!, score }));
  let fates = settleWeak(rows, found, { floor, budget });
  while (fates.some(({ kind }) => kind === "to_search")) {
    let end = now;
    fates.forEach(({ kind }, place) => {
      if (kind !== "to_search") return;
      const answer = ask(titleOf(selected[place]!), now, 3, filters);
      found[place] = isAnswered(answer) ? answer.rows.slice(0, 3) : "failed";
      titles.push({ id: rows[place]!.id, ...answer.record });
      end = Math.max(end, answer.end);
    });
    now = end;
    fates = settleWeak(rows, found, { floor, budget });
  }
  const nodes: MergedRow<Row>[] = [];
  const replaced: { id: string; score: number; by: string; by_score: number }[] = [];
  const dropped: { id: string; score: number; why: string }[] = [];
  selected.forEach((node, place) => {
    const fate = fates[place]!;
    if (fate.kind === "dropped") dropped.push({ ...rows[place]!, why: fate.why });
    else if (fate.kind === "replaced") {
      const row = (found[place] as readonly Row[])[fate.by]!;
      nodes.push({ ...row, score: scoreOf(row), _sub_query_group: node._sub_query_group });
      replaced.push({ ...rows[place]!, by: row.id!, by_score: scoreOf(row) });
    } else nodes.push(node);
  });
  if (replaced.length > 0) nodes.sort((a, b) => b.score - a.score);
  return {
    nodes,
    groups: groupsOf(nodes),
    mode: "parts",
    parts: records,
    merge,
    titles,
    replaced,
    dropped,
  };
}

function groupsOf(nodes: readonly MergedRow<FoundRow>[]): string[][] {
  const numbers = [...new Set(nodes.map((node) => node._sub_query_group))].sort((a, b) => a - b);
  return numbers.map((number) =>
    nodes.filter((node) => node._sub_query_group === number).map(({ id }) => id!),
  );
}

/** The reason for each selected result. */
function recordOf<Row extends FoundRow>(
  question: string,
  parts: readonly { rows: readonly Row[] }[],
  selected: readonly MergedRow<Row>[],
  { relevanceRatio, maxResults }: Terms,
): MergeRecord {
  const intents = classifyIntent(question);
  const all = parts.flatMap(({ rows }) => rows);
  const ids = [...new Set(all.map(({ id }) => id!))];
  const scores = ids.map((id) => {
    const instances = all.filter((row) => row.id === id);
    const score = Math.max(...instances.map(scoreOf));
    const best = instances.find((row) => scoreOf(row) === score)!;
    return {
      id,
      score: intents.includes(getSectionForSubtype(best.subtype)) ? score * 1.3 : score,
    };
  });
  const cutoff =
    scores.length === 0 ? 0 : Math.max(...scores.map(({ score }) => score)) * relevanceRatio;
  const ranked = scores
    .filter(({ score }) => score >= cutoff)
    .sort((a, b) => b.score - a.score)
    .slice(0, maxResults)
    .map(({ id }) => id);
  const chosen = selected.map(({ id }) => id!);
  const cut = scores.filter(({ id }) => !chosen.includes(id));
  return {
    found: all.length,
    kept: ids.length,
    cutoff,
    boosted: selected
      .filter((node) => node._intent_boosted)
      .map(({ id, _original_score, score }) => ({ id: id!, from: _original_score!, to: score })),
    covered: parts.length > 1 ? chosen.filter((id) => !ranked.includes(id)) : [],
    cut: cut.slice(0, 100).map(({ id, score }) => ({
      id,
      score,
      why: score >= cutoff ? ("max_results" as const) : "below_cutoff",
    })),
    cut_total: cut.length,
  };
}
