// Known patterns: reads the records that earlier consolidations left in lessons and playbooks. A
// later consolidation recognizes its own patterns by them.

import { type Fields, isFields } from "../arguments.ts";
import type { EngineContext } from "../engine-context.ts";
import { invalid, invalidEntry, invalidShape, show } from "../errors.ts";
import { withText } from "../text.ts";
import { parsed } from "./episodes.ts";
import type { ExistingRow, PatternFigures, TradeCondition } from "./types.ts";

/** The record in the body of a consolidated memory, under `consolidation`. @internal */
export interface ConsolidationRecord {
  agent: string;
  symbol: string;
  analysis: "statistics" | "model";
  /** The condition of the pattern; null for the analysis of a language model. */
  condition: TradeCondition | null;
  /** Fingerprint of the ids of its episodes. */
  fingerprint: string;
  figures?: PatternFigures;
}

/** A consolidated lesson or playbook. @internal */
export interface Known {
  id: string;
  body: Fields;
  record: ConsolidationRecord;
}

/**
 * Reads the rows that consolidation wrote. Of several rows with one id the first counts. @internal
 */
export function knownIn(rows: readonly ExistingRow[]): Map<string, Known> {
  if (!Array.isArray(rows)) throw invalid("existing", `must be an array, found ${show(rows)}`);
  const known = new Map<string, Known>();
  const seen = new Set<string>();
  for (let place = 0; place < rows.length; place++) {
    const row: unknown = rows[place];
    if (!isFields(row)) throw invalidShape("existing", place, row);
    const { id, content_body } = row;
    const wrong = (field: string, wanted: string, found: unknown) =>
      invalidEntry("existing", place, row, field, `must be ${wanted}, found ${show(found)}`);
    if (typeof id !== "string" || id === "") throw wrong("id", "a string that is not empty", id);
    if (content_body != null && typeof content_body !== "string")
      throw wrong("content_body", "a string", content_body);
    const body = seen.has(id) || content_body == null ? undefined : parsed(content_body);
    seen.add(id);
    const record = isFields(body) ? recordIn(body.consolidation) : null;
    if (isFields(body) && record !== null) known.set(id, { id, body: writable(body), record });
  }
  return known;
}

/**
 * The most levels of a body. Deeper values could overflow the stack when they are written as JSON.
 * Reading has no such bound.
 */
const MAX_LEVELS = 32;

const isWritable = (value: unknown, levels: number): boolean =>
  typeof value !== "object" ||
  value === null ||
  (levels > 0 && Object.values(value).every((each) => isWritable(each, levels - 1)));

/** Returns the fields of a body that are not too deep to be written. */
const writable = (body: Fields): Fields =>
  Object.fromEntries(Object.entries(body).filter(([, value]) => isWritable(value, MAX_LEVELS)));

/** Checks a record. Other programs write to memories, too, so it may hold anything. */
function recordIn(value: unknown): ConsolidationRecord | null {
  if (!isFields(value) || !isWritable(value, MAX_LEVELS)) return null;
  const { agent, symbol, analysis, fingerprint } = value;
  // A condition that is no object counts as none.
  const condition = isFields(value.condition) ? value.condition : null;
  const texts = [agent, symbol, fingerprint, condition === null ? "" : condition.value];
  const isSound =
    texts.every((text) => typeof text === "string") &&
    (analysis === "statistics" || analysis === "model");
  return isSound ? ({ ...value, condition } as unknown as ConsolidationRecord) : null;
}

/** @internal */
export function isSameCondition(one: TradeCondition, other: TradeCondition | null): boolean {
  if (other === null || one.kind !== other.kind || one.value !== other.value) return false;
  return one.kind !== "signal" || (other.kind === "signal" && one.field === other.field);
}

/**
 * Returns whether two records have the same episodes, condition and figures. The q value is
 * ignored, because it depends on the other tests. @internal
 */
export function isSameRecord(one: ConsolidationRecord, other: ConsolidationRecord): boolean {
  const comparable = ({ condition, fingerprint, figures }: ConsolidationRecord) =>
    JSON.stringify([condition, fingerprint, { ...figures, q_value: null }]);
  return comparable(one) === comparable(other);
}

/** Returns a hash of a set of ids, regardless of their order. @internal */
export function fingerprintOf(context: EngineContext, ids: readonly string[]): string {
  const text = JSON.stringify([...ids].sort());
  const sum = withText(context.pool, text, 0, ({ engine }, length) => engine.fingerprint(length));
  return sum.toString(16).padStart(16, "0");
}
