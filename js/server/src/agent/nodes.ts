// Memories, one at a time and in lists.

import type { NewNodeRequest, Node, NodeChangesRequest, nodeOperations } from "../api/nodes.ts";
import { newId } from "../ids.ts";
import type { NewNode, NodeChanges } from "../storage/rows.ts";
import { toIso } from "../time.ts";
import type { Agent } from "./agent.ts";
import { difficultyOfNew } from "./difficulty.ts";
import { notFound } from "./errors.ts";
import type { HandlersOf } from "./handlers.ts";
import { textOf } from "./index-rows.ts";
import { countNode } from "./outcomes.ts";
import { fadedNow, withFaded } from "./presenting.ts";
import { stabilityOfNew } from "./stakes.ts";
import { statesOf } from "./states.ts";

const SOURCE = "agent";

export const nodeHandlers: HandlersOf<typeof nodeOperations> = {
  createNode: (agent, { body }) =>
    agent.present(
      agent.write(() => {
        agent.checkNames({ type: body.type, subtype: body.subtype ?? null });
        const row = agent.storage.insertNode(newNodeOf(agent, body));
        if (body.signals != null) agent.storage.addSignals(row.id, JSON.stringify(body.signals));
        return row;
      }),
    ),

  readNode: (agent, { params: { id }, query: { recall } }) =>
    agent.read(() => (recall ? recalled(agent, id) : asOfNow(agent, id))),

  listNodes: (agent, { query: { limit, lifecycle, ...filter } }) =>
    agent.read(() => {
      const { index, engine, storage } = agent;
      const now = agent.now();
      const states = lifecycle === undefined ? undefined : statesOf(agent, lifecycle, now).stored;
      const rows = storage.listNodes({ ...filter, lifecycle: states }, limit);
      const ids = rows.map(({ id }) => id);
      const faded = fadedNow(ids, index, engine, now);
      const data = rows.map((row, place) => withFaded(agent.present(row), faded[place]));
      return { data, count: data.length };
    }),

  updateNode: (agent, { params: { id }, body }) =>
    agent.present(
      agent.write((unit) => {
        const { type = null, subtype = null } = body;
        agent.checkNames({ type, subtype });
        unit.settle([id]);
        const stored = agent.storage.node(id);
        if (stored === undefined) throw notFound();
        countNode(agent, agent.storage.updateNode(id, changesOf(agent, body, stored.subtype))!, unit);
        return agent.storage.node(id)!;
      }),
    ),

  deleteNode: (agent, { params: { id } }) =>
    agent.write(() => {
      if (!agent.storage.deleteNode(id)) throw notFound();
      return { ok: true };
    }),
};

export function newNodeOf(
  agent: Agent,
  request: Partial<NewNodeRequest> & Pick<NewNodeRequest, "type" | "content_title">,
): NewNode {
  const now = toIso(agent.now());
  const { type, content_title, subtype = null, content_body = null } = request;
  return {
    id: newId("n"),
    type,
    subtype,
    content_title,
    content_summary: request.content_summary ?? null,
    content_body,
    neural_stability: request.neural_stability ?? stabilityOfNew(agent.engine, subtype, request.signals),
    neural_retrievability: 1,
    neural_difficulty: difficultyOfNew(type, subtype, content_body),
    neural_access_count: 0,
    neural_last_accessed: null,
    state_lifecycle: "ACTIVE",
    provenance_source: SOURCE,
    provenance_created_at: now,
    layer: layerOf(type),
    version: 1,
    last_modified: now,
    created_at: now,
    embedding_model: request.embedding_model ?? null,
    embedding_vector: agent.vectorBytes(request.embedding ?? null),
    temporal_event_time: request.temporal_event_time ?? null,
    temporal_event_confidence: request.temporal_event_confidence ?? null,
    temporal_event_source: request.temporal_event_source ?? null,
  };
}

function changesOf(
  agent: Agent,
  { embedding, ...fields }: NodeChangesRequest,
  storedSubtype: string | null,
): NodeChanges {
  const given = Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
  return {
    ...given,
    ...(fields.type === undefined ? {} : { layer: layerOf(fields.type) }),
    ...(fields.neural_stability === null
      ? {
          neural_stability: agent.engine.getInitialStabilityForSubtype(
            textOf(fields.subtype === undefined ? storedSubtype : fields.subtype),
          ),
        }
      : {}),
    ...(embedding === undefined ? {} : { embedding_vector: agent.vectorBytes(embedding) }),
    last_modified: toIso(agent.now()),
  };
}

/** A read that counts. */
function recalled(agent: Agent, id: string): Node {
  const row = agent.storage.node(id);
  if (row === undefined) throw notFound();
  const now = agent.now();
  const { index } = agent;
  if (index.recall([id], now) > 0) agent.soft.recalled(id, index, now);
  return agent.present(row);
}

/** A read that does not count. */
function asOfNow(agent: Agent, id: string): Node {
  const row = agent.storage.node(id);
  if (row === undefined) throw notFound();
  const [faded] = fadedNow([id], agent.index, agent.engine, agent.now());
  return withFaded(agent.present(row), faded);
}

const layerOf = (type: string): string => (type === "episode" ? "episode" : "semantic");
