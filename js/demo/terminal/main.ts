// The demo program: answers questions over a trading agent's memory, and shows the effect of
// sections and intent on the answer.

import pc from "picocolors";
import { generateSample } from "../sample/index.ts";
import { program } from "./program.ts";
import type { Screen } from "./render.ts";

const DEFAULT_WIDTH = 100;

function screen(): Screen {
  const { stdout, env } = process;
  const width = stdout.columns ?? Number.parseInt(env.COLUMNS ?? "", 10);
  const coloured = stdout.isTTY === true && !env.NO_COLOR;
  return { width: width > 0 ? width : DEFAULT_WIDTH, colors: pc.createColors(coloured) };
}

// A reader such as `head` may close the pipe early; that is no error.
process.stdout.on("error", (error: NodeJS.ErrnoException) => {
  if (error.code === "EPIPE") process.exit(0);
  throw error;
});

process.exitCode = await program(process.argv.slice(2), {
  write: (text) => void process.stdout.write(text),
  writeError: (text) => void process.stderr.write(text),
  screen,
  isInteractive: process.stdin.isTTY === true && process.stdout.isTTY === true,
  sample: generateSample,
});
