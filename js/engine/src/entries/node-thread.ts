// A worker of Node's `worker_threads` as an index's thread.

import type { Worker, WorkerOptions } from "node:worker_threads";
import type { Thread } from "../memory/worker/threads.ts";

/** The worker ignores the flags of the program, such as `--import` and `--input-type`. */
export const NODE_OPTIONS: WorkerOptions = { name: "nous-wasm", execArgv: [] };

export function nodeThread(worker: Worker): Thread {
  return {
    post: (message, transfer) => worker.postMessage(message, transfer),
    listen: ({ heard, lost }) => {
      worker.on("message", heard);
      worker.on("messageerror", (cause) => lost("gave an answer that cannot be read", cause));
      worker.on("error", (cause) => lost("failed", cause));
      worker.on("exit", (code) => lost(`ended with code ${code}`));
    },
    hold: (isHeld) => (isHeld ? worker.ref() : worker.unref()),
    terminate: async () => {
      await worker.terminate();
    },
  };
}
