// The program: shows answers or another view, and then the interactive mode in a terminal.

import { version } from "nous-wasm";
import type { Sample } from "../sample/index.ts";
import { type Answer, answer, explained, report } from "./answer.ts";
import { type Args, NO_TRACE, parseArgs } from "./args.ts";
import { cycleReport, renderConsolidation } from "./consolidation.ts";
import { converse } from "./conversation.ts";
import { eventsReport, renderEvents } from "./events.ts";
import {
  answerByEvidence,
  type EvidenceAnswer,
  evidenceReport,
  explainedByEvidence,
  renderEvidence,
  renderReasons,
} from "./evidence.ts";
import { Library } from "./library.ts";
import { promptReport, renderPrompt } from "./prompt.ts";
import { STANDING_QUESTIONS } from "./questions.ts";
import { renderAnswer, renderHead, renderRule, type Screen } from "./render.ts";
import { renderTrace } from "./trace.ts";
import { renderExplanation } from "./tree.ts";
import { UsageError } from "./usage-error.ts";

const USAGE_ERROR = 2;

/** The program's environment: the screen, and the memory. */
export interface Stage {
  write: (text: string) => void;
  writeError: (text: string) => void;
  /** Returns the current screen: the width of a window may change. */
  screen: () => Screen;
  /** Whether a user can type further questions. */
  isInteractive: boolean;
  /** Returns the sample, which is generated on demand. */
  sample: () => Sample;
}

/** Runs the program. Returns its exit code. */
export async function program(args: readonly string[], stage: Stage): Promise<number> {
  try {
    const parsed = parseArgs(args);
    if ("print" in parsed) stage.write(parsed.print);
    else await run(parsed.run, stage);
    return 0;
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    stage.writeError(`${error.message}\n`);
    return USAGE_ERROR;
  }
}

/** Returns a view other than answers, as data and as text; null for answers. */
async function viewOf(
  library: Library,
  args: Args,
  screen: Screen,
): Promise<{ data: object; picture: string } | null> {
  if (args.events !== null) {
    const data = eventsReport(library, args.events);
    return { data, picture: renderEvents(data, screen) };
  }
  if (args.consolidate) {
    const data = await cycleReport(library);
    return { data, picture: renderConsolidation(data, screen) };
  }
  if (args.context !== null) {
    const data = await promptReport(library, args.context, args.ranking);
    return { data, picture: renderPrompt(data, screen) };
  }
  return null;
}

/** A way to rank: how its answers are made, and how they are shown. */
interface Way<A extends { question: string }> {
  answer(library: Library, question: string, limit: number): A | Promise<A>;
  /** Returns the answer with the explanation of the memory that `--explain` names. */
  explained(library: Library, answer: A, id: string): A;
  /** Returns the data that `--json` prints. */
  report(library: Library, answers: A[]): object;
  /** Renders an answer, with its trace if it has one and `trace` is true. */
  picture(library: Library, answer: A, screen: Screen, trace: boolean): string;
  explanation(library: Library, answer: A, screen: Screen): string;
  /** Renders the trace of an answer. Missing if answers have none. */
  trace?(answer: A, screen: Screen): string;
}

const BY_EVIDENCE: Way<EvidenceAnswer> = {
  answer: answerByEvidence,
  explained: explainedByEvidence,
  report: evidenceReport,
  picture: renderEvidence,
  explanation: renderReasons,
};

const BY_SIGNALS: Way<Answer> = {
  answer,
  explained,
  report,
  picture(library, one, screen, trace) {
    const parts = [renderAnswer(one, screen)];
    if (trace) parts.push(renderTrace(one.trace, screen));
    if (one.explanation) parts.push(renderExplanation(library, one, one.explanation, screen));
    return parts.join("\n\n");
  },
  explanation: (library, one, screen) =>
    one.explanation ? renderExplanation(library, one, one.explanation, screen) : "",
  trace: (one, screen) => renderTrace(one.trace, screen),
};

async function run(args: Args, stage: Stage): Promise<void> {
  const library = new Library(stage.sample(), args.at);
  const view = await viewOf(library, args, stage.screen());
  if (view !== null) {
    const head = renderHead(library, version, stage.screen());
    stage.write(
      `${args.json ? JSON.stringify(view.data, null, 2) : `${head}\n\n${view.picture}`}\n`,
    );
    return;
  }
  if (args.ranking === "signals") await answerAll(BY_SIGNALS, library, args, stage);
  else await answerAll(BY_EVIDENCE, library, args, stage);
}

async function answerAll<A extends { question: string }>(
  way: Way<A>,
  given: Library,
  args: Args,
  stage: Stage,
): Promise<void> {
  let library = given;
  const { screen } = stage;
  const print = (text: string) => stage.write(`${text}\n`);
  const alone = args.question === null && !(stage.isInteractive && !args.json);
  const questions = args.question !== null ? [args.question] : alone ? STANDING_QUESTIONS : [];
  // Computes all answers before it prints any: an unknown id ends the program.
  const answers: A[] = [];
  for (const question of questions) {
    const found = await way.answer(library, question, args.limit);
    answers.push(args.explain === null ? found : way.explained(library, found, args.explain));
  }
  if (args.json) {
    print(JSON.stringify(way.report(library, answers), null, 2));
    return;
  }
  print(renderHead(library, version, screen()));
  answers.forEach((one, i) => {
    print(i === 0 ? "" : renderRule(screen()));
    print(way.picture(library, one, screen(), args.trace));
  });
  if (questions.length > 0) return;
  let { limit } = args;
  let last: A | null = null;
  await converse({
    print,
    async ask(question) {
      last = await way.answer(library, question, limit);
      print(`\n${way.picture(library, last, screen(), args.trace)}\n`);
    },
    async explain(id) {
      if (last === null)
        throw new UsageError("explain: a score belongs to a question, so ask one first.");
      const found = await way.answer(library, last.question, limit);
      print(`\n${way.explanation(library, way.explained(library, found, id), screen())}\n`);
    },
    trace() {
      if (way.trace === undefined) throw new UsageError(NO_TRACE);
      if (last === null)
        throw new UsageError("trace: it belongs to an answer, so ask a question first.");
      print(`\n${way.trace(last, screen())}\n`);
    },
    setClock(at) {
      library.free();
      library = new Library(given.sample, at);
      print(renderHead(library, version, screen()));
    },
    setLimit(value) {
      limit = value;
      print(`${value} results from now on.`);
    },
  });
}
