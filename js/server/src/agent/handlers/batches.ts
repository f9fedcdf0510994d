// Batches: creates or reads many memories or edges, with an outcome for each.

import { atOnce, type Steps } from "nous-memory";
import type { BatchMade, batchOperations, RefusedItem } from "../../api/batches.ts";
import { Refusal } from "../../refusal.ts";
import { AnswerRoom, fittingAmong } from "../answer-room.ts";
import type { HandlersOf } from "../handler.ts";
import { onceInTurns } from "../idempotency.ts";
import { asOfNow, recalled } from "../reads.ts";
import { insertEdge } from "../writes/edges.ts";
import { insertNode } from "../writes/nodes.ts";

export const batchHandlers: HandlersOf<typeof batchOperations> = {
  createNodes: (agent, { headers, body }) =>
    onceInTurns(agent, "createNodes", { headers, body }, () =>
      madeOf(body.items, (item) => {
        const { id, isCorrection } = insertNode(agent, item);
        return { status: 201, id, ...(isCorrection ? { _contradiction_detected: true } : {}) };
      }),
    ),

  readNodes: (agent, { body: { ids, recall } }) =>
    agent.read(() => {
      const read = recall ? recalled : asOfNow;
      const room = new AnswerRoom();
      const fitting = new Set(fittingAmong(agent, ids));
      const outcomes = outcomesOf(ids, (id) => {
        if (!fitting.has(id)) throw noRoomInAnswer();
        const node = read(agent, id, (row) => {
          if (!room.take(row)) throw noRoomInAnswer();
        });
        return { status: 200 as const, node };
      });
      const results = atOnce(outcomes);
      const found = results.filter(({ status }) => status === 200).length;
      return { ok: true, found, failed: ids.length - found, total: ids.length, results };
    }),

  createEdges: (agent, { headers, body }) =>
    onceInTurns(agent, "createEdges", { headers, body }, (unit) =>
      madeOf(body.items, (item) => ({ status: 201, id: insertEdge(agent, item, unit).id })),
    ),
};

const noRoomInAnswer = (): Refusal =>
  new Refusal(413, "the answer has no room for this memory: ask for it in another request");

type BatchResult = { status: 201; id: string; _contradiction_detected?: true };

function* madeOf<Item>(
  items: readonly Item[],
  make: (item: Item) => BatchResult,
): Steps<BatchMade> {
  const results = yield* outcomesOf(items, make);
  const created = results.filter(({ status }) => status === 201).length;
  return { ok: true, created, failed: items.length - created, total: items.length, results };
}

/**
 * Yields the outcome of each item. A refused item must have written nothing, and does not stop the
 * others.
 */
function* outcomesOf<Item, Outcome extends object>(
  items: readonly Item[],
  act: (item: Item) => Outcome,
): Steps<((Outcome & { index: number }) | RefusedItem)[]> {
  const outcomes: ((Outcome & { index: number }) | RefusedItem)[] = [];
  for (const [index, item] of items.entries()) {
    if (index > 0) yield;
    try {
      outcomes.push({ index, ...act(item) });
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      const { status, message, issues } = error;
      outcomes.push({
        index,
        status,
        error: message,
        ...(issues.length === 0 ? {} : { issues: [...issues] }),
      });
    }
  }
  return outcomes;
}
