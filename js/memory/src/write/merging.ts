// Rule: what a memory takes from a text that says it again. Tags and metadata are joined, and the later
// expiry counts: what is said without an end lasts. What the memory cannot take is named.

import { namesIn } from "../index-rows.ts";
import { jsonObjectIn } from "../json-objects.ts";
import type { NodeRow } from "../rows.ts";
import { parseInstant } from "../time.ts";
import type { MergeableFields, RememberingStore, SplitItem } from "./store.ts";

/** The most tags of a memory, and the most characters of its metadata. */
const MAX_TAGS = 100;
const MAX_METADATA = 16_384;

/**
 * Gives a memory the fields of a text that says it again. Returns the names of the fields that it did not
 * take, with paths into the metadata.
 */
export function mergeInto(store: RememberingStore, row: NodeRow, item: SplitItem): string[] {
  // A line that was given to an agent says nothing of its own.
  const { tags, metadata, type, source, importance, isGiven } = item;
  const not_taken: string[] = [];
  const changes: Partial<MergeableFields> = {};
  const known = namesIn(row.tags);
  const added = (tags ?? []).filter((tag) => !known.includes(tag));
  if (known.length + added.length > MAX_TAGS) not_taken.push("tags");
  else if (added.length > 0) changes.tags = JSON.stringify([...known, ...added]);
  if (metadata != null) {
    const own = new Map(Object.entries(jsonObjectIn(row.metadata) ?? {}));
    const before = own.size;
    for (const [key, value] of Object.entries(metadata)) {
      if (!own.has(key)) own.set(key, value);
      else if (JSON.stringify(own.get(key)) !== JSON.stringify(value))
        not_taken.push(`metadata.${key}`);
    }
    const joined = JSON.stringify(Object.fromEntries(own));
    if (joined.length > MAX_METADATA) not_taken.push("metadata");
    else if (own.size > before) changes.metadata = joined;
  }
  const isLater = (one: string, other: string) =>
    (parseInstant(one) ?? 0) > (parseInstant(other) ?? 0);
  if (row.expires_at !== null && !isGiven) {
    if (item.expires_at == null) changes.expires_at = null;
    else if (isLater(item.expires_at, row.expires_at)) changes.expires_at = item.expires_at;
    else if (isLater(row.expires_at, item.expires_at)) not_taken.push("expires_at");
  } else if (item.expires_at != null && row.expires_at === null) not_taken.push("expires_at");
  if (type != null && item.why === undefined && type !== (row.subtype ?? row.type))
    not_taken.push("type");
  if (source != null && item.sources === undefined && source !== row.provenance_source)
    not_taken.push("source");
  if (importance != null) not_taken.push("importance");
  if (Object.keys(changes).length > 0) store.update(row.id, changes);
  return not_taken;
}
