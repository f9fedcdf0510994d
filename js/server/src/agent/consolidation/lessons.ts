// Lessons: consolidation turns many episodes of trades into lessons and playbooks, in one transaction
// per group of episodes.

import { fadedNow, isId, parseInstant, toIso } from "nous-memory";
import {
  type ConsolidationPlan,
  type EpisodeRow,
  type ExistingRow,
  type GroupPlan,
  type PatternDraft,
  type PatternPrompt,
  type PlanConsolidationOptions,
  type EdgeRow as PlannedEdge,
  parsePatternOutput,
} from "nous-wasm";
import type { ConsolidationAnswer } from "../../api/consolidation.ts";
import type { SimilarAnswer } from "../../api/embeddings.ts";
import type { Analyses, Analysis } from "../../api/operation.ts";
import { Refusal } from "../../refusal.ts";
import type { NodeRow } from "../../storage/rows.ts";
import type { Agent, Unit } from "../agent.ts";
import { outward } from "../outwardly.ts";
import { PLAYBOOK } from "../replica/playbook-replica.ts";
import { similar } from "../rules/similar.ts";
import { newEdgeOf } from "../writes/edges.ts";
import { newNodeOf } from "../writes/nodes.ts";

const DAY = 86_400_000;
/**
 * Trades are read from the whole history. Of other episodes the most recent `REVIEWED_DAYS` are
 * read, at most `MAX_OTHERS`.
 */
const TRADES = ["custom:trade_entry", "custom:trade_close"];
const OTHERS = ["custom:trade_modify", "custom:turn_summary", "custom:signal"];
const REVIEWED_DAYS = 30;
const MAX_OTHERS = 10_000;
const LEARNED = ["custom:lesson", PLAYBOOK];
/** The edges between closes and entries, and from lessons to episodes. */
const TIES = ["part_of", "relates_to", "generalizes"];
/**
 * How often a consolidation is planned again because another process wrote between plan and
 * transaction.
 */
const ATTEMPTS = 3;
/** How many memories that resemble a new lesson are looked at. */
const MAX_SIMILAR = 5;
/** The answer of a model that finds no pattern. */
const NO_PATTERN = "NO_PATTERN";

/** Tasks of the HTTP thread, which calls the language model before a consolidation. */
export const CONSOLIDATION_TASKS = {
  /** Returns the prompts for the model, without groups that the model has analyzed completely. */
  prompts: async (agent: Agent): Promise<PatternPrompt[]> => {
    if (!learnsFromTrades(agent)) return [];
    const now = agent.now();
    const known = agent.read(() => knownBy(agent, now));
    const prompts: PatternPrompt[] = [];
    const analyze = (prompt: PatternPrompt) => {
      prompts.push(prompt);
      return NO_PATTERN;
    };
    await agent.engine.planConsolidation(known.episodes, known.existing, {
      ...optionsOf(agent, known, now),
      analyze,
    });
    return prompts;
  },
};

/** Whether consolidation makes lessons of an agent's trades. */
export const learnsFromTrades = ({ behaviour, preset }: Agent): boolean =>
  behaviour.learnsFromTrades(preset);

/** The input of a consolidation, from one moment of the database. */
interface KnownMemories {
  episodes: EpisodeRow[];
  existing: ExistingRow[];
  edges: PlannedEdge[];
  /** The last entry of the change log at that moment. */
  last: number;
}

class StaleMemories extends Error {}

/**
 * Consolidates an agent's episodes. `analyses` are the language model's answers, if the server has
 * one. If another process writes meanwhile, the rest is planned again, so that nothing is learned
 * twice.
 */
export async function learnFromTrades(
  agent: Agent,
  analyses?: Analyses,
): Promise<ConsolidationAnswer> {
  let [created, strengthened] = [0, 0];
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    const now = agent.now();
    const known = agent.read(() => knownBy(agent, now));
    const plan = await planOf(agent, known, now, analyses);
    const done = writePlan(agent, plan, known);
    created += done.created;
    strengthened += done.strengthened;
    if (done.isStale) continue;
    const errors = [...plan.report.errors, ...done.errors];
    return {
      ...plan.report,
      patterns_created: created,
      patterns_strengthened: strengthened,
      errors,
    };
  }
  throw new Refusal(503, "another process keeps writing to the memory: try again");
}

const optionsOf = (agent: Agent, { edges }: KnownMemories, now: number) => ({
  edges,
  agent: agent.storage.meta("agent") ?? "",
  now,
});

/**
 * Returns the changes to make. Groups without a usable answer of the model are analyzed by
 * statistics.
 */
async function planOf(
  agent: Agent,
  known: KnownMemories,
  now: number,
  analyses?: Analyses,
): Promise<ConsolidationPlan> {
  const common = {
    ...optionsOf(agent, known, now),
    findSimilar: (draft: PatternDraft) => like(agent, draft, analyses),
  };
  const plan = (more: PlanConsolidationOptions) =>
    agent.engine.planConsolidation(known.episodes, known.existing, { ...common, ...more });
  if (analyses === undefined) return plan({});
  const asked = await plan({ analyze: ({ user }) => textOf(analyses[user]) });
  const failed = new Set(
    asked.report.errors.flatMap(({ stage, symbol }) => (stage === "analyze" ? [symbol] : [])),
  );
  if (failed.size === 0) return asked;
  const counted = await plan({});
  const isInPlace = ({ symbol }: { symbol: string }) => failed.has(symbol);
  const lost = counted.report.errors.filter(isInPlace);
  const errors = asked.report.errors.map((error) =>
    error.stage === "analyze"
      ? { ...error, message: `${error.message}; statistics took its place` }
      : error,
  );
  return {
    groups: [...asked.groups, ...counted.groups.filter(isInPlace)],
    report: {
      ...asked.report,
      groups_analyzed: asked.report.groups_analyzed + failed.size - lost.length,
      errors: [...errors, ...lost],
    },
  };
}

function textOf(analysis: Analysis | undefined): string {
  if (analysis === undefined) throw new Error("the episodes changed after the model was asked");
  if ("failure" in analysis) throw new Error(analysis.failure);
  return analysis.text;
}

/** Finds memories that resemble a draft, by its embedding if there is one, else by its words. */
async function like(
  agent: Agent,
  { title, body, subtype }: PatternDraft,
  analyses: Analyses = {},
): Promise<SimilarAnswer> {
  const analysis = Object.values(analyses).find(
    (one) => "text" in one && parsePatternOutput(one.text).body === body,
  );
  const made = analysis !== undefined && "vector" in analysis ? analysis.vector : undefined;
  const asked = { title, content: body, subtype, limit: MAX_SIMILAR };
  // The report of the consolidation names the failure.
  try {
    const vector = agent.read(() => (made?.length === agent.dimensions ? made : undefined));
    return await similar(agent, asked, vector);
  } catch (error) {
    throw outward(error);
  }
}

function knownBy(agent: Agent, now: number): KnownMemories {
  const { storage } = agent;
  const since = toIso(now - REVIEWED_DAYS * DAY);
  const rows = [
    ...storage.nodes.ofSubtypes(TRADES),
    ...storage.nodes.list({ subtypes: OTHERS, created_after: since }, MAX_OTHERS),
  ];
  return {
    episodes: episodesOf(agent, rows, now),
    existing: storage.nodes.ofSubtypes(LEARNED).filter(isNamed).map(textsOf),
    edges: storage.edges.ofTypes(TIES).filter(isNamed),
    last: storage.changeLog.range().last,
  };
}

const isNamed = ({ id }: { id: unknown }): boolean => isId(id);

/** Another server may have stored values of any type. */
function textsOf({ id, content_title, content_body }: NodeRow): ExistingRow {
  const text = (value: unknown) => (typeof value === "string" ? value : null);
  return { id, content_title: text(content_title), content_body: text(content_body) };
}

/** Returns episodes with their lifecycle states as of now, without those that have no time. */
function episodesOf({ index, engine }: Agent, rows: readonly NodeRow[], now: number): EpisodeRow[] {
  const named = rows.filter(isNamed);
  const ids = named.map(({ id }) => id);
  const faded = fadedNow(ids, index, engine, now);
  return named.flatMap((row, place) => {
    const times = [row.provenance_created_at, row.created_at].map((time) =>
      parseInstant(String(time)),
    );
    const created_at = times.find((time) => time !== undefined);
    const state_lifecycle = faded[place]?.lifecycle;
    if (created_at === undefined || state_lifecycle === undefined) return [];
    return [{ ...textsOf(row), subtype: row.subtype, state_lifecycle, created_at }];
  });
}

/** The changes that were written before another process wrote. */
interface Done {
  created: number;
  strengthened: number;
  errors: ConsolidationAnswer["errors"];
  isStale: boolean;
}

/**
 * Writes each group in a transaction of its own. A group that cannot be written does not stop the
 * others.
 */
function writePlan(agent: Agent, { groups }: ConsolidationPlan, known: KnownMemories): Done {
  const done: Done = { created: 0, strengthened: 0, errors: [], isStale: false };
  const sources = new Map(known.edges.map(({ id, source_id }) => [id, source_id]));
  let { last } = known;
  for (const group of groups) {
    try {
      last = agent.write((unit) => {
        if (agent.storage.changeLog.range().last !== last) throw new StaleMemories();
        learn(agent, group, unit);
        unit.embed();
        return agent.storage.changeLog.range().last;
      });
    } catch (error) {
      if (error instanceof StaleMemories) return { ...done, isStale: true };
      const { code, name } = error as Error & { code?: string };
      done.errors.push({
        symbol: group.symbol,
        stage: "write",
        message: `could not be written: ${code ?? name}`,
      });
      continue;
    }
    done.created += group.create.length;
    done.strengthened += gaining(group, sources).size;
  }
  return done;
}

/** Returns the lessons and playbooks that existed before and were strengthened. */
function gaining(
  { update, link, strengthen }: GroupPlan,
  sources: ReadonlyMap<unknown, string>,
): Set<string> {
  return new Set([
    ...update.map(({ id }) => id),
    ...link.map(({ source_id }) => source_id),
    ...strengthen.map(({ edge_id }) => sources.get(edge_id)!),
  ]);
}

function learn(
  agent: Agent,
  { create, update, link, strengthen }: GroupPlan,
  { settle }: Unit,
): void {
  const { storage } = agent;
  for (const { edges, ...fields } of create) {
    agent.checkNames({ type: fields.type, subtype: fields.subtype });
    const node = newNodeOf(agent, fields);
    storage.nodes.insert({ ...node, embedding_vector: null });
    for (const edge of edges)
      storage.edges.insert(newEdgeOf(agent, { ...edge, source_id: node.id }));
  }
  settle(update.map(({ id }) => id));
  for (const { id, ...fields } of update) {
    storage.nodes.update(id, { ...fields, last_modified: toIso(agent.now()) });
  }
  for (const edge of link) storage.edges.insert(newEdgeOf(agent, edge));
  for (const { edge_id, amount } of strengthen) storage.edges.strengthen(edge_id, amount);
}
