// Memories, one at a time and in lists.

import type { MatchedVersions } from "../../api/headers.ts";
import { MAX_NAMED } from "../../api/limits.ts";
import type { nodeOperations } from "../../api/nodes.ts";
import { notFound, Refusal } from "../../refusal.ts";
import type { NodeRow } from "../../storage/rows.ts";
import type { HandlersOf } from "../handler.ts";
import { once, stillThere } from "../idempotency.ts";
import { statesOf } from "../lifecycle-filters.ts";
import { asOfNow, recalled } from "../reads.ts";
import { PLAYBOOK } from "../replica/playbook-replica.ts";
import { bodyOfPlaybook, countNode } from "../rules/outcomes.ts";
import { listed } from "../search/lists.ts";
import { wantedOf } from "../search/wanted.ts";
import { joinClusters } from "../writes/clusters.ts";
import { dropGuesses } from "../writes/guesses.ts";
import { changesOf, deleteMemory, insertNode, replaceNode } from "../writes/nodes.ts";

/** Memories that a deletion by a filter deletes between two pauses. */
const DELETED_IN_A_STEP = 500;
/** The columns of a memory's texts. */
const CONTENT_TEXTS = ["content_title", "content_summary", "content_body"] as const;

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
        if (CONTENT_TEXTS.some((field) => changes[field] !== undefined)) dropGuesses(agent, id);
        countNode(agent, agent.storage.nodes.update(id, changes)!, unit);
        // An embedding in the request counts, even if it equals the stored one.
        if (body.embedding != null) agent.storage.embeddings.served(id);
        // The answer says whether the memory still has a vector.
        unit.embed();
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

/** @throws {Refusal} If the memory has a version that the caller does not know. */
function checkVersion(known: MatchedVersions, version: number | null): void {
  if (known === undefined || known === "*" || (version !== null && known.includes(version))) return;
  throw new Refusal(412, `the memory has version ${version}`);
}
