// The first program: one asks a trading agent's memory a question and sees what sections and intent do to the answer.

import { version } from "nous-wasm";
import pc from "picocolors";
import { generateSample } from "../sample/index.ts";
import { type Answer, answer, explained, report } from "./answer.ts";
import { type Args, parseArgs, UsageError } from "./args.ts";
import { cycleReport, renderConsolidation } from "./consolidation.ts";
import { converse } from "./conversation.ts";
import { eventsReport, renderEvents } from "./events.ts";
import { Library } from "./library.ts";
import { promptReport, renderPrompt } from "./prompt.ts";
import { STANDING_QUESTIONS } from "./questions.ts";
import { renderAnswer, renderHead, renderRule, type Screen } from "./render.ts";
import { renderTrace } from "./trace.ts";
import { renderExplanation } from "./tree.ts";

const USAGE_ERROR = 2;
const DEFAULT_WIDTH = 100;

function screen(): Screen {
  const { stdout, env } = process;
  const width = stdout.columns ?? Number.parseInt(env.COLUMNS ?? "", 10);
  const coloured = stdout.isTTY === true && !env.NO_COLOR;
  return { width: width > 0 ? width : DEFAULT_WIDTH, colors: pc.createColors(coloured) };
}

const print = (text: string) => process.stdout.write(`${text}\n`);

/** What is shown in place of answers, as data and as a picture; null for answers. */
async function viewOf(library: Library, args: Args): Promise<{ data: object; picture: string } | null> {
  if (args.events !== null) {
    const data = eventsReport(library, args.events);
    return { data, picture: renderEvents(data, screen()) };
  }
  if (args.consolidate) {
    const data = await cycleReport(library);
    return { data, picture: renderConsolidation(data, screen()) };
  }
  if (args.context !== null) {
    const data = await promptReport(library, args.context);
    return { data, picture: renderPrompt(data, screen()) };
  }
  return null;
}

async function run(args: Args): Promise<void> {
  const sample = generateSample();
  let library = new Library(sample, args.at);
  const view = await viewOf(library, args);
  if (view !== null) {
    const head = renderHead(library, version, screen());
    print(args.json ? JSON.stringify(view.data, null, 2) : `${head}\n\n${view.picture}`);
    return;
  }
  const alone = args.question === null && !(process.stdin.isTTY && process.stdout.isTTY && !args.json);
  const questions = args.question !== null ? [args.question] : alone ? STANDING_QUESTIONS : [];
  // All before anything is printed: an id that nothing has ends the program.
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
      if (last === null) throw new UsageError("explain: a score belongs to a question, so ask one first.");
      const one = explained(library, await answer(library, last.question, limit), id);
      print(`\n${renderExplanation(library, one, one.explanation, screen())}\n`);
    },
    trace() {
      if (last === null) throw new UsageError("trace: it belongs to an answer, so ask a question first.");
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

// A reader that has seen enough, as `head` has, closes the pipe; that is no error.
process.stdout.on("error", (error: NodeJS.ErrnoException) => {
  if (error.code === "EPIPE") process.exit(0);
  throw error;
});

try {
  const parsed = parseArgs(process.argv.slice(2));
  if ("print" in parsed) process.stdout.write(parsed.print);
  else await run(parsed.run);
} catch (error) {
  if (!(error instanceof UsageError)) throw error;
  process.stderr.write(`${error.message}\n`);
  process.exitCode = USAGE_ERROR;
}
