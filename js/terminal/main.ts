// The first program: one asks a trading agent's memory a question and sees what sections and intent do to the answer.

import { version } from "nous-wasm";
import pc from "picocolors";
import { generateSample } from "../sample/index.ts";
import { answer, report } from "./answer.ts";
import { type Args, type Parsed, parseArgs, UsageError } from "./args.ts";
import { Library } from "./candidates.ts";
import { converse } from "./conversation.ts";
import { STANDING_QUESTIONS } from "./questions.ts";
import { renderAnswer, renderHead, renderRule, type Screen } from "./render.ts";

const USAGE_ERROR = 2;
const DEFAULT_WIDTH = 100;

function screen(): Screen {
  const { stdout, env } = process;
  const width = stdout.columns ?? Number.parseInt(env.COLUMNS ?? "", 10);
  const coloured = stdout.isTTY === true && !env.NO_COLOR;
  return { width: width > 0 ? width : DEFAULT_WIDTH, colors: pc.createColors(coloured) };
}

const print = (text: string) => process.stdout.write(`${text}\n`);

async function run(args: Args): Promise<void> {
  const sample = generateSample();
  let library = new Library(sample, args.at);
  const alone = args.question === null && !(process.stdin.isTTY && process.stdout.isTTY && !args.json);
  const questions = args.question !== null ? [args.question] : alone ? STANDING_QUESTIONS : [];
  if (args.json) {
    const answers = questions.map((question) => answer(library, question, args.limit));
    print(JSON.stringify(report(library, answers), null, 2));
    return;
  }
  print(renderHead(library, version, screen()));
  questions.forEach((question, i) => {
    print(i === 0 ? "" : renderRule(screen()));
    print(renderAnswer(answer(library, question, args.limit), screen()));
  });
  if (questions.length > 0) return;
  let { limit } = args;
  await converse({
    print,
    ask: (question) => print(`\n${renderAnswer(answer(library, question, limit), screen())}\n`),
    setClock(at) {
      library = new Library(sample, at);
      print(renderHead(library, version, screen()));
    },
    setLimit(value) {
      limit = value;
      print(`${value} results from now on.`);
    },
  });
}

function parse(): Parsed | null {
  try {
    return parseArgs(process.argv.slice(2));
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    process.stderr.write(`${error.message}\n`);
    process.exitCode = USAGE_ERROR;
    return null;
  }
}

// A reader that has seen enough, as `head` has, closes the pipe; that is no error.
process.stdout.on("error", (error: NodeJS.ErrnoException) => {
  if (error.code === "EPIPE") process.exit(0);
  throw error;
});

const parsed = parse();
if (parsed !== null) {
  if ("print" in parsed) process.stdout.write(parsed.print);
  else await run(parsed.run);
}
