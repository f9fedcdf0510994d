// The program: shows answers or another view, and then the interactive mode in a terminal.

import { version } from "nous-wasm";
import type { Sample } from "../sample/index.ts";
import { type Answer, answer, explained, report } from "./answer.ts";
import { type Args, parseArgs } from "./args.ts";
import { cycleReport, renderConsolidation } from "./consolidation.ts";
import { converse } from "./conversation.ts";
import { eventsReport, renderEvents } from "./events.ts";
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
    const data = await promptReport(library, args.context);
    return { data, picture: renderPrompt(data, screen) };
  }
  return null;
}

async function run(args: Args, stage: Stage): Promise<void> {
  const sample = stage.sample();
  const { screen } = stage;
  const print = (text: string) => stage.write(`${text}\n`);
  let library = new Library(sample, args.at);
  const view = await viewOf(library, args, screen());
  if (view !== null) {
    const head = renderHead(library, version, screen());
    print(args.json ? JSON.stringify(view.data, null, 2) : `${head}\n\n${view.picture}`);
    return;
  }
  const alone = args.question === null && !(stage.isInteractive && !args.json);
  const questions = args.question !== null ? [args.question] : alone ? STANDING_QUESTIONS : [];
  // Computes all answers before it prints any: an unknown id ends the program.
  const answers: Answer[] = [];
  for (const question of questions) {
    const found = await answer(library, question, args.limit);
    answers.push(args.explain === null ? found : explained(library, found, args.explain));
  }
  if (args.json) {
    print(JSON.stringify(report(library, answers), null, 2));
    return;
  }
  print(renderHead(library, version, screen()));
  answers.forEach((one, i) => {
    print(i === 0 ? "" : renderRule(screen()));
    print(renderAnswer(one, screen()));
    if (args.trace) print(`\n${renderTrace(one.trace, screen())}`);
    if (one.explanation) print(`\n${renderExplanation(library, one, one.explanation, screen())}`);
  });
  if (questions.length > 0) return;
  let { limit } = args;
  let last: Answer | null = null;
  const showTrace = ({ trace }: Answer) => print(`${renderTrace(trace, screen())}\n`);
  await converse({
    print,
    async ask(question) {
      last = await answer(library, question, limit);
      print(`\n${renderAnswer(last, screen())}\n`);
      if (args.trace) showTrace(last);
    },
    async explain(id) {
      if (last === null)
        throw new UsageError("explain: a score belongs to a question, so ask one first.");
      const one = explained(library, await answer(library, last.question, limit), id);
      print(`\n${renderExplanation(library, one, one.explanation, screen())}\n`);
    },
    trace() {
      if (last === null)
        throw new UsageError("trace: it belongs to an answer, so ask a question first.");
      print("");
      showTrace(last);
    },
    setClock(at) {
      library.free();
      library = new Library(sample, at);
      print(renderHead(library, version, screen()));
    },
    setLimit(value) {
      limit = value;
      print(`${value} results from now on.`);
    },
  });
}
