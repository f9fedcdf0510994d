// Reads of one memory, with and without counting a recall.

import type { Node } from "../api/nodes.ts";
import { notFound } from "../refusal.ts";
import type { NodeRow } from "../storage/rows.ts";
import type { Agent } from "./agent.ts";
import { presentNow } from "./present.ts";

/** Reads a memory and counts a recall. An error of `check` prevents the recall. */
export function recalled(agent: Agent, id: string, check: (row: NodeRow) => void = () => {}): Node {
  const row = agent.storage.nodes.find(id);
  if (row === undefined) throw notFound();
  check(row);
  const now = agent.now();
  const { index } = agent;
  if (index.recall([id], now) > 0) {
    agent.behaviour.afterRecall(agent, id);
    agent.soft.recalled(id, index, now);
  }
  return agent.present(row);
}

/** Reads a memory without counting a recall. */
export function asOfNow(agent: Agent, id: string, check: (row: NodeRow) => void = () => {}): Node {
  const row = agent.storage.nodes.find(id);
  if (row === undefined) throw notFound();
  check(row);
  return presentNow([row], agent, agent.now())[0]!;
}
