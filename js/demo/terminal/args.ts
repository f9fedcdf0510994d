// Parses the command line: a question or another view, and options. Errors are sentences.

import { Command, CommanderError, Option } from "commander";
import type { AnomalyEvent } from "nous-wasm";
import { toMilliseconds } from "../../engine/src/instant.ts";
import { SAMPLE_DEFAULTS } from "../sample/index.ts";
import { parseEvents } from "./events.ts";
import { STANDING_QUESTIONS } from "./questions.ts";
import { UsageError } from "./usage-error.ts";

/** The parsed arguments. */
export interface Args {
  /** Null: ask for a question, or answer the standing questions if the input is not a terminal. */
  question: string | null;
  /** The present, in milliseconds since 1970. */
  at: number;
  limit: number;
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

const MOST_RESULTS = 20;
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
  if (!(limit >= 1 && limit <= MOST_RESULTS)) {
    throw new UsageError(`--limit: “${text}” is no whole number from 1 to ${MOST_RESULTS}.`);
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

const HELP_AFTER = `
Without a question you are asked for one; without a terminal four standing questions are answered:
${STANDING_QUESTIONS.map((question) => `  ${question}`).join("\n")}

A question in several parts, as “What's my BTC thesis and how did my last SOL trade go?”, is
answered part by part in the third ranking. --trace shows how: what was understood, which parts
were searched for, what they found, and what became of that.

Beside each result stands the beginning of its id; --explain takes that, or the whole id.

--events "liquidation_cascade SOL 0.7, funding_extreme BTC 0.8" shows which playbooks fire for
anomalies (kind, symbol, severity from 0 to 1), why the others of their kind do not, and what an
agent would read. With --json: js/demo/terminal/events.ts.

--consolidate shows what trades of the last weeks add up to: the groups, the conditions tested, what
stands out or comes closest, and what would be written. With --json: js/demo/terminal/consolidation.ts.

--context "what lessons do I have about squeezes?" shows the prompt that an agent would answer with:
its sections with their tokens, and what was left out, and why. With --json: js/demo/terminal/prompt.ts.

--json prints {format, clock, memories, edges, answers}. An answer has question, limit, intents,
candidates, rankings (global, sections, intent: lists of results), trace, time_us, and with
--explain an explanation. Only times differ from run to run: time_us, and each ms in the trace.
Since format 3 the intent ranking is made part by part, and an answer has its trace; a result has
the part that it is for, and moved is null where the global ranking does not have it; time_us has
retrieve in place of merge_and_select; an explanation has the query that was searched for.
All fields: js/demo/terminal/answer.ts.`;

/** Parses the arguments after the program's name. */
export function parseArgs(argv: readonly string[]): Parsed {
  const printed: string[] = [];
  const command = new Command("npm run ask --")
    .description(
      "Asks the memory of a trading agent, and shows what sections and intent change in the ranking.",
    )
    .usage('"a question" [options]')
    .argument("[question...]", "what you want to know, in words")
    .addOption(
      new Option("--at <date>", "the present: what came later is not there yet")
        .argParser(parseAt)
        .default(SAMPLE_END, SAMPLE_DEFAULTS.end.slice(0, 10)),
    )
    .option(
      "--limit <n>",
      `results in each ranking, 1 to ${MOST_RESULTS}`,
      parseLimit,
      DEFAULT_LIMIT,
    )
    .option("--explain <id>", "also show what the score of this memory consists of", parseId)
    .option("--trace", "also show how each answer was retrieved, step by step with times")
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
    explain?: string;
    trace?: boolean;
    events?: AnomalyEvent[];
    consolidate?: boolean;
    context?: string;
    json?: boolean;
  };
  const { at, limit, explain, trace = false, json = false, ...instead } = command.opts<Options>();
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
  const shown = {
    question: question === "" ? null : question,
    explain: explain ?? null,
    trace,
    events: instead.events ?? null,
    consolidate: instead.consolidate ?? false,
    context: instead.context ?? null,
  };
  return { run: { ...shown, at, limit, json } };
}

/** Returns Commander's message as a sentence, without its prefix. */
function sentence(message: string): string {
  const text = message.replace(/^error: /, "");
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}${/[.?!)]$/.test(text) ? "" : "."} See --help.`;
}
