// Sentences: a pattern of trades in words, as a trader would write it.

import { numeric } from "../runtime.ts";
import { LONGEST_TITLE } from "./answer.ts";
import { GENERAL } from "./episodes.ts";
import type { Finding } from "./patterns.ts";
import { firstCharacters } from "./text.ts";
import type { TradeCondition } from "./types.ts";

/** A pattern in words. @internal */
export interface Sentence {
  title: string;
  text: string;
  /** What to do; "" for a pattern without a direction. */
  action: string;
}

/** Labels that are written in capitals. */
const ABBREVIATIONS = /\b(?:btc|cme|cpi|cvd|etf|eth|fomc|oi)\b/gi;
/** Letters whose names begin with a vowel. */
const SPOKEN_WITH_VOWEL = /^[AEFHILMNORSX]/;
/** The most characters of a symbol. It comes from a memory and may be anything. */
const LONGEST_SYMBOL = 24;
const ELLIPSIS = "…";
const NO_SYMBOL = "without a symbol";

/** Returns a label in words: `oi_surge` becomes OI surge. */
function words(label: string): string {
  const spaced = label.replace(/[_\s]+/g, " ").trim();
  return spaced.replace(ABBREVIATIONS, (letters) => letters.toUpperCase()) || label;
}

/** Returns a noun with its article: a funding extreme, an OI surge, liquidations. */
function withArticle(noun: string): string {
  if (/[^s]s$/.test(noun)) return noun;
  const first = noun.split(" ")[0]!;
  const isSpelt = first.length > 1 && first === first.toUpperCase();
  return `${(isSpelt ? SPOKEN_WITH_VOWEL : /^[aeiou]/i).test(first) ? "an" : "a"} ${noun}`;
}

const listed = (parts: readonly string[]): string =>
  parts.length < 3 ? parts.join(" and ") : `${parts.slice(0, -1).join(", ")} and ${parts.at(-1)}`;

const capital = (text: string): string => text.slice(0, 1).toUpperCase() + text.slice(1);

/** Returns the conditions as phrases: after a funding extreme, on Sundays. */
function circumstances(conditions: readonly TradeCondition[]): string[] {
  const phrases = (kind: TradeCondition["kind"], say: (value: string) => string) =>
    conditions.flatMap((it) => (it.kind === kind ? [say(it.value)] : []));
  const anomalies = phrases("anomaly_type", (value) => withArticle(words(value)));
  return [
    ...(anomalies.length > 0 ? [`after ${listed(anomalies)}`] : []),
    ...conditions.flatMap((it) =>
      it.kind === "signal" ? [signalInWords(it.field, it.value)] : [],
    ),
    ...phrases("funding", (value) => `with ${value} funding`),
    ...phrases("weekday", (value) => `on ${value}s`),
    ...phrases("hours", (value) => `entered ${value.replace("-", ":00–")}:00 UTC`),
  ];
}

function signalInWords(field: string, value: string): string {
  if (value === "true") return `with “${words(field)}”`;
  if (value === "false") return `without “${words(field)}”`;
  return `with ${words(field)} “${words(value)}”`;
}

/** A rate in whole percent. */
const percent = (rate: number): string => `${numeric().whole_percent(rate)} %`;

/** Returns the number of profitable trades, the interval, and the comparison. */
function record(
  { n, wins, rate, interval, rest_n, rest_wins, rest_rate }: Finding,
  noun: string,
  others: string,
): string {
  const only = rate < rest_rate ? "only " : "";
  const count = wins === n ? `all ${n}` : wins === 0 ? `none of ${n}` : `${only}${wins} of ${n}`;
  const [low, high] = interval.map((end) => numeric().whole_percent(end));
  const trust = `(${percent(rate)}, 95 % interval ${low}–${high} %)`;
  const against = rest_wins === 0 ? "none" : percent(rest_rate);
  return `won ${count}${noun} ${trust}, against ${against} of the other ${rest_n} ${others}`;
}

/** Returns the mean return in words. */
function result({ mean_return_pct: mean, rate, rest_rate }: Finding): string {
  const size = Math.abs(mean).toFixed(1);
  if (Number(size) === 0) return "on average they made nothing";
  // "still" marks a result that the record does not suggest.
  const still = mean > 0 === rate > rest_rate ? "" : "still ";
  return mean > 0
    ? `they ${still}made +${size} % on average`
    : `they ${still}lost ${size} % on average`;
}

/**
 * Returns a pattern as a lesson: “ETH shorts after a funding extreme won 29 of 40 trades (72 %, 95
 * % interval 57–84 %), against 48 % of the other 60 ETH trades; they made +2.1 % on average.”
 *
 * @internal
 */
export function sentenceOf(finding: Finding): Sentence {
  const { symbol, conditions, direction, n, wins } = finding;
  const name =
    symbol === GENERAL ? "" : firstCharacters(symbol.replace(/\s+/g, " "), LONGEST_SYMBOL);
  const types = conditions.flatMap(({ kind, value }) =>
    kind === "trade_type" ? [words(value)] : [],
  );
  const what = [...types, direction === undefined ? "trades" : `${direction}s`];
  const of = (noun: readonly string[]) => (name === "" ? [...noun, NO_SYMBOL] : [name, ...noun]);
  const when = circumstances(conditions);
  const subject = capital([...of(what), ...when].join(" "));
  const others = of(["trades"]).join(" ");
  const outcome = `: ${wins} of ${n} won`;
  return {
    title: shortened(subject, LONGEST_TITLE - outcome.length) + outcome,
    text: `${subject} ${record(finding, direction === undefined ? "" : " trades", others)}; ${result(finding)}.`,
    action:
      direction === undefined
        ? ""
        : `${capital([direction, ...(name === "" ? [] : [name]), ...when].join(" "))}.`,
  };
}

function shortened(text: string, max: number): string {
  const fits = firstCharacters(text, max);
  return fits === text ? text : firstCharacters(text, max - 1).trimEnd() + ELLIPSIS;
}
