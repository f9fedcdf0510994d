// Migration: the tags of a memory, as a JSON array.

import type { Connection } from "../connection.ts";
import { addGroup } from "./node-columns.ts";

export function addTags(db: Connection): void {
  addGroup(db, 2);
}
