// A consolidation of the last weeks as a view: the groups of episodes, the conditions that were
// tested on their trades, the patterns that were found, and the changes that a store would write.
// Nothing is written. `--json` prints `CycleReport`.

import {
  type ConsolidationPlan,
  findPatterns,
  type GroupPlan,
  groupEpisodes,
  type PlannedNode,
  type PlannedUpdate,
  planConsolidation,
  type TestedPattern,
  type TradeCondition,
} from "nous-wasm";
import { indented, wrap } from "./layout.ts";
import { kindOf, type Library, textOf } from "./library.ts";
import { headed, NARROWEST, type Screen, shortId } from "./render.ts";

/** The result of a consolidation. */
export interface CycleReport {
  format: 1;
  /** The present, in ISO 8601. */
  clock: string;
  /** The groups that are analysed, the largest first. */
  groups: GroupReport[];
  /**
   * The number of existing lessons and playbooks. Those of an earlier consolidation are updated,
   * not made again.
   */
  existing: number;
  /** The tested conditions, sorted by q value and then p value, ascending. */
  tested: TestedPattern[];
  /** The changes that a store would write, and the counts of the cycle. */
  plan: ConsolidationPlan;
}

interface GroupReport {
  symbol: string;
  /** The ids of the episodes, newest first. */
  episodes: string[];
  /** The number of episodes of each kind, such as "trade close". */
  kinds: Record<string, number>;
  /** The days of the oldest and of the newest episode. */
  from: string;
  to: string;
  /** The number of conditions that were tested on the symbol's closed trades. */
  tested: number;
}

/** The number of closest misses that are shown if no pattern is found. */
const MAX_MISSES = 5;
const LEARNED: ReadonlySet<string> = new Set(["custom:lesson", "custom:playbook"]);

/** Runs a consolidation at the library's present. */
export async function cycleReport(library: Library): Promise<CycleReport> {
  const { nodes, edges, at: now } = library;
  // The sample has no lifecycle states. A store has those of its sweeps.
  const faded = new Map(library.index.decay(now).transitions.map(({ id, to }) => [id, to]));
  const rows = nodes.map((node) => ({ ...node, state_lifecycle: faded.get(node.id) ?? "ACTIVE" }));
  const existing = nodes.filter(({ subtype }) => LEARNED.has(subtype));
  const groups = groupEpisodes(rows, { now });
  const { tested } = findPatterns(rows, edges, { symbols: groups.map(({ symbol }) => symbol) });
  return {
    format: 1,
    clock: new Date(now).toISOString(),
    groups: groups.map(({ symbol, episodes }) => {
      const kinds: Record<string, number> = {};
      for (const kind of episodes.map(kindOf)) kinds[kind] = (kinds[kind] ?? 0) + 1;
      const days = episodes
        .map(({ provenance_created_at }) => provenance_created_at.slice(0, 10))
        .sort();
      return {
        symbol,
        episodes: episodes.map(({ id }) => id),
        kinds,
        from: days.at(0) ?? "",
        to: days.at(-1) ?? "",
        tested: tested.filter((pattern) => pattern.symbol === symbol).length,
      };
    }),
    existing: existing.length,
    tested: tested.toSorted((a, b) => a.q_value - b.q_value || a.p_value - b.p_value),
    plan: await planConsolidation(rows, existing, { edges, now }),
  };
}

/** Renders the groups, the patterns or the closest misses, and the changes. */
export function renderConsolidation(report: CycleReport, screen: Screen): string {
  const fitted: Screen = { ...screen, width: Math.max(screen.width, NARROWEST) };
  const { width, colors } = fitted;
  const { groups, existing, tested, plan } = report;
  const { episodes_reviewed, groups_found, groups_analyzed } = plan.report;
  const kept = tested.filter((pattern) => pattern.kept);
  const stands = kept.length === 1 ? "stands out" : "stand out";
  const facts = `Recent episodes that are active: ${episodes_reviewed}. Lessons and playbooks that are there: ${existing}.`;
  return [
    colors.bold("› what the last weeks add up to"),
    ...indented(facts, 2, width),
    ...headed(`GROUPS  ${groups_analyzed} of ${groups_found} analysed, the largest first`, fitted),
    ...(groups.length > 0
      ? groups.flatMap((group) => groupLines(group, fitted))
      : ["None: too little happened."]),
    ...headed(`PATTERNS  ${kept.length} of ${tested.length} conditions tested ${stands}`, fitted),
    ...(kept.length > 0
      ? kept.flatMap((pattern) => patternLines(pattern, fitted))
      : noneLines(tested, fitted)),
    ...headed("WHAT WOULD BE WRITTEN  nothing is, here", fitted),
    ...(plan.groups.length > 0
      ? plan.groups.flatMap((group) => planLines(group, fitted))
      : ["Nothing."]),
  ].join("\n");
}

/** The width of the column of symbols. */
const SYMBOL = 6;
const symbolCell = (symbol: string): string => `${symbol.padEnd(SYMBOL - 1)} `;

function groupLines(
  { symbol, episodes, kinds, from, to, tested }: GroupReport,
  { width, colors }: Screen,
): string[] {
  const counts = Object.entries(kinds).map(([kind, count]) => `${kind} ×${count}`);
  const head = `${symbolCell(symbol)}${episodes.length} episodes, ${from} to ${to}: ${counts.join(", ")}`;
  const trades =
    tested === 0
      ? "too few closed trades to compare"
      : `conditions tested on its closed trades: ${tested}`;
  return [
    ...wrap(head, width, SYMBOL).map(
      (line) => colors.bold(line.slice(0, SYMBOL)) + line.slice(SYMBOL),
    ),
    ...indented(trades, SYMBOL, width).map((line) => colors.dim(line)),
  ];
}

/** Returns the lines that are shown without a pattern: the reason and the closest misses. */
function noneLines(tested: readonly TestedPattern[], screen: Screen): string[] {
  const { width } = screen;
  const [best] = tested;
  if (best === undefined)
    return wrap(
      "Nothing was tested: no group has trades enough for both sides of a condition.",
      width,
    );
  const why =
    `Nothing stands out. Where so much is tested, differences like these come about by chance: were the closest told, with ` +
    `all that are as close, ${percent(best.q_value)} % of them would be expected to be false (q ${best.q_value.toFixed(2)}).`;
  return [
    ...wrap(why, width),
    ...headed("THE CLOSEST MISSES  by q value", screen),
    ...tested.slice(0, MAX_MISSES).flatMap((pattern) => patternLines(pattern, screen)),
  ];
}

function patternLines(pattern: TestedPattern, { width, colors }: Screen): string[] {
  const { symbol, conditions, n, wins, rate, interval, rest_n, rest_wins, rest_rate } = pattern;
  const { lift, mean_return_pct: mean, p_value, q_value } = pattern;
  const head = `${symbolCell(symbol)}${conditions.map(inWords).join(" and ")}`;
  const [low, high] = interval.map(percent);
  const won = `${wins} of ${n} won (${percent(rate)} %, 95 % interval ${low}–${high} %)`;
  const others = `${rest_wins} of ${rest_n} (${percent(rest_rate)} %)`;
  const times = lift === null ? [] : [`lift ×${lift.toFixed(2)}`];
  const made = `${mean < 0 ? "−" : "+"}${Math.abs(mean).toFixed(1)} % on average`;
  const figures = [`p ${p_value.toFixed(3)}`, `q ${q_value.toFixed(3)}`, ...times, made];
  return [
    ...wrap(head, width, SYMBOL).map((line) => colors.bold(line)),
    ...indented(`${won}, others ${others}`, SYMBOL, width),
    ...indented(figures.join(", "), SYMBOL, width).map((line) => colors.dim(line)),
  ];
}

/** The number format of pattern sentences. */
const WHOLE = new Intl.NumberFormat("en-US", {
  maximumFractionDigits: 0,
  roundingMode: "halfEven",
});
const percent = (rate: number): string => WHOLE.format(100 * rate);

/** Returns a condition as name and value: “trade type swing”. */
function inWords(condition: TradeCondition): string {
  const name = condition.kind === "signal" ? condition.field : condition.kind;
  return `${name.replaceAll("_", " ")} ${condition.value.replaceAll("_", " ")}`;
}

/** Returns the lines of new and updated lessons and playbooks. */
function planLines({ symbol, create, update, link }: GroupPlan, screen: Screen): string[] {
  return [
    ...create.flatMap((node) =>
      writtenLines(symbol, `a new ${kindOf(node)}`, node, node.edges.length, screen),
    ),
    ...update.flatMap((changed) => {
      const further = link.filter(({ source_id }) => source_id === changed.id).length;
      return writtenLines(
        symbol,
        `new figures of ${shortId(changed.id)}`,
        changed,
        further,
        screen,
      );
    }),
  ];
}

function writtenLines(
  symbol: string,
  what: string,
  { content_title, content_body }: PlannedNode | PlannedUpdate,
  edges: number,
  { width, colors }: Screen,
): string[] {
  const ties = edges === 0 ? "no new edge" : `new edges to ${edges} of its trades`;
  return [
    ...wrap(`${symbolCell(symbol)}${what}: ${content_title}`, width, SYMBOL).map((line) =>
      colors.bold(line),
    ),
    ...indented(textOf(content_body), SYMBOL, width),
    ...indented(ties, SYMBOL, width).map((line) => colors.dim(line)),
  ];
}
