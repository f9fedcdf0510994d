// Many memories or edges at once, with an outcome for each.

import type { BatchMade, batchOperations, RefusedItem } from "../../api/batches.ts";
import { Refusal } from "../../refusal.ts";
import { AnswerRoom, fittingAmong } from "../answer-room.ts";
import type { HandlersOf } from "../handler.ts";
import { once } from "../idempotency.ts";
import { insertEdge } from "./edges.ts";
import { asOfNow, insertNode, recalled } from "./nodes.ts";

export const batchHandlers: HandlersOf<typeof batchOperations> = {
  createNodes: (agent, { headers, body }) =>
    once(agent, "createNodes", { headers, body }, () =>
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
      const results = outcomesOf(ids, (id) => {
        if (!fitting.has(id)) throw noRoomInAnswer();
        const node = read(agent, id, (row) => {
          if (!room.take(row)) throw noRoomInAnswer();
        });
        return { status: 200 as const, node };
      });
      const found = results.filter(({ status }) => status === 200).length;
      return { ok: true, found, failed: ids.length - found, total: ids.length, results };
    }),

  createEdges: (agent, { headers, body }) =>
    once(agent, "createEdges", { headers, body }, (unit) =>
      madeOf(body.items, (item) => ({ status: 201, id: insertEdge(agent, item, unit).id })),
    ),
};

const noRoomInAnswer = (): Refusal =>
  new Refusal(413, "the answer has no room for this memory: ask for it in another request");

type BatchResult = { status: 201; id: string; _contradiction_detected?: true };

function madeOf<Item>(items: readonly Item[], make: (item: Item) => BatchResult): BatchMade {
  const results = outcomesOf(items, make);
  const created = results.filter(({ status }) => status === 201).length;
  return { ok: true, created, failed: items.length - created, total: items.length, results };
}

/**
 * What came of each; one that is refused must have written nothing, and keeps no other from being
 * done.
 */
function outcomesOf<Item, Outcome extends object>(
  items: readonly Item[],
  act: (item: Item) => Outcome,
): ((Outcome & { index: number }) | RefusedItem)[] {
  return items.map((item, index) => {
    try {
      return { index, ...act(item) };
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      const { status, message, issues } = error;
      return {
        index,
        status,
        error: message,
        ...(issues.length === 0 ? {} : { issues: [...issues] }),
      };
    }
  });
}
