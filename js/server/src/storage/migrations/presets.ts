// Migration: a database of a trading agent that names no preset gets the preset `trading`, by which it
// was used before presets existed. New databases are general.

import type { Connection } from "../connection.ts";

/** Subtypes that no other agent has. */
const OF_TRADERS = [
  ...["custom:trade", "custom:trade_entry", "custom:trade_close", "custom:trade_modify"],
  ...["custom:market_event", "custom:watchpoint", "custom:missed_opportunity", "custom:good_pass"],
];

export function nameTradingPresets(db: Connection): void {
  const marks = OF_TRADERS.map(() => "?").join(", ");
  const set = db.prepare(
    `INSERT INTO nous_meta SELECT 'preset', 'trading'
     WHERE EXISTS (SELECT 1 FROM nodes WHERE subtype IN (${marks}))
     ON CONFLICT DO NOTHING`,
  );
  set.run(...OF_TRADERS);
}
