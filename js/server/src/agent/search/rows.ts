// The rows of a search's answer.

import type { FoundNode } from "../../api/search.ts";
import type { Agent } from "../agent.ts";
import { AnswerRoom, fittingAmong } from "../answer-room.ts";
import { presentNow } from "../present.ts";

/** What a search tells of a memory beside its row. */
export type Finding = Pick<
  FoundNode,
  | "score"
  | "breakdown"
  | "primary_signal"
  | "evidence"
  | "superseded_by"
  | "replaced_by"
  | "replaces"
  | "similar_to"
>;

/**
 * Returns memories as rows, in their order, as many as fit into the answer, and the ids of the
 * rest. `findingOf` returns what the search tells of a memory.
 */
export function rowsOf(
  agent: Agent,
  ids: readonly string[],
  now: number,
  findingOf: (id: string) => Finding,
): { data: FoundNode[]; omitted: string[] } {
  const room = new AnswerRoom();
  const fitting = fittingAmong(agent, ids);
  const nodes = new Map(presentNow(agent.rows(fitting), agent, now).map((node) => [node.id, node]));
  const data: FoundNode[] = [];
  for (const [place, id] of fitting.entries()) {
    const node = nodes.get(id);
    if (node === undefined) continue;
    // The fields are added to the new object: copying it would take as long as creating it.
    const found: FoundNode = Object.assign(node, findingOf(id));
    if (!room.take(found)) return { data, omitted: ids.slice(place) };
    data.push(found);
  }
  return { data, omitted: ids.slice(fitting.length) };
}
