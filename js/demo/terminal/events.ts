// Playbooks that anomalies trigger, and the reasons why others of their kind do not fire.
// Conditions are checked against the signals of the last anomaly of the same kind in memory.
// `--json` prints `EventsReport`.

import {
  type AnomalyEvent,
  formatPlaybookMatches,
  PlaybookBook,
  type PlaybookMatch,
  type PlaybookTrigger,
} from "nous-wasm";
import type { SampleNode } from "../sample/index.ts";
import { indented, wrap } from "./layout.ts";
import type { Library } from "./library.ts";
import { headed, NARROWEST, type Screen, shortId } from "./render.ts";
import { UsageError } from "./usage-error.ts";

/** The playbooks of some events. */
export interface EventsReport {
  format: 1;
  /** The present, in ISO 8601. */
  clock: string;
  events: AnomalyEvent[];
  /** For each event, the last signal of its kind and its numbers; null if memory holds none. */
  markets: (Market | null)[];
  /** The number of playbooks at that time. */
  playbooks: number;
  /** The matches, most relevant first. */
  matches: PlaybookMatch[];
  /** Playbooks for an event's kind that did not fire, with the reason. */
  passed_over: { id: string; title: string; reason: string }[];
  /** The text for the agent; empty if no playbook fires. */
  text: string;
}

interface Market {
  from: string;
  numbers: Record<string, number>;
}

const EXAMPLE = "funding_extreme BTC 0.8";

/**
 * Parses anomalies: kind, symbol and severity, several with commas between. The symbol is optional.
 *
 * @throws {UsageError} If a part is invalid.
 */
export function parseEvents(text: string): AnomalyEvent[] {
  const events = text.split(",").map((one) => one.trim().split(/\s+/));
  return events.map((words) => {
    const [type = "", symbol, severity] = words.length === 2 ? [words[0], null, words[1]] : words;
    const number = severity === undefined || severity === "" ? Number.NaN : Number(severity);
    if (type === "" || words.length > 3 || !(number >= 0 && number <= 1)) {
      const what = `“${words.join(" ")}” is no anomaly: a kind, a symbol and a severity from 0 to 1`;
      throw new UsageError(`--events: ${what}, as “${EXAMPLE}”. Several have commas between them.`);
    }
    return { type, symbol: symbol ?? null, severity: number };
  });
}

/** Matches events with the sample's playbooks. */
export function eventsReport(library: Library, events: AnomalyEvent[]): EventsReport {
  const playbooks = library.nodes.filter((node) => node.subtype === "custom:playbook");
  const book = new PlaybookBook();
  book.add(
    playbooks.map(({ id, content_title, content_body }) => ({ id, content_title, content_body })),
  );
  const markets = events.map((event) => marketOf(library, event));
  // Each event has its own market. If several events match a playbook, the first counts.
  const results = events.map((event, place) => book.match([event], markets[place]?.numbers));
  const firsts = new Map(
    results
      .flatMap(({ matches }) => matches)
      .toReversed()
      .map((match) => [match.id, match]),
  );
  const matches = [...firsts.values()].sort((a, b) => b.relevance - a.relevance);
  const missing = results.flatMap((result) => result.missing);
  return {
    format: 1,
    clock: new Date(library.at).toISOString(),
    events,
    markets,
    playbooks: playbooks.length,
    matches,
    passed_over: playbooks
      .filter(({ id }) => !firsts.has(id))
      .flatMap((node) => {
        const names = missing.filter(({ id }) => id === node.id).map((it) => it.var);
        const reason = reasonAgainst(node, events, names);
        return reason === null ? [] : [{ id: node.id, title: node.content_title, reason }];
      }),
    text: formatPlaybookMatches(matches),
  };
}

/** Returns the market of the last signal of this kind on this symbol. */
function marketOf(library: Library, { type, symbol }: AnomalyEvent): Market | null {
  const signals = library.nodes.filter((node) => node.subtype === "custom:signal");
  const seen = ({ content_body }: SampleNode) =>
    (JSON.parse(content_body) as { signals: Record<string, unknown> }).signals;
  const last = signals.findLast((node) => {
    const { anomaly_type, symbol: on } = seen(node);
    return anomaly_type === type && on === symbol?.toUpperCase();
  });
  if (last === undefined) return null;
  const numbers = Object.entries(seen(last)).filter(
    (pair): pair is [string, number] => typeof pair[1] === "number",
  );
  return { from: last.id, numbers: Object.fromEntries(numbers) };
}

/** Returns why a playbook for the kind of an event does not fire; null for other kinds. */
function reasonAgainst(
  { content_body }: SampleNode,
  events: readonly AnomalyEvent[],
  unknown: readonly string[],
): string | null {
  const { trigger } = JSON.parse(content_body) as { trigger: PlaybookTrigger };
  const { anomaly_types: types, symbols, min_severity: min } = trigger;
  const reasons = events
    .filter(({ type }) => types?.includes(type))
    .map(({ type, symbol, severity }) =>
      symbols?.length && (symbol == null || !symbols.includes(symbol.toUpperCase()))
        ? `${type} on ${symbol ?? "no symbol"}: it is for ${symbols.join(", ")}`
        : severity < (min ?? 0)
          ? `${type} of ${severity}: it asks for ${min} or more`
          : unknown.length > 0
            ? `Its conditions ask for ${unknown.join(", ")}, which memory does not tell`
            : "The market does not meet its conditions",
    );
  return reasons.length === 0 ? null : reasons.join("; ");
}

/** Renders the matches, their relevance, and the text for the agent. */
export function renderEvents(report: EventsReport, screen: Screen): string {
  const { colors } = screen;
  const width = Math.max(screen.width, NARROWEST);
  const { events, markets, matches, passed_over, playbooks, text } = report;
  const head = events.map(({ type, symbol, severity }) =>
    [type, symbol, severity].filter((it) => it !== null).join(" "),
  );
  const heading = (title: string) => headed(title, { width, colors });
  const fired = matches.flatMap((match, place) => whyLines(match, place + 1, width, screen));
  const others = passed_over.flatMap(({ id, title, reason }) =>
    wrap(`${shortId(id)}  ${title}. ${reason}`, width, 9).map((line) => colors.dim(line)),
  );
  return [
    ...wrap(`› ${head.join(", ")}`, width, 2).map((line) => colors.bold(line)),
    ...indented(
      `in the market of ${markets.map((it) => (it === null ? "nothing known" : shortId(it.from))).join(", ")}`,
      2,
      width,
    ),
    ...heading(`PLAYBOOKS  ${matches.length} of ${playbooks} fire`),
    ...(fired.length > 0 ? fired : ["None. What an agent reads is left out then."]),
    ...(others.length > 0 ? [...heading("FOR THE SAME KIND, BUT NOT CALLED UP"), ...others] : []),
    ...(text === "" ? [] : [...heading("WHAT THE AGENT READS"), text]),
  ].join("\n");
}

function whyLines(
  match: PlaybookMatch,
  place: number,
  width: number,
  { colors }: Screen,
): string[] {
  const { id, title, type, symbol, severity, success_count, sample_size, success_rate, relevance } =
    match;
  const samples = Math.min(1, sample_size / 10);
  const rank = String(place).padEnd(4);
  const facts = [
    `relevance ${relevance.toFixed(3)} = ${success_count} of ${sample_size} won (${success_rate.toFixed(2)})`,
    `severity ${severity}`,
    `${samples.toFixed(1)} for the number of trades`,
  ].join(" × ");
  const called = `called up by ${type}${symbol === null ? "" : ` on ${symbol}`}`;
  return [
    ...wrap(`${rank}${title}`, width, rank.length).map((line) => colors.bold(line)),
    ...indented(`${shortId(id)}  ${called}: ${facts}`, rank.length, width),
  ];
}
