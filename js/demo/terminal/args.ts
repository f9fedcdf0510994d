// Parses the command line: a question or another view, and options. Errors are sentences.

import { Command, CommanderError, Option } from "commander";
import type { AnomalyEvent } from "nous-wasm";
import { toMilliseconds } from "../../engine/src/instant.ts";
import { SAMPLE_DEFAULTS } from "../sample/index.ts";
import { parseEvents } from "./events.ts";
import { STANDING_QUESTIONS } from "./questions.ts";
import { UsageError } from "./usage-error.ts";

/** The ways to rank. */
const RANKINGS = ["evidence", "signals"] as const;
export type RankedBy = (typeof RANKINGS)[number];

/** The parsed arguments. */
export interface Args {
  /** Null: ask for a question, or answer the standing questions if the input is not a terminal. */
  question: string | null;
  /** The present, in milliseconds since 1970. */
  at: number;
  limit: number;
  ranking: RankedBy;
  /** The id of the memory whose score is explained, or a prefix of it. */
  explain: string | null;
  /** Whether the trace of each answer is shown. */
  trace: boolean;
  /** Anomalies whose playbooks are shown instead of an answer. */
  events: AnomalyEvent[] | null;
  /** Whether a consolidation of the last weeks is shown instead of an answer. */
  consolidate: boolean;
  /** A question whose prompt is shown instead of an answer. */
  context: string | null;
  json: boolean;
}

/** Arguments to run with, or a text to print, such as the help. */
export type Parsed = { run: Args } | { print: string };

const MAX_RESULTS = 20;
const DEFAULT_LIMIT = 5;
const SAMPLE_END = Date.parse(SAMPLE_DEFAULTS.end);
const SAMPLE_DAYS = SAMPLE_DEFAULTS.days;
const DAY = 86_400_000;
/** The earliest present: the sample's first days hold too few memories. */
const FIRST = SAMPLE_END - (SAMPLE_DAYS - 7) * DAY;

/** Parses an instant. Without a time zone it is UTC. */
export function parseAt(text: string): number {
  const at = toMilliseconds(text.trim());
  if (Number.isNaN(at))
    throw new UsageError(
      `--at: “${text}” is no date. Write it as 2026-03-01, or 2026-03-01T14:30.`,
    );
  if (at < FIRST) {
    const day = new Date(FIRST).toISOString().slice(0, 10);
    throw new UsageError(
      `--at: “${text}” is too early, there is little to remember before ${day}.`,
    );
  }
  return at;
}

export function parseLimit(text: string): number {
  const limit = /^\d+$/.test(text) ? Number(text) : Number.NaN;
  if (!(limit >= 1 && limit <= MAX_RESULTS)) {
    throw new UsageError(`--limit: “${text}” is no whole number from 1 to ${MAX_RESULTS}.`);
  }
  return limit;
}

export function parseId(text: string): string {
  const id = text.trim();
  if (id === "")
    throw new UsageError(
      "--explain: the id is missing. Write its beginning, as it stands beside a result.",
    );
  return id;
}

export function parseContext(text: string): string {
  const question = text.trim();
  if (question === "") throw new UsageError("--context: the question is empty.");
  return question;
}

/** The message for a trace that is not there. */
export const NO_TRACE =
  "--trace: only answers by signals have a trace. Add --ranking signals, or leave --trace out.";

const HELP_AFTER = `
Without a question you are asked for one; without a terminal four standing questions are answered:
${STANDING_QUESTIONS.map((question) => `  ${question}`).join("\n")}

BY EVIDENCE, the default, as the server does it
  An answer is a list of memories with the probability that each of them answers. Below it stands
  why the first one is there, or the one that --explain names by the beginning of its id: what each
  kind of evidence adds, the words that matched, and the best passage.
  --json prints {format, clock, memories, edges, answers}. All fields: js/demo/terminal/evidence.ts.

BY SIGNALS, with --ranking signals
  Three rankings by six signals beside each other: what sections and intent change. --explain shows
  a score as a tree. --trace shows how the third ranking came about, which answers a question in
  several parts ("What's my BTC thesis and how did my last SOL trade go?") part by part.
  --json is format 3. Only times differ from run to run: time_us, and each ms in the trace. All
  fields: js/demo/terminal/answer.ts.

VIEWS IN PLACE OF AN ANSWER
  --context "what lessons do I have about squeezes?" shows the prompt that an agent would answer
  with: its sections with their tokens, and what was left out, and why. Its memories are found by
  evidence, or with --ranking signals by signals. With --json: js/demo/terminal/prompt.ts.
  --events "liquidation_cascade SOL 0.7, funding_extreme BTC 0.8" shows which playbooks fire for
  anomalies (kind, symbol, severity from 0 to 1), why the others of their kind do not, and what an
  agent would read. Nothing is ranked. With --json: js/demo/terminal/events.ts.
  --consolidate shows what trades of the last weeks add up to: the groups, the conditions tested,
  what stands out or comes closest, and what would be written. Nothing is ranked.
  With --json: js/demo/terminal/consolidation.ts.`;

/** Parses the arguments after the program's name. */
export function parseArgs(argv: readonly string[]): Parsed {
  const printed: string[] = [];
  const command = new Command("npm run ask --")
    .description("Asks the memory of a trading agent, and shows why each memory answers.")
    .usage('"a question" [options]')
    .argument("[question...]", "what you want to know, in words")
    .addOption(
      new Option("--at <date>", "the present: what came later is not there yet")
        .argParser(parseAt)
        .default(SAMPLE_END, SAMPLE_DEFAULTS.end.slice(0, 10)),
    )
    .option("--limit <n>", `results of an answer, 1 to ${MAX_RESULTS}`, parseLimit, DEFAULT_LIMIT)
    .addOption(
      new Option("--ranking <way>", "how memories are ranked")
        .choices(RANKINGS)
        .default("evidence"),
    )
    .option("--explain <id>", "show what the score of this memory consists of", parseId)
    .option("--trace", "by signals: also show how each answer was retrieved, with times")
    .option(
      "--events <anomalies>",
      'show which playbooks fire, and why: "funding_extreme BTC 0.8"',
      parseEvents,
    )
    .option("--consolidate", "show what the last weeks add up to, and what would be written")
    .option("--context <question>", "show the prompt that is prepared for a question", parseContext)
    .option("--json", "print data instead of a picture")
    .helpOption("--help", "show this")
    .addHelpText("after", HELP_AFTER)
    .configureOutput({ writeOut: (text) => printed.push(text), writeErr: () => undefined })
    .exitOverride();
  try {
    command.parse(argv, { from: "user" });
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    if (error.code === "commander.helpDisplayed") return { print: printed.join("") };
    throw new UsageError(sentence(error.message));
  }
  type Options = {
    at: number;
    limit: number;
    ranking: RankedBy;
    explain?: string;
    trace?: boolean;
    events?: AnomalyEvent[];
    consolidate?: boolean;
    context?: string;
    json?: boolean;
  };
  const options = command.opts<Options>();
  const { at, limit, ranking, explain, trace = false, json = false, ...instead } = options;
  const question = command.args.join(" ").trim();
  if (command.args.length > 0 && question === "") throw new UsageError("The question is empty.");
  if (explain !== undefined && question === "") {
    throw new UsageError("--explain: a score belongs to a question, and there is none.");
  }
  const [first, second] = Object.keys(instead);
  if (first !== undefined && question !== "")
    throw new UsageError(`--${first}: it takes no question beside it.`);
  if (second !== undefined)
    throw new UsageError(`--${first} and --${second}: only one of them can be shown.`);
  if (trace && ranking === "evidence") throw new UsageError(NO_TRACE);
  const isRanked = first === undefined || first === "context";
  if (!isRanked && command.getOptionValueSource("ranking") !== "default")
    throw new UsageError(`--ranking: --${first} ranks nothing, so leave it out.`);
  const shown = {
    question: question === "" ? null : question,
    explain: explain ?? null,
    trace,
    events: instead.events ?? null,
    consolidate: instead.consolidate ?? false,
    context: instead.context ?? null,
  };
  return { run: { ...shown, at, limit, ranking, json } };
}

/** Returns Commander's message as a sentence, without its prefix. */
function sentence(message: string): string {
  const text = message.replace(/^error: /, "");
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}${/[.?!)]$/.test(text) ? "" : "."} See --help.`;
}
