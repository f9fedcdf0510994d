// A database file is rid of what is left of a memory in a thread of its own: for a large one that
// takes a while, in which the agents of this thread go on.

import { Worker } from "node:worker_threads";
import { StorageError } from "./errors.ts";
import type { Scrubbed, ScrubSetup } from "./scrub-thread.ts";

/**
 * Does what `Storage.scrub` does. Nobody else may use the database meanwhile.
 *
 * @throws {StorageError} where it could not be done.
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
