// Memories, one at a time and in lists.

import { isCondition } from "../../api/condition.ts";
import type { Filter } from "../../api/filter.ts";
import type { MatchedVersions } from "../../api/headers.ts";
import { MAX_NAMED } from "../../api/limits.ts";
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
import { typeOf } from "../../presets/preset.ts";
import { notFound, Refusal, wrong } from "../../refusal.ts";
import type { NewNode, NodeChanges, NodeRow } from "../../storage/rows.ts";
import type { NodeFilter } from "../../storage/tables/nodes.ts";
import { MAX_AHEAD, parseInstant, toIso } from "../../time.ts";
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
import { wantedOf } from "../search/wanted.ts";
import { joinClusters } from "./clusters.ts";
import { compareLater, contradictionIn, deleteMemory, queueContradiction } from "./conflicts.ts";

const SOURCE = "agent";
/** Memories that a deletion by a filter deletes between two pauses. */
const DELETED_IN_A_STEP = 500;
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
  "metadata",
  "user_id",
  "session_id",
  "expires_at",
  "provenance_source",
] as const;

export const nodeHandlers: HandlersOf<typeof nodeOperations> = {
  createNode: (agent, { headers, body }) => {
    let inserted: NodeRow | undefined;
    const made = once(agent, "createNode", { headers, body }, () => {
      const { row, ...result } = insertNode(agent, body);
      inserted = row;
      return result;
    });
    // A memory that was there before may have been recalled since.
    const node =
      inserted === undefined
        ? agent.present(stillThere(agent.storage.nodes.find(made.id)))
        : agent.presentNew(inserted);
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

  putNode: (agent, { params: { id }, headers, body }) =>
    agent.write((unit) => {
      const stored = agent.storage.nodes.find(id);
      if (stored === undefined) {
        if (headers["If-Match"] !== undefined)
          throw new Refusal(412, "there is no memory with this id");
        return agent.presentNew(insertNode(agent, { ...body, id }).row!);
      }
      checkVersion(headers["If-Match"], stored.version);
      unit.settle([id]);
      return agent.presentNew(replaceNode(agent, stored, body));
    }),

  deleteNodes: (agent, { body: { filter, dry_run } }) =>
    agent.writeInTurns(function* () {
      const wanted = wantedOf(agent, filter, agent.now());
      const ids = agent.storage.nodes.matching({ wanted }) ?? [];
      for (const [place, id] of dry_run ? [] : ids.entries()) {
        deleteMemory(agent, id);
        if (place % DELETED_IN_A_STEP === DELETED_IN_A_STEP - 1) yield;
      }
      return {
        ok: true as const,
        matched: ids.length,
        deleted: dry_run ? 0 : ids.length,
        ids: ids.slice(0, MAX_NAMED),
        dry_run,
      };
    }),

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
  {
    limit,
    cursor,
    type,
    subtype,
    created_after,
    created_before,
    ...query
  }: Omit<ListQuery, "lifecycle">,
  states: NodeFilter["lifecycle"],
): Promise<NodeList> {
  const { storage } = agent;
  const now = agent.now();
  const conditions = filtersOf(query);
  const filter: NodeFilter = {
    ...{ type, subtype, created_after, created_before, lifecycle: states },
    alsoWanted: agent.read(() => conditions.map((one) => wantedOf(agent, one, now)!)),
  };
  const room = new AnswerRoom();
  const { data, last, isLast } = await pageWithin(
    agent,
    room,
    limit,
    (max, after: NodeRow | undefined) => {
      const place = after === undefined ? cursor : storage.nodes.placeOf(after.sequence);
      return storage.nodes.list(filter, max, place, room);
    },
    (rows) => presentNow(rows, agent, now),
  );
  const place = isLast || last === undefined ? undefined : storage.nodes.placeOf(last.sequence);
  return { data, count: data.length, next_cursor: toCursor(NODES, place) };
}

/** Returns the filters of a list: that of its query fields, and the one that it names as JSON. */
export function filtersOf({
  user,
  session,
  source,
  section,
  tag,
  event_after,
  event_before,
  filter,
}: Partial<
  Pick<
    ListQuery,
    "user" | "session" | "source" | "section" | "tag" | "event_after" | "event_before" | "filter"
  >
>): Filter[] {
  const listOf = <Value>(value: Value | undefined) => (value === undefined ? undefined : [value]);
  const hasEvent = event_after !== undefined || event_before !== undefined;
  const fields: Filter = {
    user: listOf(user),
    session: listOf(session),
    source: listOf(source),
    section: listOf(section),
    tags: tag === undefined ? undefined : { all: [tag] },
    event_time: hasEvent ? { gte: event_after, lte: event_before } : undefined,
  };
  return [fields, filter].filter(isCondition);
}

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
 * @throws {Refusal} If another memory has the id, or a name or an embedding cannot be stored.
 * Nothing is written then.
 */
export function insertNode(
  agent: Agent,
  request: MemoryToMake,
  sources: ReadonlySet<string> = NO_SOURCES,
): { id: string; isCorrection: boolean; row?: NodeRow } {
  const { type, content_title, content_summary = null, content_body = null } = request;
  const subtype = subtypeOf(agent, request);
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
  const row = agent.storage.nodes.insert({ ...node, ...vectorOf(agent, node, request) });
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

/** Within a `write`: returns the vector of a new memory, the caller's or that of the server's table. */
function vectorOf(
  agent: Agent,
  node: Omit<NewNode, "embedding_vector">,
  { embedding = null, embedding_model }: MemoryToMake,
): Pick<NewNode, "embedding_vector" | "embedding_model"> {
  const given = agent.vectorBytes(embedding, embedding_model);
  const own = given === null ? agent.builtInVectorOf(node) : undefined;
  return own === undefined
    ? { embedding_vector: given, embedding_model: node.embedding_model }
    : { embedding_vector: own, embedding_model: agent.builtIn!.id };
}

/** Within a `write`: replaces the content of a memory, and returns its row. */
function replaceNode(agent: Agent, stored: NodeRow, request: NewNodeRequest): NodeRow {
  const { type, embedding = null } = request;
  const subtype = subtypeOf(agent, request);
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
  const row = agent.storage.nodes.update(stored.id, {
    ...content,
    last_modified: toIso(agent.now()),
    embedding_vector: agent.vectorBytes(embedding, request.embedding_model),
  })!;
  if (embedding != null) agent.storage.embeddings.served(stored.id);
  return row;
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
export function newNodeOf(agent: Agent, request: MemoryToMake): Omit<NewNode, "embedding_vector"> {
  const now = toIso(agent.now());
  const { type, content_title, content_body = null } = request;
  const subtype = subtypeOf(agent, request);
  const created_at = request.created_at ?? now;
  if (parseInstant(created_at)! > agent.now() + MAX_AHEAD)
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
    provenance_source: request.source ?? SOURCE,
    provenance_created_at: created_at,
    layer: layerOf(type),
    version: 1,
    last_modified: now,
    created_at,
    embedding_model: request.embedding_model ?? null,
    temporal_event_time: eventTimeOf(request) ?? null,
    temporal_event_confidence: request.temporal_event_confidence ?? null,
    temporal_event_source: request.temporal_event_source ?? null,
    frame: request.frame ?? null,
    censors: jsonOf(request.censors),
    tags: jsonOf(request.tags),
    metadata: request.metadata == null ? null : JSON.stringify(request.metadata),
    user_id: request.user ?? null,
    session_id: request.session ?? null,
    expires_at: request.expires_at ?? null,
  };
}

function changesOf(
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
    ...(metadata === undefined
      ? {}
      : { metadata: metadata === null ? null : JSON.stringify(metadata) }),
    ...(user === undefined ? {} : { user_id: user }),
    ...(session === undefined ? {} : { session_id: session }),
    ...(source === undefined ? {} : { provenance_source: source }),
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

/**
 * Returns the subtype of a new memory. A memory whose type has a section, such as `preference`, has it
 * as its subtype unless the request says otherwise.
 */
const subtypeOf = (
  { compat, preset }: Agent,
  { type, subtype }: { type: string; subtype?: string | null | undefined },
): string | null =>
  subtype !== undefined || compat !== "none" || typeOf(preset, type) === undefined
    ? (subtype ?? null)
    : type;

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
