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
import { maxBytes, writeText } from "../text.ts";

/**
 * The fields of a memory that a line shows. Null counts as missing.
 *
 * @example
 * ```ts
 * const row = { subtype: "custom:lesson", content_title: "Gold", content_body: "Breakouts fail." };
 * ```
 */
export interface MemoryRow {
  /** Subtype, such as `custom:lesson`. The line shows it without its prefix. */
  subtype?: string | null | undefined;
  /** Shown if the subtype is missing. */
  type?: string | null | undefined;
  /**
   * The section to show. If it is empty or missing: the section of the subtype, or of the type if
   * the subtype is missing.
   */
  memory_section?: string | null | undefined;
  /** Title. Default `Untitled`. */
  content_title?: string | null | undefined;
  /** Text, or a JSON object whose `text` is shown. */
  content_body?: string | null | undefined;
  /** Shown in place of an empty body. */
  content_summary?: string | null | undefined;
  /** ISO 8601 text, or a `Date`. Its date is shown. */
  provenance_created_at?: string | Date | null | undefined;
}

/** Options of `formatContext`. */
export interface FormatContextOptions {
  /**
   * Whether an empty text counts as a missing one: an empty subtype is replaced by the type, an
   * empty title by `Untitled`. If false, both are shown empty, as Hynous shows them. Default false.
   */
  emptyAsMissing?: boolean | undefined;
}

/** The fields in the order in which they are passed to the module. */
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
      room += maxBytes(text?.length ?? 0);
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
 * Returns a passage for an agent's system prompt. It describes the four sections: what each holds,
 * how fast it decays, and for which questions it is ranked first. It also says that recalled
 * memories carry their section as a tag.
 *
 * @throws {NousError} `not_initialized` before the module is loaded.
 *
 * @example
 * ```ts
 * const system = `${identity}\n\n${memoryGuidance()}`;
 * ```
 */
export function memoryGuidance(): string {
  return idle().memory_guidance();
}
