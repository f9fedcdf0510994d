// The prompt of a turn by evidence: looks up memories, profile and conversations for the rule that
// writes it.

import {
  buildPrompt,
  type Newer,
  newerIn,
  type PromptMemory,
  type StoredCandidate,
  toIso,
} from "nous-memory";
import type { contextOperations, TurnAsked } from "../../api/context.ts";
import type { Node } from "../../api/nodes.ts";
import type { AnswerOf, QuestionVector } from "../../api/operation.ts";
import type { FoundNode } from "../../api/search.ts";
import type { NodeRow } from "../../storage/rows.ts";
import type { Agent } from "../agent.ts";
import { AnswerRoom } from "../answer-room.ts";
import { outwardly } from "../outwardly.ts";
import { presentNow } from "../present.ts";
import { judgedMemory } from "../question.ts";
import { amongOf, type NodeSearch } from "../search/filters.ts";
import { search } from "../search/search.ts";
import { wantedOf } from "../search/wanted.ts";
import { usageOf } from "./usage.ts";

/** A list is made of the memories that may pass a filter, if these are at most so many. */
const MAX_NAMED = 2_000;

type Answer = Omit<AnswerOf<(typeof contextOperations)["buildContext"]>, "context_id">;

/** Returns the prompt of a turn, and the ids of the memories in it. */
export async function promptByEvidence(
  agent: Agent,
  body: TurnAsked,
  question: QuestionVector | undefined,
): Promise<Answer> {
  await agent.prepare("evidence");
  return outwardly(() => agent.read(() => built(agent, body, question)));
}

function built(agent: Agent, body: TurnAsked, question: QuestionVector | undefined): Answer {
  const { engine, preset, timeZone: zone } = agent;
  const { filter } = body;
  const now = agent.now();
  const given = { filter, ids: fewIdsOf(agent, filter) };
  const { plan: turn, ...prompt } = buildPrompt(
    {
      ...{ engine, preset, now, zone },
      ...judgedMemory(agent, question),
      find: (query, limit, without) =>
        hitsOf(agent, { query, filter, limit, without }, question, now),
      boosts: (ids) => usageOf(agent, ids, now).boost(ids, now),
      newest: (subtypes, limit, since) =>
        listed(agent, subtypes, limit, given, now, since === undefined ? since : toIso(since)),
      mayReplace: (id) => mayReplace(agent, id, filter, now),
      newerOf: (ids) => newerOf(agent, ids, filter, now),
    },
    body,
  );
  const { frame, asked } = prompt;
  const idsOf = (type: PromptMemory["type"]) =>
    prompt.recalled.filter((memory) => memory.type === type).map(({ id }) => id);
  return {
    prompt: prompt.prompt,
    tokens: prompt.tokens,
    sections: prompt.sections,
    recalled_ids: {
      decision: idsOf("decision"),
      fact: idsOf("fact"),
      procedure: idsOf("procedure"),
      episode: idsOf("episode"),
      signal: idsOf("signal"),
    },
    recalled_content: Object.fromEntries(prompt.recalled.map(({ id, text }) => [id, text])),
    active_censors: [...new Set((body.censors ?? []).map(({ id }) => id))],
    frame: { ...frame },
    signals: turn.signals,
    temporal_boost: turn.temporal_boost,
    refresh_needed: body.working_memory?.current_frame !== frame.frame_id,
    ...(asked === undefined ? {} : { asked }),
    answerable: prompt.answerable,
    knows: prompt.knows,
    probability: prompt.probability,
    left_out: prompt.left_out,
  };
}

/**
 * Returns the memories that a question finds. One that replaces another one is among them, with its
 * score, also if the question does not find it.
 */
function hitsOf(
  agent: Agent,
  sought: Pick<NodeSearch, "query" | "filter" | "limit" | "without">,
  question: QuestionVector | undefined,
  now: number,
): FoundNode[] {
  const { filter } = sought;
  const hits = search(agent, { ...sought, ranking: "evidence" }, question, now).data;
  const known = new Set(hits.map(({ id }) => id));
  const missing = hits.flatMap(({ superseded_by, replaced_by, score }) => {
    const id = superseded_by ?? replaced_by?.id;
    return id === undefined || known.has(id) ? [] : { id, score };
  });
  const rows = passingRows(
    agent,
    missing.map(({ id }) => id),
    filter,
    now,
  );
  for (const { id, score } of missing) {
    const row = rows.get(id);
    if (row === undefined || known.has(row.id)) continue;
    known.add(row.id);
    hits.push({ ...presentNow([row], agent, now)[0]!, score });
  }
  return hits;
}

/** Returns the memories that pass the filter and may replace one, the most probable first. */
function mayReplace(
  agent: Agent,
  id: string,
  filter: TurnAsked["filter"],
  now: number,
): StoredCandidate[] {
  const ids = agent.index.guessedSuccessors(id).map(({ source_id }) => source_id);
  if (ids.length === 0) return [];
  const rows = passingRows(agent, ids, filter, now);
  return presentNow(
    ids.flatMap((id) => rows.get(id) ?? []),
    agent,
    now,
  );
}

/** Returns for memories the one that passes the filter and replaces each. */
function newerOf(
  agent: Agent,
  ids: readonly string[],
  filter: TurnAsked["filter"],
  now: number,
): (Newer | undefined)[] {
  const newer = ids.map((id) => newerIn(agent.index.line(id), id));
  const all = newer.flat().map(({ id }) => id);
  if (all.length === 0) return ids.map(() => undefined);
  const rows = passingRows(agent, all, filter, now);
  return newer.map((some) => {
    const its = some.find(({ id }) => rows.has(id));
    if (its === undefined) return undefined;
    return { row: presentNow([rows.get(its.id)!], agent, now)[0]!, isSure: its.isSure };
  });
}

/** Returns the rows of memories that pass a filter, by id. */
function passingRows(
  agent: Agent,
  ids: readonly string[],
  filter: TurnAsked["filter"],
  now: number,
): Map<string, NodeRow> {
  const wanted = wantedOf(agent, filter, now);
  const passing = wanted === undefined ? ids : agent.storage.nodes.passing([...ids], { wanted });
  return new Map(agent.rows(passing).map((row) => [row.id, row]));
}

/** The filter of a prompt, and the only memories that may pass it; undefined if they are many. */
interface Given {
  filter: TurnAsked["filter"];
  ids: string[] | undefined;
}

/**
 * Returns the ids of the memories that may pass a filter; undefined if they are many. The database
 * then looks only at these: a list in the order of time would go through the whole table for a
 * filter that few memories pass.
 */
function fewIdsOf(agent: Agent, filter: TurnAsked["filter"]): string[] | undefined {
  const among = amongOf(agent, { filter });
  return among !== undefined && among.handles.length <= MAX_NAMED ? among.ids() : undefined;
}

/** Returns memories of subtypes, the newest first. */
function listed(
  agent: Agent,
  subtypes: readonly string[],
  limit: number,
  { filter, ids }: Given,
  now: number,
  created_after?: string,
): Node[] {
  const sought = { ids, subtypes, wanted: wantedOf(agent, filter, now), created_after };
  return presentNow(
    agent.storage.nodes.list(sought, limit, undefined, new AnswerRoom()),
    agent,
    now,
  );
}
