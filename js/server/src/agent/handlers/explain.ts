// Explains the places of memories among the answers to a question.

import {
  isWrittenSummary,
  type Reasons,
  reasonsOf,
  textOf,
  textsOf,
  toIso,
  understoodOf,
} from "nous-memory";
import { ANSWERABLE, NousError } from "nous-wasm";
import type { Explanation, explainOperations } from "../../api/explain.ts";
import type { EmbeddingModel, QuestionVector } from "../../api/operation.ts";
import { Refusal } from "../../refusal.ts";
import type { NodeRow } from "../../storage/rows.ts";
import type { Agent } from "../agent.ts";
import type { HandlersOf } from "../handler.ts";
import { meaningOf } from "../question.ts";
import { searchByEvidence } from "../search/by-evidence.ts";
import {
  amongOf,
  evidenceFilterOf,
  filterOf,
  leavesSummariesOut,
  type NodeSearch,
  passesOf,
} from "../search/filters.ts";
import { replacementsOf } from "../search/replacements.ts";

/** Times without a bound begin or end at the ends of the calendar, in milliseconds since 1970. */
const END_OF_CALENDAR = 8.64e15;

export const explainHandlers: HandlersOf<typeof explainOperations> = {
  explain: async (agent, { body: { query, id, ids = [], filter }, question }) => {
    if (agent.ranking !== "evidence")
      throw new Refusal(409, "the agent ranks by signals: only ranks by evidence are explained");
    const named = id === undefined ? [...new Set(ids)] : [id];
    const request: NodeSearch = { query, filter, limit: 1 };
    await agent.prepare("evidence");
    return agent.read(() => {
      const now = agent.now();
      const rows = rowsOf(agent, named, (missing) =>
        id === undefined ? `ids.${ids.indexOf(missing)}` : "id",
      );
      const {
        answerable = false,
        knows = "no",
        probability = 0,
      } = searchByEvidence(agent, request, question, now);
      const data = explanations(agent, rows, request, question, now);
      const words = data.find((one) => one.words.length > 0)?.words ?? [];
      const { times, parts, intents, isLookup } = understoodOf(
        agent.engine,
        query,
        now,
        agent.timeZone,
      );
      return {
        data,
        count: data.length,
        answerable,
        knows,
        probability,
        threshold: ANSWERABLE,
        understood: {
          words: words.map(({ asked }) => asked),
          times: times.map(({ text, start, end }) => ({
            text,
            start: boundOf(start),
            end: boundOf(end),
          })),
          parts,
          intents,
          query_type: isLookup ? "LOOKUP" : "AMBIGUOUS",
        },
      };
    });
  },
};

const boundOf = (instant: number): string | null =>
  Math.abs(instant) === END_OF_CALENDAR ? null : toIso(instant);

/**
 * Returns the rows of memories, in the order of their ids. `pathOf` returns the field that names
 * one.
 *
 * @throws {Refusal} If one does not exist.
 */
function rowsOf(
  agent: Agent,
  ids: readonly string[],
  pathOf: (id: string) => string,
): readonly Readonly<NodeRow>[] {
  const byId = new Map(agent.rows(ids).map((row) => [row.id, row]));
  const missing = ids.filter((id) => !byId.has(id));
  if (missing.length === 0) return ids.map((id) => byId.get(id)!);
  const issues = missing.map((id) => ({ path: pathOf(id), message: `names no memory: ${id}` }));
  throw new Refusal(404, "not found", issues);
}

function explanations(
  agent: Agent,
  rows: readonly Readonly<NodeRow>[],
  request: NodeSearch,
  question: QuestionVector | undefined,
  now: number,
): Explanation[] {
  const { index } = agent;
  const { query } = request;
  const meaning = meaningOf(agent, query, question);
  const passes = passesOf(agent, filterOf(agent, request, undefined, now));
  const isLeftOut = leavesSummariesOut(agent, request) ? isWrittenSummary : () => false;
  const looked = rows.filter((row) => !isLeftOut(row));
  const passing = new Set(passes(looked.map(({ id }) => id)));
  const filters = evidenceFilterOf(agent, request);
  const all = rows.map((row) =>
    explanationOf(agent, row, query, question?.model, {
      ...{ now, time_zone: agent.timeZone, ...meaning },
      ...(passing.has(row.id) ? { filters } : {}),
    }),
  );
  const found = all.filter(({ id, rank }) => passing.has(id) && rank !== null);
  // The index ranks among memories that the database's part of the filter excludes, too.
  const last = Math.max(0, ...found.map(({ rank }) => rank!));
  const among = amongOf(agent, request)?.handles;
  const asked = { limit: last, now, filters, among, time_zone: agent.timeZone, ...meaning };
  const before = passes(isFiltered(request) ? index.ask(query, asked).map(({ id }) => id) : []);
  const places = new Map(before.map((id, place) => [id, place + 1]));
  return all.map((one) => {
    if (!passing.has(one.id)) return { ...one, rank: null, absent: "filtered" };
    return { ...one, rank: places.get(one.id) ?? one.rank };
  });
}

const isFiltered = ({ filter }: NodeSearch): boolean => filter != null;

/**
 * Explains the place of a memory that passes the filters, by the index alone. `model` is that of the
 * question's embedding.
 */
function explanationOf(
  agent: Agent,
  row: Readonly<NodeRow>,
  query: string,
  model: EmbeddingModel | undefined,
  options: Parameters<typeof reasonsOf>[3],
): Explanation {
  const { id } = row;
  const content_title = textOf(row.content_title) ?? "";
  const { text } = textsOf(row);
  const reasons = knownReasonsOf(agent.index, row, query, options);
  if (reasons === undefined) return { id, content_title, ...NOTHING };
  const { passage, words, rank, meaning, replaced_by, replaces, ...why } = reasons;
  const bySize = why.evidence.toSorted(
    (one, other) => Math.abs(other.contribution) - Math.abs(one.contribution),
  );
  const stretches = passage.map(({ field, start, end }) =>
    (field === "title" ? content_title : (text ?? "")).slice(start, end),
  );
  return {
    id,
    content_title,
    rank,
    ...(rank === null ? { absent: "not_connected" } : {}),
    ...why,
    ...replacementsOf(agent, [{ id, replaced_by, replaces }])(id, { replaced_by, replaces }),
    ...(meaning === undefined ? {} : { meaning: { model: model!.name, ...meaning } }),
    evidence: bySize,
    words: words.map(({ asked, found, nearness, in_passage }) => ({
      asked,
      found,
      nearness,
      in_passage,
    })),
    passage: stretches.join("\n") || null,
  };
}

/** Returns the reasons; undefined for a memory without a word, which cannot be found. */
function knownReasonsOf(...asked: Parameters<typeof reasonsOf>): Reasons | undefined {
  try {
    return reasonsOf(...asked);
  } catch (error) {
    if (error instanceof NousError && error.details.field === "id") return undefined;
    throw error;
  }
}

/** The explanation of a memory without a word. */
const NOTHING = {
  rank: null,
  absent: "no_words",
  ...{ score: 0, sum: 0, scale: 0, offset: 0 },
  ...{ evidence: [], words: [], passage: null },
} satisfies Omit<Explanation, "id" | "content_title">;
