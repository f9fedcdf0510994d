// Converts database rows to entries of the index. Other programs may write anything into the
// database: values out of range are clamped or count as missing, so that one bad row never makes an
// agent's memory unusable.

import {
  LIFECYCLE_STATES,
  type MemoryEdge,
  type MemoryNode,
  offsetIn,
  type StoredLifecycleState,
} from "nous-wasm";
import { kindInWords } from "./embedding-text.ts";
import { shownBody } from "./json-objects.ts";
import type { EdgeRow, IndexedNodeRow, SoftRow, TextRow } from "./rows.ts";
import { MAX_AHEAD, MAX_JUMP, offsetOf, parseInstant } from "./time.ts";

/** The type of a memory whose row has none. */
export const TYPE_OF_NONE = "concept";
/** The type of an edge whose row has none. */
export const TYPE_OF_NO_EDGE = "relates_to";
const MAX_ACCESSES = 2 ** 32 - 1;
const STATES = new Set<string>([...LIFECYCLE_STATES, "DELETED"]);

/** Whether a value is a lifecycle state as databases hold it. */
export const isState = (text: unknown): text is StoredLifecycleState =>
  typeof text === "string" && STATES.has(text);

/** Whether a value is an id: a text that is not empty. */
export const isId = (id: unknown): id is string => typeof id === "string" && id !== "";
/** Returns a value that is a text; null for any other. */
export const textOf = (value: unknown): string | null => (typeof value === "string" ? value : null);
/** Returns a value that is a finite number; null for any other. */
export const numberOf = (value: unknown): number | null =>
  typeof value === "number" && Number.isFinite(value) ? value : null;

function within01(value: unknown): number | null {
  const number = numberOf(value);
  return number === null ? null : Math.min(Math.max(number, 0), 1);
}

/** Returns a sequence number that is exact as a double; null for any other. */
const sequenceOf = (sequence: number): number | null =>
  Number.isSafeInteger(sequence) && sequence >= 0 ? sequence : null;

/**
 * Returns when a memory was created, in milliseconds since 1970; undefined if its row does not say.
 */
export const createdAtOf = (
  row: Pick<IndexedNodeRow, "provenance_created_at" | "created_at">,
): number | undefined => instantOf(row.provenance_created_at) ?? instantOf(row.created_at);

/**
 * Returns a memory as the index takes it at `now`; `dimensions` is the index's number of
 * components.
 */
export function memoryNodeOf(row: IndexedNodeRow, dimensions: number, now: number): MemoryNode {
  const created_at = createdAtOf(row) ?? 0;
  const soft = softNodeOf(row, now);
  return {
    ...soft,
    // Without an access the index uses the time of creation, which must not lie ahead of the clock.
    last_accessed: soft.last_accessed ?? (created_at > now ? now : null),
    type: textOf(row.type) ?? TYPE_OF_NONE,
    subtype: textOf(row.subtype),
    created_at,
    difficulty: within01(row.neural_difficulty),
    clusters: clustersOf(row),
    tags: labelsOf(row),
    embedding: vectorOf(row.embedding_vector, dimensions),
    sequence: sequenceOf(row.sequence),
  };
}

/** Returns the label of the index for a user, a session or a tag. */
export const labelOf = (kind: "user" | "session" | "tag", name: string): string =>
  `${kind}:${kind === "tag" ? foldedTag(name) : name}`;

/** Returns a tag as it is compared: without case, and with letters composed. */
export const foldedTag = (tag: string): string => tag.normalize("NFC").toLowerCase();

/** The subtype of a summary. */
export const SUMMARY = "summary";
/** The source of a summary that a consolidation wrote. */
export const CONSOLIDATION = "consolidation";
/** The label of the index for summaries that a consolidation wrote. */
export const WRITTEN_SUMMARY = "written:summary";

/** Returns whether a consolidation wrote a memory as a summary of others. */
export const isWrittenSummary = (
  row: Readonly<Record<"subtype" | "provenance_source", unknown>>,
): boolean => row.subtype === SUMMARY && row.provenance_source === CONSOLIDATION;

/** Returns the labels of a memory, by which the index filters. */
function labelsOf(row: IndexedNodeRow): string[] {
  const { user_id, session_id, tags } = row;
  const [user, session] = [textOf(user_id), textOf(session_id)];
  return [
    ...(isWrittenSummary(row) ? [WRITTEN_SUMMARY] : []),
    ...(user === null ? [] : [labelOf("user", user)]),
    ...(session === null ? [] : [labelOf("session", session)]),
    ...(tags === null ? [] : namesIn(tags).map((tag) => labelOf("tag", tag))),
  ];
}

/** The fields of a memory by which the index answers questions. */
export type MemoryTexts = Pick<MemoryNode, "title" | "text" | "event_time" | "utc_offset">;

/**
 * Returns the texts by which a memory is found, the time of its event, and the clock by which its
 * day is told: its event's own, else that of the zone. Kind and tags stand before the title, so that
 * they count like its words: people ask for "the last lesson about billing". Summary and body are
 * one text.
 */
export function textsOf(
  row: TextRow & Partial<Pick<IndexedNodeRow, "provenance_created_at" | "created_at">>,
  zone = "UTC",
): MemoryTexts {
  const event_time = instantOf(row.temporal_event_time);
  const { provenance_created_at = null, created_at = null } = row;
  const at = event_time ?? createdAtOf({ provenance_created_at, created_at });
  const own = event_time === undefined ? undefined : offsetOf(row.temporal_event_time!);
  const tags = row.tags === null ? [] : namesIn(row.tags);
  const labels = joined([kindInWords(textOf(row.subtype) ?? ""), ...tags], " ");
  return {
    // A full stop ends a sentence, and so does a line break.
    title: joined([labels, textOf(row.content_title)], ". "),
    text: joined([textOf(row.content_summary), shownBody(row.content_body)], "\n"),
    event_time: event_time ?? null,
    utc_offset: own ?? (at === undefined ? 0 : offsetIn(zone, at)),
  };
}

const joined = (texts: readonly (string | null)[], between: string): string =>
  texts.filter((text) => text !== null && text !== "").join(between);

/** Returns the names in a JSON array. Another program may have written it. */
export function namesIn(json: unknown): string[] {
  try {
    const names: unknown = JSON.parse(textOf(json) ?? "[]");
    return Array.isArray(names) ? names.filter((name) => typeof name === "string") : [];
  } catch {
    return [];
  }
}

/** Returns soft state as the index takes it at `now`. */
export function softNodeOf(row: SoftRow, now: number): MemoryNode {
  return {
    id: row.id,
    last_accessed: accessOf(row, now),
    access_count: Math.min(
      Math.max(Math.trunc(numberOf(row.neural_access_count) ?? 0), 0),
      MAX_ACCESSES,
    ),
    stability: numberOf(row.neural_stability),
    retrievability: within01(row.neural_retrievability),
    lifecycle: isState(row.state_lifecycle) ? row.state_lifecycle : null,
  };
}

/**
 * Returns the last access of a memory. An access ahead of the clock counts as made now: its recency
 * would have no bound.
 */
function accessOf(row: SoftRow, now: number): number | undefined {
  const at = instantOf(row.neural_last_accessed);
  if (at === undefined || at <= now) return at;
  return at - now > MAX_JUMP ? undefined : now;
}

/**
 * Returns whether a stored access lies ahead of the clock by at most `MAX_JUMP`: an earlier clock
 * was ahead. An access further ahead means "never", or the clock is wrong now; it is left as it is.
 */
export function isAccessAhead(row: SoftRow, now: number): boolean {
  const ahead = (instantOf(row.neural_last_accessed) ?? now) - now;
  return ahead > MAX_AHEAD && ahead <= MAX_JUMP;
}

const instantOf = (value: unknown): number | undefined =>
  typeof value === "string" ? parseInstant(value) : undefined;

/** Memories of a session are a run, as those of a cluster are. */
function clustersOf({ clusters, session_id }: IndexedNodeRow): string[] {
  const own = clusters === "[]" ? [] : (JSON.parse(clusters) as unknown[]).filter(isId);
  const session = textOf(session_id);
  return own.length > 0 || session === null ? own : [labelOf("session", session)];
}

/**
 * Returns a stored embedding; null if its length differs, if it is all zeros, or if a component is
 * not a finite number.
 */
export function vectorOf(bytes: Uint8Array | null, dimensions: number): Float32Array | null {
  if (
    bytes === null ||
    dimensions === 0 ||
    bytes.byteLength !== dimensions * Float32Array.BYTES_PER_ELEMENT
  )
    return null;
  // The copy aligns the bytes for floats.
  const vector = new Float32Array(new Uint8Array(bytes).buffer);
  let [isSome, isSound] = [false, true];
  for (const component of vector) {
    isSome ||= component !== 0;
    isSound &&= Number.isFinite(component);
  }
  return isSome && isSound ? vector : null;
}

/** Returns an edge as the index takes it. */
export function memoryEdgeOf({
  id,
  type,
  source_id,
  target_id,
  strength,
  sequence,
}: EdgeRow): MemoryEdge {
  return {
    id,
    type: textOf(type) ?? TYPE_OF_NO_EDGE,
    source_id,
    target_id,
    strength: within01(strength),
    sequence: sequenceOf(sequence),
  };
}
