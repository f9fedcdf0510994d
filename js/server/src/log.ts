// The log: one line of JSON for each event, or readable text on a terminal. Texts of memories and
// of questions are not in it.

import { type Logger, pino } from "pino";
import type { Settings } from "./settings/options.ts";

export type { Logger } from "pino";

/**
 * UTF-16 units of lines that wait while nothing can be written, as to a file on a full disk. Later
 * ones are dropped.
 */
const MOST_WAITING = 2 ** 20;

/**
 * Writes to the standard error, so that what a command prints is its own. A line that cannot be
 * written ends nothing.
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
  const destination = pino.destination({ dest: 2, sync: true, maxLength: MOST_WAITING });
  // It is tried again with the next line.
  destination.on("error", () => {});
  if (!isText) return pino(options, destination);
  const { default: pretty } = await import("pino-pretty");
  return pino(options, pretty({ destination, translateTime: "SYS:HH:MM:ss.l", singleLine: true }));
}
