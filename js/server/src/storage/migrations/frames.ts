// Migration: the frame and the censors with which a memory was stored, and which counted trades the
// agent's client counted as well.

import type { Connection } from "../connection.ts";
import { type Added, addColumns, addGroup } from "./node-columns.ts";

/** The column that this schema adds to outcomes. */
export const COUNTED: Added = [
  "playbook_outcomes",
  "client_counted",
  "INTEGER NOT NULL DEFAULT 0",
  "0",
];

export function addFrames(db: Connection): void {
  addGroup(db, 1);
  addColumns(db, [COUNTED]);
}
