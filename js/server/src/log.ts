// The log: one line of JSON for each event, or readable text on a terminal. Texts of memories and of questions are not in it.

import { type Logger, pino } from "pino";
import type { Settings } from "./settings/options.ts";

export type { Logger } from "pino";

/** Writes to the standard error, so that what a command prints is its own. */
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
  const form = { sync: true, destination: 2 };
  if (!isText) return pino(options, pino.destination({ dest: form.destination, sync: form.sync }));
  const { default: pretty } = await import("pino-pretty");
  return pino(options, pretty({ ...form, translateTime: "SYS:HH:MM:ss.l", singleLine: true }));
}
