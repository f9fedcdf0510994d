// The log: a line of JSON per event, or readable text on a terminal. It contains no texts of
// memories or questions.

import { styleText } from "node:util";
import { type Level, type Logger, pino } from "pino";
import type { Settings } from "./settings/options.ts";

export type { Logger } from "pino";

/**
 * UTF-16 units of lines that wait while they cannot be written, as on a full disk. Later lines are
 * dropped.
 */
const MAX_WAITING = 2 ** 20;

/**
 * Creates a logger that writes to standard error: standard output belongs to the commands. A line
 * that cannot be written does not end the program.
 */
export function createLog({
  log_level,
  log_format,
}: Pick<Settings, "log_level" | "log_format">): Logger {
  const isText = log_format === "text" || (log_format === "auto" && process.stderr.isTTY);
  const options = {
    level: log_level,
    base: null,
    timestamp: () => `,"time":"${new Date().toISOString()}"`,
    formatters: { level: (level: string) => ({ level }) },
  };
  const destination = pino.destination({ dest: 2, sync: true, maxLength: MAX_WAITING });
  // The line is written again with the next one.
  destination.on("error", () => {});
  if (!isText) return pino(options, destination);
  return pino(options, { write: (line) => destination.write(textOf(line)) });
}

const COLOURS = {
  trace: "gray",
  debug: "blue",
  info: "green",
  warn: "yellow",
  error: "red",
  fatal: "bgRed",
} as const;

/**
 * Returns a line of JSON as readable text, in the colours that the standard error shows:
 * `[14:03:12.345] WARN: The keys cannot be read {"agent":"mira"}`.
 */
export function textOf(line: string): string {
  const { time, level, msg, ...fields } = JSON.parse(line);
  const at = new Date(time);
  const clock = `${at.toTimeString().slice(0, 8)}.${String(at.getMilliseconds()).padStart(3, "0")}`;
  // A line may name what a client sent: control characters would command the terminal.
  const inColour = (colour: Parameters<typeof styleText>[0], text: string) =>
    styleText(colour, text.replace(/[^\P{Cc}\t\n]/gu, ""), { stream: process.stderr });
  const parts = [`[${clock}] ${inColour(COLOURS[level as Level], level.toUpperCase())}:`];
  if (msg !== undefined) parts.push(inColour("cyan", msg));
  if (Object.keys(fields).length > 0)
    parts.push(inColour("gray", JSON.stringify(fields).replaceAll("\\\\", "\\")));
  return `${parts.join(" ")}\n`;
}
