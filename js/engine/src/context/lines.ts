// Recalled memories as lines of a prompt.

import { flagOf } from "../arguments.ts";
import type { EngineContext } from "../engine-context.ts";
import { invalid, invalidEntry, invalidShape, isDate, show } from "../errors.ts";
import {
  LINE_BODY,
  LINE_CREATED_AT,
  LINE_SECTION,
  LINE_SUBTYPE,
  LINE_SUMMARY,
  LINE_TITLE,
  LINE_TYPE,
  NO_TEXT,
} from "../generated/layout.ts";
import { idle } from "../runtime.ts";
import { mostBytes, writeText } from "../text.ts";

/** A recalled memory, as much of it as a line shows. Null counts as missing. */
export interface MemoryRow {
  /** Such as `custom:lesson`; the label, without its prefix. */
  subtype?: string | null | undefined;
  /** The label if the subtype is missing. */
  type?: string | null | undefined;
  /**
   * The section shown; if empty or missing, that of the subtype, or of the type if the subtype is
   * missing.
   */
  memory_section?: string | null | undefined;
  /** `Untitled` if missing. */
  content_title?: string | null | undefined;
  /** Text, or a JSON object whose `text` is shown. */
  content_body?: string | null | undefined;
  /** Shown in place of an empty body. */
  content_summary?: string | null | undefined;
  /** ISO 8601 text, or a `Date`; its date is shown. */
  provenance_created_at?: string | Date | null | undefined;
}

/** How lines of context are made. */
export interface FormatContextOptions {
  /**
   * Whether an empty text counts as a missing one: an empty subtype gives way to the type, an empty
   * title to `Untitled`. Off, both are shown empty, as Hynous shows them. Default false.
   */
  emptyAsMissing?: boolean | undefined;
}

/** The fields in their order on the wire. */
const FIELDS = Object.entries({
  subtype: LINE_SUBTYPE,
  type: LINE_TYPE,
  memory_section: LINE_SECTION,
  content_title: LINE_TITLE,
  content_body: LINE_BODY,
  content_summary: LINE_SUMMARY,
  provenance_created_at: LINE_CREATED_AT,
} satisfies Record<keyof MemoryRow, number>)
  .sort(([, one], [, other]) => one - other)
  .map(([field]) => field as keyof MemoryRow);

/** @internal */
export function formatContext(
  context: EngineContext,
  results: readonly MemoryRow[],
  maxTokens = 4000,
  options: FormatContextOptions = {},
): string | null {
  if (!Array.isArray(results)) throw invalid("results", `must be an array, found ${show(results)}`);
  if (typeof maxTokens !== "number" || !(maxTokens >= 0)) {
    throw invalid("maxTokens", `must be a number of at least 0, found ${show(maxTokens)}`);
  }
  const emptyAsMissing = emptyOption(options);
  const texts: (string | undefined)[] = [];
  let room = 0;
  for (const [index, row] of results.entries()) {
    if (typeof row !== "object" || row === null) throw invalidShape("results", index, row);
    for (const field of FIELDS) {
      const text = fieldOf(row, field, index);
      texts.push(text === "" && emptyAsMissing ? undefined : text);
      room += mostBytes(text?.length ?? 0);
    }
  }
  const lease = context.pool.acquire();
  try {
    lease.reserve(texts.length, 0, room);
    const { numbers, bytes, numbersAt } = lease;
    let at = lease.bytesAt;
    for (let place = 0; place < texts.length; place++) {
      const text = texts[place];
      const length = text === undefined ? NO_TEXT : writeText(text, bytes, at);
      numbers[numbersAt + place] = length;
      if (length > 0) at += length;
    }
    return lease.engine.format_context(results.length, maxTokens) ?? null;
  } finally {
    context.pool.release(lease);
  }
}

function emptyOption(options: FormatContextOptions): boolean {
  if (typeof options !== "object" || options === null) {
    throw invalid("options", `must be an object, found ${show(options)}`);
  }
  return flagOf("emptyAsMissing", options.emptyAsMissing, false);
}

function fieldOf(row: MemoryRow, field: keyof MemoryRow, index: number): string | undefined {
  const value = row[field];
  if (value == null) return undefined;
  if (typeof value === "string") return value;
  if (field === "provenance_created_at" && isDate(value) && !Number.isNaN(value.getTime())) {
    return value.toISOString();
  }
  throw invalidEntry("results", index, row, field, `must be a string, found ${show(value)}`);
}

/**
 * A short passage for an agent's system prompt: the four sections, what each holds, how fast it
 * fades, for what sort of question it is put first, and that recalled memories carry their section
 * as a tag.
 */
export function memoryGuidance(): string {
  return idle().memory_guidance();
}
