// Removes the remains of a purged memory in a thread of its own: a large file takes long, and other
// agents of this thread go on meanwhile.

import { Worker } from "node:worker_threads";
import { StorageError } from "./errors.ts";
import type { Scrubbed, ScrubSetup } from "./scrub-thread.ts";

/**
 * Like `Storage.scrub`. No other connection may use the database meanwhile.
 *
 * @throws {StorageError} If the scrub fails.
 */
export function scrubApart(setup: ScrubSetup): Promise<void> {
  const thread = new Worker(new URL("./scrub-thread.mjs", import.meta.url), { workerData: setup });
  return new Promise((resolve, reject) => {
    const fail = (message: string, code?: string) => reject(new StorageError(message, { code }));
    thread.once("message", ({ failure }: Scrubbed) => {
      if (failure === undefined) resolve();
      else fail(failure.message, failure.code);
    });
    thread.once("error", ({ message }) => fail(message));
    thread.once("exit", () => fail("The thread that was to write the database anew has ended."));
  });
}
