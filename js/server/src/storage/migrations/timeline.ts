// Migration: an index of the timeline. Without it, each page sorts all memories.

import type { Connection } from "../connection.ts";
import { HAPPENED_AT } from "../sql.ts";

export function indexTimeline(db: Connection): void {
  db.exec(`CREATE INDEX nous_timeline ON nodes(${HAPPENED_AT})`);
}
