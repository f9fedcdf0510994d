// A ledger of the writes that a server has acknowledged, kept outside the server. After a kill or
// another fault, tests compare the server's memory with it.

import type { Running } from "./server-process.ts";

/** The values that a server holds by their keys; null means that the key is absent. */
type Value = string | null;

/** The values that one write sets, all of them or none of them. */
export type Change = ReadonlyMap<string, Value>;

export const nodeKey = (id: string): string => `memory ${id}`;
export const edgeKey = (source: string, target: string): string => `edge ${source} → ${target}`;
export const memberKey = (cluster: string, node: string): string => `member ${cluster} ∋ ${node}`;

export class Ledger {
  readonly #told = new Map<string, Value>();
  /** Writes that were sent but not answered. Each is applied whole or not at all. */
  readonly #unsure = new Set<Change>();
  /** The number of acknowledged writes. */
  acknowledged = 0;

  /** Sends a write, and counts it as acknowledged once `send` resolves. */
  async write(change: Change, send: () => Promise<void>): Promise<void> {
    this.#unsure.add(change);
    await send();
    this.#unsure.delete(change);
    for (const [key, value] of change) this.#told.set(key, value);
    this.acknowledged += 1;
  }

  /**
   * Compares the ledger with what a server holds. Returns a sentence for each acknowledged write
   * that is missing, each write that is half applied, and each value that no client has written.
   * Settles the writes that were not answered.
   */
  compare(found: ReadonlyMap<string, string>): string[] {
    const problems: string[] = [];
    const holds = (key: string) => found.get(key) ?? null;
    for (const change of this.#unsure) {
      const entries = [...change];
      if (entries.every(([key, value]) => holds(key) === value)) {
        for (const [key, value] of entries) this.#told.set(key, value);
      } else if (!entries.every(([key]) => holds(key) === (this.#told.get(key) ?? null))) {
        problems.push(`half done: ${entries.map(([key]) => `${key} is ${holds(key)}`).join(", ")}`);
      }
    }
    this.#unsure.clear();
    for (const [key, value] of this.#told) {
      if (holds(key) !== value)
        problems.push(`${key} is ${holds(key)} and was told to be ${value}`);
    }
    for (const key of found.keys())
      if (!this.#told.has(key)) problems.push(`nobody asked for ${key}`);
    return problems;
  }
}

/**
 * Reads all that a server holds of an agent. `problems` names each disagreement between the rows of
 * the database, the index over them and their states.
 */
export async function heldBy({
  ask,
}: Pick<Running, "ask">): Promise<{ found: Map<string, string>; problems: string[] }> {
  const { graph, health } = await settled(ask);
  const found = new Map<string, string>();
  for (const { id, title } of graph.nodes) found.set(nodeKey(id), title);
  for (const { source, target, strength } of graph.edges)
    found.set(edgeKey(source, target), strength.toFixed(4));
  for (const { cluster_id, node_id } of graph.memberships)
    found.set(memberKey(cluster_id, node_id), "");
  const states = Object.values<number>(health.lifecycle).reduce((sum, count) => sum + count, 0);
  const counts = { rows: states, listed: graph.count.nodes, indexed: health.node_count };
  const edges = { listed: graph.count.edges, indexed: health.edge_count };
  const disagreeing = [counts, edges].filter((each) => new Set(Object.values(each)).size > 1);
  return {
    found,
    problems: disagreeing.map((each) => `index and database disagree: ${JSON.stringify(each)}`),
  };
}

/** Servers link new memories in the background: each try reads again what came meanwhile. */
const TRIES = 100;

/** Returns the graph and the health of one state: the graph is the same before and after. */
async function settled(ask: Running["ask"]) {
  const graphOf = async () => (await ask("GET /graph")).body;
  const linksOf = ({ count, edges }: { count: object; edges: { id: string }[] }) =>
    JSON.stringify([count, edges.map(({ id }) => id)]);
  let graph = await graphOf();
  for (let tries = 0; tries < TRIES; tries++) {
    const health = (await ask("GET /health")).body;
    const after = await graphOf();
    if (linksOf(after) === linksOf(graph)) return { graph, health };
    graph = after;
  }
  throw new Error(`the graph changed in each of ${TRIES} tries`);
}
