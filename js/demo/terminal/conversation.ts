// The interactive mode: prompt, question, answer, until the end of input.

import { createInterface } from "node:readline/promises";
import { parseAt, parseId, parseLimit } from "./args.ts";
import { STANDING_QUESTIONS } from "./questions.ts";
import { UsageError } from "./usage-error.ts";

/** The actions of the interactive mode. */
export interface Host {
  ask(question: string): Promise<void>;
  /** Explains the score of a memory of the last answer. */
  explain(id: string): Promise<void>;
  /** Shows the trace of the last answer. */
  trace(): void;
  setClock(at: number): void;
  setLimit(limit: number): void;
  print(text: string): void;
}

const INTRO = `
Ask in words, or type a number:
${STANDING_QUESTIONS.map((question, i) => `  ${i + 1}  ${question}`).join("\n")}
:at 2026-01-15 moves the clock, :limit 8 changes the number of results,
:explain ID shows what a score of the last answer consists of,
:trace how that answer was retrieved (with --ranking signals), :quit ends.
`;

/** Handles a line. Returns false if it ends the conversation. */
export async function handle(line: string, host: Host): Promise<boolean> {
  const text = line.trim();
  const [word = "", ...rest] = text.split(/\s+/);
  const value = rest.join(" ");
  try {
    if (text === "") host.print(INTRO);
    else if (/^:?(quit|exit|q)$/i.test(text)) return false;
    else if (word === ":at" || (word === "at" && /^\d/.test(value))) host.setClock(parseAt(value));
    else if (word === ":limit" || (word === "limit" && rest.length === 1))
      host.setLimit(parseLimit(value));
    else if (word === ":explain") await host.explain(parseId(value));
    else if (word === ":trace") host.trace();
    else if (text.startsWith(":")) host.print(`There is no command “${word}”.\n${INTRO}`);
    else
      await host.ask(/^[1-9]$/.test(text) ? (STANDING_QUESTIONS[Number(text) - 1] ?? text) : text);
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    host.print(error.message.replace(/^--/, ""));
  }
  return true;
}

export async function converse(host: Host): Promise<void> {
  host.print(INTRO);
  const lines = createInterface({ input: process.stdin, output: process.stdout, prompt: "? " });
  lines.prompt();
  for await (const line of lines) {
    if (!(await handle(line, host))) {
      lines.close();
      return;
    }
    lines.prompt();
  }
  // After the end of input the cursor is still behind the prompt.
  host.print("");
}
