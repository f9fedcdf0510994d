// The log: a line of JSON per event, or readable text on a terminal. It contains no texts of
// memories or questions.

import { type Logger, pino } from "pino";
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
export async function createLog({
  log_level,
  log_format,
}: Pick<Settings, "log_level" | "log_format">): Promise<Logger> {
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
  const { default: pretty } = await import("pino-pretty");
  return pino(options, pretty({ destination, translateTime: "SYS:HH:MM:ss.l", singleLine: true }));
}
