// Memories of a prompt: checks the caller's memories, and converts stored rows.

import { type Fields, finiteScore, isFields, listOf, requireShort } from "../arguments.ts";
import type { EngineContext } from "../engine-context.ts";
import { invalid, invalidEntry, invalidShape, problemWith, show } from "../errors.ts";
import { moduleConstants } from "../generated/constants.ts";
import { toMilliseconds } from "../instant.ts";
import type { Instant } from "../types.ts";
import type { MemoryRow } from "./lines.ts";
import { type MemoryType, memoryTypeOf } from "./turn.ts";
import type { ContextMemory } from "./types.ts";

/** A memory after it was checked. Missing fields have neutral values. @internal */
export interface FoundMemory {
  id: string;
  type: MemoryType;
  score: number;
  text: string;
  outcome: string;
  /** Topic for the diversity rule of its type; "" for none. */
  topic: string;
  /** NaN if missing. */
  confidence: number;
  domain: string;
  activations: number;
  /** NaN if missing. */
  effectiveness: number;
  /** Milliseconds since 1970; −∞ if unknown. */
  createdAt: number;
  /** Milliseconds since 1970; −∞ if it tells of no event, or of one whose time is unknown. */
  eventTime: number;
  frame: string | null;
  censors: readonly string[];
}

/** A stored row that a search found. */
export interface RecalledRow extends MemoryRow {
  /** Id of the memory. */
  id: string;
  /** Score of the search. Read as in merging: anything but a number counts as 0. */
  score?: unknown;
  /** Tags of the memory. */
  tags?: readonly string[] | null | undefined;
  /** Used if `provenance_created_at` is missing. */
  created_at?: Instant | null | undefined;
  /** The time of the event that the memory tells of. */
  temporal_event_time?: Instant | null | undefined;
}

/** The last instant that a `Date` holds, in milliseconds since 1970. */
const LATEST = 8.64e15;
const isMoment = (milliseconds: number): boolean => Math.abs(milliseconds) <= LATEST;
const TYPES = new Set<unknown>(moduleConstants.memory_types.names);

/**
 * Checks a memory of the caller's. Throws `invalid_argument` with place, id and field. @internal
 */
export function readMemory(memory: ContextMemory, place: number, asked: MemoryType): FoundMemory {
  if (typeof memory !== "object" || memory === null) throw invalidShape("memories", place, memory);
  const reader = new Reader(memory, place);
  const { id, score, text, created_at, frame } = memory;
  const type = memory.type ?? asked;
  if (!TYPES.has(type)) throw reader.wrong("type", `one of ${[...TYPES].join(", ")}`, type);
  if (typeof id !== "string" || id === "")
    throw reader.wrong("id", "a string that is not empty", id);
  if (!Number.isFinite(score)) throw reader.wrong("score", "a finite number", score);
  if (typeof text !== "string") throw reader.wrong("text", "a string", text);
  const activations = memory.activations ?? 0;
  if (!Number.isSafeInteger(activations) || activations < 0) {
    throw reader.wrong("activations", "a whole number of at least 0", activations);
  }
  const createdAt = created_at == null ? Number.NEGATIVE_INFINITY : toMilliseconds(created_at);
  if (created_at != null && !isMoment(createdAt))
    throw reader.wrong("created_at", "an instant", created_at);
  const { event_time } = memory;
  const eventTime = event_time == null ? Number.NEGATIVE_INFINITY : toMilliseconds(event_time);
  if (event_time != null && !isMoment(eventTime))
    throw reader.wrong("event_time", "an instant", event_time);
  const category = reader.text("category", memory.category);
  const subject = reader.text("subject", memory.subject);
  const [tag = ""] = reader.texts("tags", memory.tags);
  const topics = { decision: category, fact: subject, procedure: "", episode: tag, signal: "" };
  return {
    id,
    type,
    score,
    text,
    outcome: reader.text("outcome", memory.outcome),
    topic: topics[type],
    confidence: reader.share("confidence", memory.confidence),
    domain: reader.text("domain", memory.domain),
    activations,
    effectiveness: reader.share("effectiveness", memory.effectiveness),
    createdAt,
    eventTime,
    frame: frame == null ? null : reader.text("frame", frame),
    censors: reader.texts("censors", memory.censors),
  };
}

/** Checks the fields of one memory. */
class Reader {
  constructor(
    readonly memory: object,
    readonly place: number,
  ) {}

  wrong(field: string, wanted: string, found: unknown): Error {
    return invalidEntry(
      "memories",
      this.place,
      this.memory,
      field,
      problemWith(`must be ${wanted}`, found),
    );
  }

  /** Returns "" for a missing text. */
  text(field: string, value: unknown): string {
    if (value == null) return "";
    if (typeof value !== "string") throw this.wrong(field, "a string", value);
    return value;
  }

  /** Returns NaN for a missing share. */
  share(field: string, value: unknown): number {
    if (value == null) return Number.NaN;
    if (!(typeof value === "number" && value >= 0 && value <= 1))
      throw this.wrong(field, "a number from 0 to 1", value);
    return value;
  }

  texts(field: string, value: unknown): readonly string[] {
    if (value == null) return [];
    if (Array.isArray(value)) requireShort(`memories.${field}`, value);
    const texts: unknown[] = Array.isArray(value) ? Array.from(value) : [value];
    if (!Array.isArray(value) || !texts.every((each) => typeof each === "string")) {
      throw this.wrong(field, "a list of strings", value);
    }
    return texts as string[];
  }
}

/** The day of an instant in UTC, such as 2026-01-15; "" if unknown. @internal */
export function dayOf(moment: number): string {
  return Number.isFinite(moment) ? new Date(moment).toISOString().split("T")[0]! : "";
}

/** @internal */
export function contextMemory(context: EngineContext, row: RecalledRow): ContextMemory {
  if (typeof row !== "object" || row === null)
    throw invalid("row", `must be an object, found ${show(row)}`);
  const { id, subtype, content_title, content_summary, tags, score } = row;
  const type = memoryTypeOf(context, subtype);
  const body = bodyOf(row.content_body);
  const figures = isFields(body.signals) ? body.signals : {};
  const title = textIn(content_title);
  const substance = textIn(content_summary) ?? textIn(body.text);
  // The title of a decision or a procedure is its text. For other types the title alone is too
  // little.
  const isNamed =
    title !== undefined && (type === "decision" || type === "procedure" || substance === undefined);
  const labels: string[] = Array.isArray(tags)
    ? listOf("tags", tags).filter((tag) => textIn(tag) !== undefined)
    : [];
  const [topic] = labels;
  const tried = countIn(body.sample_size);
  const worked = countIn(body.success_count);
  return {
    id,
    type,
    score: finiteScore(score),
    text: isNamed ? title : [title, substance].filter((part) => part !== undefined).join(": "),
    outcome: textIn(body.outcome) ?? textIn(figures.outcome),
    confidence: shareIn(body.confidence) ?? shareIn(figures.confidence),
    subject: textIn(body.subject) ?? topic,
    category: textIn(body.category) ?? topic,
    domain: textIn(body.domain) ?? topic,
    activations: tried,
    effectiveness: tried && worked !== undefined ? shareIn(worked / tried) : undefined,
    tags: labels,
    created_at: momentIn(row.provenance_created_at) ?? momentIn(row.created_at),
    event_time: momentIn(row.temporal_event_time),
  };
}

/** Returns the fields of a JSON body; for other text an object with that text. @internal */
export function bodyOf(body: unknown): Fields {
  if (typeof body !== "string") return {};
  try {
    const parsed: unknown = body.startsWith("{") ? JSON.parse(body) : undefined;
    if (isFields(parsed)) return parsed;
  } catch (error) {
    // A stack overflow says nothing about the body.
    if (!(error instanceof SyntaxError)) throw error;
  }
  return { text: body };
}

/** @internal */
export const textIn = (value: unknown): string | undefined =>
  typeof value === "string" && value !== "" ? value : undefined;
/** @internal */
export const momentIn = (value: Instant | null | undefined): Instant | undefined =>
  value != null && isMoment(toMilliseconds(value)) ? value : undefined;
const shareIn = (value: unknown): number | undefined =>
  typeof value === "number" && value >= 0 && value <= 1 ? value : undefined;
const countIn = (value: unknown): number | undefined =>
  Number.isSafeInteger(value) && (value as number) >= 0 ? (value as number) : undefined;
