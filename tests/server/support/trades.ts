// Closed trades for consolidation, and a reader of the lessons that it made.

import { raw } from "./existing-database.ts";
import type { Client } from "./shared-server.ts";

export const ANOMALY = "funding_extreme";

/**
 * Writes closed trades of a symbol straight into the database. Trades that followed an anomaly were
 * won, the others lost.
 */
export function trade(file: string, symbol: string, from: number, to: number): void {
  const db = raw(file);
  const now = new Date().toISOString();
  const node =
    db.prepare(`INSERT INTO nodes (id, type, subtype, content_title, content_body, neural_stability, state_lifecycle,
    provenance_created_at, created_at) VALUES (?, 'episode', ?, ?, ?, 21, 'ACTIVE', ?, ?)`);
  const edge = db.prepare(
    "INSERT INTO edges (id, type, source_id, target_id, strength) VALUES (?, 'part_of', ?, ?, 0.85)",
  );
  db.transaction(() => {
    for (let place = from; place < to; place++) {
      const [entry, close] = [`n_${symbol}_entry_${place}`, `n_${symbol}_close_${place}`];
      const isCalled = place % 2 === 0;
      const entered = { symbol, side: "long", anomaly_type: isCalled ? ANOMALY : "volume_spike" };
      const closed = { symbol, side: "long", pnl_pct: isCalled ? 3 : -2 };
      node.run(
        entry,
        "custom:trade_entry",
        `Long ${symbol}`,
        JSON.stringify({ text: "In", signals: entered }),
        now,
        now,
      );
      node.run(
        close,
        "custom:trade_close",
        `Closed ${symbol}`,
        JSON.stringify({ text: "Out", signals: closed }),
        now,
        now,
      );
      edge.run(`e_${symbol}_${place}`, close, entry);
    }
  })();
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
