// Closed trades for consolidation, and a reader of the lessons that it made.

import { expect } from "vitest";
import { raw } from "./existing-database.ts";
import type { Client } from "./shared-server.ts";

export const ANOMALY = "funding_extreme";

/**
 * Returns the memories of closed trades of a symbol, and the edges between them. Trades that
 * followed an anomaly were won, the others lost.
 */
function tradesOf(symbol: string, from: number, to: number) {
  const places = Array.from({ length: to - from }, (_, place) => from + place);
  const memory = (place: number, kind: string, title: string, text: string, signals: object) => ({
    ...{ id: `n_${symbol}_${kind}_${place}`, type: "episode", subtype: `custom:trade_${kind}` },
    ...{ content_title: `${title} ${symbol}`, content_body: JSON.stringify({ text, signals }) },
  });
  const nodes = places.flatMap((place) => {
    const isCalled = place % 2 === 0;
    const entered = { symbol, side: "long", anomaly_type: isCalled ? ANOMALY : "volume_spike" };
    const closed = { symbol, side: "long", pnl_pct: isCalled ? 3 : -2 };
    return [
      memory(place, "entry", "Long", "In", entered),
      memory(place, "close", "Closed", "Out", closed),
    ];
  });
  const edges = places.map((place) => ({
    ...{ source_id: `n_${symbol}_close_${place}`, target_id: `n_${symbol}_entry_${place}` },
    ...{ type: "part_of", strength: 0.85 },
  }));
  return { nodes, edges };
}

/** Stores closed trades of a symbol. */
export async function trade(by: Client, symbol: string, from: number, to: number): Promise<void> {
  for (const [kind, items] of Object.entries(tradesOf(symbol, from, to))) {
    const { status, body } = await by.ask(`POST /${kind}/batch`, { items });
    expect({ status, failed: body.failed }).toEqual({ status: 200, failed: 0 });
  }
}

/** Writes closed trades of a symbol straight into a database file. */
export function tradeInFile(file: string, symbol: string, from: number, to: number): void {
  const db = raw(file);
  const now = new Date().toISOString();
  const node =
    db.prepare(`INSERT INTO nodes (id, type, subtype, content_title, content_body, neural_stability, state_lifecycle,
    provenance_created_at, created_at) VALUES (?, ?, ?, ?, ?, 21, 'ACTIVE', ?, ?)`);
  const edge = db.prepare(
    "INSERT INTO edges (id, type, source_id, target_id, strength) VALUES (?, ?, ?, ?, ?)",
  );
  const { nodes, edges } = tradesOf(symbol, from, to);
  db.exec("BEGIN");
  for (const { id, type, subtype, content_title, content_body } of nodes)
    node.run(id, type, subtype, content_title, content_body, now, now);
  for (const { source_id, target_id, type, strength } of edges)
    edge.run(`e_${source_id}`, type, source_id, target_id, strength);
  db.exec("COMMIT");
  db.close();
}

/** Returns the memories that consolidation made, each with its number of episodes. */
export async function learned(by: Client) {
  const { body } = await by.ask("GET /graph");
  const found = [];
  for (const { id, subtype } of body.nodes) {
    if (!["custom:lesson", "custom:playbook"].includes(subtype)) continue;
    const node = (await by.ask(`GET /nodes/${id}?recall=false`)).body;
    if (!node.content_body?.startsWith("{")) continue;
    const edges = body.edges.filter(
      (edge: { source: string; type: string }) => edge.source === id && edge.type === "generalizes",
    );
    found.push({ ...node, content: JSON.parse(node.content_body), episodes: edges.length });
  }
  return found;
}
