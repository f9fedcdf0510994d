// Folders that are made if they are missing.
//
// Each missing folder is made on its own: for a path such as /proc/foo, whose folder cannot be made
// though the one above is there, `mkdirSync` with `recursive` never returns.

import { existsSync, mkdirSync } from "node:fs";
import { dirname } from "node:path";
import { SettingsError } from "../refusal.ts";

/** Makes a folder, and those above it, for this user alone. Throws the error of the system. */
export function makeFolder(path: string): void {
  const missing: string[] = [];
  for (let at = path; !existsSync(at) && at !== dirname(at); at = dirname(at)) missing.unshift(at);
  for (const folder of missing) {
    try {
      mkdirSync(folder, { mode: 0o700 });
    } catch (error) {
      // Another process has made it since.
      if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
    }
  }
}

/**
 * Makes a folder of the data folder.
 *
 * @throws {SettingsError} If that fails. The message names data_dir and what to do.
 */
export function makeFolderOf(dataDir: string, path: string): void {
  try {
    makeFolder(path);
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    throw new SettingsError(
      `data_dir is ${dataDir}, and ${path} cannot be made (${code ?? message}): name a folder that ` +
        "this user may write to, with --data-dir or the variable NOUS_DATA_DIR.",
    );
  }
}
