// Memories, one at a time and in lists.

import type { MatchedVersions } from "../../api/headers.ts";
import type {
  ListQuery,
  NewNodeRequest,
  Node,
  NodeChangesRequest,
  NodeList,
  nodeOperations,
} from "../../api/nodes.ts";
import { NODES, toCursor } from "../../api/pages.ts";
import { newId } from "../../ids.ts";
import { notFound, Refusal, wrong } from "../../refusal.ts";
import type { NewNode, NodeChanges, NodeRow } from "../../storage/rows.ts";
import type { NodeFilter } from "../../storage/tables/nodes.ts";
import { MOST_AHEAD, parseInstant, toIso } from "../../time.ts";
import type { Agent } from "../agent.ts";
import { AnswerRoom, pageWithin } from "../answer-room.ts";
import type { HandlersOf } from "../handler.ts";
import { once, stillThere } from "../idempotency.ts";
import { statesOf } from "../lifecycle-filters.ts";
import { presentNow } from "../present.ts";
import { textOf } from "../replica/index-rows.ts";
import { PLAYBOOK } from "../replica/playbook-replica.ts";
import { difficultyOfNew } from "../rules/difficulty.ts";
import { bodyOfPlaybook, countNode } from "../rules/outcomes.ts";
import { stabilityOfNew } from "../rules/stability.ts";
import { joinClusters } from "./clusters.ts";
import { compareLater, contradictionIn, deleteMemory, queueContradiction } from "./conflicts.ts";

const SOURCE = "agent";
/** The fields that decide whether a memory equals the one that has the caller's id already. */
const CONTENT = [
  "type",
  "subtype",
  "content_title",
  "content_summary",
  "content_body",
  "temporal_event_time",
  "temporal_event_confidence",
  "temporal_event_source",
  "frame",
  "censors",
  "tags",
] as const;

export const nodeHandlers: HandlersOf<typeof nodeOperations> = {
  createNode: (agent, { headers, body }) => {
    const made = once(agent, "createNode", { headers, body }, () => insertNode(agent, body));
    const row = stillThere(agent.storage.nodes.find(made.id));
    // With an id of the caller's, or if the request was sent before, the memory may have been
    // recalled since.
    const isNew = body.id == null && headers["Idempotency-Key"] === undefined;
    const node = isNew ? agent.presentNew(row) : agent.present(row);
    return made.isCorrection ? { ...node, _contradiction_detected: true } : node;
  },

  readNode: (agent, { params: { id }, query: { recall } }) =>
    agent.read(() => (recall ? recalled(agent, id) : asOfNow(agent, id))),

  listNodes: async (agent, { query: { lifecycle, ...query } }) => {
    const now = agent.now();
    const states =
      lifecycle === undefined
        ? undefined
        : agent.read(() => statesOf(agent, lifecycle, now).stored);
    return listed(agent, query, states);
  },

  updateNode: (agent, { params: { id }, headers, body }) =>
    agent.present(
      agent.write((unit) => {
        const { type = null, subtype = null } = body;
        agent.checkNames({ type, subtype });
        unit.settle([id]);
        const stored = agent.storage.nodes.find(id);
        if (stored === undefined) throw notFound();
        checkVersion(headers["If-Match"], stored.version);
        if (subtype !== stored.subtype) joinClusters(agent, id, subtype);
        const changes = changesOf(agent, body, stored.subtype);
        const given = changes.content_body;
        if (stored.subtype === PLAYBOOK && given !== undefined) {
          changes.content_body = bodyOfPlaybook(agent, stored, given);
        }
        countNode(agent, agent.storage.nodes.update(id, changes)!, unit);
        // An embedding in the request counts, even if it equals the stored one.
        if (body.embedding != null) agent.storage.embeddings.served(id);
        return agent.storage.nodes.find(id)!;
      }),
    ),

  deleteNode: (agent, { params: { id }, headers }) =>
    agent.write(() => {
      const stored = agent.storage.nodes.find(id);
      if (stored === undefined) throw notFound();
      checkVersion(headers["If-Match"], stored.version);
      deleteMemory(agent, id);
      return { ok: true };
    }),
};

/**
 * Returns a page of memories whose stored state is one of these; undefined stands for all states.
 */
export async function listed(
  agent: Agent,
  { limit, cursor, ...filter }: Omit<ListQuery, "lifecycle">,
  states: NodeFilter["lifecycle"],
): Promise<NodeList> {
  const { storage } = agent;
  const now = agent.now();
  const room = new AnswerRoom();
  const { data, last, isLast } = await pageWithin(
    agent,
    room,
    limit,
    (most, after: NodeRow | undefined) => {
      const place = after === undefined ? cursor : storage.nodes.placeOf(after.sequence);
      return storage.nodes.list({ ...filter, lifecycle: states }, most, place, room);
    },
    (rows) => presentNow(rows, agent, now),
  );
  const place = isLast || last === undefined ? undefined : storage.nodes.placeOf(last.sequence);
  return { data, count: data.length, next_cursor: toCursor(NODES, place) };
}

/**
 * Within a `write`: inserts a memory, adds it to clusters, and queues conflicts with memories that
 * it corrects. A memory that exists under the caller's id is not inserted again.
 *
 * @throws {Refusal} If another memory has the id, or a name or an embedding cannot be stored.
 * Nothing is written then.
 */
export function insertNode(
  agent: Agent,
  request: NewNodeRequest,
): { id: string; isCorrection: boolean } {
  const {
    type,
    subtype = null,
    content_title,
    content_summary = null,
    content_body = null,
  } = request;
  agent.checkNames({ type, subtype });
  const stored = request.id == null ? undefined : agent.storage.nodes.find(request.id);
  const node = newNodeOf(agent, request);
  if (stored !== undefined) {
    const isOther = CONTENT.some((column) => stored[column] !== node[column]);
    const isOfOtherTime = request.created_at != null && stored.created_at !== node.created_at;
    if (isOther || isOfOtherTime) throw new Refusal(409, "another memory has this id");
  }
  const contradiction = contradictionIn(agent, {
    title: content_title,
    summary: content_summary,
    body: content_body,
  });
  const made = { id: node.id, isCorrection: contradiction !== undefined };
  if (stored !== undefined) return made;
  agent.storage.nodes.insert({
    ...node,
    embedding_vector: agent.vectorBytes(request.embedding ?? null, request.embedding_model),
  });
  if (request.signals != null)
    agent.storage.nodes.addSignals(node.id, JSON.stringify(request.signals));
  joinClusters(agent, node.id, subtype);
  if (contradiction !== undefined) queueContradiction(agent, node.id, contradiction);
  compareLater(agent, node.id);
  return made;
}

/** @throws {Refusal} If the memory has a version that the caller does not know. */
function checkVersion(known: MatchedVersions, version: number | null): void {
  if (known === undefined || known === "*" || (version !== null && known.includes(version))) return;
  throw new Refusal(412, `the memory has version ${version}`);
}

/**
 * Returns a new row without its embedding.
 *
 * @throws {Refusal} If the memory's time lies in the future.
 */
export function newNodeOf(
  agent: Agent,
  request: Partial<NewNodeRequest> & Pick<NewNodeRequest, "type" | "content_title">,
): Omit<NewNode, "embedding_vector"> {
  const now = toIso(agent.now());
  const { type, content_title, subtype = null, content_body = null } = request;
  const created_at = request.created_at ?? now;
  if (parseInstant(created_at)! > agent.now() + MOST_AHEAD)
    throw wrong("created_at", `lies in the future: it is ${now} now`);
  return {
    id: request.id ?? newId("n"),
    type,
    subtype,
    content_title,
    content_summary: request.content_summary ?? null,
    content_body,
    neural_stability:
      request.neural_stability ?? stabilityOfNew(agent.engine, subtype, request.signals),
    neural_retrievability: 1,
    neural_difficulty: difficultyOfNew(type, subtype, content_body, agent.compat),
    neural_access_count: 0,
    neural_last_accessed: agent.compat === "hynous" ? now : null,
    state_lifecycle: "ACTIVE",
    provenance_source: SOURCE,
    provenance_created_at: created_at,
    layer: layerOf(type),
    version: 1,
    last_modified: now,
    created_at,
    embedding_model: request.embedding_model ?? null,
    temporal_event_time: request.temporal_event_time ?? null,
    temporal_event_confidence: request.temporal_event_confidence ?? null,
    temporal_event_source: request.temporal_event_source ?? null,
    frame: request.frame ?? null,
    censors: jsonOf(request.censors),
    tags: jsonOf(request.tags),
  };
}

function changesOf(
  agent: Agent,
  { embedding, censors, tags, ...fields }: NodeChangesRequest,
  storedSubtype: string | null,
): NodeChanges {
  const given = Object.fromEntries(
    Object.entries(fields).filter(([, value]) => value !== undefined),
  );
  return {
    ...given,
    // Hynous does not change the layer with the type.
    ...(fields.type === undefined || agent.compat === "hynous"
      ? {}
      : { layer: layerOf(fields.type) }),
    ...(fields.neural_stability === null
      ? {
          neural_stability: agent.engine.getInitialStabilityForSubtype(
            textOf(fields.subtype === undefined ? storedSubtype : fields.subtype),
          ),
        }
      : {}),
    ...(censors === undefined ? {} : { censors: jsonOf(censors) }),
    ...(tags === undefined ? {} : { tags: jsonOf(tags) }),
    ...(embedding === undefined
      ? {}
      : { embedding_vector: agent.vectorBytes(embedding, fields.embedding_model) }),
    last_modified: toIso(agent.now()),
  };
}

/** Reads a memory and counts a recall. An error of `check` prevents the recall. */
export function recalled(agent: Agent, id: string, check: (row: NodeRow) => void = () => {}): Node {
  const row = agent.storage.nodes.find(id);
  if (row === undefined) throw notFound();
  check(row);
  const now = agent.now();
  const { index } = agent;
  if (index.recall([id], now) > 0) {
    if (agent.compat === "hynous") growPlaybook(agent, id);
    agent.soft.recalled(id, index, now);
  }
  return agent.present(row);
}

/**
 * Lets the stability of a playbook grow by a read, as Hynous does. In the index only outcomes of
 * trades raise it.
 */
function growPlaybook({ index, engine }: Agent, id: string): void {
  const node = index.get(id);
  if (node?.subtype !== PLAYBOOK) return;
  const { decay } = engine.SECTION_PROFILES[engine.getSectionForSubtype(PLAYBOOK)];
  const stability = engine.updateStabilityOnAccessForSection(
    node.stability,
    node.difficulty,
    decay,
  );
  index.upsert([{ id, stability }]);
}

/** Reads a memory without counting a recall. */
export function asOfNow(agent: Agent, id: string, check: (row: NodeRow) => void = () => {}): Node {
  const row = agent.storage.nodes.find(id);
  if (row === undefined) throw notFound();
  check(row);
  return presentNow([row], agent, agent.now())[0]!;
}

/** Returns names as JSON, as they are stored; null for no names. */
const jsonOf = (names: readonly string[] | null | undefined): string | null =>
  names == null || names.length === 0 ? null : JSON.stringify(names);

const layerOf = (type: string): string => (type === "episode" ? "episode" : "semantic");
