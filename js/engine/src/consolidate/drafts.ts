// Drafts: the patterns of a group, by statistics or by a language model, before known ones are
// sorted out.

import type { Fields } from "../arguments.ts";
import type { EngineContext } from "../engine-context.ts";
import { extractPlaybookTrigger, parsePatternOutput } from "./answer.ts";
import { GENERAL, type Group } from "./episodes.ts";
import type { Generalized } from "./generalized.ts";
import { type ConsolidationRecord, fingerprintOf, isSameCondition, type Known } from "./known.ts";
import type { Finding } from "./patterns.ts";
import { promptOf } from "./prompt.ts";
import { type Questions, readAnalysis } from "./questions.ts";
import { sentenceOf } from "./sentence.ts";
import type { AnalyzePattern, PatternFigures } from "./types.ts";

/** A pattern to write, unless it is known. @internal */
export interface Draft {
  title: string;
  text: string;
  /** Fields of a playbook's body besides the text; null for a lesson. */
  playbook: Fields | null;
  /** Ids of the episodes that the pattern generalizes. */
  episodes: readonly string[];
  record: ConsolidationRecord;
  /** The lesson or playbook that already holds the pattern. */
  known: Known | null;
}

/** The state before the consolidation. @internal */
export interface Before {
  context: EngineContext;
  agent: string;
  known: ReadonlyMap<string, Known>;
  generalized: Generalized;
}

/** Returns the trigger, action and direction of a playbook, with an empty record. */
const playbookOf = (
  symbol: string,
  trigger: Fields,
  action: string,
  direction: string,
): Fields => ({
  // A pattern of one symbol does not hold for others.
  trigger: { symbols: symbol === GENERAL ? null : [symbol], ...trigger },
  ...{ action, direction, success_count: 0, sample_size: 0 },
});

/** Returns the drafts of a group from the findings of all groups. @internal */
export function draftsOf(symbol: string, findings: readonly Finding[], before: Before): Draft[] {
  return findings.flatMap((finding) => {
    if (!finding.kept || finding.symbol !== symbol) return [];
    const { title, text, action } = sentenceOf(finding);
    const { conditions, direction, trade_ids: episodes, playable } = finding;
    const kinds = conditions.flatMap(({ kind, value }) => (kind === "anomaly_type" ? [value] : []));
    const isPlaybook = playable && direction !== undefined && kinds.length > 0;
    const playbook = isPlaybook
      ? playbookOf(symbol, { anomaly_types: kinds }, action, direction)
      : null;
    const { known, condition } = knownAs(finding, before);
    const fingerprint = fingerprintOf(before.context, episodes);
    const figures = figuresOf(finding);
    const record = {
      agent: before.agent,
      symbol,
      analysis: "statistics",
      condition,
      fingerprint,
      figures,
    } as const;
    // A playbook for one direction does not hold for the other.
    const isMirrored =
      known !== null && !conditions.some((one) => isSameCondition(one, known.record.condition));
    return isMirrored && known.body.trigger !== undefined
      ? []
      : [{ title, text, playbook, episodes, record, known }];
  });
}

/**
 * Returns the memory that already holds a pattern, and the condition to store. The opposite
 * condition counts as the same pattern, because both sides are one test.
 */
function knownAs({ symbol, conditions, opposite }: Finding, { agent, known }: Before) {
  const own = [...known.values()].filter(
    ({ record }) =>
      record.analysis === "statistics" && record.agent === agent && record.symbol === symbol,
  );
  for (const condition of conditions) {
    const same = own.find(({ record }) => isSameCondition(condition, record.condition));
    if (same !== undefined) return { known: same, condition };
  }
  const mirrored = own.find(({ record }) =>
    opposite.some((one) => isSameCondition(one, record.condition)),
  );
  return { known: mirrored ?? null, condition: conditions[0]! };
}

function figuresOf({
  n,
  wins,
  rate,
  interval,
  rest_n,
  rest_wins,
  rest_rate,
  lift,
  ...more
}: Finding): PatternFigures {
  const { mean_return_pct, p_value, q_value } = more;
  return {
    n,
    wins,
    rate,
    interval,
    rest_n,
    rest_wins,
    rest_rate,
    lift,
    mean_return_pct,
    p_value,
    q_value,
  };
}

/**
 * Asks a language model for the pattern of a group: one draft or none. Returns null without a call
 * if an earlier answer about the same episodes is stored.
 *
 * @internal
 */
export async function askModel<Row>(
  { symbol, episodes }: Group<Row>,
  analyze: AnalyzePattern<Row>,
  questions: Questions,
  { context, agent, known, generalized }: Before,
): Promise<Draft[] | null> {
  const ids = episodes.map(({ id }) => id);
  const record = {
    agent,
    symbol,
    analysis: "model",
    condition: null,
    fingerprint: fingerprintOf(context, ids),
  } as const;
  for (const { record: other } of known.values()) {
    const isOfModel =
      other.analysis === "model" && other.agent === agent && other.symbol === symbol;
    if (isOfModel && other.fingerprint === record.fingerprint) return null;
  }
  for (const id of generalized.over(ids))
    if (known.get(id)?.record.analysis !== "statistics") return null;

  const prompt = promptOf(symbol, episodes);
  const group = { symbol, episodes: episodes.map(({ row }) => row) };
  const answer = await questions.ask(
    "analyze",
    (options) => analyze(prompt, group, options),
    readAnalysis,
  );
  const { title, body: text } = parsePatternOutput(answer);
  if (title === null || text === null) return [];
  return [
    { title, text, playbook: playbookIn(answer, symbol), episodes: ids, record, known: null },
  ];
}

const isShare = (value: unknown): value is number =>
  typeof value === "number" && value >= 0 && value <= 1;

/** Returns the playbook of a language model's trigger; null without a trigger. */
function playbookIn(answer: string, symbol: string): Fields | null {
  const trigger = extractPlaybookTrigger(answer);
  if (trigger === null) return null;
  const { anomaly_types, symbols, min_severity, direction, action } = trigger;
  const isNamed =
    Array.isArray(symbols) &&
    symbols.length > 0 &&
    symbols.every((name) => typeof name === "string");
  const read = {
    anomaly_types,
    ...(isNamed ? { symbols } : {}),
    // The severity of an anomaly is at most 1: a percentage would never match.
    ...(isShare(min_severity) ? { min_severity } : {}),
  };
  const side = typeof direction === "string" ? direction.trim().toLowerCase() : "";
  const known = side === "long" || side === "short" ? side : "either";
  return playbookOf(symbol, read, typeof action === "string" ? action.trim() : "", known);
}
