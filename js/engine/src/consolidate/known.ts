// What earlier cycles left in lessons and playbooks: by it a later one knows its own patterns
// again.

import { type Fields, isFields } from "../arguments.ts";
import type { EngineContext } from "../engine-context.ts";
import { invalid, invalidEntry, invalidShape, show } from "../errors.ts";
import { withText } from "../text.ts";
import { parsed } from "./episodes.ts";
import type { ExistingRow, PatternFigures, TradeCondition } from "./types.ts";

/** Stands in the body of what consolidation made, under `consolidation`. @internal */
export interface ConsolidationRecord {
  agent: string;
  symbol: string;
  analysis: "statistics" | "model";
  /** What sets the trades apart; a language model has none to name. */
  condition: TradeCondition | null;
  /** Of the ids of the episodes that it rests on. */
  fingerprint: string;
  figures?: PatternFigures;
}

/** A lesson or a playbook that consolidation made. @internal */
export interface Known {
  id: string;
  body: Fields;
  record: ConsolidationRecord;
}

/** Reads those of the rows that consolidation made; of several with one id the first. @internal */
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
 * Levels that can be written as JSON again, however little stack there is; reading has no such
 * bound.
 */
const MOST_LEVELS = 32;

const isWritable = (value: unknown, levels: number): boolean =>
  typeof value !== "object" ||
  value === null ||
  (levels > 0 && Object.values(value).every((each) => isWritable(each, levels - 1)));

/** The fields of a body that are nested no deeper than can be written. */
const writable = (body: Fields): Fields =>
  Object.fromEntries(Object.entries(body).filter(([, value]) => isWritable(value, MOST_LEVELS)));

/** A record as it was left; whoever else writes to a memory may have put anything there. */
function recordIn(value: unknown): ConsolidationRecord | null {
  if (!isFields(value) || !isWritable(value, MOST_LEVELS)) return null;
  const { agent, symbol, analysis, fingerprint } = value;
  // What is no condition is none.
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
 * Whether two records rest on the same episodes and tell the same of them; what else was tested is
 * no matter. @internal
 */
export function isSameRecord(one: ConsolidationRecord, other: ConsolidationRecord): boolean {
  const told = ({ condition, fingerprint, figures }: ConsolidationRecord) =>
    JSON.stringify([condition, fingerprint, { ...figures, q_value: null }]);
  return told(one) === told(other);
}

/** A sum over ids in any order that tells them from others. @internal */
export function fingerprintOf(context: EngineContext, ids: readonly string[]): string {
  const text = JSON.stringify([...ids].sort());
  const sum = withText(context.pool, text, 0, ({ engine }, length) => engine.fingerprint(length));
  return sum.toString(16).padStart(16, "0");
}
