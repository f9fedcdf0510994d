// Writes of memories.

import {
  futureProblem,
  MAX_AHEAD,
  newRowOf,
  normaliseTime,
  parseInstant,
  stabilityOfNew,
  textOf,
  toIso,
} from "nous-memory";
import { NousError } from "nous-wasm";
import type { NewNodeRequest, NodeChangesRequest } from "../../api/nodes.ts";
import type { QuestionVector } from "../../api/operation.ts";
import { newId } from "../../ids.ts";
import { Refusal, wrong } from "../../refusal.ts";
import type { NewNode, NodeChanges, NodeRow } from "../../storage/rows.ts";
import type { Agent } from "../agent.ts";
import { joinClusters } from "./clusters.ts";
import { compareLater } from "./comparing.ts";
import { queueContradiction } from "./conflicts.ts";
import { dropGuesses } from "./guesses.ts";

/** The fields that decide whether a memory equals the one that has the caller's id already. */
const CONTENT = [
  "type",
  "subtype",
  "content_title",
  "content_summary",
  "content_body",
  "temporal_event_confidence",
  "temporal_event_source",
  "frame",
  "censors",
  "tags",
  "metadata",
  "user_id",
  "session_id",
  "expires_at",
  "provenance_source",
] as const;

const NO_SOURCES: ReadonlySet<string> = new Set();

/** A new memory. Missing fields have their defaults. */
export type MemoryToMake = {
  [Field in keyof NewNodeRequest]?: NewNodeRequest[Field] | undefined;
} & Pick<NewNodeRequest, "type" | "content_title">;

/**
 * Within a `write`: inserts a memory, adds it to clusters, and queues conflicts with memories that
 * it corrects, except those of `sources`. A memory that exists under the caller's id is not inserted
 * again, and its row is not returned.
 *
 * @param vectors Those that were made of new texts before the write.
 *
 * @throws {Refusal} If another memory has the id, or a name or an embedding cannot be stored.
 * Nothing is written then.
 */
export function insertNode(
  agent: Agent,
  request: MemoryToMake,
  sources: ReadonlySet<string> = NO_SOURCES,
  vectors: readonly QuestionVector[] = [],
): { id: string; isCorrection: boolean; row?: NodeRow } {
  const { type, content_title, content_summary = null, content_body = null } = request;
  const subtype = agent.behaviour.subtypeOfNew(agent.preset, request);
  agent.checkNames({ type, subtype });
  const stored = request.id == null ? undefined : agent.storage.nodes.find(request.id);
  const node = newNodeOf(agent, request);
  if (stored !== undefined) {
    const isOther =
      CONTENT.some((column) => stored[column] !== node[column]) ||
      normaliseTime(stored.temporal_event_time) !== normaliseTime(node.temporal_event_time);
    const isOfOtherTime = request.created_at != null && stored.created_at !== node.created_at;
    if (isOther || isOfOtherTime) throw new Refusal(409, "another memory has this id");
  }
  const contradiction = agent.behaviour.contradictionIn(agent, {
    title: content_title,
    summary: content_summary,
    body: content_body,
  });
  const made = { id: node.id, isCorrection: contradiction !== undefined };
  if (stored !== undefined) return made;
  agent.room?.take();
  const row = agent.storage.nodes.insert({ ...node, ...vectorOf(agent, node, request, vectors) });
  if (request.signals != null)
    agent.storage.nodes.addSignals(node.id, JSON.stringify(request.signals));
  joinClusters(agent, node.id, subtype);
  if (contradiction !== undefined) {
    const alike = contradiction.alike.filter(({ id }) => !sources.has(id));
    queueContradiction(agent, node.id, { ...contradiction, alike });
  }
  compareLater(agent, node.id);
  return { ...made, row };
}

/** Within a `write`: returns the vector of a new memory: the caller's, or one that the server has. */
function vectorOf(
  agent: Agent,
  node: Omit<NewNode, "embedding_vector">,
  { embedding = null, embedding_model }: MemoryToMake,
  made: readonly QuestionVector[],
): Pick<NewNode, "embedding_vector" | "embedding_model"> {
  const given = agent.vectors.bytesOf(embedding, embedding_model);
  const own = given === null ? agent.vectors.ofNew(node, made) : undefined;
  return own === undefined
    ? { embedding_vector: given, embedding_model: node.embedding_model }
    : { embedding_vector: own.bytes, embedding_model: own.model };
}

/** Within a `write`: replaces the content of a memory, and returns its row. */
export function replaceNode(agent: Agent, stored: NodeRow, request: NewNodeRequest): NodeRow {
  const { type, embedding = null } = request;
  const subtype = agent.behaviour.subtypeOfNew(agent.preset, request);
  agent.checkNames({ type, subtype });
  const {
    id,
    created_at: _,
    provenance_created_at: __,
    version: ___,
    neural_access_count: ____,
    neural_last_accessed: _____,
    ...content
  } = newNodeOf(agent, request);
  if (subtype !== stored.subtype) joinClusters(agent, stored.id, subtype);
  dropGuesses(agent, stored.id);
  const row = agent.storage.nodes.update(stored.id, {
    ...content,
    last_modified: toIso(agent.now()),
    embedding_vector: agent.vectors.bytesOf(embedding, request.embedding_model),
  })!;
  if (embedding != null) agent.storage.embeddings.served(stored.id);
  return row;
}

/** Within a `write`: deletes a memory. */
export function deleteMemory({ storage, behaviour }: Agent, id: string): void {
  behaviour.beforeDeletion(storage, id);
  storage.nodes.delete(id);
}

/**
 * Returns a new row without its embedding.
 *
 * @throws {Refusal} If the memory's time lies in the future.
 */
export function newNodeOf(agent: Agent, request: MemoryToMake): Omit<NewNode, "embedding_vector"> {
  const now = toIso(agent.now());
  const { type, content_title, content_body = null } = request;
  const subtype = agent.behaviour.subtypeOfNew(agent.preset, request);
  const created_at = request.created_at ?? now;
  if (parseInstant(created_at)! > agent.now() + MAX_AHEAD)
    throw wrong("created_at", futureProblem(agent.now(), agent.timeZone));
  const { tags, metadata, user, session, source, expires_at, frame, censors } = request;
  const row = newRowOf(
    {
      ...{ type, subtype, content_title, content_body, created_at },
      ...{ tags, metadata, user, session, source, expires_at },
      event_time: eventTimeOf(request),
    },
    {
      ...{ id: request.id ?? newId("n"), now },
      stability: request.neural_stability ?? stabilityOf(agent, subtype, request.signals),
    },
  );
  return {
    ...row,
    content_summary: request.content_summary ?? null,
    neural_difficulty: agent.behaviour.difficultyOfNew(type, subtype, content_body),
    neural_last_accessed: agent.behaviour.lastAccessOfNew(now),
    embedding_model: request.embedding_model ?? null,
    temporal_event_confidence: request.temporal_event_confidence ?? null,
    temporal_event_source: request.temporal_event_source ?? null,
    frame: frame ?? null,
    censors: jsonOf(censors),
  };
}

/** @throws {Refusal} If a figure that salience is read from is not a number. */
function stabilityOf(
  { engine }: Agent,
  subtype: string | null,
  signals: NewNodeRequest["signals"] | undefined,
): number {
  try {
    return stabilityOfNew(engine, subtype, signals);
  } catch (error) {
    if (!(error instanceof NousError) || error.code !== "invalid_argument") throw error;
    const { field = "signals" } = error.details;
    throw wrong(field, error.message.replace(`${field} `, ""));
  }
}

/** Returns the changes that a request makes to the row of a memory. */
export function changesOf(
  agent: Agent,
  request: NodeChangesRequest,
  storedSubtype: string | null,
): NodeChanges {
  const { embedding, censors, tags, metadata, user, session, source, event_time, ...fields } =
    request;
  fields.temporal_event_time = eventTimeOf(request);
  const given = Object.fromEntries(
    Object.entries(fields).filter(([, value]) => value !== undefined),
  );
  return {
    ...given,
    ...(fields.type === undefined || !agent.behaviour.layerFollowsType
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
    ...(metadata === undefined
      ? {}
      : { metadata: metadata === null ? null : JSON.stringify(metadata) }),
    ...(user === undefined ? {} : { user_id: user }),
    ...(session === undefined ? {} : { session_id: session }),
    ...(source === undefined ? {} : { provenance_source: source }),
    ...(embedding === undefined
      ? {}
      : { embedding_vector: agent.vectors.bytesOf(embedding, fields.embedding_model) }),
    last_modified: toIso(agent.now()),
  };
}

/** Returns the time of the event, by either of its names; undefined if neither is given. */
const eventTimeOf = ({
  event_time,
  temporal_event_time,
}: Pick<Partial<NewNodeRequest>, "event_time" | "temporal_event_time">) =>
  event_time === undefined ? temporal_event_time : event_time;

/** Returns names as JSON, as they are stored; null for no names. */
const jsonOf = (names: readonly string[] | null | undefined): string | null =>
  names == null || names.length === 0 ? null : JSON.stringify(names);

const layerOf = (type: string): string => (type === "episode" ? "episode" : "semantic");
