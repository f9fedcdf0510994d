// What an analysis says of a group, before anybody looks whether it is known: by statistics, or by
// a language model.

import type { Fields } from "../arguments.ts";
import type { EngineContext } from "../engine-context.ts";
import { extractPlaybookTrigger, parsePatternOutput } from "./answer.ts";
import { GENERAL, type Group } from "./episodes.ts";
import type { Generalized } from "./generalized.ts";
import { type ConsolidationRecord, fingerprintOf, isSameCondition, type Known } from "./known.ts";
import type { Finding } from "./patterns.ts";
import { promptOf } from "./prompt.ts";
import { type Questions, readAnalysis } from "./questions.ts";
import { tell } from "./sentence.ts";
import type { AnalyzePattern, PatternFigures } from "./types.ts";

/** What is to be written, unless it is there. @internal */
export interface Draft {
  title: string;
  text: string;
  /** What a playbook's body has beside the text; none for a lesson. */
  playbook: Fields | null;
  /** Ids of the episodes that it generalizes. */
  episodes: readonly string[];
  record: ConsolidationRecord;
  /** The lesson or playbook that tells the pattern already. */
  known: Known | null;
}

/** What there is before a cycle. @internal */
export interface Before {
  context: EngineContext;
  agent: string;
  known: ReadonlyMap<string, Known>;
  generalized: Generalized;
}

/** A playbook's trigger, action and direction, and nothing yet to its record. */
const playbookOf = (
  symbol: string,
  trigger: Fields,
  action: string,
  direction: string,
): Fields => ({
  // What was seen of one symbol says nothing of others.
  trigger: { symbols: symbol === GENERAL ? null : [symbol], ...trigger },
  ...{ action, direction, success_count: 0, sample_size: 0 },
});

/** The patterns of a group, of those that trades add up to. @internal */
export function draftsOf(symbol: string, findings: readonly Finding[], before: Before): Draft[] {
  return findings.flatMap((finding) => {
    if (!finding.kept || finding.symbol !== symbol) return [];
    const { title, text, action } = tell(finding);
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
    // A playbook for one side is none for the other.
    const isMirrored =
      known !== null && !conditions.some((one) => isSameCondition(one, known.record.condition));
    return isMirrored && known.body.trigger !== undefined
      ? []
      : [{ title, text, playbook, episodes, record, known }];
  });
}

/**
 * What tells a pattern already, and the condition that it is to be known by: of either side, since
 * both are one question.
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
 * The pattern that a language model sees in a group: one or none; null where it need not be asked,
 * since what it said of the very same episodes is kept.
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

/** What a language model's trigger makes of a pattern; null without one. */
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
    // No anomaly is more severe than 1: a percentage would call up nothing.
    ...(isShare(min_severity) ? { min_severity } : {}),
  };
  const side = typeof direction === "string" ? direction.trim().toLowerCase() : "";
  const known = side === "long" || side === "short" ? side : "either";
  return playbookOf(symbol, read, typeof action === "string" ? action.trim() : "", known);
}
